/** The executor that a tool of an MCP server is called by: what a name can't hold is `_`, as Claude Code has it. */
export function mcpExecutor(server: string, tool: string): string {
  const plain = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, "_");
  return `mcp__${plain(server)}__${plain(tool)}`.slice(0, 200);
}
