import { readFileSync } from "node:fs";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { LabelledCall } from "../labelled-call.ts";
import { agentHarm } from "./agentharm.ts";
import { ours } from "./ours.ts";
import { redCode } from "./redcode.ts";
import { traces } from "./traces.ts";

/** The sets that can be read, as their authors publish them (docs/judge-eval.md). */
export const FORMATS = {
  ours: { title: "our calls", read: ours },
  rjudge: { title: "R-Judge", read: traces("rjudge") },
  asse: { title: "ASSEBench", read: traces("asse") },
  agentharm: { title: "AgentHarm", read: agentHarm },
  redcode: { title: "RedCode-Exec", read: redCode },
} satisfies Record<string, { title: string; read: (text: string, file: string) => LabelledCall[] }>;
export type Format = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly Format[];

/** Every call of the files, in their order. @throws GateError `invalid_input` */
export function readCalls(format: Format, files: readonly string[]): LabelledCall[] {
  const calls = files.flatMap((file) => FORMATS[format].read(textOf(file), file));
  if (calls.length === 0)
    throw new GateError("invalid_input", "there is no call in the data", "see docs/judge-eval.md");
  return calls;
}

/** `limit` of them, spread over the whole: sets are sorted by category. */
export function spread<T>(calls: readonly T[], limit: number): T[] {
  if (limit >= calls.length) return [...calls];
  return Array.from({ length: limit }, (_, index) => calls[Math.floor((index * calls.length) / limit)]).filter(
    (call) => call !== undefined,
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new GateError("invalid_input", `${file} can't be read`, "see docs/judge-eval.md", { cause: error });
  }
}
