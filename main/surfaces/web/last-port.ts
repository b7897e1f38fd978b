import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * The port that the page had last: where none is chosen it is tried first, so that a browser whose gate was started again finds it;
 * then the usual one. Only a wish: without it any port will do.
 */

/** The first gate of a machine has this one. */
export const USUAL_PORT = 47_655;

/** Undefined where there is none that could be used. */
export function readLastPort(file: string): number | undefined {
  try {
    if (!lstatSync(file).isFile()) return undefined;
    const port = Number(readFileSync(file, "utf8"));
    return Number.isInteger(port) && port >= 1024 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined; // the first start, or it can't be read
  }
}

export function keepLastPort(file: string, port: number): void {
  try {
    rmSync(`${file}.new`, { force: true });
    // A file of its own making: through a link somebody else's would be written.
    writeFileSync(`${file}.new`, `${port}\n`, { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
  } catch {
    // a full disk: the next start takes any port
  }
}
