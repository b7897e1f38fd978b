import { execFileSync, type StdioOptions } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A program that makes boxes, by bubblewrap's words. */
export interface Maker {
  /** Absolute. */
  readonly path: string;
  readonly name: "bubblewrap" | "metnos-make-box";
  readonly version: string;
}

/** As seen from main/box/ and, once built, from dist/cli/. */
const BUILT = fileURLToPath(new URL("../../dist/metnos-make-box", import.meta.url));

const VERSION_MS = 2000;

/** Says that bubblewrap makes the boxes though there is an own program: for tests. */
const WANTED = "METNOS_BOX_MAKER";

/**
 * The gate's own, make-box.c, or null where it wasn't built or can't run here. It is run from the gate's folder: what was built may lie in a
 * project, whose commands could put another program there.
 * @throws the system's error where it can't be put there
 */
export function ownMaker(boxFolder: string, built = BUILT): Maker | null {
  if (process.platform !== "linux" || process.env[WANTED] === "bubblewrap" || !existsSync(built)) return null;
  const path = join(boxFolder, "metnos-make-box");
  // Never written where it is: a box may still run it.
  const made = `${path}.new`;
  rmSync(made, { force: true });
  writeFileSync(made, readFileSync(built), { mode: 0o700, flag: "wx" });
  renameSync(made, path);
  return makerAt(path, "metnos-make-box");
}

/** Null where it doesn't run here: as good as none. */
export function makerAt(path: string, name: Maker["name"]): Maker | null {
  try {
    // What the system says of a program that isn't for it is nobody's to read.
    const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
    const said = execFileSync(path, ["--version"], { encoding: "utf8", timeout: VERSION_MS, env: {}, stdio });
    return { path, name, version: /\d+(?:\.\d+)+/.exec(said)?.[0] ?? "" };
  } catch {
    return null;
  }
}
