import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * The client that the suite starts, of MCP's own SDK: `node client.mjs PACKAGES [PROXY...] URL`. Without PROXY it connects to the URL
 * itself; with it it starts that command in a server's place, with `--http URL` behind it, as the settings of a client do.
 */

const [packages, ...words] = process.argv.slice(2);
const url = words.pop();
const require = createRequire(join(packages, "package.json"));
const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: version = "" } = process.env;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const isModern = version >= "2026-07-28";

const client = new Client(
  { name: "conformance", version: "1" },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    versionNegotiation: { mode: isModern ? "auto" : "legacy" },
  },
);
client.setRequestHandler("elicitation/create", () => ({
  action: "accept",
  content: isModern ? { confirmed: true } : {},
}));
const [command, ...args] = words;
const transport =
  command === undefined
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args: [...args, "--http", url], env: process.env });

/** A result that isn't the suite's answer is not the client's end: the others are still to be called. */
async function call(name, given = {}) {
  await client.callTool({ name, arguments: given }).catch((error) => console.error(`${name}: ${error.message}`));
}

await client.connect(transport);
const { tools } = scenario === "initialize" ? { tools: [] } : await client.listTools();
switch (scenario) {
  case "initialize":
    await client.listTools().catch((error) => console.error(error.message));
    break;
  case "tools_call":
    await call("add_numbers", { a: 5, b: 3 });
    break;
  case "http-custom-headers":
    for (const { name, arguments: given } of context.toolCalls) await call(name, given);
    break;
  case "http-standard-headers":
    for (const { name } of tools) await call(name);
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
    break;
  case "http-invalid-tool-headers":
    for (const { name } of tools)
      await call(name, { region: "us", value: "x", field1: "1", field2: "2", data: {}, items: [], nil: null });
    break;
  case "json-schema-2020-12-preservation":
    await call("json_schema_echo", {
      schema: tools.find(({ name }) => name === "json_schema_2020_12_tool").inputSchema,
    });
    break;
  default:
    for (const { name } of tools) await call(name);
}
await client.close();
process.exit(0);
