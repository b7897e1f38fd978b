import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LAUNCHER } from "../../support/gate-process.ts";
import { MCP_SERVER, ProxyUnderTest, textOf } from "../../support/mcp-proxy.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const AGENT = "codex";

async function pairedGate(level: "Supervised" | "Full" = "Supervised"): Promise<GateUnderTest> {
  const gate = await startGate();
  await gate.operator.call("agents.pair", { name: AGENT, level });
  return gate;
}

async function nextCard(gate: GateUnderTest) {
  if ((await gate.waiting()).length === 0) await gate.event(({ type }) => type === "approval.waiting");
  const [card] = await gate.operator.call("approvals.list", {});
  if (card === undefined) throw new Error("no card");
  return card;
}

it("a call waits for the user: allowed it reaches the server as it was written, denied the model reads why", async () => {
  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home);
  const line =
    '{"id": "a\\u0062" ,"method":"tools\\/call", "params" : {"arguments":{"n":1.50,"é":"ü"},"name":"write note"}  }\r\n';
  proxy.write(line);
  const card = await nextCard(gate);
  expect(card).toMatchObject({ agent_name: AGENT, executor: "mcp__notes__write_note" });
  expect(proxy.ran).toEqual([]);
  await gate.operator.call("approvals.resolve", { token: card.token, decision: "approved" });
  expect(textOf(await proxy.answer("ab"))).toContain('write note ran with {"n":1.5,"é":"ü"}\u001b[31m\u202e');
  expect(proxy.received).toContain(line);

  const denied = proxy.call("write note", { n: 2 });
  const { token } = await nextCard(gate);
  await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "not on a Friday" });
  const { result } = await denied;
  expect(result?.isError).toBe(true);
  expect(textOf(await denied)).toMatch(/^Metnos Gate: the user said no: not on a Friday/);
  expect(proxy.ran).toHaveLength(1);
});

it("all else passes byte for byte, in both directions: other methods, blank lines, ends of lines, bytes that are no text, half a line", () => {
  const home = temporaryHome();
  const log = join(home.home, "server.log");
  const raw = Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x7b, 0xc3, 0x0a, 0x0a, 0xf0, 0x9f]);
  const long = `{"jsonrpc":"2.0","method":"x","params":{"long":"${"\u00e9".repeat(300_000)}"}}\n`;
  const lines = [
    '{"jsonrpc":"2.0","id":0,"method":"ping"}\r\n',
    "\n \r\n",
    '{ "method" : "notifications/cancelled", "params":{"requestId":"nobody\\u0027s"} }\n',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]\n',
    '{"id":9007199254740993,"result":{"big":1e400}}\n',
    long,
    `{"method":"raw","params":{"base64":"${Buffer.from(long).toString("base64")}"}}\n`,
    `{"method":"raw","params":{"base64":"${raw.toString("base64")}"}}\n`,
    '{"method":"exit","params":{"code":7}}\n',
    '{"jsonrpc":"2.0","half":"a li',
  ].join("");
  const words = [LAUNCHER, "mcp", "--", process.execPath, MCP_SERVER, log];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { input: lines, env: home.env });
  expect([status, stderr.toString()]).toEqual([7, "the server ends\n"]);
  const pong = '{"jsonrpc":"2.0","id":0,"result":{}}\n';
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Metnos Gate: it is not JSON"}}\n';
  const got = stdout.toString("latin1").replace(refused, "");
  expect(got === Buffer.concat([Buffer.from(pong + long), raw]).toString("latin1")).toBe(true);
  expect(readFileSync(log, "utf8") === lines.slice(0, lines.lastIndexOf("\n") + 1)).toBe(true);
});

