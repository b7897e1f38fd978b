import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { parseExpiry, parseSpan } from "../durations.ts";
import { RULE_COLUMNS, violationColumns } from "../listings.ts";
import { withOperator } from "../operator.ts";
import { type DataOptions, jsonOption, list, printLine, say, tell, usageError } from "../output.ts";

/** `safety ...`: the pause, and what the safety filter found. */
export function safetyCommands(program: Command): void {
  const safety = program.command("safety").description("pauses every agent, and shows what the safety filter found");
  statusCommand(safety);
  violationsCommand(safety);
  acknowledgeCommand(safety);
  pauseCommands(safety);
}

function statusCommand(safety: Command): void {
  safety
    .command("status")
    .description("whether the gate is paused, the rules, and how much waits for you to acknowledge")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withOperator(async (api) => {
        const status = await api.call("safety.status", {});
        const isTable = process.stdout.isTTY === true && options.json !== true;
        if (isTable) list(status.rules, RULE_COLUMNS);
        else printLine(status);
        const { pause } = status;
        const open = status.violations_unacknowledged;
        if (isTable && open > 0) say(`${open} to be acknowledged: ${ownCommand("safety violations --open")}`);
        say(
          pause.is_paused
            ? `paused since ${pause.since}${pause.until === null ? "" : `, until ${pause.until}`}: ${pause.reason}`
            : "not paused",
        );
        if (status.note !== undefined) say(status.note);
        for (const { rule_id, errors, last_error } of status.rules)
          if (errors > 0) say(`rule ${rule_id} was skipped ${errors} times: it ${last_error}`);
      }),
    );
}

function violationsCommand(safety: Command): void {
  safety
    .command("violations")
    .description("what the rules found, newest first")
    .option("--since <when>", "only later ones: an ISO-8601 date, or a span back, such as 2h or 7d")
    .option("--open", "only those that are not acknowledged")
    .option("-n <count>", "at most so many", "100")
    .addOption(jsonOption())
    .action((options: { since?: string; open?: boolean; n: string } & DataOptions) =>
      withOperator(async (api) => {
        const limit = Number(options.n);
        if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw usageError("-n is a number from 1 to 1000");
        const since = options.since === undefined ? {} : { since: sinceOf(options.since) };
        const found = await api.call("safety.violations", {
          ...since,
          include_acknowledged: options.open !== true,
          limit,
        });
        list(found, violationColumns(Date.now()), options);
        if (found.length === 0) say("no violation");
      }),
    );
}

function acknowledgeCommand(safety: Command): void {
  safety
    .command("ack [id]")
    .description("acknowledges one violation, or --all")
    .option("--all", "every one that is open")
    .action((id: string | undefined, options: { all?: boolean }) =>
      withOperator(async (api) => {
        if ((id === undefined) === (options.all !== true)) throw usageError("give an id, or --all");
        const number = Number(id);
        if (id !== undefined && !Number.isSafeInteger(number)) throw usageError("a violation's id is a number");
        const result = await api.call("safety.acknowledge", { ids: id === undefined ? "all" : [number] });
        tell(result, `acknowledged: ${result.acknowledged}`);
      }),
    );
}

/** `pause` and `resume` by themselves: also of one agent alone. */
export function pauseOrResume(program: Command): void {
  program
    .command("pause [agent]")
    .description("denies every call of every agent, or of this one, until you resume or for a time")
    .option("--for <span>", "such as 10m, 2h or 1d")
    .option("--reason <text>", "the reason, for agents and the log")
    .action((agent: string | undefined, options: PauseOptions) =>
      agent === undefined ? pause(options) : pauseAgent(agent, options),
    );

  program
    .command("resume [agent]")
    .description("ends the pause of every agent, or of this one")
    .action((agent: string | undefined) => (agent === undefined ? resume() : resumeAgent(agent)));
}

function pauseCommands(parent: Command): void {
  parent
    .command("pause")
    .description("denies every call of every agent, until you resume or for a time")
    .option("--for <span>", "such as 10m, 2h or 1d")
    .option("--reason <text>", "the reason, for agents and the log")
    .action(pause);

  parent.command("resume").description("ends the pause").action(resume);
}

interface PauseOptions {
  for?: string;
  reason?: string;
}

function pause(options: PauseOptions): Promise<void> {
  return withOperator(async (api) => {
    const now = await api.call("safety.pause", {
      ...(options.for === undefined ? {} : { for_seconds: parseSpan(options.for) }),
      ...(options.reason === undefined ? {} : { reason: options.reason }),
    });
    const until = now.until === null ? `until you resume: ${ownCommand("resume")}` : `until ${now.until}`;
    tell(now, `paused ${until}`);
    if (now.note !== undefined) say(now.note);
  }, stoppedOtherwise);
}

/** How agents are stopped while their gate doesn't answer. */
function stoppedOtherwise(pid: number | "PID"): string {
  return [
    "nothing is paused. To stop every agent otherwise, end the gate:",
    `  kill ${pid} ends it as soon as it runs again, and it stays ended`,
    `  kill -9 ${pid} ends it at once; what started it may start it again, and that one can be paused`,
    "Without a gate nothing is allowed by it: an agent's client denies its calls, or asks in its own window.",
  ].join("\n  ");
}

function pauseAgent(name: string, options: PauseOptions): Promise<void> {
  if (options.reason !== undefined) throw usageError("--reason is for a pause of every agent");
  return withOperator(async (api) => {
    const span = options.for === undefined ? {} : { for_seconds: parseSpan(options.for) };
    const agent = await api.call("agents.pause", { name, ...span });
    const { until } = agent.paused ?? { until: null };
    tell(
      agent,
      `${name} is paused ${until === null ? `until you resume it: ${ownCommand(`resume ${name}`)}` : `until ${until}`}`,
    );
    if (agent.note !== undefined) say(agent.note);
  }, stoppedOtherwise);
}

function resumeAgent(name: string): Promise<void> {
  return withOperator(async (api) => tell(await api.call("agents.resume", { name }), `${name} is resumed`));
}

function resume(): Promise<void> {
  return withOperator(async (api) => tell(await api.call("safety.resume", {}), "the gate is resumed"));
}

function sinceOf(text: string): string {
  if (!/^\d{1,6}[smhdw]$/.test(text)) return parseExpiry(text);
  return new Date(Date.now() - parseSpan(text) * 1000).toISOString();
}
