import { createHash } from "node:crypto";
import { mcpExecutor } from "../../ipc/contract/mcp-names.ts";
import { gateMessages } from "../../ipc/contract/wire.ts";
import type { AgentConnection, Asked } from "./agent-connection.ts";

/** An MCP server's tools and the calls of a proxy in front of it, on an agent's connection. */

export interface ServerTool {
  name: string;
  title?: string;
  description?: string;
  input_schema?: unknown;
  annotations?: unknown;
}

export const GET_ISSUE: ServerTool = {
  name: "get_issue",
  description: "Reads an issue.",
  input_schema: { type: "object", properties: { number: { type: "integer" } } },
  annotations: { readOnlyHint: true },
};
export const LIST_ISSUES: ServerTool = { ...GET_ISSUE, name: "list_issues", description: "Lists issues." };

/** What a server is: the hash of the command line that starts it. */
function sourceOf(command: string): string {
  return createHash("sha256").update(command).digest("hex");
}

/** Announces tools and gives each one's state by its name. */
export async function announce(
  agent: AgentConnection,
  tools: readonly ServerTool[],
  { server = "github", command = "npx github-mcp" } = {},
): Promise<Record<string, string>> {
  const id = `tools-${Math.random()}`;
  agent.send("mcp.tools", { id, server, source: sourceOf(command), tools });
  const { type, data } = await agent.next((message) => message.data.id === id);
  if (type !== "mcp.tools.ok") throw new Error(`not taken: ${JSON.stringify(data)}`);
  const answer = gateMessages["mcp.tools.ok"].parse(data);
  return Object.fromEntries(answer.tools.map(({ name, state }) => [name, state]));
}

interface Carried {
  server?: string;
  call_id?: string;
}

/** A call as the proxy sends it. */
export function proxyCall(
  agent: AgentConnection,
  tool: string,
  args: object = {},
  carried: Carried = {},
): Promise<Asked> {
  const { server = "github", call_id } = carried;
  const context = { mcp: { server, tool }, ...(call_id === undefined ? {} : { call_id }) };
  return agent.ask({ executor: mcpExecutor(server, tool), args: { ...args }, context });
}

/** The same as the hook of the agent's client sends it. */
export function hookCall(
  agent: AgentConnection,
  tool: string,
  args: object = {},
  carried: Carried = {},
): Promise<Asked> {
  const { server = "github", call_id } = carried;
  const context = call_id === undefined ? {} : { call_id };
  return agent.ask({ executor: mcpExecutor(server, tool), args: { ...args }, context });
}
