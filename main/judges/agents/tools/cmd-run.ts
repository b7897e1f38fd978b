import { z } from "zod";
import { plainWords } from "../../../shell-reading/clear/plain-words.ts";
import type { ListedHost } from "../../../shell-reading/targets/listed-host.ts";
import type { AgentBox } from "../agent-box.ts";
import { cut, type JudgeTool, ToolRefused } from "./tool.ts";

/** Of a command's output; bytes. What a model gets of it is less. */
const MAX_OUTPUT = 4 * 1024 * 1024;

const argsSchema = z.strictObject({ command: z.string().max(4096) });

interface CommandsToRun {
  /** Whole commands, each of literal words. */
  allowlist: readonly string[];
  timeout_seconds: number;
}

/** @param hosts that the commands may reach */
export function cmdRun(
  { allowlist, timeout_seconds }: CommandsToRun,
  hosts: readonly ListedHost[],
  box: AgentBox,
): JudgeTool {
  const allowed = allowlist.map((command) => plainWords(command));
  const isAllowed = (words: readonly string[]) =>
    allowed.some((one) => one?.length === words.length && one.every((word, index) => word === words[index]));
  return {
    name: "cmd.run",
    description: `runs one of these commands, exactly as it is written here, in the workspace: ${allowlist.map((one) => JSON.stringify(one)).join(", ")}. Args: {"command": TEXT}`,
    async run(args, workspace, signal) {
      const read = argsSchema.safeParse(args);
      if (!read.success) throw new ToolRefused('it takes {"command": TEXT}');
      const words = plainWords(read.data.command);
      if (words === null || !isAllowed(words)) throw new ToolRefused("this command is not on the list");
      const { how, code, output } = await box.run(
        {
          argv: words,
          workspace,
          hosts,
          with_errors: true,
          max_output: MAX_OUTPUT,
          timeout_ms: timeout_seconds * 1000,
        },
        signal,
      );
      const text = cut(output.toString("utf8"));
      switch (how) {
        case "exited":
          return `exit code ${code}\n${text}`;
        case "stopped":
          return `ended after ${timeout_seconds} seconds, without an exit code\n${text}`;
        case "too-long":
          return `ended as it printed more than ${MAX_OUTPUT / 1024 / 1024} MiB, without an exit code\n${text}`;
      }
    },
  };
}
