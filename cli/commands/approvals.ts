import { type Command, Option } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { REACHES, type Reach } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import {
  type Answer,
  type ApprovalView,
  type OperatorApi,
  type Refuse,
  refuseSchema,
} from "../../ipc/contract/operator-api.ts";
import { isHazardous } from "../../ipc/words/notice-text.ts";
import { plainSummary } from "../../ipc/words/plain-lines.ts";
import { isConfirmed } from "../confirmed.ts";
import { parseExpiry, parseLength } from "../durations.ts";
import { approvalColumns } from "../listings.ts";
import { listedBy, withOperator } from "../operator.ts";
import {
  type DataOptions,
  type ExitCode,
  isColoured,
  isSeenTogether,
  jsonOption,
  list,
  printLine,
  printWord,
  say,
  tellAs,
  usageError,
} from "../output.ts";
import { SHORTEST } from "../short-tokens.ts";
import { spanText } from "../times.ts";
import { cardRows } from "../watch/card-rows.ts";
import { type Row, widthOf } from "../watch/rows.ts";

interface ApproveOptions extends DataOptions {
  session?: boolean;
  permanent?: boolean;
  target?: string;
  reach?: Reach;
  expires?: string;
  for?: string;
  onlyLooks?: boolean;
}

interface DenyOptions extends DataOptions {
  message?: string;
  refuse?: Refuse;
}

/** `approvals ...`: requests that wait for an answer, and answering them. */
export function approvalsCommands(program: Command, done: (code: ExitCode) => void): void {
  const approvals = program.command("approvals").description("requests that wait for your answer, and answering them");

  approvals
    .command("list")
    .description("the waiting requests, newest first")
    .option("--all", "ended ones too")
    .addOption(jsonOption())
    .action((options: { all?: boolean } & DataOptions) =>
      listedBy(done, async (api) => {
        const found = await api.call("approvals.list", { include_resolved: options.all === true, limit: 1000 });
        list(found, approvalColumns(found, Date.now()), options);
        if (found.length === 0) say("nothing is waiting");
      }),
    );

  approvals
    .command("show [token]")
    .description("all that one request is about: what it would do, what a name in it runs, where it goes")
    .addOption(jsonOption())
    .action((token: string | undefined, options: DataOptions) =>
      withOperator(async (api) => {
        const view = await requestMeant(api, token);
        if (process.stdout.isTTY !== true || options.json === true) return printLine(view);
        showCard(view, await homeOf(api));
      }),
    );

  const approve = approvals.command("approve <token>").description("says yes: once, or remembered");
  approveOptions(approve).action((token: string, options: ApproveOptions) => answerYes(token, options));

  const reject = approvals.command("reject <token>").description("says no");
  denyOptions(reject).action((token: string, options: DenyOptions) => answerNo(token, options));

  approvals
    .command("cleanup")
    .description("marks requests that were not answered in time as expired")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
        const result = await api.call("approvals.cleanup", {});
        tellAs(options, result, `${result.expired} marked as expired`);
      }),
    );
}

/** `approve` and `deny`, without a token where one request waits. */
export function answerCommands(program: Command): void {
  const approve = program.command("approve [token]").description("says yes to the request that waits");
  approveOptions(approve).action((token: string | undefined, options: ApproveOptions) => answerYes(token, options));

  const deny = program.command("deny [token]").description("says no to the request that waits");
  denyOptions(deny).action((token: string | undefined, options: DenyOptions) => answerNo(token, options));
}

function approveOptions(command: Command): Command {
  const reach = new Option(
    "--reach <reach>",
    "which of the card's choices, by how far it reaches; left out: the first",
  );
  return command
    .option("--session", "remember it for the rest of the agent's session")
    .option("--permanent", "remember it until it is revoked or expires")
    .addOption(reach.choices(REACHES))
    .option("--target <glob>", "what to remember instead of exactly this: a folder/*, folder/**, a host")
    .option("--expires <when>", "2h, 30d or an ISO date")
    .option("--only-looks", "of a server's tool: it only looks, as long as the server says the same of it")
    .option("--for <length>", "remember it for: session, 1h, today, 30d, or revoked (until you revoke it)")
    .addOption(jsonOption());
}

