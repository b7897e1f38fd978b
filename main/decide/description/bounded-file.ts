import { createHash } from "node:crypto";
import { isAtOrBelow, kindOf, realForm } from "@metnos-gate/shell-reading/files";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";
import type { CallPlace } from "../places/call-place.ts";

/** Files that a call names, read for its description: regular ones only, never through a link that leads elsewhere, never waiting. */

export type FileRead =
  /** `text` is null where it is none (other bytes). */
  | { kind: "file"; bytes: Buffer; text: string | null }
  | { kind: "nothing" }
  /** Another kind of file, a link that leads elsewhere, too long, or no permission. */
  | { kind: "unreadable" };

/**
 * @param path absolute
 * @param maxBytes a longer file isn't read
 */
export function readBounded(path: string, maxBytes: number, place: CallPlace): FileRead {
  const real = realForm(path);
  if (real === null || leadsElsewhere(path, real, place)) return { kind: "unreadable" };
  const kind = kindOf(real);
  if (kind !== "file") return { kind: kind === "nothing" ? "nothing" : "unreadable" };
  try {
    const bytes = readRegularBytes(real, { maxBytes, follows: false });
    return { kind: "file", bytes, text: textOf(bytes) };
  } catch {
    return { kind: "unreadable" }; // too large, gone, replaced or forbidden by now: nothing is known of it
  }
}

const hashes = new WeakMap<Buffer, string>();

/** Hex; of what was read, once. */
export function sha256(bytes: Buffer): string {
  const hash = hashes.get(bytes) ?? createHash("sha256").update(bytes).digest("hex");
  hashes.set(bytes, hash);
  return hash;
}

/** A link on the way, other than one that all of the project or the home is reached by. */
function leadsElsewhere(path: string, real: string, { cwd, home, project }: CallPlace): boolean {
  if (real === path) return false;
  if (project !== null && isAtOrBelow(real, project)) return false;
  return ![cwd, home].some((base) => {
    if (base === undefined || !isAtOrBelow(path, base)) return false;
    const realBase = realForm(base);
    return realBase !== null && `${realBase === "/" ? "" : realBase}${path.slice(base.length)}` === real;
  });
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return UTF8.decode(bytes);
  } catch {
    return null; // not UTF-8: no text
  }
}
