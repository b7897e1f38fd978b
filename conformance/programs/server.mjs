import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promptsOf, RESOURCES, TEMPLATES, toolsOf } from "./offered.mjs";

/**
 * The server that the suite's scenarios are about, of MCP's own SDK: `node server.mjs PACKAGES` over stdio, `node server.mjs PACKAGES --http`
 * over HTTP, whose address it prints. PACKAGES is the folder that the SDK is installed in: it is no dependency, and so this is no TypeScript.
 */

const [packages, transport] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const sdk = require("@modelcontextprotocol/server");

const CACHE = { ttlMs: 0, cacheScope: "private" };
/** What the HTTP server's subscriptions are sent, in place of the process's own. */
let announce;

function conformanceServer() {
  const server = new sdk.Server(
    { name: "conformance", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  const tools = toolsOf(sdk, (kind) => (announce === undefined ? notifyOf(server, kind) : announce(kind)));
  const prompts = promptsOf(sdk);
  const listed = (offered) => Object.entries(offered).map(([name, { run: _, ...rest }]) => ({ name, ...rest }));
  server.setRequestHandler("tools/list", () => ({ tools: listed(tools), ...CACHE }));
  server.setRequestHandler("tools/call", ({ params }, context) =>
    found(tools, params.name).run(params.arguments ?? {}, context),
  );
  server.setRequestHandler("prompts/list", () => ({ prompts: listed(prompts), ...CACHE }));
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    found(prompts, params.name).run(params.arguments ?? {}, context),
  );
  server.setRequestHandler("resources/list", () => ({
    resources: RESOURCES.map(({ contents: _, ...rest }) => rest),
    ...CACHE,
  }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: TEMPLATES, ...CACHE }));
  server.setRequestHandler("resources/read", ({ params }) => ({ contents: [contentsOf(params.uri)], ...CACHE }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

function notifyOf(server, kind) {
  return kind === "tools" ? server.sendToolListChanged() : server.sendPromptListChanged();
}

function found(offered, name) {
  const one = offered[name];
  if (one === undefined) throw new sdk.ProtocolError(-32602, `${name} is not known`);
  return one;
}

function contentsOf(uri) {
  const resource = RESOURCES.find((one) => one.uri === uri);
  if (resource !== undefined) return { uri, mimeType: resource.mimeType, ...resource.contents };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new sdk.ProtocolError(-32602, "there is no such resource", { uri });
  return {
    uri,
    mimeType: "application/json",
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  };
}

/** Of the protocol with sessions, each has a server; of the one without, each request. */
async function serveHttp() {
  const { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } = require("@modelcontextprotocol/node");
  const modern = sdk.createMcpHandler(conformanceServer, { legacy: "reject" });
  announce = (kind) => (kind === "tools" ? modern.notify.toolsChanged() : modern.notify.promptsChanged());
  const handleModern = toNodeHandler(modern);
  const sessions = new Map();
  const handle = async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const body = text === "" ? undefined : JSON.parse(text);
    if (!(await sdk.isLegacyRequest(await toWebRequest(request, body), body)))
      return await handleModern(request, response, body);
    let session = sessions.get(request.headers["mcp-session-id"]);
    if (session === undefined) {
      session = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, session),
      });
      await conformanceServer().connect(session);
    }
    await session.handleRequest(request, response, body);
  };
  const http = createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}

if (transport === "--http") await serveHttp();
else require("@modelcontextprotocol/server/stdio").serveStdio(conformanceServer);
