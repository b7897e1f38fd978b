import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { readPageFiles } from "../../../main/surfaces/web/page-files.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ask, linkTo, sessionFor, upgradeStatus } from "../../support/page-visitor.ts";
import { refusalOf } from "../../support/refusals.ts";
import { startGate } from "../../support/running-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** The answer to the given raw bytes. */
async function rawAnswer(port: number, bytes: string): Promise<string> {
  const socket = createConnection(port, "127.0.0.1");
  socket.end(bytes);
  return await text(socket);
}

describe("the page's port", () => {
  it("is open on 127.0.0.1 only", async () => {
    const gate = await startGate({ web: true });
    const { port } = await linkTo(gate);
    const refused = (host: string) =>
      new Promise<string>((resolve) => {
        const socket = createConnection(port, host);
        socket.once("connect", () => resolve("connected"));
        socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "failed"));
        socket.once("close", () => socket.destroy());
      });
    expect(await refused("127.0.0.1")).toBe("connected");
    for (const host of ["127.0.0.2", "::1"]) expect(await refused(host)).not.toBe("connected");
  });

  it("answers nothing without a session, whatever is asked for", async () => {
    const gate = await startGate({ web: true });
    const { port } = await linkTo(gate);
    const cookies = ["", `metnos_${port}=${"0".repeat(64)}`, `metnos_${port}=`, `metnos_${port}`, "metnos_0=x"];
    for (const path of ["/", "/index.html", "/operator", "/favicon.ico", "/nowhere"]) {
      for (const Cookie of cookies) {
        const { status, body } = await ask(port, path, { headers: { Cookie } });
        expect([path, Cookie, status]).toEqual([path, Cookie, 403]);
        // Why, and what to do: no file of the page, nothing that is loaded or run.
        expect(body).toContain(ownCommand("open"));
        expect(body).not.toMatch(/<script|<link|<img|src=|href=|id="root"/);
      }
    }
  });

  it("isn't locked by another server's cookie of the same name, wherever it is: the live one counts", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const origin = `http://127.0.0.1:${port}`;
    const foreign = `metnos_${port}=`;
    const other = `${foreign}${"0".repeat(64)}`;
    for (const Cookie of [`${other}; ${cookie}`, `${cookie}; ${other}`, `${foreign}x; ${other}; ${cookie}; more=2`]) {
      expect((await ask(port, "/", { headers: { Cookie } })).status).toBe(200);
      expect(await upgradeStatus(session, { headers: { Cookie }, origin })).toBe(101);
    }
    for (const Cookie of [other, `${other}; ${foreign}x`, `x${cookie}`])
      expect((await ask(port, "/", { headers: { Cookie } })).status).toBe(403);
  });

  it.each([
    "evil.example",
    "evil.example:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1:PORT.evil.example",
    "127.0.0.1.evil.example:PORT",
    "user@127.0.0.1:PORT",
    "127.1:PORT",
    "0.0.0.0:PORT",
    "[::1]:PORT",
    "LOCALHOST.:PORT",
    "localhost",
  ])("refuses the forged or rebound host %j, page and WebSocket", async (name) => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const Host = name.replace("PORT", String(port));
    const headers = { Host, Cookie: cookie };
    const page = await ask(port, "/", { headers });
    expect(page.status).toBe(421);
    expect(await upgradeStatus(session, { headers, origin: `http://127.0.0.1:${port}` })).toBe(421);
    expect(await upgradeStatus(session, { headers, origin: `http://${Host}` })).toBe(421);
  });

  it("refuses two hosts, and none", async () => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const own = `Host: 127.0.0.1:${port}\r\n`;
    const rest = `Cookie: ${cookie}\r\nConnection: close\r\n\r\n`;
    expect(await rawAnswer(port, `GET / HTTP/1.1\r\n${own}${rest}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await rawAnswer(port, `GET / HTTP/1.1\r\n${own}Host: evil.example\r\n${rest}`)).toMatch(/^HTTP\/1\.1 4/);
    expect(await rawAnswer(port, `GET / HTTP/1.1\r\nHost: evil.example\r\n${own}${rest}`)).toMatch(/^HTTP\/1\.1 4/);
    expect(await rawAnswer(port, `GET / HTTP/1.1\r\nHost: \r\n${rest}`)).toMatch(/^HTTP\/1\.1 4/);
    expect(await rawAnswer(port, `GET / HTTP/1.1\r\n${rest}`)).toMatch(/^HTTP\/1\.1 4/);
    expect(await rawAnswer(port, `GET / HTTP/1.0\r\n${rest}`)).toMatch(/^HTTP\/1\.1 4/);
    const absolute = `GET http://evil.example/ HTTP/1.1\r\n${own}${rest}`;
    expect(await rawAnswer(port, absolute)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("answers to localhost, too, as a separate origin", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const headers = { Host: `localhost:${port}`, Cookie: cookie };
    expect((await ask(port, "/", { headers })).headers["content-security-policy"]).toContain(`ws://localhost:${port}`);
    expect(await upgradeStatus(session, { headers, origin: `http://localhost:${port}` })).toBe(101);
    expect(await upgradeStatus(session, { headers, origin: `http://127.0.0.1:${port}` })).toBe(403);
  });

  it.each([
    "http://evil.example",
    "http://127.0.0.1:1",
    "http://127.0.0.1",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1:PORT.evil.example",
    "file://",
    "null",
  ])("refuses the other origin %j, page and WebSocket", async (origin) => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const Origin = origin.replace("PORT", String(port));
    expect((await ask(port, "/", { headers: { Cookie: cookie, Origin } })).status).toBe(403);
    expect(await upgradeStatus(session, { headers: { Cookie: cookie }, origin: Origin })).toBe(403);
  });

  it.each(["cross-site", "same-site", "anything"])("refuses what the browser says is %s", async (site) => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const headers = { Cookie: cookie, "Sec-Fetch-Site": site };
    expect((await ask(port, "/", { headers })).status).toBe(403);
    expect(await upgradeStatus(session, { headers, origin: `http://127.0.0.1:${port}` })).toBe(403);
    for (const own of ["same-origin", "none"]) {
      expect((await ask(port, "/", { headers: { Cookie: cookie, "Sec-Fetch-Site": own } })).status).toBe(200);
    }
  });

  it("refuses a WebSocket without a session, without an origin, or at another path", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const origin = `http://127.0.0.1:${port}`;
    const headers = { Cookie: cookie };
    expect(await upgradeStatus(session, { headers, origin })).toBe(101);
    expect(await upgradeStatus(session, { origin })).toBe(403);
    expect(await upgradeStatus(session, { headers: { Cookie: `metnos_${port}=${"f".repeat(64)}` }, origin })).toBe(403);
    expect(await upgradeStatus(session, { headers })).toBe(403);
    for (const path of ["/", "/operator/", "/operator?x=1", "/Operator", "//operator"]) {
      expect(await upgradeStatus(session, { headers, origin }, path)).toBe(404);
    }
    const link = await linkTo(gate);
    expect(await upgradeStatus(session, { origin }, link.path)).toBe(403);
    expect((await ask(port, link.path)).status).toBe(200);
  });

  it.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"])("refuses %s", async (method) => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const { status, headers } = await ask(port, "/", { method, headers: { Cookie: cookie } });
    expect([status, headers.allow]).toEqual([405, "GET"]);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("refuses a GET with a body", async () => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const headers = { Cookie: cookie, "Content-Length": "5" };
    expect((await ask(port, "/", { headers, body: "hello" })).status).toBe(400);
  });

  it("takes a hundred connections a second: more are closed, agents are served meanwhile, and a second later it answers again", async () => {
    const clock = new ManualClock();
    const gate = await startGate({ web: true, now: clock.now });
    const agent = await gate.agent();
    const { port, path } = await linkTo(gate);
    const attempts = Array.from({ length: 150 }, () => ask(port, "/").catch(() => undefined));
    await agent.ping();
    const answers = (await Promise.all(attempts)).map((answer) => answer?.status);
    expect(answers.filter((status) => status === undefined).length).toBeGreaterThanOrEqual(50);
    expect(await ask(port, path).catch(() => undefined)).toBeUndefined();
    expect(gate.log.filter((line) => line.includes("refused"))).toHaveLength(5);
    clock.advance(1);
    expect((await ask(port, path)).status).toBe(200);
  });

  it("isn't locked by another server's large cookies: page and WebSocket answer", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const { port, cookie } = session;
    const large = Array.from({ length: 12 }, (_, index) => `other${index}=${"x".repeat(4000)}`).join("; ");
    const headers = { Cookie: `${large}; ${cookie}` };
    expect((await ask(port, "/", { headers })).status).toBe(200);
    expect(await upgradeStatus(session, { headers, origin: `http://127.0.0.1:${port}` })).toBe(101);
  });

  it.each([70_000, 1_000_000])("refuses %i bytes of headers, and says what to do", async (length) => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const answer = await ask(port, "/", { headers: { Cookie: `${cookie}; other=${"x".repeat(length)}` } });
    expect(answer.status).toBe(431);
    expect(answer.body).toContain("cookies for 127.0.0.1");
    expect(answer.headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    expect((await ask(port, "/", { headers: { Cookie: cookie } })).status).toBe(200);
  });
});

