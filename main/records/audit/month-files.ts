import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { AuditLine } from "../../../ipc/contract/operator-api.ts";
import { errorCode } from "../../base/errors.ts";
import { kindOfFile } from "../../base/files/own-files.ts";
import { MONTH_FILE, monthFile } from "./chain.ts";

/** The trail's files, for its readers. */

/** Reserved space for the trail. */
const RESERVE_FILE = "reserve";
/** Months that were put together, by the first and the last of them. */
export const ARCHIVE_FILE = /^\d{4}-\d\d_\d{4}-\d\d\.archive\.gz$/;
/** An archive that isn't finished; what is left of one counts for nothing. */
export const UNFINISHED_ARCHIVE = "archive.new";

export interface FoundFile {
  name: string;
  /** `month`: may hold lines; `archive`: those of several months. `stray`: not a file of the trail. */
  role: "month" | "archive" | "stray";
  /** What it is, in words, if it isn't a file: "a link", "a folder"; else null. */
  not_a_file: string | null;
  is_link: boolean;
  size: number;
}

/** Everything in the trail's folder but the reserve and an unfinished archive, by name. */
export function filesIn(folder: string): FoundFile[] {
  const found: FoundFile[] = [];
  for (const name of namesIn(folder)) {
    if (name === RESERVE_FILE || name === UNFINISHED_ARCHIVE) continue;
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat === undefined) continue;
    found.push({
      name,
      role: MONTH_FILE.test(name) ? "month" : ARCHIVE_FILE.test(name) ? "archive" : "stray",
      not_a_file: stat.isFile() ? null : kindOfFile(stat),
      is_link: stat.isSymbolicLink(),
      size: stat.size,
    });
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The months with content, oldest first. An empty file may have been left by a crash. */
export function monthFiles(folder: string): string[] {
  return monthsIn(folder).map(({ name }) => name);
}

/** The same, with their sizes. @throws the system's error */
export function monthsIn(folder: string): FoundFile[] {
  return filesIn(folder).filter(({ role, not_a_file, size }) => role === "month" && not_a_file === null && size > 0);
}

/** In the order in which they were most likely written: first those of future months, written when the clock was wrong. */
export function byLikelyAge(files: readonly string[], nowMs: number): string[] {
  const present = monthFile(nowMs);
  return [...files.filter((name) => name > present), ...files.filter((name) => name <= present)];
}

/** Undefined for what isn't a line of the trail. */
export function parseLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "prev" in value && "event" in value) return value as AuditLine;
  } catch {
    // reported by the caller as a line that can't be read
  }
  return undefined;
}
