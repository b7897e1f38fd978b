import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { homeFolder } from "../../ipc/base/paths.ts";
import { shortenHome } from "../../ipc/base/visible-text.ts";
import type { UndoChoice, UndoneCall, UndoneFile, UndoResult, UndoSelection } from "../../ipc/contract/undo.ts";
import { isConfirmed } from "../confirmed.ts";
import { parseMoment } from "../durations.ts";
import { withOperator } from "../operator.ts";
import { type DataOptions, EXIT, type ExitCode, jsonOption, list, say, tell, usageError } from "../output.ts";
import type { Column } from "../table.ts";
import { momentText } from "../times.ts";

interface UndoOptions extends DataOptions {
  session?: string;
  agent?: string;
  since?: string;
  dryRun?: boolean;
  yes?: boolean;
  git?: boolean;
  runsLater?: boolean;
  unsure?: boolean;
  choose: string[];
}

const CHOICES = ["before", "agent", "now"] as const;

/** `undo ...`: takes back what agents did to the files of projects (docs/undo.md). */
export function undoCommands(program: Command, done: (code: ExitCode) => void): void {
  const undo = program
    .command("undo [call]")
    .description(
      "takes back what a call did to files, as far as nobody else has changed them since; without one: the last call",
    )
    .option("--session <session>", "all calls of this session")
    .option("--agent <name>", "only calls of this agent")
    .option("--since <span>", "all calls since 1h, today or a date")
    .option("--dry-run", "says what would become of each file, and changes nothing")
    .option("--yes", "doesn't ask")
    .option("--git", "also what belongs to a repository itself: branches, the index, stashes")
    .option("--runs-later", "also what is run later: hooks, settings of agents")
    .option("--unsure", "also what somebody else may have changed while a call ran")
    .option("--choose <path=version>", "of a file that somebody else has changed: before, agent or now", collected, [])
    .addOption(jsonOption())
    .action((call: string | undefined, options: UndoOptions) =>
      withOperator(async (api) => {
        const selection = selectionOf(call, options);
        const { calls, files } = await api.call("undo.files", selection);
        const choices = choicesOf(files, options);
        const rows = files.map((file) => ({ ...file, fate: fateOf(file, choices) }));
        list(rows, FILE_COLUMNS, options);
        const count = rows.filter(({ fate }) => fate === "put back").length;
        if (count === 0)
          return say(files.length === 0 ? "no file was changed" : "no file can be put back without a choice");
        if (options.dryRun === true) return say(`would put back ${filesText(count)} of ${callsText(calls.length)}`);
        if (options.yes !== true && !(await isWanted(`Put back ${filesText(count)}? [y/N] `)))
          return say("nothing was changed");
        done(said(await api.call("undo.take_back", { ...selection, calls, choices })));
      }),
    );
  undo
    .command("list")
    .description("what can be taken back, the newest first")
    .option("--limit <number>", "so many at the most", "50")
    .addOption(jsonOption())
    .action(({ limit, ...options }: { limit: string } & DataOptions) =>
      withOperator(async (api) => {
        const calls = await api.call("undo.list", { limit: Number(limit) });
        list(calls, callColumns(Date.now()), options);
        if (calls.length === 0) say("no call has been kept");
      }),
    );
  undo
    .command("redo [undo]")
    .description("puts again what was taken back; without one: the last undo")
    .action((id: string | undefined) =>
      withOperator(async (api) => done(said(await api.call("undo.put_again", id === undefined ? {} : { undo: id })))),
    );
  undo
    .command("forget [project]")
    .description("removes all that was kept, of one project or of all: it can't be taken back any more")
    .action((project: string | undefined) =>
      withOperator(async (api) => {
        const result = await api.call("undo.forget", project === undefined ? {} : { project: rootOf(project) });
        tell(result, `forgotten: ${result.forgotten === 1 ? "1 project" : `${result.forgotten} projects`}`);
      }),
    );
}

/** Of a project, as the gate names it: from the folder that this is typed in, without links. */
const rootOf = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

const collected = (one: string, before: string[]): string[] => [...before, one];

function selectionOf(call: string | undefined, { session, agent, since }: UndoOptions): UndoSelection {
  if ([call, session, since].filter((one) => one !== undefined).length > 1)
    throw usageError("a call, a session and a time can't be given together", "give one of them");
  return {
    ...(call === undefined ? {} : { call }),
    ...(session === undefined ? {} : { session }),
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since: parseMoment(since) }),
  };
}

