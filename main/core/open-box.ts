import { BoxService } from "../box/box-service.ts";
import { BoxNetwork } from "../box/network/box-network.ts";
import type { Gate } from "../calls/index.ts";
import { hiddenFromBoxes } from "../decide/guard/gate-files.ts";
import { AGENT_PAUSED } from "../decide/stages/safety.ts";
import type { Opened } from "./stores.ts";

/** `gateOf`: the gate once it is open, which decides on the hosts that confined commands ask for. */
export function openBox(opened: Opened, gateOf: () => Gate | undefined, pipes_ahead?: number): BoxService {
  const { paths, home, env, config, clock, alarms, audit, listeners, failed } = opened;
  const { agents, agent_pauses, grants, safety } = opened;
  return new BoxService({
    paths,
    home,
    env,
    config: config.box,
    clock,
    alarms,
    audit,
    agent_pauses,
    stateOf(agent_id) {
      const agent = agents.get(agent_id);
      // The user's own run.
      if (agent === undefined) return { level: undefined, stopped: null };
      const paused = agent_pauses.isPaused(agent_id) ? AGENT_PAUSED : null;
      const stopped = safety.pause.reason === undefined ? paused : "the gate is paused";
      return { level: agent.revoked_at === null ? agent.level : undefined, stopped };
    },
    agents: () =>
      agents
        .list()
        .filter(({ revoked_at }) => revoked_at === null)
        .map(({ name, level }) => ({ name, level })),
    gate_folders: hiddenFromBoxes(paths),
    network: (folder, node) => {
      const gate = gateOf();
      if (gate === undefined) throw new Error("a box begins once its gate is open");
      return new BoxNetwork({ gate, grants, agents, listeners, failed, folder, node });
    },
    pipes_ahead,
    failed,
  });
}
