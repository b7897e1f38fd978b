import type { BoxAgent } from "../../ipc/box.ts";
import type { Level } from "../../ipc/decision.ts";
import { isUnchanged, testedClients } from "../../ipc/tested-clients.ts";

/** Whether the agents are confined, as `box.status` tells it. */

export interface KnownAgent {
  name: string;
  level: Level;
  /** Whether it said in its last greeting that it runs what it is given; undefined where it has not greeted this gate. */
  supports: boolean | undefined;
}

/** The agent that a client asks for, which has to be tested. */
const TESTED = "claude-code";

export function boxAgents(state_dir: string, agents: readonly KnownAgent[]): BoxAgent[] {
  return agents.map((agent) => ({ name: agent.name, ...stateOf(state_dir, agent) }));
}

function stateOf(state_dir: string, { name, level, supports }: KnownAgent): Omit<BoxAgent, "name"> {
  const tested = name === TESTED ? testedClients(state_dir, name) : [];
  // An earlier one's file may still be there: the last one tested is the one that is used.
  const client = tested[0];
  const about = {
    client: client === undefined ? null : `claude ${client.version}`.trim(),
    tested_at: client?.tested_at ?? null,
  };
  if (level === "ReadOnly") return { state: "read-only", ...about };
  if (name !== TESTED) return { state: supports === true ? "confined" : "untested", ...about };
  if (client === undefined || !isUnchanged(client)) return { state: "untested", ...about };
  return { state: client.passed ? "confined" : "failed", ...about };
}
