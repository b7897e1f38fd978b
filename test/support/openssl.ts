import { spawnSync } from "node:child_process";

/** False, with a printed reason, where there is no openssl 3; with CI=true that fails. */
export function hasOpenssl(): boolean {
  const { stdout } = spawnSync("openssl", ["version"], { encoding: "utf8" });
  if (/^OpenSSL [3-9]/.test(stdout ?? "")) return true;
  if (process.env.CI === "true") throw new Error("openssl 3 isn't installed");
  console.warn("skipped: openssl 3 isn't installed");
  return false;
}
