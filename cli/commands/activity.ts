import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { type ActivityEntry, type ActivityGap, CALL_RESULTS, type CallResult } from "../../ipc/contract/activity.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { allResults, gapText, resultsText } from "../../ipc/words/result-words.ts";
import { parseMoment } from "../durations.ts";
import { activityColumns, DAY_COLUMNS } from "../listings.ts";
import { withOperator } from "../operator.ts";
import { type DataOptions, isSeenTogether, jsonOption, list, printLine, say, tellAs, usageError } from "../output.ts";
import { momentText } from "../times.ts";

/** So many calls are fetched at once. */
const PAGE = 500;
const MOST = 100_000;

interface ListOptions extends DataOptions {
  since?: string;
  search?: string;
  agent?: string;
  project?: string;
  outcome?: CallResult;
  lines: string;
}

/** `today`: what each agent did in each project since midnight. */
export function todayCommand(program: Command): void {
  program
    .command("today")
    .description("what each agent did today, in each project: how many calls, how they came out, files, hosts, money")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
        const { rows, gaps, keep, since } = await api.call("activity.today", {});
        if (!isTable(options)) printLine({ since, keep, gaps, rows });
        else list(rows, DAY_COLUMNS, options);
        if (rows.length === 0) say("no call was decided today");
        else if (isTable(options)) say(`all: ${resultsText(allResults(rows.map(({ calls }) => calls)), "en")}`);
        sayGaps(gaps);
        if (keep === "nothing") say("calls are kept in memory only, until the gate ends ([activity] in gate.toml)");
      }),
    );
}

const isTable = ({ json }: DataOptions): boolean => process.stdout.isTTY === true && json !== true;

/** `activity ...`: the calls that are kept, and forgetting them. */
export function activityCommands(program: Command): void {
  const activity = program
    .command("activity")
    .description("the calls that were decided, newest first, over all days that are kept")
    .option("--since <when>", "only those of the last 12h, 7d, ..., or since a date")
    .option("--search <text>", "only those with these words in the line, the agent, the tool or the project")
    .option("--agent <agent>", "only this agent's")
    .option("--project <folder>", "only those of this project")
    .addOption(new Option("--outcome <outcome>", "only those that came out like this").choices(CALL_RESULTS))
    .option("-n, --lines <count>", "how many at the most", "50")
    .addOption(jsonOption())
    .action((options: ListOptions) =>
      withOperator(async (api) => {
        const { entries, gaps, oldest, isCut } = await fetched(api, options);
        list(entries, activityColumns(Date.now()), options);
        if (entries.length === 0) say(oldest === null ? "no call is kept" : "no call that is kept matches");
        else if (isCut && isSeenTogether()) say(`there are more: -n ${2 * entries.length}`);
        sayGaps(gaps);
      }),
    );
  // `forget` has options of the same names.
  activity.enablePositionalOptions();
  activity
    .command("forget")
    .description("removes what is kept of calls, for good; the audit trail, which has no values, stays as it is")
    .option("--all", "everything")
    .option("--agent <agent>", "what this agent did")
    .option("--project <folder>", "what was done in this project")
    .option("--before <when>", "what is older: 7d, or a date")
    .addOption(jsonOption())
    .action(forget);
}

interface ForgetOptions extends DataOptions {
  all?: boolean;
  agent?: string;
  project?: string;
  before?: string;
}

async function forget({ all, agent, project, before, json }: ForgetOptions): Promise<void> {
  const some = [agent, project, before].some((value) => value !== undefined);
  if ((all === true) === some) throw usageError("say --all, or any of --agent, --project and --before");
  const params = {
    ...(all === true ? { all: true as const } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(project === undefined ? {} : { project: resolve(project) }),
    ...(before === undefined ? {} : { before: parseMoment(before) }),
  };
  await withOperator(async (api) => {
    const result = await api.call("activity.forget", params);
    tellAs(json === true ? { json } : {}, result, `${result.forgotten} calls forgotten`);
  });
}

async function fetched(
  api: OperatorApi,
  { since, search, agent, project, outcome, lines }: ListOptions,
): Promise<{ entries: ActivityEntry[]; gaps: ActivityGap[]; oldest: number | null; isCut: boolean }> {
  const most = Number(lines);
  if (!Number.isInteger(most) || most < 1 || most > MOST) throw usageError(`-n needs a whole number from 1 to ${MOST}`);
  const query = {
    ...(since === undefined ? {} : { since: parseMoment(since) }),
    ...(search === undefined ? {} : { text: search }),
    ...(agent === undefined ? {} : { agent }),
    ...(project === undefined ? {} : { project: resolve(project) }),
    ...(outcome === undefined ? {} : { result: outcome }),
  };
  const entries: ActivityEntry[] = [];
  for (let before: number | undefined; ; before = entries.at(-1)?.number) {
    const limit = Math.min(PAGE, most - entries.length);
    const page = await api.call("activity.list", { ...query, ...(before === undefined ? {} : { before }), limit });
    entries.push(...page.entries);
    const isCut = page.entries.length === limit;
    if (!isCut || entries.length >= most) return { entries, gaps: page.gaps, oldest: page.since, isCut };
  }
}

function sayGaps(gaps: readonly ActivityGap[]): void {
  const now = Date.now();
  for (const gap of gaps)
    say(`not complete: ${momentText(new Date(gap.until * 1000).toISOString(), now)}: ${gapText(gap, "en")}`);
}
