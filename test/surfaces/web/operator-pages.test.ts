import { once } from "node:events";
import { createConnection } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import type { OperatorHandler } from "../../../ipc/contract/operator-api.ts";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import type { PageLimits } from "../../../main/surfaces/web/operator-pages.ts";
import { WebPage } from "../../../main/surfaces/web/web-page.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { ask, PageSocket, sessionFor, sessionIn, upgradeStatus } from "../../support/page-visitor.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

const WRITE = { executor: "fs_write", args: { path: "/tmp/notes/a.txt", content: "hello" } };

async function openPage(gate: GateUnderTest): Promise<PageSocket> {
  return await PageSocket.open(await sessionFor(gate));
}

/** A page of a server that has this contract behind it. */
async function pageOf(
  api: OperatorHandler,
  limits: Partial<PageLimits> = {},
  log: string[] = [],
  options: ClientOptions = {},
): Promise<PageSocket> {
  const settings = { port: 0, session_seconds: 300, limits, clock: systemClock };
  const web = new WebPage(settings, { log: (line) => log.push(line), entered: () => undefined });
  await web.listen(api);
  onTestFinished(() => web.close());
  const { port, pathname, search } = new URL(web.link());
  const session = sessionIn(Number(port), await ask(Number(port), pathname + search));
  return await PageSocket.open(session, options);
}

/** A short text as a client's frame, masked with zeros. */
function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

