/** A small MCP server over stdio, as the text of a script for Node: its tool `say` gives back its argument `text`. */
export const ECHO_MCP_SERVER = `
const { createInterface } = require("node:readline");
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const tool = { name: "say", description: "says it", inputSchema: { type: "object", properties: { text: { type: "string" } } } };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } });
  else if (method === "tools/list") answer(id, { tools: [tool] });
  else if (method === "tools/call") answer(id, { content: [{ type: "text", text: "said: " + params.arguments.text }] });
  else if (id !== undefined) answer(id, {});
});
`;
