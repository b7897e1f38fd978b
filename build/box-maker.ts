import { spawnSync } from "node:child_process";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Compiles what makes the boxes, one file of C. Where that can't be done it is left out, and bubblewrap makes them. */

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "main/box/make-box.c");

/** Static: to load a library as it starts takes longer than all that it does before the box. */
const FLAGS = [
  ...["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-static"],
  ...["-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-Wl,-z,relro,-z,now,-z,noexecstack"],
];

/** @returns why it was left out, or undefined */
export function buildBoxMaker(built = join(ROOT, "dist/metnos-make-box"), env = process.env): string | undefined {
  rmSync(built, { force: true });
  if (process.platform !== "linux") return "there are boxes on Linux only";
  const made = `${built}.new`;
  for (const compiler of ["cc", "gcc"]) {
    const { status, error, stderr } = spawnSync(compiler, [...FLAGS, "-o", made, SOURCE], { encoding: "utf8", env });
    if (error !== undefined) continue;
    if (status !== 0) return firstError(stderr);
    // Whatever the umask is: one that others may write isn't used.
    chmodSync(made, 0o755);
    renameSync(made, built);
    return undefined;
  }
  return "there is no C compiler (cc or gcc)";
}

/** Also where the compiler is there and its static library isn't. */
const firstError = (text: string): string =>
  (text.split("\n").find((line) => /error|cannot find/.test(line)) ?? text).trim();
