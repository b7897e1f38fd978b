/** How the tools of MCP servers are named: in calls, and as the target of a grant. */

/** A server as the user's client calls it. */
export const MCP_SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A tool whose name means no other tool: no look-alikes, and nothing that a grant's pattern could mean. */
const PLAIN_TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

/** True if the user can say of a tool of this name what it is. */
export function isPlainToolName(tool: string): boolean {
  return PLAIN_TOOL_NAME.test(tool);
}

/** The executor of a server's tool, as Claude Code names it: what isn't a letter, a digit, `_` or `-` is `_`. */
export function mcpExecutor(server: string, tool: string): string {
  return `mcp__${plain(server)}__${plain(tool)}`;
}

const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9_-]/g, "_");

/** What a call of a looking tool needs `channel:out` on. */
export function mcpTarget(server: string, tool: string): string {
  return `mcp:${server}/${tool}`;
}

/** A grant on every looking tool of a server. */
function mcpServerTarget(server: string): string {
  return `mcp:${server}/*`;
}

/** True of what names a server's tool, or all of them: no other tool's argument can stand for that. */
export function isMcpTarget(target: string): boolean {
  return /^mcp:/i.test(target.trim());
}

/** The grant on all looking tools of the server whose tool this is; null of any other target. */
export function serverTargetOf(target: string): string | null {
  const named = /^mcp:([^/*]+)\/[^*]+$/.exec(target);
  return named?.[1] === undefined ? null : mcpServerTarget(named[1]);
}

/** True of a grant on all looking tools of a server. */
export function isMcpServerTarget(target: string): boolean {
  const server = /^mcp:([^/]+)\/\*$/.exec(target)?.[1];
  return server !== undefined && MCP_SERVER_NAME.test(server);
}

/** Whose tool a target names, `*` for every one of the server; null of any other target. */
export function toolNamed(target: string): { server: string; tool: string } | null {
  const [, server, tool] = /^mcp:([^/]+)\/(.+)$/.exec(target) ?? [];
  return server === undefined || tool === undefined ? null : { server, tool };
}
