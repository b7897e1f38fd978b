import { readdirSync } from "node:fs";
import type { AuditLine } from "../../../ipc/operator-api.ts";
import { errorCode } from "../errors.ts";
import { MONTH_FILE } from "./chain.ts";

/** The trail's files and lines, as whoever reads them needs them. */

/** Oldest first. */
export function monthFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => MONTH_FILE.test(name))
      .sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
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
