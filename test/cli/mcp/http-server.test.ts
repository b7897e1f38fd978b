import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { HttpServer } from "../../../cli/mcp/http-server.ts";

const MODERN = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
const STREAM = { "content-type": "text/event-stream" };

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** The proxy's side of a server whose every request `handle` answers. */
async function inFrontOf(handle: Handler) {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => handle(request, response, body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const lines: string[] = [];
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const front = new HttpServer({ url, headers: {}, onLine: (line) => lines.push(line.toString("utf8").trim()) });
  const send = (id: number | undefined, method: string, params: object = {}) =>
    front.send(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`));
  const sendResult = (id: number) => front.send(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`));
  const answer = async (id: number) => {
    const find = () => lines.map((line) => JSON.parse(line)).find((message) => message.id === id);
    await expect.poll(find).toBeDefined();
    return find();
  };
  return { send, sendResult, answer, lines };
}

function answerWith(response: ServerResponse, id: number, result: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

it("a stream that ends before the answer is continued behind its last event, after the time that the server wants", async () => {
  const asked: { at: number; last: unknown }[] = [];
  let ended = 0;
  const { send, answer, lines } = await inFrontOf((request, response) => {
    response.writeHead(200, STREAM);
    if (request.method === "POST") {
      response.end('id: a-1\nretry: 300\ndata: \n\nid: a-2\ndata: {"jsonrpc":"2.0","method":"x"}\n\ndata: {"cut');
      ended = performance.now();
      return;
    }
    asked.push({ at: performance.now(), last: request.headers["last-event-id"] });
    // The first continuation brings one more event, and ends, too.
    if (asked.length === 1) response.end('id: a-3\ndata: {"jsonrpc":"2.0","method":"y"}\n\n');
    else response.end('data: {"jsonrpc":"2.0","id":1,"result":{"n":1}}\n\n');
  });
  send(1, "ping");
  expect((await answer(1)).result).toEqual({ n: 1 });
  expect(asked.map(({ last }) => last)).toEqual(["a-2", "a-3"]);
  expect((asked[0]?.at ?? 0) - ended).toBeGreaterThan(290);
  expect(lines.map((line) => JSON.parse(line).method)).toEqual(["x", "y", undefined]);
});

it("a stream that ends for good before the answer is an error for the request: at once without ids, else after three tries", async () => {
  let continued = 0;
  const { send, answer, lines } = await inFrontOf((request, response, body) => {
    response.writeHead(200, STREAM);
    if (request.method === "GET") continued++;
    const withId = request.method === "POST" && body.includes('"id":2');
    response.end(withId ? "id: b\nretry: 1\ndata: \n\n" : ": nothing\n\n");
  });
  send(1, "ping");
  expect((await answer(1)).error.message).toBe("Metnos Gate: the server's answer was cut off");
  expect(continued).toBe(0);
  send(2, "ping");
  expect((await answer(2)).error.message).toBe("Metnos Gate: the server's answer was cut off");
  expect(continued).toBe(3);
  expect(lines).toHaveLength(2);
});

it("an error that names no request answers the one that it was sent for", async () => {
  const { send, answer, lines } = await inFrontOf((_request, response) => {
    response.writeHead(404, { "content-type": "application/json" });
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
  });
  send(7, "ping");
  expect((await answer(7)).error.message).toBe("Metnos Gate: the server answered 404");
  expect(lines[0]).toContain("Session not found");
});

it("a request that is cancelled is withdrawn by the end of its connection where there are no sessions, and by the message where there are", async () => {
  const got: string[] = [];
  const closed: number[] = [];
  const { send, lines } = await inFrontOf((_request, response, body) => {
    const { id, method } = JSON.parse(body);
    got.push(method);
    if (id === undefined) return response.writeHead(202).end();
    response.writeHead(200, STREAM).flushHeaders();
    return response.once("close", () => closed.push(id));
  });
  send(1, "subscriptions/listen", MODERN);
  send(2, "resources/read");
  await expect.poll(() => got.length).toBe(2);
  send(undefined, "notifications/cancelled", { requestId: 1, ...MODERN });
  await expect.poll(() => closed).toEqual([1]);
  send(undefined, "notifications/cancelled", { requestId: 2 });
  await expect.poll(() => got).toEqual(["subscriptions/listen", "resources/read", "notifications/cancelled"]);
  expect([closed, lines]).toEqual([[1], []]);
});

it("what goes over a kept connection that the server ends just then is sent once more; a call, which must not run twice, over one of its own", async () => {
  const kept = new WeakSet<Socket>();
  const got: string[] = [];
  let ended = 0;
  const { send, sendResult, answer } = await inFrontOf(({ socket }, response, body) => {
    if (kept.has(socket)) {
      ended++;
      return socket.resetAndDestroy();
    }
    kept.add(socket);
    const { id, method = "a result" } = JSON.parse(body);
    got.push(method);
    if (id === undefined || method === "a result") return response.writeHead(202).end();
    return answerWith(response, id, {});
  });
  send(1, "ping");
  await answer(1);
  sendResult(7);
  await expect.poll(() => got).toEqual(["ping", "a result"]);
  send(2, "ping");
  expect(await answer(2)).toHaveProperty("result");
  send(3, "ping");
  expect(await answer(3)).toHaveProperty("result");
  const before = ended;
  expect(before).toBeGreaterThan(0);
  send(4, "tools/call", { name: "look", arguments: {} });
  expect(await answer(4)).toHaveProperty("result");
  expect([ended, got]).toEqual([before, ["ping", "a result", "ping", "ping", "tools/call"]]);
});

it.each<[string, (response: ServerResponse) => void]>([
  ["has its stream", (response) => response.writeHead(200, STREAM).flushHeaders()],
  ["says that there is none", (response) => response.writeHead(405).end()],
  ["gets no answer for a second", () => undefined],
])(
  "what follows the begin of a session waits until who listens to the server %s: by that a call may be asked about",
  async (_what, listened) => {
    const got: string[] = [];
    const { send, answer } = await inFrontOf((request, response, body) => {
      got.push(request.method === "GET" ? "GET" : JSON.parse(body).method);
      if (request.method === "GET") return listened(response);
      const { id } = JSON.parse(body);
      if (id === undefined) return setTimeout(() => response.writeHead(202).end(), 100);
      return answerWith(response, id, {});
    });
    send(undefined, "notifications/initialized");
    send(1, "tools/call", { name: "look", arguments: {} });
    send(2, "ping");
    await Promise.all([answer(1), answer(2)]);
    expect(got.slice(0, 2)).toEqual(["notifications/initialized", "GET"]);
    expect(got.slice(2).sort()).toEqual(["ping", "tools/call"]);
  },
);

it("arguments that a tool's schema marks are headers, too, where there are no sessions; a tool whose marks aren't valid isn't called", async () => {
  const calls: IncomingMessage["headers"][] = [];
  const marked = (header: unknown, type = "string") => ({ type, "x-mcp-header": header });
  const place = { type: "object", properties: { city: marked("City") } };
  const properties = { region: marked("Region"), count: marked("Count", "integer"), none: marked("None"), place };
  const tools = [
    { name: "look", inputSchema: { type: "object", properties } },
    { name: "bad", inputSchema: { type: "object", properties: { a: marked("A b") } } },
  ];
  const { send, answer } = await inFrontOf((request, response, body) => {
    const { id, method } = JSON.parse(body);
    if (method === "tools/call") calls.push(request.headers);
    answerWith(response, id, method === "tools/list" ? { tools } : {});
  });
  send(1, "tools/list", MODERN);
  await answer(1);
  const args = { region: "Zürich", count: 3, none: null, place: { city: "us west" }, other: "x" };
  send(2, "tools/call", { name: "look", arguments: args, ...MODERN });
  await answer(2);
  expect(calls[0]).toMatchObject({
    "mcp-name": "look",
    "mcp-param-region": `=?base64?${Buffer.from("Zürich").toString("base64")}?=`,
    "mcp-param-count": "3",
    "mcp-param-city": "us west",
  });
  expect(Object.keys(calls[0] ?? {}).filter((name) => name.startsWith("mcp-param-"))).toHaveLength(3);
  send(3, "tools/call", { name: "bad", arguments: { a: "x" }, ...MODERN });
  expect((await answer(3)).error.message).toContain("must not be called");
  send(4, "tools/call", { name: "look", arguments: args });
  await answer(4);
  expect(calls).toHaveLength(2);
  expect(calls[1]).not.toHaveProperty("mcp-param-region");
});

it("an answer whose id is no id of a message is passed on as it came, however deep it is", async () => {
  const id = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const said = `{"jsonrpc":"2.0","id":${id},"result":{}}`;
  const { send, lines } = await inFrontOf((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(said);
  });
  send(1, "ping");
  await expect.poll(() => lines.length).toBe(2);
  expect([lines[0] === said, JSON.parse(lines[1] ?? "").id]).toEqual([true, 1]);
});

it("a server that ends its streams at once, and wants no pause, isn't asked without end", async () => {
  let asked = 0;
  const { send } = await inFrontOf((_request, response) => {
    response.writeHead(200, STREAM);
    response.end(`id: ${asked++}\nretry: 0\ndata:\n\n`);
  });
  send(1, "ping");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(asked).toBeLessThan(15);
});