it("what a server could read as a call, and the gate another way, is refused: equal keys, bytes that are no text, no JSON, a batch, a notification", async () => {
  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home);
  const before = proxy.received;
  const call = (id: string, args: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"look","arguments":${args}}}\n`;
  proxy.write(call("100", '{"path":"/shown","path":"/run"}'));
  proxy.write(call("9007199254740993", "{}"));
  proxy.write(call("102", '{"n":9007199254740993}'));
  proxy.write(call("103", '{"__proto__":1}'));
  proxy.write('{"id":104,"method":"ping","method":"tools/call","params":{"name":"look"}}\n');
  proxy.write('{"id":105,"method":"tools/call","method":"ping","params":{"name":"look"}}\n');
  proxy.write(`[${call("106", "{}").trim()},{"id":107,"method":"ping"}]\n`);
  proxy.write('{"method":"tools/call","params":{"name":"look"}}\n');
  proxy.write('{"id":null,"method":"tools/call","params":{"name":"look"}}\n');
  proxy.write('{"id":108,"method":"tools/call","params":{"name":"look","arguments":[1]}}\n');
  proxy.write('{"id":109,"method":"tools/call","params":{"name":"look","arguments":{"x":NaN}}}\n');
  proxy.write(
    Buffer.concat([
      Buffer.from('{"id":110,"method":"tools/call","params":{"name":"look'),
      Buffer.from([0xff, 0x22]),
      Buffer.from("}}\n"),
    ]),
  );
  proxy.write(call("111", `{"deep":${"[".repeat(5000)}${"]".repeat(5000)}}`));
  proxy.write(call("112", `{"long":"${"x".repeat(1_100_000)}"}`));
  proxy.write(`{"id":113,"method":"tools/call","params":{"name":"${"n".repeat(300)}"}}\n`);
  const said = (id: number) => proxy.answer(id).then((answer) => answer.error?.message ?? textOf(answer));
  expect(await said(113)).toContain("name is too long");
  expect(await said(112)).toContain("1 MiB");
  expect(await said(111)).toContain("deeper than");
  expect(await said(108)).toContain("no object");
  for (const id of [100, 103, 104, 105]) expect(await said(id), `${id}`).toContain("same key twice");
  for (const id of [106, 107]) expect(await said(id)).toContain("by itself");
  expect(await said(102)).toContain("a number is not the same");
  expect(proxy.process.stdout).toContain('{"jsonrpc":"2.0","id":9007199254740993,"result":');
  expect(proxy.process.stdout.match(/"id":null,"error"/g)).toHaveLength(4);
  expect(await gate.waiting()).toEqual([]);
  // Nothing of all this has reached the server, which is still there.
  await proxy.request("ping", {});
  expect(proxy.received.slice(before.length)).toMatch(/^\{"jsonrpc":"2.0","id":\d+,"method":"ping","params":\{\}\}\n$/);
});

it("before the client gives up it is answered, the card stays, and the same call, sent again, gets its answer once", async () => {
  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home, { words: ["--name", "notes", "--wait", "0.4"] });
  const first = await proxy.call("write note", { a: 1, b: { c: 2, d: 3 } });
  expect(first.result?.isError).toBe(true);
  expect(textOf(first)).toContain("approval pending: the user hasn't answered yet; send the same call again");
  const { token } = await nextCard(gate);
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  // In another order it is the same call; another call isn't.
  const other = proxy.call("write note", { a: 2 });
  expect(textOf(await proxy.call("write note", { b: { d: 3, c: 2 }, a: 1 }))).toContain("write note ran with");
  expect(textOf(await other)).toContain("approval pending");
  expect(proxy.ran).toHaveLength(1);
  const again = await proxy.call("write note", { a: 1, b: { c: 2, d: 3 } });
  expect(textOf(again)).toContain("approval pending");
  expect(await gate.waiting()).toHaveLength(2);
});

it("an approval is for the tool's own name: another one that the gate's name of it fits, too, is asked about", async () => {
  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home, { words: ["--name", "notes", "--wait", "0.4"] });
  // Both wait: one answer isn't both's.
  const [first, other] = await Promise.all([proxy.call("write_note", { a: 1 }), proxy.call("write.note", { a: 1 })]);
  for (const answer of [first, other]) expect(textOf(answer)).toContain("approval pending");
  const cards = await gate.operator.call("approvals.list", {});
  expect(cards.map(({ executor }) => executor)).toEqual(["mcp__notes__write_note", "mcp__notes__write_note"]);
  const token =
    cards.find(({ target_summary }) => target_summary.includes("write.note"))?.token ?? cards[0]?.token ?? "";
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  const again = [await proxy.call("write_note", { a: 1 }), await proxy.call("write.note", { a: 1 })];
  expect(again.map((answer) => textOf(answer).includes("ran with")).filter((hasRun) => hasRun)).toHaveLength(1);
});

it("a call that the client cancels is withdrawn and never runs; the end of another call's id is none of its business", async () => {
  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home);
  proxy.write({ jsonrpc: "2.0", id: "c", method: "tools/call", params: { name: "write note", arguments: {} } });
  const { token } = await nextCard(gate);
  proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } });
  const gone = gate.event(({ type }) => type === "approval.closed");
  proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c" } });
  await gone;
  expect(await gate.request(token)).toMatchObject({ status: "cancelled" });
  await proxy.request("ping", {});
  expect([proxy.ran, proxy.messages.some(({ id }) => id === "c")]).toEqual([[], false]);
  expect(proxy.received).toContain('"requestId":99');
  expect(proxy.received).not.toContain('"requestId":"c"');
});

it("a client that ends withdraws what waits, and its server ends with it", async () => {
  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home);
  proxy.write({ jsonrpc: "2.0", id: "c", method: "tools/call", params: { name: "write note", arguments: {} } });
  const { token } = await nextCard(gate);
  const gone = gate.event(({ type }) => type === "approval.closed");
  proxy.process.child.stdin?.end();
  expect(await proxy.process.exited).toBe(0);
  await gone;
  expect(await gate.request(token)).toMatchObject({ status: "cancelled" });
  expect(proxy.ran).toEqual([]);
});

it("a server that ends by itself ends the proxy at once, with its exit code, though the client is still there", async () => {
  const home = temporaryHome();
  const proxy = new ProxyUnderTest(home);
  await proxy.request("ping", {});
  const started = performance.now();
  proxy.write({ method: "exit", params: { code: 5 } });
  expect(await proxy.process.exited).toBe(5);
  expect(performance.now() - started).toBeLessThan(8000);
  const none = new ProxyUnderTest(home, { server: ["/no/such/program"] });
  expect(await none.process.exited).toBe(127);
  expect(none.process.stderr).toContain("/no/such/program can't be started: there is no such program");
});

it("without a gate no call runs, and the model reads what to say to the user; a gate that is restarted meanwhile is asked again", async () => {
  const home = temporaryHome();
  const alone = await ProxyUnderTest.greeted(home);
  expect(textOf(await alone.call("look", {}))).toMatch(/no gate is running; tell the user to start it with: .*start/);
  expect(alone.ran).toEqual([]);

  const gate = await pairedGate();
  const proxy = await ProxyUnderTest.greeted(gate.home);
  const answer = proxy.call("write note", { n: 1 });
  await nextCard(gate);
  await gate.close();
  const again = await startGate({ home: gate.home });
  let hasRun = false;
  const ran = answer.then(() => {
    hasRun = true;
  });
  // What is approved before the proxy is back is withdrawn: it asks again then.
  await expect
    .poll(async () => {
      for (const token of await again.waiting())
        await again.operator.call("approvals.resolve", { token, decision: "approved" });
      return hasRun;
    })
    .toBe(true);
  await ran;
  expect(textOf(await answer)).toContain("write note ran with");
  expect(proxy.ran).toHaveLength(1);
});

it("in the protocol without sessions the client is asked to send the call again, and the server never sees the gate's state", async () => {
  const gate = await pairedGate();
  const words = ["--name", "notes", "--wait", "0.4"];
  const proxy = await ProxyUnderTest.greeted(gate.home, { words });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "codex-mcp-client", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const first = await proxy.call("write note", { asks: true }, { _meta });
  expect(first.result).toEqual({ resultType: "input_required", requestState: expect.stringMatching(/^metnos-gate:/) });
  const { token } = await nextCard(gate);
  await gate.operator.call("approvals.resolve", { token, decision: "approved" });
  const requestState = first.result?.requestState;
  const second = await proxy.call("write note", { asks: true }, { _meta, requestState });
  expect(second.result).toMatchObject({ resultType: "input_required", requestState: "the server's own" });
  expect(proxy.received).not.toContain("metnos-gate:");
  // What the server itself asks for is no other call: it was decided on.
  const more = { _meta, requestState: "the server's own", inputResponses: { name: { action: "accept", content: {} } } };
  expect(textOf(await proxy.call("write note", { asks: true }, more))).toContain("ran with");
  // Once.
  const third = await proxy.call("write note", { asks: true }, more);
  expect(third.result).toMatchObject({
    resultType: "input_required",
    requestState: expect.stringMatching(/^metnos-gate:/),
  });
  const card = await nextCard(gate);
  await gate.operator.call("approvals.resolve", { token: card.token, decision: "rejected" });
  const denied = await proxy.call("write note", { asks: true }, { ...more, requestState: third.result?.requestState });
  expect(denied.result).toMatchObject({ resultType: "complete", isError: true });
  expect(proxy.ran).toHaveLength(2);
});
