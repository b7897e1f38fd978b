import type { Command } from "commander";
import { ownCommand } from "../../ipc/own-command.ts";
import { parseExpiry, parseSpan } from "../durations.ts";
import { withOperator } from "../operator.ts";
import { printLine, say, tell, usageError } from "../output.ts";

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
    .action(() =>
      withOperator(async (api) => {
        const status = await api.call("safety.status", {});
        printLine(status);
        const { pause } = status;
        say(
          pause.is_paused
            ? `paused since ${pause.since}${pause.until === null ? "" : `, until ${pause.until}`}: ${pause.reason}`
            : "not paused",
        );
        for (const { rule_id, errors, last_error } of status.rules)
          if (errors > 0) say(`rule ${rule_id} was skipped ${errors} times: it ${last_error}`);
      }),
    );
}

function violationsCommand(safety: Command): void {
  safety
    .command("violations")
    .description("a JSON line each, newest first")
    .option("--since <when>", "only later ones: an ISO-8601 date, or a span back, such as 2h or 7d")
    .option("--open", "only those that are not acknowledged")
    .option("-n <count>", "at most so many", "100")
    .action((options: { since?: string; open?: boolean; n: string }) =>
      withOperator(async (api) => {
        const limit = Number(options.n);
        if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw usageError("-n is a number from 1 to 1000");
        const since = options.since === undefined ? {} : { since: sinceOf(options.since) };
        const found = await api.call("safety.violations", {
          ...since,
          include_acknowledged: options.open !== true,
          limit,
        });
        for (const violation of found) printLine(violation);
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
        printLine(await api.call("safety.acknowledge", { ids: id === undefined ? "all" : [number] }));
      }),
    );
}

function pauseCommands(safety: Command): void {
  safety
    .command("pause")
    .description("denies every call of every agent, until you resume or for a time")
    .option("--for <span>", "such as 10m, 2h or 1d")
    .option("--reason <text>", "the reason, for agents and the log")
    .action((options: { for?: string; reason?: string }) =>
      withOperator(async (api) => {
        const pause = await api.call("safety.pause", {
          ...(options.for === undefined ? {} : { for_seconds: parseSpan(options.for) }),
          ...(options.reason === undefined ? {} : { reason: options.reason }),
        });
        tell(
          pause,
          pause.until === null
            ? `paused until you resume: ${ownCommand("safety resume")}`
            : `paused until ${pause.until}`,
        );
        if (pause.note !== undefined) say(pause.note);
      }),
    );

  safety
    .command("resume")
    .description("ends the pause")
    .action(() =>
      withOperator(async (api) => {
        tell(await api.call("safety.resume", {}), "the gate is resumed");
      }),
    );
}

function sinceOf(text: string): string {
  if (!/^\d{1,6}[smhdw]$/.test(text)) return parseExpiry(text);
  return new Date(Date.now() - parseSpan(text) * 1000).toISOString();
}
