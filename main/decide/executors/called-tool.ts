import type { McpState } from "../../../ipc/contract/mcp.ts";

/** The tool of an MCP server that a call names, as its proxy announced it and as the user knows it. */
export interface CalledTool {
  server: string;
  tool: string;
  source: string;
  pin: string;
  state: McpState;
  /** What its server says of it, as JSON; null where that is too long to be shown. */
  definition: string | null;
  /** Of one that has changed: what it was when it was last allowed; null where that isn't known. */
  before: string | null;
  /** The user can say that it only looks. */
  is_classifiable: boolean;
}

/** Who calls, and over which connection. */
export interface Caller {
  agent: { agent_id: string } | null;
  connection?: number | undefined;
}
