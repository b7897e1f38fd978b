import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { LOSS_TEXTS, lossIn } from "../../ipc/base/json-losses.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Decision } from "../../ipc/contract/decision.ts";
import { membersWithin } from "../../ipc/socket/frames.ts";
import { RULE_WORDS } from "../../ipc/words/rule-words.ts";
import type { OfflineGate } from "../../main/core/offline.ts";
import { reviewLines } from "../judge-lines.ts";
import { TRACE_COLUMNS } from "../listings.ts";
import { withRunningGate } from "../operator.ts";
import { type DataOptions, EXIT, type ExitCode, jsonOption, list, printLine, say, usageError } from "../output.ts";

/** `vaglio check` and `explain`: what the gate would decide, without a record; but for `--review` without one running. */
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
    .option("--review", "has the judges of the running gate look at it, too: asks their models")
    .option("--why", "on a terminal also what the rule matched, word for word")
    .addOption(jsonOption())
    .action(
      async (json: string | undefined, options: { stdin?: boolean; review?: boolean; why?: boolean } & DataOptions) => {
        const show = (decision: Decision) => showDecision(decision, options);
        if (options.review !== true)
          return await answer(json, options, done, (gate, input) => gate.explain(input), show);
        if (options.stdin) throw usageError("--review looks at one call at a time", "leave --stdin out");
        const question = questionIn(await inputText(json));
        show(await withRunningGate((api) => api.call("reviews.run", { question })));
      },
    );
}

/** On a terminal what came of it, and what each stage said. */
function showDecision(decision: Decision, options: { why?: boolean } & DataOptions): void {
  const { outcome, stage, reason, explain, trace = [], reviews = [] } = decision;
  if (process.stdout.isTTY !== true || options.json === true) return printLine(decision);
  const { rule } = explain;
  const isRuled = outcome === "denied" && rule !== undefined && options.why !== true;
  // The step that denied says it in the same words.
  const steps = trace.map((step) =>
    isRuled && step.outcome === "denied" ? { ...step, detail: RULE_WORDS.en[step.rule ?? rule] } : step,
  );
  list(steps, TRACE_COLUMNS);
  for (const line of reviewLines(reviews)) say(visible(line));
  say(`${outcome.replaceAll("_", " ")} by ${stage}: ${isRuled ? RULE_WORDS.en[rule] : visible(reason)}`);
  if (explain.instead !== undefined) say(`instead: ${visible(explain.instead)}`);
}

type Ask<T extends object> = (gate: OfflineGate, input: unknown) => T;

async function answer<T extends object>(
  json: string | undefined,
  options: { stdin?: boolean },
  done: (code: ExitCode) => void,
  ask: Ask<T>,
  show: (answer: T) => void,
): Promise<void> {
  const { openOfflineGate } = await import("../../main/core/offline.ts");
  const gate = openOfflineGate();
  try {
    if (options.stdin) return await lineByLine(gate, done, ask);
    show(ask(gate, parseJson(await inputText(json))));
  } finally {
    gate.close();
  }
}

/** The argument, else what is on stdin. @throws a usage error where there is nothing */
async function inputText(json: string | undefined): Promise<string> {
  const input = json ?? (process.stdin.isTTY ? "" : await text(process.stdin));
  if (input.trim() === "")
    throw usageError(
      "nothing to look at",
      'give {"intent": ..., "executor": ..., "args": {...}} as an argument or on stdin',
    );
  return input;
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

/** What the gate takes; it checks the fields. @throws a usage error for anything but an object */
function questionIn(input: string): Record<string, unknown> {
  const value = parseJson(input);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw usageError("the input is no object", "one object: {intent, executor, args, context, agent}");
  return { ...value };
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
