import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { Decision } from "../../ipc/decision.ts";
import { LOSS_TEXTS, lossIn } from "../../ipc/exact-json.ts";
import { membersWithin } from "../../ipc/frames.ts";
import type { OfflineGate } from "../../main/offline.ts";
import { TRACE_COLUMNS } from "../listings.ts";
import { type DataOptions, EXIT, type ExitCode, jsonOption, list, printLine, say, usageError } from "../output.ts";

/** `vaglio check` and `explain`: what the gate would decide, without one running and without a record. */
export function offlineCommands(program: Command, done: (code: ExitCode) => void): void {
  const vaglio = program.command("vaglio").description("guard and judge, by themselves");
  vaglio
    .command("check [json]")
    .description("prints the Verdict on {intent, executor, args, context, agent}; logs nothing, needs no gate")
    .option("--stdin", "one JSON line in, one out")
    .action((json: string | undefined, options: { stdin?: boolean }) =>
      answer(json, options, done, (gate, input) => gate.check(input), printLine),
    );

  program
    .command("explain [json]")
    .description(
      "prints the Decision on {intent, executor, args, context, agent, level} with each stage's trace; no side effects",
    )
    .option("--stdin", "one JSON line in, one out")
    .addOption(jsonOption())
    .action((json: string | undefined, options: { stdin?: boolean } & DataOptions) =>
      answer(
        json,
        options,
        done,
        (gate, input) => gate.explain(input),
        (decision) => showDecision(decision, options),
      ),
    );
}

/** On a terminal what came of it, and what each stage said. */
function showDecision(decision: Decision, options: DataOptions): void {
  const { outcome, stage, reason, explain, trace = [] } = decision;
  if (process.stdout.isTTY !== true || options.json === true) return printLine(decision);
  list(trace, TRACE_COLUMNS);
  say(`${outcome.replaceAll("_", " ")} by ${stage}: ${reason}`);
  if (explain.instead !== undefined) say(`instead: ${explain.instead}`);
}

type Ask<T extends object> = (gate: OfflineGate, input: unknown) => T;

async function answer<T extends object>(
  json: string | undefined,
  options: { stdin?: boolean },
  done: (code: ExitCode) => void,
  ask: Ask<T>,
  show: (answer: T) => void,
): Promise<void> {
  const { openOfflineGate } = await import("../../main/offline.ts");
  const gate = openOfflineGate();
  try {
    if (options.stdin) return await lineByLine(gate, done, ask);
    const input = json ?? (process.stdin.isTTY ? "" : await text(process.stdin));
    if (input.trim() === "")
      throw usageError(
        "nothing to look at",
        'give {"intent": ..., "executor": ..., "args": {...}} as an argument or on stdin',
      );
    show(ask(gate, parseJson(input)));
  } finally {
    gate.close();
  }
}

/** Each line is answered, also one that can't be read: each line of the output belongs to one of the input. */
async function lineByLine(gate: OfflineGate, done: (code: ExitCode) => void, ask: Ask<object>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    try {
      printLine(ask(gate, parseJson(line)));
    } catch (error) {
      const { code = "internal", message, hint = "" } = error as Error & { code?: string; hint?: string };
      printLine({ error: { code, message, hint } });
      done(EXIT.usage);
    }
  }
}

function parseJson(input: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    throw usageError("the input is not JSON", "one object: {intent, executor, args, context, agent}");
  }
  const members =
    typeof value === "object" && value !== null ? membersWithin(value, Number.POSITIVE_INFINITY) : undefined;
  const loss = members === undefined ? undefined : lossIn(input, members);
  if (loss !== undefined) throw usageError(...LOSS_TEXTS[loss]);
  return value;
}
