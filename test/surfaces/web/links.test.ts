import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../support/manual-clock.ts";
import {
  ask,
  expectedProof,
  linkTo,
  PageSocket,
  sessionFor,
  sessionIn,
  upgradeStatus,
} from "../../support/page-visitor.ts";
import { startGate } from "../../support/running-gate.ts";

const NONCE = "2".repeat(64);
/** What a browser says of a link that the user follows on another page, or in a file. */
const FOLLOWED = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

describe("a link to the page", () => {
  it("is exchanged for a cookie that scripts and other sites never get, and a secret of the page's own, then leads on", async () => {
    const gate = await startGate({ web: true });
    const { url, port, path } = await linkTo(gate);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{64}$/);
    const answer = await ask(port, path);
    const { status, headers, body } = answer;
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringContaining("script-src 'self'; "),
    });
    expect(headers["set-cookie"]).toHaveLength(1);
    const [pair = "", ...attributes] = headers["set-cookie"]?.[0]?.split("; ") ?? [];
    expect(pair).toMatch(new RegExp(`^metnos_${port}=[0-9a-f]{64}$`));
    expect(attributes).toEqual(["HttpOnly", "SameSite=Strict", "Path=/"]);
    const { secret } = sessionIn(port, answer);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(headers)).not.toContain(secret);
    expect(body).not.toContain(pair.slice(-64));
    expect(JSON.stringify(headers) + body).not.toContain(path.slice("/?token=".length));
    const script = await ask(port, "/enter.js", { headers: { Cookie: pair } });
    expect(script).toMatchObject({ status: 200, body: expect.stringContaining('location.replace("/")') });
    expect((await ask(port, "/enter.js")).status).toBe(403);
    const page = await ask(port, "/", { headers: { Cookie: pair } });
    expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(page.body).toContain('<div id="root">');
    expect(page.body).not.toContain(secret);
  });

  it("works once: used again it is refused, also by the browser that used it, and its session continues", async () => {
    const gate = await startGate({ web: true });
    const { port, path } = await linkTo(gate);
    const first = await ask(port, path);
    const cookie = first.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    for (const headers of [{}, { Cookie: cookie }]) {
      const again = await ask(port, path, { headers });
      expect(again.status).toBe(403);
      expect(again.headers["set-cookie"]).toBeUndefined();
      expect(again.body).toContain("metnos-gate open");
    }
    expect((await ask(port, "/", { headers: { Cookie: cookie } })).status).toBe(200);
  });

  it("works once also when it is used many times at the same moment", async () => {
    const gate = await startGate({ web: true });
    const { port, path } = await linkTo(gate);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(port, path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(403)]);
  });

  it("is refused after five minutes", async () => {
    const clock = new ManualClock();
    const gate = await startGate({ web: true, now: clock.now });
    const [young, old] = [await linkTo(gate), await linkTo(gate)];
    clock.advance(299);
    expect((await ask(young.port, young.path)).status).toBe(200);
    clock.advance(1);
    const late = await ask(old.port, old.path);
    expect(late.status).toBe(403);
    expect(late.headers["set-cookie"]).toBeUndefined();
  });

  it.each<[string, (path: string) => string]>([
    ["another token", () => `/?token=${"0".repeat(64)}`],
    ["an empty token", () => "/?token="],
    ["no token", () => "/?token"],
    ["a token that is cut short", (path) => path.slice(0, -1)],
    ["a token in capitals", (path) => `${path.slice(0, -1)}A`],
    ["something after the token", (path) => `${path}0`],
    ["another token before it", (path) => path.replace("?", "?token=0&")],
    ["the token at another path", (path) => path.replace("/", "/operator")],
  ])("is refused with %s, and not used up by that", async (_what, change) => {
    const gate = await startGate({ web: true });
    const { port, path } = await linkTo(gate);
    const { status, headers } = await ask(port, change(path));
    expect([status, headers["set-cookie"]]).toEqual([403, undefined]);
    expect((await ask(port, path)).status).toBe(200);
  });

  it("is not used up by looking at it: HEAD, POST, fetched ahead, from another site, under another name", async () => {
    const gate = await startGate({ web: true });
    const { port, path } = await linkTo(gate);
    const looks = [
      { method: "HEAD" },
      { method: "POST" },
      { headers: { "Sec-Purpose": "prefetch" } },
      { headers: { "Sec-Purpose": "prefetch;prerender" } },
      { headers: { Purpose: "prefetch" } },
      { headers: { "Sec-Fetch-Site": "cross-site" } },
      { headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" } },
      { headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "document" } },
      { headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object" } },
      { headers: { ...FOLLOWED, "Sec-Purpose": "prefetch" } },
      { headers: { ...FOLLOWED, Host: "evil.example" } },
      { headers: { ...FOLLOWED, Origin: "null" } },
      { method: "POST", headers: FOLLOWED },
      { headers: { Host: "evil.example" } },
      { headers: { Origin: "http://evil.example" } },
    ];
    for (const look of looks) expect((await ask(port, path, look)).status).toBeGreaterThanOrEqual(400);
    expect((await ask(port, path)).status).toBe(200);
  });

  it("may be followed from another site, as from the file that the browser is opened with; nothing else may", async () => {
    const gate = await startGate({ web: true });
    const { cookie } = await sessionFor(gate);
    const { port, path } = await linkTo(gate);
    for (const other of ["/", "/?token", `${path}&x=1`, "/assets/index.js"]) {
      expect((await ask(port, other, { headers: { ...FOLLOWED, Cookie: cookie } })).status).toBe(403);
    }
    expect((await ask(port, path, { headers: FOLLOWED })).status).toBe(200);
    expect((await ask(port, path, { headers: FOLLOWED })).status).toBe(403);
  });

  it("is one of eight at the most: the oldest makes room", async () => {
    const gate = await startGate({ web: true });
    const oldest = await linkTo(gate);
    const others = [];
    for (let count = 0; count < 8; count++) others.push(await linkTo(gate));
    expect((await ask(oldest.port, oldest.path)).status).toBe(403);
    for (const { port, path } of others) expect((await ask(port, path)).status).toBe(200);
  });

  it("is logged when it is used and when it is refused, and its use is in the trail; no secret is in either", async () => {
    const gate = await startGate({ web: true });
    const { port, path } = await linkTo(gate);
    const { cookie, secret: own } = sessionIn(port, await ask(port, path));
    await ask(port, path);
    await upgradeStatus({ port }, { origin: `http://127.0.0.1:${port}` });
    expect(gate.log.filter((line) => line.startsWith("page: "))).toEqual([
      "page: a link was used, a browser has the page now",
      "page: a link was refused: wrong, used or too old",
    ]);
    const trail = await gate.operator.call("audit.tail", {});
    expect(trail.map(({ event }) => event)).toEqual(["web.entered"]);
    const token = path.slice("/?token=".length);
    for (const secret of [token, cookie.slice(-64), own]) {
      expect(secret).toHaveLength(64);
      expect(JSON.stringify([gate.log, trail])).not.toContain(secret);
    }
  });

  it("can't be had where no page is served", async () => {
    const gate = await startGate();
    await expect(gate.operator.call("web.link", {})).rejects.toMatchObject({
      name: "GateError",
      code: "not_available",
      hint: expect.stringContaining("metnos-gate start"),
    });
  });
});

