import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { seriousProblems } from "../support/axe.ts";
import { NO_BROWSER, SCHEMES } from "../support/browser.ts";
import { card, focused } from "../support/card-page.ts";
import { least } from "../support/measured.ts";
import { settled } from "../support/page-seat.ts";
import { linkTo } from "../support/page-visitor.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** How long a surface may take until it shows what is true again, in milliseconds. */
const BACK_MS = 3000;

async function pageOf(gate: GateUnderTest) {
  const context = await browser().newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const { url, port } = await linkTo(gate);
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { context, page, port };
}

async function askToWrite(gate: GateUnderTest, name: string): Promise<string> {
  const agent = await gate.agent();
  const asked = await agent.ask({ executor: "Write", args: { file_path: join(gate.home.home, name), content: "x" } });
  return tokenOf(asked.decision);
}

function notice(page: Page, title: string) {
  return page.getByRole("alert").filter({ has: page.getByRole("heading", { name: title }) });
}

/** Another program's WebSocket server at the page's port: accepts everyone, says what it likes, and keeps what it is sent. */
async function strangerAt(port: number, says: (message: string) => string | null) {
  const received: string[] = [];
  const server = createServer((_, response) => response.end("not a gate"));
  const sockets = new WebSocketServer({ server, handleProtocols: () => "metnos" });
  sockets.on("connection", (socket, { headers }) => {
    received.push(`protocol ${headers["sec-websocket-protocol"]}`);
    socket.on("message", (data) => {
      received.push(String(data));
      const said = says(String(data));
      if (said !== null) socket.send(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  return { received, close };
}

describe.skipIf(NO_BROWSER !== null)("a page whose gate is away", () => {
  it("is dimmed, takes no press and no key, its countdown is stopped; with the gate back, it shows what is true, and answers count again", async () => {
    const first = await startGate({ web: true });
    const { page } = await pageOf(first);
    const token = await askToWrite(first, "a.txt");
    const asking = card(page, "May I write?");
    const deny = asking.getByRole("button", { name: "Deny", exact: true });
    await deny.waitFor();
    await first.close();
    await notice(page, "The gate isn't answering").waitFor();
    expect(
      await deny.click({ timeout: 300 }).then(
        () => "pressed",
        () => "not to be pressed",
      ),
    ).toBe("not to be pressed");
    expect(await focused(page)).not.toBe("Deny");
    const text = await asking.innerText();
    for (const key of ["Enter", "d", "a", "Escape", " "]) await page.keyboard.press(key);
    await page.waitForTimeout(1200); // a second has to pass that the countdown doesn't show
    expect(await asking.innerText()).toBe(text);
    expect(await seriousProblems(page)).toEqual([]);

    let second = first;
    const restarted = async () => {
      await second.close();
      await notice(page, "The gate isn't answering").waitFor();
      second = await startGate({ home: first.home, web: true });
      const since = performance.now();
      await notice(page, "The gate isn't answering").waitFor({ state: "detached" });
      return performance.now() - since;
    };
    const took = await least(BACK_MS, restarted);
    console.log(`the page was back ${Math.round(took)} ms after the gate`);
    expect(took).toBeLessThan(BACK_MS);
    expect((await second.request(token)).status).toBe("pending");
    await expect.poll(() => focused(page)).toContain("Deny");
    await settled(page);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await second.request(token)).status).toBe("rejected");
  });

  it("shows a request as ended that ended while the gate was away from the page", async () => {
    const first = await startGate({ web: true });
    const { page } = await pageOf(first);
    const token = await askToWrite(first, "a.txt");
    await card(page, "May I write?").waitFor();
    await first.close();
    await notice(page, "The gate isn't answering").waitFor();
    const between = await startGate({ home: first.home });
    await between.operator.call("approvals.resolve", { token, decision: "rejected" });
    await between.close();
    await startGate({ home: first.home, web: true });
    await card(page, "May I write?").waitFor({ state: "detached" });
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("sends another program at its port neither its secret nor an answer, says so, and continues once the gate is there", async () => {
    const first = await startGate({ web: true });
    const { page, port } = await pageOf(first);
    await askToWrite(first, "a.txt");
    await card(page, "May I write?").waitFor();
    const secret = await page.evaluate<string>("localStorage.getItem('metnos_page_secret')");
    await first.close();
    const stranger = await strangerAt(port, () => JSON.stringify({ proofs: ["0".repeat(64)], id: 1, result: {} }));
    await notice(page, "What answers here isn't your gate").waitFor();
    await page.keyboard.press("Enter");
    expect(stranger.received.length).toBeGreaterThanOrEqual(2);
    for (const line of stranger.received) expect(line).toMatch(/^(protocol metnos|\{"nonce":"[0-9a-f]{64}"\})$/);
    expect(stranger.received.join()).not.toContain(secret);
    await stranger.close();
    await startGate({ home: first.home, web: true });
    await page.getByRole("alert").waitFor({ state: "detached" });
    await card(page, "May I write?").waitFor();
  });

  it("is not taken in by another program at its port that passes everything on to the gate at another", async () => {
    const first = await startGate({ web: true });
    const { page, context, port } = await pageOf(first);
    const [cookie] = await context.cookies();
    await first.close();
    const relay = await strangerAt(port, () => null);
    // The gate finds its port taken, and ends that port's sessions; one of the same browser that is live at the other port.
    const second = await startGate({ home: first.home, web: true });
    const other = await pageOf(second);
    expect(other.port).not.toBe(port);
    const [live] = await other.context.cookies();
    await relay.close();
    const passing = await strangerAt(port, () => null);
    const [secret, answered] = [
      await other.page.evaluate<string>("localStorage.getItem('metnos_page_secret')"),
      [] as string[],
    ];
    await page.evaluate((value) => localStorage.setItem("metnos_page_secret", value), secret);
    // What the page says is sent on, and what the gate answers comes back.
    await expect.poll(() => passing.received.filter((line) => line.startsWith("{")).length).toBeGreaterThan(0);
    const nonce = passing.received.find((line) => line.startsWith("{")) ?? "";
    const onward = new WebSocket(`ws://127.0.0.1:${other.port}/operator`, "metnos", {
      headers: { Cookie: `${live?.name}=${live?.value}` },
      origin: `http://127.0.0.1:${other.port}`,
    });
    onTestFinished(() => onward.terminate());
    onward.on("message", (data) => answered.push(String(data)));
    await new Promise((resolve) => onward.once("open", resolve));
    onward.send(nonce);
    await expect.poll(() => answered.length).toBe(1);
    await passing.close();
    const replaying = await strangerAt(port, () => answered[0] ?? null);
    await notice(page, "What answers here isn't your gate").waitFor();
    expect(replaying.received.join()).not.toContain(secret);
    expect(cookie?.name).toBe(`metnos_${port}`);
  });
});

describe.skipIf(NO_BROWSER !== null)("a page whose session has ended", () => {
  it("says so with the command for a new link, and asks no more; with the link used in another tab, it continues", async () => {
    const first = await startGate({ web: true });
    const { page, context, port } = await pageOf(first);
    await first.close();
    await notice(page, "The gate isn't answering").waitFor();
    rmSync(join(first.paths.state_dir, "web-sessions.json"));
    const second = await startGate({ home: first.home, web: true });
    const ended = notice(page, "This page's session has ended");
    await ended.getByText(ownCommand("open"), { exact: true }).waitFor();
    let attempts = 0;
    page.on("request", () => attempts++);
    page.on("websocket", () => attempts++);
    await page.waitForTimeout(2000); // longer than the pause between two attempts
    expect(attempts).toBe(0);
    await second.operator.call("settings.set", { key: "language", value: "it" });
    const again = await linkTo(second);
    expect(again.port).toBe(port);
    await (await context.newPage()).goto(again.url);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Impostazioni" }).waitFor();
    // Signed out: at once, without a restart, and in the user's language.
    await second.operator.call("web.revoke", {});
    await notice(page, "La sessione di questa pagina è finita").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });
});

describe.skipIf(NO_BROWSER !== null)("who comes without a session", () => {
  it.each(SCHEMES)("sees why, and the command for a link, in the gate's language (%s)", async (scheme) => {
    const gate = await startGate({ web: true });
    const { url, port } = await linkTo(gate);
    const context = await browser().newContext({ colorScheme: scheme, viewport: { width: 320, height: 480 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole("heading", { name: "This page needs a link" }).waitFor();
    await page.goto(url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await context.clearCookies();
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await page.goto(url);
    await page.getByRole("heading", { name: "Questo link non vale più" }).waitFor();
    await page.getByText(ownCommand("open"), { exact: true }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize")).toBe("20px");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(complaints.filter((text) => text.includes("Content Security"))).toEqual([]);
    expect(await seriousProblems(page)).toEqual([]);
  });
});
