import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { AuditLine } from "../../../ipc/contract/operator-api.ts";
import { byLikelyAge, monthFiles, parseLine } from "./month-files.ts";

const BACKWARD_BYTES = 64 * 1024;

/** The last `count` lines, oldest first. Reads no more of the files than needed. */
export function tailAudit(folder: string, count: number, chunkBytes = BACKWARD_BYTES, nowMs = Date.now()): AuditLine[] {
  const kept: AuditLine[] = [];
  for (const file of byLikelyAge(monthFiles(folder), nowMs).reverse()) {
    for (const text of linesBackward(join(folder, file), chunkBytes)) {
      const line = parseLine(text);
      if (line !== undefined && kept.push(line) === count) return kept.reverse();
    }
  }
  return kept.reverse();
}

/** A file's lines, the last one first. */
function* linesBackward(file: string, chunkBytes: number): Generator<string> {
  const descriptor = openSync(file, "r");
  try {
    let end = fstatSync(descriptor).size;
    let rest: Buffer = Buffer.alloc(0);
    while (end > 0) {
      const begin = Math.max(0, end - chunkBytes);
      const chunk = Buffer.alloc(end - begin);
      readSync(descriptor, chunk, 0, chunk.length, begin);
      const bytes = Buffer.concat([chunk, rest]);
      // Chunks are cut at bytes, not at characters: the part before the first line's end belongs to an earlier chunk.
      const first = begin === 0 ? -1 : bytes.indexOf(0x0a);
      if (begin > 0 && first === -1) {
        rest = bytes;
      } else {
        rest = bytes.subarray(0, first + 1);
        yield* bytes
          .subarray(first + 1)
          .toString("utf8")
          .split("\n")
          .reverse();
      }
      end = begin;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The last line that `matches`. Reads backward as far as needed: the whole trail if no line matches. */
export function lastLine(folder: string, matches: (line: AuditLine) => boolean): AuditLine | undefined {
  for (const file of monthFiles(folder).reverse()) {
    for (const text of linesBackward(join(folder, file), BACKWARD_BYTES)) {
      const line = parseLine(text);
      if (line !== undefined && matches(line)) return line;
    }
  }
  return undefined;
}
