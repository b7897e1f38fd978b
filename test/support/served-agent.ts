import { onTestFinished } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection } from "./agent-connection.ts";
import { readToken } from "./running-gate.ts";
import type { TemporaryHome } from "./temporary-home.ts";

/** The two sides of a gate that runs in a child process. Closed when the test ends. */

export async function operatorOf({ paths }: TemporaryHome): Promise<OperatorClient> {
  const client = await OperatorClient.connect(paths.operator_socket, paths.operatorToken);
  onTestFinished(() => client.close());
  return client;
}

export async function pairedAgent(
  { paths }: TemporaryHome,
  operator: OperatorClient,
  name: string,
  level: Level,
): Promise<AgentConnection> {
  await operator.call("agents.pair", { name, level });
  const agent = await AgentConnection.open(paths.agent_socket);
  onTestFinished(() => agent.close());
  await agent.hello(name, { token: readToken(agentTokenFile(paths, name)) });
  return agent;
}
