import { spawnSync } from "node:child_process";
import { expect } from "vitest";

let reason: string | undefined | null = null;

/** True, with the reason printed, where bubblewrap can't be used; a failure with CI=true. */
export function boxMissing(): boolean {
  if (reason === null) {
    const { status, error, stderr } = spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], {
      encoding: "utf8",
    });
    reason = status === 0 ? undefined : (error?.message ?? (stderr.trim() || `bwrap ended with ${status}`));
  }
  return reason !== undefined && notChecked(`bubblewrap can't be used on this machine (${reason})`);
}

/** Nothing is skipped silently. */
export function notChecked(why: string): true {
  console.log(`${why}: not checked here`);
  expect(process.env.CI, why).not.toBe("true");
  return true;
}
