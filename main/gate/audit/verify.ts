import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { AuditReport } from "../../../ipc/operator-api.ts";
import { GENESIS, lineHash } from "./chain.ts";
import { readHead } from "./log.ts";
import { monthFiles, parseLine } from "./month-files.ts";

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