describe("the operator's contract on the page's WebSocket", () => {
  it("answers each call by its id, refusals as values", async () => {
    const gate = await startGate({ web: true });
    const page = await openPage(gate);
    expect(await page.call(7, "status")).toMatchObject({ id: 7, result: { pid: process.pid } });
    const refused = await page.call(8, "agents.level", { name: "nobody", level: "Full" });
    expect(refused).toEqual({
      id: 8,
      failure: { code: "unknown_agent", message: expect.any(String), hint: expect.any(String) },
    });
    expect((await page.call(9, "agents.pair", { name: "../x", level: "Root" })).failure?.code).toBe("invalid_params");
    expect((await page.call(10, "grants.revoke")).failure?.code).toBe("invalid_params");
    for (const method of ["agents.become_root", "constructor", "toString", "__proto__", ""]) {
      expect((await page.call(11, method)).failure?.code).toBe("unknown_method");
    }
  });

  it("carries a whole request: the card appears, is approved with a folder, is removed on every page, and the next write is not asked", async () => {
    const gate = await startGate({ web: true });
    const [page, other] = [await openPage(gate), await openPage(gate)];
    const agent = await gate.agent();
    const { decision, final } = await agent.ask(WRITE);
    const token = tokenOf(decision);
    for (const surface of [page, other]) {
      expect((await surface.event("approval.waiting")).event?.data).toMatchObject({ token, args: WRITE.args });
    }
    const answer = { token, decision: "approved", scope: "permanent", target: "/tmp/notes/**" };
    expect((await page.call(1, "approvals.resolve", answer)).result).toMatchObject({ status: "approved" });
    for (const surface of [page, other]) {
      expect((await surface.event("approval.closed")).event?.data).toMatchObject({ token, status: "approved" });
    }
    expect((await other.call(2, "approvals.resolve", answer)).failure?.code).toBe("already_resolved");
    expect((await final()).outcome).toBe("allowed");
    expect((await agent.ask({ ...WRITE, args: { ...WRITE.args, path: "/tmp/notes/b.txt" } })).decision.outcome).toBe(
      "allowed",
    );
  });

  it("makes no links: a page can't outlive its session", async () => {
    const gate = await startGate({ web: true });
    const page = await openPage(gate);
    expect((await page.call(1, "web.link")).failure).toMatchObject({ code: "not_available" });
  });

  it.each<[string, string | Buffer, number]>([
    ["text that is no JSON", "nonsense", 1008],
    ["a list", "[1]", 1008],
    ["no id", '{"method":"status","params":{}}', 1008],
    ["an id that is no number", '{"id":"1","method":"status","params":{}}', 1008],
    ["a method without end", `{"id":1,"method":"${"x".repeat(65)}","params":{}}`, 1008],
    ["nesting without end", `{"id":1,"method":"status","params":${"[".repeat(9)}${"]".repeat(9)}}`, 1008],
    ["a binary frame", Buffer.from('{"id":1,"method":"status","params":{}}'), 1003],
    ["a frame of more than 64 KiB", `{"id":1,"method":"status","params":{"x":"${"x".repeat(65_536)}"}}`, 1009],
  ])("hangs up on %s", async (_what, frame, code) => {
    const gate = await startGate({ web: true });
    const page = await openPage(gate);
    page.socket.send(frame);
    expect((await page.closed).code).toBe(code);
    expect((await gate.operator.call("status", {})).pid).toBe(process.pid);
  });

  it("hangs up on a message that is longer than 64 KiB only as a whole", async () => {
    const gate = await startGate({ web: true });
    const page = await openPage(gate);
    for (let part = 0; part < 20; part++) page.socket.send("x".repeat(8192), { fin: false });
    expect((await page.closed).code).toBe(1009);
  });

  it("drops a page that doesn't read, and informs the others meanwhile", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie, secret } = session;
    const reader = await PageSocket.open(session);
    const slow = createConnection(port, "127.0.0.1");
    onTestFinished(() => {
      slow.destroy();
    });
    slow.write(
      `GET /operator HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nCookie: ${cookie}\r\n` +
        "Sec-WebSocket-Protocol: metnos\r\n" +
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    const [answer] = await once(slow, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 101 /);
    slow.write(maskedFrame(JSON.stringify({ nonce: "1".repeat(64) })));
    slow.write(maskedFrame(JSON.stringify({ secret })));
    await once(slow, "data");
    slow.pause();
    const dropped = gate.logged(/page: dropped one that left more than 8388608 bytes unread/);
    const text = "x".repeat(1024 * 1024);
    let sent = 0;
    for (; sent < 64 && !gate.log.some((line) => line.includes("unread")); sent++) {
      gate.gate.core.publish({
        type: "pairing.requested",
        data: { name: text, version: null, requested_at: `${sent}` },
      });
      await reader.next(({ event }) => event?.type === "pairing.requested" && event.data.requested_at === `${sent}`);
    }
    await dropped;
    expect(sent).toBeLessThan(64);
    expect((await reader.call(1, "status")).result).toMatchObject({ pid: process.pid });
  });

  it("sends a page the events that pages show, and reads no line of the trail for it", async () => {
    const gate = await startGate({ web: true });
    const page = await PageSocket.open(await sessionFor(gate));
    const agent = await gate.agent();
    await agent.ask({ executor: "time_now" });
    await page.next(({ event }) => event?.type === "decision");
    await gate.operator.call("safety.pause", {});
    await page.next(({ event }) => event?.type === "safety.paused");
    expect(page.unread.filter(({ event }) => event?.type === "audit.line")).toEqual([]);
  });

  it("takes 64 calls of a page at once, and another one once one is answered", async () => {
    const answers: ((result: unknown) => void)[] = [];
    const api: OperatorHandler = {
      call: () => Promise.reject(new Error("a page's calls are not checked yet")),
      handle: () => new Promise((resolve) => answers.push(resolve)),
      subscribe: () => () => undefined,
      close: async () => undefined,
    };
    const page = await pageOf(api);
    for (let id = 0; id < 65; id++) page.send({ id, method: "status", params: {} });
    expect((await page.next(({ id }) => id === 64)).failure?.code).toBe("busy");
    expect(answers).toHaveLength(64);
    answers[0]?.("first");
    expect((await page.next(({ id }) => id === 0)).result).toBe("first");
    page.send({ id: 65, method: "status", params: {} });
    page.send({ id: 66, method: "status", params: {} });
    expect((await page.next(({ id }) => id === 66)).failure?.code).toBe("busy");
    expect(answers).toHaveLength(65);
  });

  it("says nothing of what failed inside but that it did", async () => {
    const api: OperatorHandler = {
      call: () => Promise.reject(new Error("a page's calls are not checked yet")),
      handle: () => Promise.reject(new TypeError("the value of the secret is 1234")),
      subscribe: () => () => undefined,
      close: async () => undefined,
    };
    const log: string[] = [];
    const page = await pageOf(api, {}, log);
    expect((await page.call(1, "status")).failure).toMatchObject({ code: "internal", message: "the gate failed" });
    expect(log).toContain("page: status failed: TypeError");
    expect(JSON.stringify(log)).not.toContain("1234");
  });

  it("drops a page that doesn't show any more that it is there, and keeps one that does", async () => {
    const gate = await startGate();
    const log: string[] = [];
    const limits = { heartbeatMs: 100 };
    const silent = await pageOf(gate.operator, limits, log, { autoPong: false });
    const there = await pageOf(gate.operator, limits, log);
    for (let count = 0; count < 4; count++) await once(there.socket, "ping");
    expect((await silent.closed).code).toBe(1006);
    expect((await there.call(1, "status")).result).toMatchObject({ pid: process.pid });
  });

  it("is open for sixteen pages at the most, and again for another once one is closed", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const pages = [];
    for (let count = 0; count < 16; count++) pages.push(await PageSocket.open(session));
    const options = { headers: { Cookie: cookie }, origin: `http://127.0.0.1:${port}` };
    expect(await upgradeStatus(session, options)).toBe(503);
    pages[0]?.socket.close();
    await pages[0]?.closed;
    expect(await upgradeStatus(session, options)).toBe(101);
  });

  it("takes its own subprotocol and no compression that a page offers", async () => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/operator`, ["evil", "metnos"], {
      headers: { Cookie: cookie },
      origin: `http://127.0.0.1:${port}`,
      perMessageDeflate: true,
    });
    onTestFinished(() => socket.terminate());
    const [response] = await once(socket, "upgrade");
    expect(response.headers["sec-websocket-protocol"]).toBe("metnos");
    expect(response.headers["sec-websocket-extensions"]).toBeUndefined();
  });

  it("is closed with the gate, which waits for no page", async () => {
    const gate = await startGate({ web: true });
    const page = await openPage(gate);
    await gate.close();
    expect(await page.closed).toEqual({ code: 1001, reason: "the gate is closing" });
  });
});
