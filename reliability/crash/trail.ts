import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";
import { count, type Ledger } from "./ledger.ts";

/** The trail's files as they are on the disk, read on from where the last read ended. */
export class TrailReader {
  readonly #folder: string;
  readonly #read = new Map<string, number>();
  /** By decision: the outcomes that are written of it. */
  readonly #outcomes = new Map<string, Set<string>>();
  readonly #lines = new Map<string, number>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Every decision that an agent received, and every act that was acknowledged, must be in the files. */
  check(ledger: Ledger): void {
    for (const file of readdirSync(this.#folder).filter((name) => MONTH_FILE.test(name))) this.#readOn(file);
    for (const { decision_id, outcome, cancelledToken } of ledger.received) {
      if (this.#outcomes.get(decision_id)?.has(outcome)) continue;
      if (cancelledToken !== undefined && this.#lines.has(`answer ${cancelledToken} cancelled`)) continue;
      ledger.violate("not_in_trail", `an agent received ${outcome}: decision ${decision_id}`);
    }
    ledger.received = [];
    for (const [line, expected] of ledger.expectedLines) {
      const found = this.#lines.get(line) ?? 0;
      if (found < expected)
        ledger.violate("not_in_trail", `${expected} acts of ${line} were acknowledged, ${found} found`);
    }
  }

  #readOn(file: string): void {
    const fd = openSync(join(this.#folder, file), "r");
    try {
      const from = this.#read.get(file) ?? 0;
      const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
      const length = readSync(fd, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
      this.#read.set(file, from + end);
      for (const line of bytes.toString("utf8", 0, end).split("\n")) if (line !== "") this.#take(line);
    } finally {
      closeSync(fd);
    }
  }

  #take(line: string): void {
    const record = parsed(line);
    if (record === undefined) return; // torn: what the gate's own check of the trail reports
    const { event, decision_id, outcome } = record;
    if (event === "decision" || event === "plan") {
      const outcomes = this.#outcomes.get(String(decision_id)) ?? new Set();
      this.#outcomes.set(String(decision_id), outcomes.add(String(outcome)));
    } else count(this.#lines, actOf(record));
  }
}

/** The ended lines of each file whose name matches. `isTorn`: something follows them. */
export function linesIn(folder: string, names: RegExp): { lines: string[]; isTorn: boolean }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => names.test(name))
    .map((name) => {
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      const rest = lines.pop() ?? "";
      return { lines, isTorn: rest !== "" };
    });
}

/** A line's act, in the words in which the ledger expects it. */
function actOf({ event, ...fields }: Record<string, unknown>): string {
  switch (event) {
    case "answer":
      return `answer ${fields.token} ${fields.status}`;
    case "grant":
    case "grant.revoked":
      return `${event} ${fields.grant_id}`;
    case "agent.paired":
    case "agent.revoked":
    case "agent.paused":
    case "agent.resumed":
      return `${event} ${fields.agent}`;
    case "setting":
      return `setting ${fields.key}`;
    default:
      return String(event);
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