function denyOptions(command: Command): Command {
  return command
    .option("--message <text>", "for the agent: why, or what would be fine instead")
    .addOption(
      new Option("--refuse <what>", "deny it for the rest of the session: this call, or all on its target").choices(
        refuseSchema.options,
      ),
    )
    .addOption(jsonOption());
}

function answerYes(given: string | undefined, options: ApproveOptions): Promise<void> {
  if (options.session && options.permanent) throw usageError("--session and --permanent exclude each other");
  const length = options.for === undefined ? undefined : parseLength(options.for);
  if (length !== undefined && (options.session || options.permanent || options.expires !== undefined))
    throw usageError("--for says how long by itself", "leave --session, --permanent and --expires out");
  const scope = length?.scope ?? (options.permanent ? "permanent" : options.session ? "session" : "none");
  if (scope === "none" && (options.target ?? options.expires ?? options.reach) !== undefined) {
    throw usageError("--reach, --target and --expires need --session, --permanent or --for");
  }
  return answered(given, options, {
    decision: "approved",
    scope,
    ...length,
    ...(options.onlyLooks === true ? { only_looks: true } : {}),
    ...(options.reach === undefined ? {} : { reach: options.reach }),
    ...(options.target === undefined ? {} : { target: options.target }),
    ...(options.expires === undefined ? {} : { expires_at: parseExpiry(options.expires) }),
  });
}

function answerNo(given: string | undefined, options: DenyOptions): Promise<void> {
  const { message, refuse } = options;
  return answered(given, options, {
    decision: "rejected",
    ...(message === undefined ? {} : { message }),
    ...(refuse === undefined ? {} : { refuse }),
  });
}

function answered(given: string | undefined, options: DataOptions, answer: Omit<Answer, "token">): Promise<void> {
  return withOperator(async (api) => {
    const token = await tokenMeant(api, given, answer.decision);
    if (given === undefined && answer.decision === "approved" && !(await wasShown(api, token))) return;
    const ended = await api.call("approvals.resolve", { ...answer, token });
    const what = `${ended.action_verb} ${plainSummary(ended.target_summary)}`;
    const named = given === token ? "" : ` (${ended.agent_name}, ${token})`;
    tellAs(options, ended, `${ended.status === "approved" ? "approved" : "denied"}: ${what}${named}`);
    if (ended.note !== undefined) say(ended.note);
  });
}

/**
 * A yes without a token is for what is on the screen: shows all of it, and asks where something is dangerous about it. Without a terminal
 * nobody sees it. @throws GateError `usage`
 */
async function wasShown(api: OperatorApi, token: string): Promise<boolean> {
  if (!isSeenTogether() || process.stdin.isTTY !== true)
    throw usageError("a yes needs the token of what it is for", `see: ${ownCommand("approvals show")}`);
  const view = await requestMeant(api, token);
  showCard(view, await homeOf(api));
  if (!isHazardous(view)) return true;
  if (await isConfirmed("Approve this? [y/N] ")) return true;
  say("nothing was answered");
  return false;
}

/** @throws GateError `unknown_token`, `usage` */
async function requestMeant(api: OperatorApi, given: string | undefined): Promise<ApprovalView> {
  const token = await tokenMeant(api, given, "rejected");
  const waiting = await api.call("approvals.list", { limit: MOST });
  const view = waiting.find((one) => one.token === token);
  if (view === undefined) throw nothingMeant(given);
  return view;
}

/** The home that the gate reads `~` as. */
async function homeOf(api: OperatorApi): Promise<string | null> {
  return (await api.call("status", {})).home;
}