describe("the page's files", () => {
  it("are the built ones, by their exact names, each with the headers that keep the page to itself", async () => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const headers = { Cookie: cookie };
    const page = await ask(port, "/", { headers });
    const [, script = ""] = /src="\.(\/assets\/[^"]+\.js)"/.exec(page.body) ?? [];
    const file = await ask(port, script, { headers });
    expect(file).toMatchObject({ status: 200, headers: { "content-type": "text/javascript; charset=utf-8" } });
    expect((await ask(port, script)).status).toBe(403);
    for (const answer of [page, file, await ask(port, "/nowhere", { headers }), await ask(port, "/")]) {
      expect(answer.headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(answer.headers["x-powered-by"]).toBeUndefined();
    }
    expect(page.headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "manifest-src 'self'; " +
        `connect-src 'self' ws://127.0.0.1:${port}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    );
  });

  it.each([
    "/../package.json",
    "/assets/../../../package.json",
    "/..%2fpackage.json",
    "/%2e%2e/package.json",
    "/%2e%2e%2fpackage.json",
    "/..%5cpackage.json",
    "/..\\package.json",
    "/....//package.json",
    "/..;/package.json",
    "/%252e%252e/package.json",
    "/%c0%ae%c0%ae/package.json",
    "//etc/passwd",
    "/etc/passwd",
    "/index.html",
    "/index.html%00.js",
    "/./",
    "//",
    "/assets",
    "/assets/",
    "/?",
    "/?x=1",
    "/__proto__",
    "/constructor",
    "*",
    "package.json",
  ])("are all there is: %j leads nowhere", async (path) => {
    const gate = await startGate({ web: true });
    const { port, cookie } = await sessionFor(gate);
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
    const answer = await rawAnswer(port, request);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toMatch(/metnos-gate"|root:|<html/);
  });

  it("leave out links, and what a page is not made of", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "index.html"), "<p>page</p>");
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "assets", "a.js"), "1");
    writeFileSync(join(folder, "assets", "a.js.map"), "{}");
    writeFileSync(join(folder, ".env"), "secret");
    symlinkSync("/etc/passwd", join(folder, "passwd.js"));
    symlinkSync("/etc", join(folder, "etc"));
    expect([...readPageFiles(folder).keys()].sort()).toEqual(["/", "/assets/a.js"]);
  });

  it("must be there: a gate that should serve a page which isn't built says so", () => {
    expect(refusalOf(() => readPageFiles(tempFolder()))).toMatchObject({ code: "page_not_built" });
    expect(refusalOf(() => readPageFiles("/nowhere"))).toMatchObject({ code: "page_not_built" });
  });
});
