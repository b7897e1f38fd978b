import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { AuditReport } from "../../ipc/contract/audit.ts";
import { type AuditLine, MAX_CHECKPOINTS_LENGTH, type OperatorApi } from "../../ipc/contract/operator-api.ts";
import type { LastingOperator } from "../../ipc/socket/lasting-operator.ts";
import { byteSize } from "../../ipc/words/byte-size.ts";
import { givenFile } from "../given-file.ts";
import { auditColumns } from "../listings.ts";
import { withLastingGate, withOperator } from "../operator.ts";
import { type DataOptions, EXIT, type ExitCode, jsonOption, list, printLine, say, usageError } from "../output.ts";

/** Lines of the trail that are looked at for what was written while the gate was away. */
const MOST_MISSED = 1000;

/** `audit ...`: the trail of what was decided. */
export function auditCommands(program: Command, done: (code: ExitCode) => void): void {
  const audit = program.command("audit").description("the trail of what was decided");

  tailCommand(audit);

  audit
    .command("verify")
    .description(`finds whatever isn't as the gate wrote it; exits with ${EXIT.problemFound} if there is anything`)
    .option("--against <file>", "also compare the trail with signed checkpoints that you kept; - reads them from stdin")
    .option("--key <file>", "a public key (PEM) that may have signed them, beside this gate's")
    .action((options: { against?: string; key?: string }) =>
      withOperator(async (api) => {
        const report = await api.call("audit.verify", comparedWith(options));
        const { problems: _, ...summary } = report;
        showProblems(report, summary);
        if (report.problems.length === 0 && options.against !== undefined)
          say("it begins with exactly what the checkpoints signed");
        done(summary.ok ? EXIT.ok : EXIT.problemFound);
      }),
    );

  audit
    .command("checkpoint")
    .description("signs the trail as it is now, and prints that checkpoint: keep it where nobody can change it")
    .action(() =>
      withOperator(async (api) => {
        const { text } = await api.call("audit.checkpoint", { is_fresh: true });
        if (text === null) {
          say("no checkpoint: the trail has no line yet, or there is no key to sign with");
          return done(EXIT.ok);
        }
        process.stdout.write(text);
      }),
    );

  audit
    .command("accept")
    .description("accepts the problems that verify finds: the trail records which, and why")
    .requiredOption("--reason <text>", "why")
    .action((options: { reason: string }) =>
      withOperator(async (api) => {
        const report = await api.call("audit.accept", { reason: options.reason });
        const { problems: _, ...summary } = report;
        showProblems(report, summary);
        done(summary.ok ? EXIT.ok : EXIT.problemFound);
      }),
    );

  archiveCommand(audit);
}

function tailCommand(audit: Command): void {
  audit
    .command("tail")
    .description("the last lines, oldest first")
    .option("-n, --lines <count>", "how many", "20")
    .option("-f, --follow", "and those that come, until interrupted")
    .option("--why", "beside each rule what matched, word for word")
    .addOption(jsonOption())
    .action(async (options: { lines: string; follow?: boolean; why?: boolean } & DataOptions) => {
      const lines = Number(options.lines);
      if (!Number.isInteger(lines) || lines < 1) throw usageError("-n needs a whole number above 0");
      if (!options.follow) {
        return withOperator(async (api) => {
          const tail = await api.call("audit.tail", { lines });
          const isTable = process.stdout.isTTY === true && options.json !== true;
          const kept = isTable ? await linesOf(api, tail) : {};
          list(tail, auditColumns(kept, options.why === true), options);
        });
      }
      await withLastingGate((api) => followTrail(api, lines));
    });
}

function archiveCommand(audit: Command): void {
  audit
    .command("archive")
    .description("puts months into one compressed file, which verify reads as it does theirs")
    .requiredOption("--before <month>", "this month and later ones stay as they are: YYYY-MM")
    .action(({ before }: { before: string }) =>
      withOperator(async (api) => {
        const made = await api.call("audit.archive", { before });
        const { file, months, lines, bytes, archive_bytes } = made;
        printLine(made);
        if (file === null) return say(months.length === 0 ? "no month to archive" : "an earlier archive holds them");
        say(
          `${count(lines, "line")} of ${count(months.length, "month")}: ${byteSize(bytes, "en")}, now ${byteSize(archive_bytes, "en")} in ${file}`,
        );
      }),
    );
}

/** What is kept of the calls in these lines, by their decisions. The trail itself has none of it. */
async function linesOf(api: OperatorApi, tail: readonly AuditLine[]): Promise<Record<string, string>> {
  const ids = tail.flatMap(({ decision_id }) => (typeof decision_id === "string" ? [decision_id] : []));
  if (ids.length === 0) return {};
  const times = tail.map(({ ts }) => ts);
  const [from, until] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  return (await api.call("activity.lines", { decision_ids: [...new Set(ids)], from, until })).lines;
}

/** The last lines, and each that comes, over restarts of the gate: those that were written meanwhile follow when it is back. */
async function followTrail(api: LastingOperator, lines: number): Promise<void> {
  /** The last line that was printed, by the hash in it. */
  let last: string | undefined;
  /** Those that come while older ones are still being asked for. */
  let held: AuditLine[] | null = [];
  const print = (line: AuditLine) => {
    last = line.prev;
    printLine(line);
  };
  const catchUp = async (most: number) => {
    held = [];
    const newest = await api.call("audit.tail", { lines: most });
    for (const line of newest.slice(newest.findIndex(({ prev }) => prev === last) + 1)) print(line);
    const listed = new Set(newest.map(({ prev }) => prev));
    for (const line of held) if (!listed.has(line.prev)) print(line);
    held = null;
  };
  api.subscribe(
    ({ type, data }) => {
      if (type !== "audit.line") return;
      if (held === null) print(data);
      else held.push(data);
    },
    ["audit.line"],
  );
  api.onPresence((presence) => {
    if (presence === "away") return say("waiting for the gate …");
    say("the gate is back");
    catchUp(MOST_MISSED).catch(() => undefined); // gone again: the next one is asked
  });
  await catchUp(lines);
  await api.closed;
}

/** What `audit.verify` is asked. Of a long file the end: the newest checkpoints say all that the older ones do. */
function comparedWith({ against, key }: { against?: string; key?: string }): { against?: string; key?: string } {
  if (against === undefined && key !== undefined) throw usageError("--key is for --against");
  if (against === undefined) return {};
  const text = against === "-" ? readFileSync(0, "utf8") : givenFile(against);
  const rest = text.slice(-MAX_CHECKPOINTS_LENGTH);
  const isCut = rest.length < text.length;
  // From the first checkpoint on that is whole.
  const begin = isCut ? Math.max(0, rest.search(/^(?:.*checkpoint ")?metnos-gate\//m)) : 0;
  return { against: rest.slice(begin), ...(key === undefined ? {} : { key: givenFile(key) }) };
}

/** A line for each problem, then the summary. */
function showProblems({ ok, lines, problems }: AuditReport, summary: object): void {
  for (const problem of problems) printLine(problem);
  printLine(summary);
  const accepted = problems.filter((problem) => problem.accepted !== null).length;
  const open = problems.length - accepted;
  if (!ok) return say(`${count(open, "problem")} found${accepted === 0 ? "" : `, and ${accepted} accepted before`}`);
  say(
    `${count(lines, "line")}, ${accepted === 0 ? "each as it was written" : `with ${count(accepted, "accepted problem")} and no other`}`,
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
