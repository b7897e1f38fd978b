import { onTestFinished } from "vitest";
import type { Level } from "../../ipc/decision.ts";
import { OperatorClient } from "../../ipc/operator-client.ts";
import { agentTokenFile } from "../../ipc/places.ts";
import { AgentConnection } from "./agent-connection.ts";
import { readToken } from "./running-gate.ts";
import type { TemporaryHome } from "./temporary-home.ts";

/** The two sides of a gate that runs in a process of its own. Closed when the test ends. */

export async function operatorOf({ places }: TemporaryHome): Promise<OperatorClient> {
  const client = await OperatorClient.connect(places.operator_socket, places.operator_token);
  onTestFinished(() => client.close());
  return client;
}

export async function pairedAgent(
  { places }: TemporaryHome,
  operator: OperatorClient,
  name: string,
  level: Level,
): Promise<AgentConnection> {
  await operator.call("agents.pair", { name, level });
  const agent = await AgentConnection.open(places.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello(name, { token: readToken(agentTokenFile(places, name)) });
  return agent;
}
