import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import type { AuditLine, AuditReport } from "../../../ipc/operator-api.ts";
import { errorCode } from "../errors.ts";
import { GENESIS, lineHash, MONTH_FILE } from "./chain.ts";
import { readHead } from "./log.ts";

const MAX_PROBLEMS = 100;

/** Reads every month file in order and names each line that doesn't follow from the one before: changed, removed or reordered. */
export async function verifyAudit(folder: string, head_file: string): Promise<AuditReport> {
  const problems: AuditReport["problems"] = [];
  const report = (file: string, line: number, problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ file, line, problem });
  };
  const head = readHead(head_file);
  let previous = GENESIS;
  let is_head_seen = head === undefined || head === GENESIS;
  let lines = 0;
  const files = monthFiles(folder);
  for (const file of files) {
    let number = 0;
    for await (const text of linesOf(join(folder, file))) {
      number++;
      if (text === "") continue;
      lines++;
      const line = parseLine(text);
      if (line === undefined) report(file, number, "not a readable line: it was changed or torn");
      else if (line.prev !== previous)
        report(file, number, "does not follow the line before: one was changed, removed or moved");
      else if (line.event === "audit.gap") report(file, number, "the trail's end was missing when the gate started");
      previous = lineHash(text);
      if (previous === head) is_head_seen = true;
    }
  }
  const last_file = files.at(-1) ?? "";
  if (!is_head_seen) report(last_file, lines, "the last line that was written is missing or changed");
  else if (head === undefined && lines > 0) report(last_file, lines, "the record of the last line is missing");
  return { ok: problems.length === 0, files: files.length, lines, problems };
}

/** The last `count` lines, oldest first. */
export async function tailAudit(folder: string, count: number): Promise<AuditLine[]> {
  const kept: AuditLine[] = [];
  for (const file of monthFiles(folder).reverse()) {
    const lines: AuditLine[] = [];
    for await (const text of linesOf(join(folder, file))) {
      const line = parseLine(text);
      if (line === undefined) continue;
      lines.push(line);
      if (lines.length > count) lines.shift();
    }
    kept.unshift(...lines);
    if (kept.length >= count) break;
  }
  return kept.slice(-count);
}

/** Only `\n` ends a line here: `\r` and the Unicode separators, which readline also ends one at, may stand in a text. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function monthFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => MONTH_FILE.test(name))
      .sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function parseLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && "prev" in value && "event" in value) return value as AuditLine;
  } catch {
    // reported by the caller as a line that can't be read
  }
  return undefined;
}
