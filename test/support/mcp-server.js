// A small MCP server on stdin and stdout, written from the protocol alone. `mcp-server.js LOG`: what it gets is appended to LOG, byte for byte.
import { appendFileSync } from "node:fs";

const log = process.argv[2] ?? "/dev/null";
let pending = "";
const TOOLS = [
  {
    name: "look",
    title: "Look",
    description: "Looks at \u202eeverything\u001b[31m",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "write note", description: "Writes a note", inputSchema: { type: "object" } },
];

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const METHODS = {
  initialize: ({ id, params }) =>
    say({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "small", version: "1" },
      },
    }),
  ping: ({ id }) => say({ id, result: {} }),
  // Two pages, as long lists come.
  "tools/list": ({ id, params }) =>
    params?.cursor === "2"
      ? say({ id, result: { resultType: "complete", tools: TOOLS.slice(1), ttlMs: 0, cacheScope: "private" } })
      : say({
          id,
          result: {
            resultType: "complete",
            tools: TOOLS.slice(0, 1),
            nextCursor: "2",
            ttlMs: 0,
            cacheScope: "private",
          },
        }),
  "tools/call": ({ id, params }) => {
    const { asks, ...rest } = params.arguments ?? {};
    if (asks !== undefined && params.inputResponses === undefined)
      return say({
        id,
        result: {
          resultType: "input_required",
          requestState: "the server's own",
          inputRequests: {
            name: {
              method: "elicitation/create",
              params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
            },
          },
        },
      });
    const text = `${params.name} ran with ${JSON.stringify(rest)}\u001b[31m\u202e`;
    say({ id, result: { resultType: "complete", content: [{ type: "text", text }], isError: params.name === "fail" } });
  },
  // What is no message of any protocol passes, too.
  raw: ({ params }) => process.stdout.write(Buffer.from(params.base64, "base64")),
  exit: ({ params }) => {
    process.stderr.write("the server ends\n");
    process.exitCode = params.code;
    process.stdin.destroy();
  },
};

process.stdin.on("data", (chunk) => {
  appendFileSync(log, chunk);
  pending += chunk.toString("utf8");
  for (let end = pending.indexOf("\n"); end !== -1; end = pending.indexOf("\n")) {
    const line = pending.slice(0, end);
    pending = pending.slice(end + 1);
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      continue; // not for it
    }
    METHODS[message.method]?.(message);
  }
});
