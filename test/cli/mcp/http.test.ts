import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ProxyUnderTest, textOf } from "../../support/mcp-proxy.ts";
import { startGate } from "../../support/running-gate.ts";

interface Got {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A streamable HTTP server: JSON for most, a stream for calls, and a stream of its own. */
async function httpServer() {
  const got: Got[] = [];
  const answer = (body: string, response: ServerResponse) => {
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    if (method === "missing") return response.writeHead(404, { "content-type": "text/plain" }).end("no");
    if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.write(
        ': a comment\r\nevent: message\r\ndata: {"jsonrpc":"2.0",\r\ndata:  "method":"notifications/x"}\r\n\r\n',
      );
      const result = { content: [{ type: "text", text: `${params.name} ran` }] };
      return response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    }
    const result = method === "tools/list" ? { tools: [] } : { protocolVersion: "2025-06-18", capabilities: {} };
    const session = method === "initialize" ? { "mcp-session-id": "session-1" } : {};
    // As it may be printed: on several lines.
    response.writeHead(200, { "content-type": "application/json", ...session });
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, result }, null, 2));
  };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { method = "", headers } = request;
      got.push({ method, headers, body });
      if (method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"jsonrpc":"2.0","method":"notifications/of-the-server"}\n\n');
      } else if (method === "DELETE") response.writeHead(200).end();
      else answer(body, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, got };
}

it("a server over HTTP gets each line as it was written, with its session and the user's key; its answers and its stream are lines", async () => {
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
  const { url, got } = await httpServer();
  const env = { METNOS_MCP_HEADERS: '{"authorization":"Bearer secret"}' };
  const proxy = await ProxyUnderTest.greeted(gate.home, { words: ["--name", "notes", "--http", url], server: [], env });
  await proxy.process.printed(/notifications\/of-the-server/);
  const line = '{"id":"a", "jsonrpc":"2.0","method":"tools/call","params":{"name":"look","arguments":{"n":1.0}}}';
  proxy.write(`${line}\n`);
  if ((await gate.waiting()).length === 0) await gate.event(({ type }) => type === "approval.waiting");
  const [token = ""] = await gate.waiting();
  expect(got.some(({ body }) => body.includes("tools/call"))).toBe(false);
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  expect(textOf(await proxy.answer("a"))).toBe("look ran");
  expect(proxy.process.stdout).toContain('{"jsonrpc":"2.0",  "method":"notifications/x"}\n');
  expect((await proxy.request("missing", {})).error?.message).toBe("Metnos Gate: the server answered 404");
  const call = got.find(({ body }) => body.includes("tools/call"));
  expect(call?.body).toBe(line);
  const headers = {
    authorization: "Bearer secret",
    "mcp-session-id": "session-1",
    "mcp-protocol-version": "2025-06-18",
  };
  expect(call?.headers).toMatchObject(headers);
  proxy.process.child.stdin?.end();
  expect(await proxy.process.exited).toBe(0);
  expect(got.at(-1)).toMatchObject({ method: "DELETE", headers });
});

it("a server over HTTP that is away is an error for each request, and the client continues", async () => {
  const gate = await startGate();
  const words = ["--http", "http://127.0.0.1:1/mcp"];
  const proxy = new ProxyUnderTest(gate.home, { words, server: [] });
  expect((await proxy.request("initialize", {})).error?.message).toContain("can't be reached (ECONNREFUSED)");
  expect((await proxy.request("ping", {})).error?.message).toContain("can't be reached");
});
