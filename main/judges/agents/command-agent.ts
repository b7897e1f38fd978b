import { realForm } from "@metnos-gate/shell-reading/files";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { isNeverShown } from "../../box/arguments/unusable-places.ts";
import type { ListedHost } from "../../targets/listed-host.ts";
import type { JudgeAgent, Worker } from "../reviews/judge-ports.ts";
import type { AgentBox } from "./agent-box.ts";
import { mountsOf, type WorkspacePlace, workspaceOf } from "./workspace.ts";

/** A judge agent that is a program of the user's: the payload on its input, its final output on its output. */

/** Of its output; bytes. */
const MAX_OUTPUT = 1024 * 1024;

/** A shell's code for it. */
const NOT_THERE = 127;

interface CommandAgentParts {
  box: AgentBox;
  place: WorkspacePlace;
}

interface CommandAgentConfig {
  /** The program, absolute, and its arguments. */
  argv: readonly string[];
  /** That it may reach. */
  hosts: readonly ListedHost[];
}

/**
 * @throws GateError `invalid_config` where it names what no box shows
 */
export function commandAgent(
  name: string,
  { argv, hosts }: CommandAgentConfig,
  { box, place }: CommandAgentParts,
): JudgeAgent {
  // Its script, settings or folder of modules: the user names them by it.
  const reads = argv.filter((word) => word.startsWith("/"));
  const hidden = reads.find((path) => isNeverShown(realForm(path) ?? path, box.machine));
  if (hidden !== undefined)
    throw new GateError(
      "invalid_config",
      `[judge_agents.${name}]: ${hidden} is never shown in a box`,
      "keep it in a folder of its own, such as ~/judges",
    );
  return {
    name,
    is_online: hosts.length > 0,
    mounts: (worker: Worker) => mountsOf(workspaceOf(worker, place)),
    async judge(payload, worker, signal) {
      const { how, code, output } = await box.run(
        {
          argv,
          workspace: workspaceOf(worker, place),
          reads,
          hosts,
          input: JSON.stringify(payload),
          withErrors: false,
          maxOutput: MAX_OUTPUT,
        },
        signal,
      );
      if (how === "too-long") throw new Error(`${name} printed more than ${MAX_OUTPUT / 1024} KiB`);
      if (code === NOT_THERE) throw new Error(`${name} failed: its program isn't there, or can't be seen in its box`);
      if (code !== 0) throw new Error(`${name} failed: its program ended with the code ${code}`);
      return output.toString("utf8");
    },
  };
}
