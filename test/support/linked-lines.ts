import { GENESIS, lineHash } from "../../main/records/audit/chain.ts";

/** The lines of a trail, by their file. */
export type Months = Map<string, string[]>;

export const allLines = (months: Months) => [...months.values()].flat();

/** Links every line to the one before again, with their numbers: the chain alone shows nothing then. */
export function linkAgain(months: Months): void {
  let hash = GENESIS;
  let seq = 0;
  for (const lines of months.values()) {
    for (const [index, line] of lines.entries()) {
      lines[index] = line.replace(/,"seq":\d+,"prev":"[0-9a-f]{64}"}$/, `,"seq":${++seq},"prev":"${hash}"}`);
      hash = lineHash(lines[index] ?? "");
    }
  }
}
