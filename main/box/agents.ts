import { isUnchanged, testedClients } from "../../ipc/base/tested-clients.ts";
import type { BoxAgent } from "../../ipc/contract/box.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import { KNOWN_AGENTS } from "../agents/index.ts";

/** Whether the agents are confined, as `box.status` tells it. */

export interface KnownAgent {
  name: string;
  level: Level;
  /** Whether it said in its last greeting that it runs what it is given; undefined where it has not greeted this gate. */
  supports: boolean | undefined;
}

/** The agents that clients ask for, which have to be tested, and how their programs are called. */
const TESTED: ReadonlyMap<string, string> = new Map(
  KNOWN_AGENTS.flatMap(({ program, connects_as }) => (connects_as === null ? [] : [[connects_as, program]])),
);

export function boxAgents(state_dir: string, agents: readonly KnownAgent[]): BoxAgent[] {
  return agents.map((agent) => ({ name: agent.name, ...stateOf(state_dir, agent) }));
}

function stateOf(state_dir: string, { name, level, supports }: KnownAgent): Omit<BoxAgent, "name"> {
  const program = TESTED.get(name);
  const tested = program === undefined ? [] : testedClients(state_dir, name);
  // An earlier one's file may still be there: the last one tested is the one that is used.
  const client = tested[0];
  const about = {
    client: client === undefined ? null : `${program} ${client.version}`.trim(),
    tested_at: client?.tested_at ?? null,
  };
  if (level === "ReadOnly") return { state: "read-only", ...about };
  if (program === undefined) return { state: supports === true ? "confined" : "untested", ...about };
  if (client === undefined || !isUnchanged(client)) return { state: "untested", ...about };
  return { state: client.passed ? "confined" : "failed", ...about };
}
