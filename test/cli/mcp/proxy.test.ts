import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ProxyUnderTest, textOf } from "../../support/mcp-proxy.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

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
  expect(card).toMatchObject({ agent: AGENT, executor: "mcp__notes__write_note" });
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

it("all else passes byte for byte, in both directions: other methods, blank lines, ends of lines, bytes that are no text, half a line at the end", async () => {
  const gate = await pairedGate();
  const log = ProxyUnderTest.prototype;
  expect(log).toBeDefined();
  const proxy = new ProxyUnderTest(gate.home);
  const lines = [
    '{"jsonrpc":"2.0","id":0,"method":"ping"}\r\n',
    "\n \r\n",
    '{ "method" : "notifications/cancelled", "params":{"requestId":"nobody\\u0027s"} }\n',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]\n',
    '{"id":9007199254740993,"result":{"big":1e400}}\n',
    `{"jsonrpc":"2.0","method":"x","params":{"long":"${"\u00e9".repeat(300_000)}"}}\n`,
  ].join("");
  const raw = Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a, 0x7b, 0xc3, 0x0a, 0x0a, 0xf0, 0x9f]);
  const ask = `{"method":"raw","params":{"base64":"${raw.toString("base64")}"}}\n`;
  proxy.write(lines + ask);
  proxy.write('{"method":"exit","params":{"code":7}}');
  const chunks: Buffer[] = [];
  proxy.process.child.stdout
    ?.setEncoding("latin1")
    .on("data", (text: string) => chunks.push(Buffer.from(text, "latin1")));
  proxy.process.child.stdin?.end("\n");
  expect(await proxy.process.exited).toBe(7);
  expect(proxy.process.stderr).toBe("the server ends\n");
  expect(readFileSync(proxy.log, "utf8")).toBe(`${lines}${ask}{"method":"exit","params":{"code":7}}\n`);
  expect(Buffer.concat(chunks).includes(raw)).toBe(true);
});
