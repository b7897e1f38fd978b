import { basename } from "node:path";
import { type Command, Option } from "commander";
import { readRegularBytes, TOO_LARGE } from "../../ipc/base/regular-file.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { MAX_PROFILES_TEXT } from "../../ipc/contract/operator-api.ts";
import { type PolicyTry, TRY_CHANGES, type TriedCall, type TryChange } from "../../ipc/contract/policy-try.ts";
import { gapText } from "../../ipc/words/result-words.ts";
import { notDeniedText, tryLines, tryUnknownText } from "../../ipc/words/try-words.ts";
import { errorCode } from "../../main/base/errors.ts";
import { parseMoment } from "../durations.ts";
import { OUTCOME_WORDS } from "../listings.ts";
import { withOperator } from "../operator.ts";
import { type DataOptions, isSeenTogether, jsonOption, list, say, tellAs, usageError } from "../output.ts";
import type { Column } from "../table.ts";
import { momentText } from "../times.ts";

/** `policy try`: what a policy_overrides.toml would have made of the calls that are kept, before it is put in place. */

/** What `--list` shows by itself. */
const CHANGED: readonly TryChange[] = ["looser", "denied", "asked"];
const MOST = 1000;

interface TryOptions extends DataOptions {
  agent?: string;
  since?: string;
  list?: TryChange | true;
  lines: string;
}

export function tryCommand(policy: Command): void {
  policy
    .command("try <file>")
    .description("what a policy_overrides.toml would have made of the calls that are kept: it changes nothing")
    .option("--agent <agent>", "only this agent's calls")
    .option("--since <when>", "only those of the last 12h, 7d, ..., or since a date")
    .addOption(new Option("--list [what]", "the calls that it changes, newest first").choices(TRY_CHANGES))
    .option("-n, --lines <count>", "how many are listed at the most", "50")
    .addOption(jsonOption())
    .action(async (file: string, options: TryOptions) => {
      const text = textOf(file);
      await withOperator(async (api) => shown(file, await tried(api, file, text, options), options));
    });
}

async function tried(api: OperatorApi, file: string, text: string, options: TryOptions): Promise<PolicyTry> {
  const { agent, since, lines } = options;
  const limit = Number(lines);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw usageError(`-n needs a whole number from 1 to ${MOST}`);
  return await api.call("policy.try", {
    text,
    file,
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since: parseMoment(since) }),
    changes: typeof options.list === "string" ? [options.list] : [...CHANGED],
    limit: options.list === undefined ? 0 : limit,
  });
}

function shown(file: string, { entries, ...counts }: PolicyTry, options: TryOptions): void {
  const lines = tryLines(counts, "en");
  const now = Date.now();
  for (const gap of counts.gaps)
    lines.push(`not complete: ${momentText(new Date(gap.until * 1000).toISOString(), now)}: ${gapText(gap, "en")}`);
  if (options.list === undefined) {
    const changed = counts.asked + counts.denied + counts.looser;
    if (changed > 0 && isSeenTogether()) lines.push(`which ones: policy try ${basename(file)} --list`);
    return tellAs(options, counts, ...lines);
  }
  list(entries, tryColumns(now), options);
  for (const line of lines) say(line);
}

/** @throws GateError `usage` */
function textOf(file: string): string {
  try {
    return readRegularBytes(file, { maxBytes: MAX_PROFILES_TEXT }).toString("utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw usageError(`there is no file ${file}`, HINT);
    if (errorCode(error) === TOO_LARGE) throw usageError(`${file} is larger than ${MAX_PROFILES_TEXT} bytes`, HINT);
    throw error;
  }
}

const HINT = "name a file as policy_overrides.toml would be: docs/profiles.md";

function tryColumns(now: number): Column<TriedCall>[] {
  return [
    { title: "TIME", text: ({ ts }) => momentText(new Date(ts * 1000).toISOString(), now).replace(/^today /, "") },
    { title: "AGENT", text: ({ agent_name }) => agent_name, shrinksTo: 8 },
    { title: "WAS", text: ({ was }) => (was === null ? "" : OUTCOME_WORDS[was]) },
    { title: "WOULD BE", text: thenText, isRed: ({ change }) => change === "looser" },
    { title: "WHAT", text: ({ line }) => line, shrinksTo: 24 },
    { title: "", text: (call) => tryUnknownText(call, "en"), shrinksTo: 16, wraps: true },
  ];
}

function thenText({ would_be, change }: TriedCall): string {
  if (change === "unknown") return "unknown";
  return would_be === null ? notDeniedText("en") : OUTCOME_WORDS[would_be];
}
