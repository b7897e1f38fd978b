import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

/** Node without what root may do beyond others: whoever owns a file may do what its mode says; undefined where that can't be made. */
export function powerlessNode(): string | undefined {
  if (process.getuid?.() !== 0) return process.execPath;
  const program = join(tempFolder(), "node");
  const words = "exec setpriv --bounding-set=-all --inh-caps=-all";
  writeFileSync(program, `#!/bin/sh\n${words} ${process.execPath} "$@"\n`, { mode: 0o755 });
  try {
    execFileSync(program, ["--version"], { stdio: "pipe" });
    return program;
  } catch (error) {
    if (process.env.CI === "true") throw error;
    console.warn("skipped: root can't put its powers down here (setpriv)");
    return undefined;
  }
}