describe("a session", () => {
  it("isn't opened by its cookie alone, which every server of this machine is sent: the page's own secret must be shown", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const other = await sessionFor(gate);
    const { port, cookie, secret } = session;
    // Another server of this machine that the browser was sent to, with what it was sent.
    const received: string[] = [];
    const server = createServer(({ headers }, response) => {
      received.push(headers.cookie ?? "");
      response.end("a page of somebody's own");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await ask((server.address() as AddressInfo).port, "/", { headers: { Cookie: cookie } });
    const [Cookie = ""] = received;
    const thief = { port, cookie: Cookie };
    for (const shown of ["0".repeat(64), cookie.slice(-64), other.secret]) {
      const page = await PageSocket.connect(thief);
      await page.proofs(NONCE);
      page.send({ secret: shown });
      page.send({ id: 1, method: "status", params: {} });
      expect((await page.closed).code).toBe(4401);
      expect(page.unread).toEqual([]);
    }
    for (const said of [
      [{ id: 1, method: "status", params: {} }],
      [{ secret }],
      [{ nonce: NONCE }, { secret: secret.slice(1) }],
    ]) {
      const page = await PageSocket.connect(thief);
      for (const message of said) page.send(message);
      expect((await page.closed).code).toBe(1008);
    }
    for (const path of [`/operator?${secret}`, `/?${secret}`])
      expect((await ask(port, path, { headers: { Cookie } })).status).toBe(404);
    const page = await PageSocket.open(session);
    expect((await page.call(1, "status")).result).toMatchObject({ pid: process.pid });
  });

  it("gets no event before the page's secret was shown", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const other = await PageSocket.open(session);
    const page = await PageSocket.connect(session);
    gate.gate.core.publish({ type: "agents.changed", data: {} });
    await other.event("agents.changed");
    expect(await page.proofs(NONCE)).toEqual([expectedProof(session, NONCE)]);
    gate.gate.core.publish({ type: "agents.changed", data: {} });
    await other.event("agents.changed");
    page.send({ secret: session.secret });
    expect((await page.call(1, "status")).result).toMatchObject({ pid: process.pid });
    expect(page.unread).toEqual([]);
  });

  it("ends after its time: the page, its files and its open WebSocket", async () => {
    const clock = new ManualClock();
    const gate = await startGate({ web: true, now: clock.now, config: "[web]\nsession_seconds = 300\n" });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const page = await PageSocket.open(session);
    expect((await page.call(1, "status")).result).toMatchObject({ pid: process.pid });
    clock.advance(300);
    expect((await ask(port, "/", { headers: { Cookie: cookie } })).status).toBe(403);
    page.send({ id: 2, method: "grants.add", params: { capability: "fs:read", target: "/srv/**" } });
    expect(await page.closed).toEqual({ code: 4401, reason: "the session has ended" });
    expect((await gate.operator.call("status", {})).grants_active).toBe(0);
  });

  it("lasts as long whatever the clock is set to", async () => {
    const clock = new ManualClock();
    const gate = await startGate({ web: true, clock, config: "[web]\nsession_seconds = 300\n" });
    const { port, cookie } = await sessionFor(gate);
    const seen = async () => (await ask(port, "/", { headers: { Cookie: cookie } })).status;
    clock.jump(86_400);
    expect(await seen()).toBe(200);
    clock.jump(-2 * 86_400);
    clock.advance(299);
    expect(await seen()).toBe(200);
    clock.advance(1);
    expect(await seen()).toBe(403);
  });

  it("gets no events once it has ended", async () => {
    const clock = new ManualClock();
    const gate = await startGate({ web: true, now: clock.now, config: "[web]\nsession_seconds = 300\n" });
    const page = await PageSocket.open(await sessionFor(gate));
    const received: string[] = [];
    page.socket.on("message", (data) => received.push(String(data)));
    clock.advance(300);
    gate.gate.core.publish({ type: "agents.changed", data: {} });
    expect((await page.closed).code).toBe(4401);
    expect(received).toEqual([]);
  });

  it("is one of sixteen at the most: the oldest makes room, its open page is closed", async () => {
    const gate = await startGate({ web: true });
    const oldest = await sessionFor(gate);
    const page = await PageSocket.open(oldest);
    for (let count = 0; count < 16; count++) await sessionFor(gate);
    expect((await ask(oldest.port, "/", { headers: { Cookie: oldest.cookie } })).status).toBe(403);
    page.send({ id: 1, method: "status", params: {} });
    expect((await page.closed).code).toBe(4401);
  });
});
