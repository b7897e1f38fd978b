import type { Command } from "commander";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { allResults, resultsText } from "../../ipc/words/result-words.ts";
import { alarmHint } from "../alarm-hint.ts";
import { withRunningGate } from "../operator.ts";
import { type DataOptions, jsonOption, say, tellAs } from "../output.ts";

/** `status`: the running gate in one JSON line. */
export function statusCommand(program: Command): void {
  program
    .command("status")
    .description("the running gate: sockets, connections, waiting requests, failures")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      withRunningGate(async (api) => {
        const status = await api.call("status", {});
        // A gate of an earlier version doesn't know it.
        const { rows } = await api.call("activity.today", {}).catch(() => ({ rows: [] }));
        tellAs(
          options,
          status,
          `running since ${status.started_at}, ${status.agents_connected.length} agents connected, ${status.approvals_pending} waiting; ` +
            `today ${resultsText(allResults(rows.map(({ calls }) => calls)), "en")}`,
        );
        if (status.pause.is_paused)
          say(
            `PAUSED by ${status.pause.by}${status.pause.until === null ? "" : ` until ${status.pause.until}`}: ${status.pause.reason}; ` +
              `to resume: ${ownCommand("safety resume")}`,
          );
        for (const alarm of status.alarms) say(`ALARM: ${alarm.message}; ${alarmHint(alarm)}`);
        if (status.audit_write_failures > 0)
          say(`the audit trail missed ${status.audit_write_failures} lines (${status.audit_last_failure})`);
        for (const { name } of status.pairing_requests)
          say(`${name} asks to be paired: ${ownCommand(`agents pair ${name} --level Supervised`)} (or ReadOnly, Full)`);
      }),
    );
}