const choiceOf = ({ project, bytes, state }: UndoneFile, choice: UndoChoice["choice"]): UndoChoice => ({
  project,
  path: bytes,
  choice,
  state,
});

function choicesOf(files: readonly UndoneFile[], { git, runsLater, unsure, choose }: UndoOptions): UndoChoice[] {
  const named = new Map(choose.map(chosenOf));
  for (const path of named.keys())
    if (!files.some((file) => file.path === path))
      throw usageError(`no such file was changed: ${JSON.stringify(path)}`);
  return files.flatMap((file) => {
    const choice = named.get(file.path);
    if (choice !== undefined) return [choiceOf(file, choice)];
    const isWanted = (git === true && file.part === "git") || (runsLater === true && file.part === "runs-later");
    const isReady = file.state === "ready" || (file.state === "unsure" && unsure === true);
    return isReady && (isWanted || (file.part === "file" && file.state === "unsure")) ? [choiceOf(file, "before")] : [];
  });
}

/** @throws GateError `usage` */
function chosenOf(text: string): [path: string, choice: UndoChoice["choice"]] {
  const at = text.lastIndexOf("=");
  const choice = CHOICES.find((one) => one === text.slice(at + 1));
  if (at < 1 || choice === undefined)
    throw usageError(`${JSON.stringify(text)} chooses nothing`, `write PATH=before, PATH=agent or PATH=now`);
  return [text.slice(0, at), choice];
}

/** What becomes of a file, in words. */
function fateOf({ project, bytes, state, part }: UndoneFile, choices: readonly UndoChoice[]): string {
  const chosen = choices.find((one) => one.project === project && one.path === bytes)?.choice;
  if (chosen === "now") return "left";
  if (chosen !== undefined) return "put back";
  if (state === "done") return "is as it was";
  if (state === "unkept") return "wasn't kept";
  if (state === "changed") return "changed since: --choose";
  if (state === "unsure") return "may be somebody else's: --unsure";
  return part === "file" ? "put back" : part === "git" ? "--git" : "--runs-later";
}

const filesText = (count: number): string => (count === 1 ? "1 file" : `${count} files`);
const callsText = (count: number): string => (count === 1 ? "1 call" : `${count} calls`);

/** @throws GateError `usage` where nobody can be asked */
async function isWanted(question: string): Promise<boolean> {
  if (process.stdin.isTTY === true) return await isConfirmed(question);
  throw usageError("nobody can be asked here, and nothing was changed", "see --dry-run, and give --yes");
}

/** What became of the files. */
function said(results: readonly UndoResult[]): ExitCode {
  const all = results.flatMap(({ files }) => files);
  const of = (outcome: string) => all.filter((file) => file.outcome === outcome);
  const [restored, failed, kept] = [of("restored"), of("failed"), of("kept")];
  tell(
    results,
    `put back: ${filesText(restored.length)}`,
    ...kept.map(({ path }) => `  left, as somebody changes it: ${path}`),
    ...failed.map(({ path }) => `  not put back: ${path}`),
    ...(failed.length > 0 ? ["it can be repeated: what is done already stays as it is"] : []),
  );
  return failed.length > 0 ? EXIT.failed : EXIT.ok;
}

const whatOf = ({ before, agent }: UndoneFile): string =>
  before === null ? "made" : agent === null ? "deleted" : before === agent ? "changed" : `${before} to ${agent}`;

const FILE_COLUMNS: readonly Column<UndoneFile & { fate: string }>[] = [
  { title: "FILE", text: ({ path }) => path, shrinksTo: 24 },
  { title: "IT WAS", text: whatOf },
  { title: "AND WILL BE", text: ({ fate }) => fate, shrinksTo: 10 },
];

function callColumns(now: number): Column<UndoneCall>[] {
  const home = homeFolder(process.env);
  return [
    { title: "CALL", text: ({ id }) => id.slice(0, 8) },
    { title: "WHEN", text: ({ at }) => momentText(at, now) },
    { title: "WHO", text: ({ agent }) => agent ?? "you", shrinksTo: 8 },
    { title: "WHAT", text: ({ executor }) => executor, shrinksTo: 8 },
    { title: "PROJECT", text: ({ project }) => shortenHome(project, home), shrinksTo: 12 },
    {
      title: "STATE",
      text: ({ state, missing }) => (missing === null ? state : `${state}: ${missing}`),
      shrinksTo: 10,
    },
  ];
}
