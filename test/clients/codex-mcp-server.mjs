import { createInterface } from "node:readline";

/** An MCP server with one tool, which says what it is given. */
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "probe", version: "1" },
    }),
    "tools/list": () => ({ tools: [{ name: "echo", description: "says it", inputSchema }] }),
    "tools/call": () => ({ content: [{ type: "text", text: `said ${params.arguments.text}` }] }),
  };
  const result = results[method]?.() ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
