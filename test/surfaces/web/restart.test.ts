import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../support/manual-clock.ts";
import { ask, expectedProof, linkTo, PageSocket, type Session, sessionFor } from "../../support/page-visitor.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";

const NONCE = "3".repeat(64);

function fileOf({ paths }: GateUnderTest): string {
  return join(paths.state_dir, "web-sessions.json");
}

async function statusOf({ port, cookie }: Session): Promise<number> {
  return (await ask(port, "/", { headers: { Cookie: cookie } })).status;
}

/** Another program's server at a port, until the test ends or it is closed. */
async function serverAt(port: number): Promise<() => Promise<void>> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return close;
}

describe("a page's session, when the gate is started again", () => {
  it("lives on at the same port: the page gets a proof, shows its secret, and calls; a link that was not used is void", async () => {
    const first = await startGate({ web: true });
    const session = await sessionFor(first);
    const unused = await linkTo(first);
    await first.close();
    const second = await startGate({ home: first.home, web: true });
    expect((await linkTo(second)).port).toBe(session.port);
    expect(await statusOf(session)).toBe(200);
    const page = await PageSocket.open(session);
    expect((await page.call(1, "status")).result).toMatchObject({ page_url: `http://127.0.0.1:${session.port}/` });
    expect((await ask(session.port, unused.path)).status).toBe(403);
  });

  it("is kept as hashes in a file of the user's alone: nothing in it opens anything", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    expect(statSync(fileOf(gate)).mode & 0o777).toBe(0o600);
    const text = readFileSync(fileOf(gate), "utf8");
    for (const secret of [session.cookie.slice(-64), session.secret]) expect(text).not.toContain(secret);
    const hashes = text.match(/[0-9a-f]{64}/g) ?? [];
    expect(hashes).toHaveLength(2);
    for (const hash of hashes) {
      expect(await statusOf({ ...session, cookie: `metnos_${session.port}=${hash}` })).toBe(403);
      const page = await PageSocket.connect(session);
      await page.proofs(NONCE);
      page.send({ secret: hash });
      expect((await page.closed).code).toBe(4401);
    }
  });

  it("ends at its time all the same, with a reboot of the machine, and is no longer than a session is now", async () => {
    const clock = new ManualClock();
    const start = async (home?: GateUnderTest["home"], seconds = 600) => {
      const config = `[web]\nsession_seconds = ${seconds}\n`;
      if (home !== undefined) writeFileSync(home.paths.configFile, config);
      return await startGate({ web: true, clock, config, ...(home === undefined ? {} : { home }) });
    };
    const first = await start();
    const session = await sessionFor(first);
    await first.close();
    clock.advance(100);
    clock.jump(-86_400);
    const second = await start(first.home);
    expect(await statusOf(session)).toBe(200);
    clock.advance(499);
    expect(await statusOf(session)).toBe(200);
    clock.advance(1);
    expect(await statusOf(session)).toBe(403);

    const long = await sessionFor(second);
    await second.close();
    const third = await start(first.home, 300);
    clock.advance(299);
    expect(await statusOf(long)).toBe(200);
    clock.advance(1);
    expect(await statusOf(long)).toBe(403);

    const rebooted = await sessionFor(third);
    await third.close();
    clock.reboot();
    await start(first.home, 300);
    expect(await statusOf(rebooted)).toBe(403);
  });

  it("ends for good where another program had the port: whoever came back meanwhile may have shown it the secret", async () => {
    const first = await startGate({ web: true });
    const session = await sessionFor(first);
    await first.close();
    const leave = await serverAt(session.port);
    const second = await startGate({ home: first.home, web: true });
    const { port } = await linkTo(second);
    expect(port).not.toBe(session.port);
    const cookie = session.cookie.replace(`metnos_${session.port}=`, `metnos_${port}=`);
    expect(await statusOf({ ...session, port, cookie })).toBe(403);
    await second.close();
    await leave();
    mkdirSync(join(first.paths.configFile, ".."), { recursive: true });
    writeFileSync(first.paths.configFile, `[web]\nport = ${session.port}\n`);
    const third = await startGate({ home: first.home, web: true });
    expect((await linkTo(third)).port).toBe(session.port);
    expect(await statusOf(session)).toBe(403);
  });

  it("ends, too, where the port was chosen and a start found it taken", async () => {
    const first = await startGate({ web: true });
    const session = await sessionFor(first);
    await first.close();
    mkdirSync(join(first.paths.configFile, ".."), { recursive: true });
    writeFileSync(first.paths.configFile, `[web]\nport = ${session.port}\n`);
    const leave = await serverAt(session.port);
    await expect(startGate({ home: first.home, web: true })).rejects.toMatchObject({ code: "port_taken" });
    await leave();
    await startGate({ home: first.home, web: true });
    expect(await statusOf(session)).toBe(403);
  });

  it("is not proved with the proof of another port, which a program there could pass on", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    const proofs = await (await PageSocket.connect(session)).proofs(NONCE);
    expect(proofs).toEqual([expectedProof(session, NONCE)]);
    expect(proofs).not.toContain(expectedProof({ ...session, port: session.port + 1 }, NONCE));
    expect(proofs).not.toContain(expectedProof(session, "4".repeat(64)));
  });

  it.each([
    ["is damaged", (file: string) => writeFileSync(file, "{")],
    [
      "is of another kind",
      (file: string) => writeFileSync(file, '{"port":1,"boot":"x","sessions":[{"cookie_hash":""}]}'),
    ],
    [
      "is a folder",
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])("ends where its file %s; the gate starts, and says so", async (_what, change) => {
    const first = await startGate({ web: true });
    const session = await sessionFor(first);
    await first.close();
    change(fileOf(first));
    const second = await startGate({ home: first.home, web: true });
    expect(await statusOf(session)).toBe(403);
    expect(second.log.join("\n")).toContain("its sessions have ended");
    expect(await statusOf(await sessionFor(second))).toBe(200);
  });
});

