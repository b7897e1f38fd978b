import type { Command } from "commander";
import { sessionColumns } from "../listings.ts";
import { listedBy, withOperator } from "../operator.ts";
import { type DataOptions, type ExitCode, jsonOption, list, say, tell } from "../output.ts";

/** `sessions ...`: what counts of each session, and clearing it (docs/flow.md). */
export function sessionCommands(program: Command, done: (code: ExitCode) => void): void {
  const sessions = program
    .command("sessions")
    .description("sessions that read something private, or took in what others may have written, the last ones first")
    .addOption(jsonOption())
    .action((options: DataOptions) =>
      listedBy(done, async (api) => {
        const found = await api.call("sessions.list", {});
        list(found, sessionColumns(Date.now()), options);
        if (found.length === 0) say("no session has read anything private, or taken in anything from outside");
      }),
    );
  sessions
    .command("clear <agent> [session]")
    .description("what this session of the agent has seen counts no more; without a session: all of the agent's")
    .action((agent: string, session: string | undefined) =>
      withOperator(async (api) => {
        const result = await api.call("sessions.clear", { agent, ...(session === undefined ? {} : { session }) });
        const { cleared } = result;
        tell(
          result,
          cleared === 0 ? "nothing counted" : `cleared: ${cleared === 1 ? "1 session" : `${cleared} sessions`}`,
        );
      }),
    );
}
