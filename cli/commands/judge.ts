import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { possibleText, refusedText } from "../../ipc/words/judge-words.ts";
import { judgeStatusLines, judgeTestLines, refusedCallLines } from "../judge-lines.ts";
import { withOperator, withRunningGate } from "../operator.ts";
import {
  type DataOptions,
  EXIT,
  type ExitCode,
  jsonOption,
  printLine,
  printWord,
  say,
  tell,
  tellAs,
  usageError,
} from "../output.ts";
import { SHORTEST } from "../short-tokens.ts";
import { staleConfigText } from "../stale-config.ts";

/** `judge ...`: the judges of the running gate, and what was refused. */
export function judgeCommands(program: Command, done: (code: ExitCode) => void): void {
  const judge = program.command("judge").description("who judges calls, and what was refused (docs/judges.md)");
  judge
    .command("status")
    .description("the judge, its models with today's calls and cost, the validators and their judge agents")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withRunningGate(async (api) => {
        const status = await api.call("judge.status", {});
        tellAs(options, status, ...judgeStatusLines(status), ...(await staleLines(api)));
      }),
    );
  judge
    .command("test [model]")
    .description("asks the judge's model, or this one, about a harmless call: whether it works, how long, for how much")
    .addOption(jsonOption())
    .action(async (model: string | undefined, options: DataOptions) => {
      const test = async (api: OperatorApi) => ({
        tested: await api.call("judge.test", model === undefined ? {} : { model }),
        stale: await staleLines(api),
      });
      const { result, isHere } = await wherever(test);
      tellAs(options, result.tested, ...judgeTestLines(result.tested, isHere), ...(isHere ? [] : result.stale));
      done(result.tested.ok ? EXIT.ok : EXIT.failed);
    });
  refusalCommands(judge);
}

function refusalCommands(judge: Command): void {
  judge
    .command("refusals")
    .description("what judges, guard and policy refused in the last hour, why, and what is possible instead")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withRunningGate(async (api) => {
        const { refused } = await api.call("reviews.list", {});
        const lines = refusedCallLines(refused, Date.now(), process.stdout.columns || 80);
        if (process.stdout.isTTY === true && options.json !== true) for (const line of lines) printWord(line);
        else for (const refusal of refused) printLine(refusal);
        if (refused.length === 0) say("no refusal");
      }),
    );
  judge
    .command("override <refusal>")
    .description("allows this call once in spite of the judges; guard, policy and pause still count")
    .action((id: string) =>
      withRunningGate(async (api) => {
        const refusal = await api.call("reviews.override", { id: await refusalMeant(api, id) });
        tell(refusal, `${refusal.summary}: ${refusedText(refusal, "en")}`, possibleText(refusal, "en"));
      }),
    );
  judge
    .command("dismiss <refusal>")
    .description("takes a refusal that you have seen off the list")
    .action((id: string) =>
      withRunningGate(async (api) => {
        const answer = await api.call("reviews.dismiss", { id: await refusalMeant(api, id) });
        tell(answer, answer.dismissed ? "dismissed" : "there was nothing to dismiss");
      }),
    );
}

/** The id that begins so; what it may be of a refusal that isn't kept is left as it is. @throws GateError `usage` */
async function refusalMeant(api: OperatorApi, given: string): Promise<string> {
  const { refused } = await api.call("reviews.list", {});
  const meant = refused.filter(({ id }) => id.startsWith(given));
  if (meant.length > 1 || (meant.length === 1 && given.length < SHORTEST))
    throw usageError(`${JSON.stringify(given)} is too short`, `see: ${ownCommand("judge refusals")}`);
  return meant[0]?.id ?? given;
}

/** Where the gate judges by an earlier gate.toml: that it does. */
async function staleLines(api: OperatorApi): Promise<string[]> {
  const { started_at } = await api.call("status", {});
  const text = staleConfigText(started_at);
  return text === null ? [] : [`${text}: end the gate and start it again`];
}

/** The running gate has the models' keys in its environment; without one this process asks, with its own. */
async function wherever<T>(use: (api: OperatorApi) => Promise<T>): Promise<{ result: T; isHere: boolean }> {
  try {
    return { result: await withRunningGate(use), isHere: false };
  } catch (error) {
    if (!(error instanceof GateError && error.code === "not_running")) throw error;
    return { result: await withOperator(use), isHere: true };
  }
}