describe("signing out everywhere", () => {
  it("ends every session and link at once, also an open page's, for the next start, too; the trail says so", async () => {
    const first = await startGate({ web: true });
    const [one, other] = [await sessionFor(first), await sessionFor(first)];
    const page = await PageSocket.open(one);
    expect((await page.call(1, "status")).result).toBeDefined();
    const unused = await linkTo(first);
    expect(await first.operator.call("web.revoke", {})).toEqual({ sessions: 2 });
    expect(await page.closed).toEqual({ code: 4401, reason: "the session has ended" });
    for (const session of [one, other]) expect(await statusOf(session)).toBe(403);
    expect((await ask(unused.port, unused.path)).status).toBe(403);
    expect((await first.operator.call("audit.tail", {})).at(-1)).toMatchObject({ event: "web.revoked", sessions: 2 });
    await first.close();
    await startGate({ home: first.home, web: true });
    for (const session of [one, other]) expect(await statusOf(session)).toBe(403);
  });

  it("holds after a restart where the file can't be written: it is removed then", async () => {
    const first = await startGate({ web: true });
    const session = await sessionFor(first);
    mkdirSync(join(`${fileOf(first)}.new`, "in the way"), { recursive: true });
    expect(await first.operator.call("web.revoke", {})).toEqual({ sessions: 1 });
    expect(existsSync(fileOf(first))).toBe(false);
    await first.close();
    await startGate({ home: first.home, web: true });
    expect(await statusOf(session)).toBe(403);
  });

  it("is not acknowledged where the file can be neither written nor removed, and ends them all the same", async () => {
    const gate = await startGate({ web: true });
    const session = await sessionFor(gate);
    rmSync(fileOf(gate));
    mkdirSync(join(fileOf(gate), "in the way"), { recursive: true });
    await expect(gate.operator.call("web.revoke", {})).rejects.toMatchObject({
      code: "storage_failed",
      hint: expect.stringContaining("web-sessions.json"),
    });
    expect(await statusOf(session)).toBe(403);
  });
});