function showCard(view: ApprovalView, home: string | null): void {
  const width = process.stdout.columns || 80;
  for (const { text, tone, right } of cardRows(view, width, home, Date.now())) {
    const line =
      right === undefined ? text : `${text}${" ".repeat(Math.max(2, width - widthOf(text) - widthOf(right)))}${right}`;
    const colour = isColoured(process.stdout) ? COLOURS[tone] : undefined;
    printWord(colour === undefined ? line.trimEnd() : `\x1b[${colour}m${line.trimEnd()}\x1b[0m`);
  }
}

const COLOURS: Readonly<Record<Row["tone"], string | undefined>> = {
  plain: undefined,
  strong: "1",
  quiet: "2",
  danger: "31",
  strong_danger: "1;31",
  marked: "7",
  notice: "33",
};

// Which request an answer is for: it is answered by the whole token of one that was looked up, and so never another one.

const WHOLE = 16;
const MOST = 1000;
/** Of those that ended, the last. */
const LOOKED_AT = 50;
/** Nobody has seen a request that came just now, in milliseconds. */
const SEEN_AFTER_MS = 1000;
/** What went away so shortly ago may be what the user had seen, in milliseconds. */
const SWAPPED_WITHIN_MS = 60_000;

/**
 * The token of the request that is meant. @param given a token, its beginning, or nothing where one request waits
 * @throws GateError `unknown_token`, `usage`; `not_available` for a yes without a token to what the user may not have seen
 */
async function tokenMeant(
  api: OperatorApi,
  given: string | undefined,
  decision: Answer["decision"],
  now = Date.now(),
): Promise<string> {
  if (given !== undefined && (given.length >= WHOLE || !/^[0-9a-f]+$/.test(given))) return given;
  if (given !== undefined && given.length < SHORTEST)
    throw usageError(`${JSON.stringify(given)} is too short`, `give at least ${SHORTEST} characters of the token`);
  const waiting = await api.call("approvals.list", { limit: MOST });
  const meant = waiting.filter(({ token }) => token.startsWith(given ?? ""));
  const [first, second] = meant;
  if (first === undefined) throw nothingMeant(given);
  if (second !== undefined || waiting.length >= MOST) {
    list(meant, approvalColumns(meant, now));
    const what = given === undefined ? `${meant.length} requests wait` : `${meant.length} tokens begin with ${given}`;
    throw usageError(`${what}: say which`, "give the beginning of its token");
  }
  if (given === undefined && decision === "approved") {
    const { approvals: ended } = await api.call("approvals.history", { limit: LOOKED_AT });
    refuseUnseen(first, ended, now);
  }
  return first.token;
}

function nothingMeant(given: string | undefined): GateError {
  return given === undefined
    ? new GateError("unknown_token", "nothing is waiting")
    : new GateError(
        "unknown_token",
        `no waiting request's token begins with ${given}`,
        `see: ${ownCommand("approvals list")}`,
      );
}

/** Without a token the user means what they saw last: an agent must not have put another request into its place meanwhile. */
function refuseUnseen({ token, created_at }: ApprovalView, ended: readonly ApprovalView[], now: number): void {
  const named = `look at it, then name it: ${ownCommand("approvals list")}`;
  const age = now - Date.parse(created_at);
  // Dates are in whole seconds.
  if (age < SEEN_AFTER_MS + 1000)
    throw new GateError("not_available", `request ${token} came only just now, nothing was answered`, named);
  const gone = ended.find(
    ({ status, decision_at }) =>
      (status === "cancelled" || status === "expired") &&
      decision_at !== null &&
      now - Date.parse(decision_at) < SWAPPED_WITHIN_MS,
  );
  if (gone === undefined) return;
  const ago = spanText(now - Date.parse(gone.decision_at ?? ""));
  const message = `another request went away ${ago} ago, and ${token} waits now: nothing was answered`;
  throw new GateError("not_available", message, named);
}
