import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { seriousProblems } from "../support/axe.ts";
import { NO_BROWSER } from "../support/browser.ts";
import { card } from "../support/card-page.ts";
import { installClock, stopClock } from "../support/page-home.ts";
import { linkTo } from "../support/page-visitor.ts";
import { type GateUnderTest, startGate } from "../support/running-gate.ts";
import { sharedBrowser } from "../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** So many requests, as the tab asks for them (renderer/calling/Calling.tsx). */
const TAB_LISTS = 50;

const READ = { executor: "Read", args: { file_path: "/srv/a.txt" } };

interface Recorded {
  title: string;
  body: string;
  tag: string;
  is_closed: boolean;
}

/** Puts a recording notification and a recording tone in place of the browser's own, which a headless one doesn't show. */
async function recording(context: BrowserContext, permission: "granted" | "default" | "denied"): Promise<void> {
  await context.addInitScript((given) => {
    const outside = globalThis as never as Record<string, unknown>;
    outside.is_looked_at = true;
    outside.notices = [];
    outside.tones = [];
    outside.badges = [];
    class Recording {
      static permission = given;
      static requestPermission() {
        Recording.permission = "granted";
        return Promise.resolve("granted");
      }
      onclick: (() => void) | null = null;
      onclose: (() => void) | null = null;
      is_closed = false;
      title: string;
      body: string;
      tag: string;
      constructor(title: string, options: { body: string; tag: string }) {
        this.title = title;
        this.body = options.body;
        this.tag = options.tag;
        // As a browser does: one with the same tag takes its place.
        for (const other of outside.notices as Recording[]) if (other.tag === this.tag) other.close();
        (outside.notices as Recording[]).push(this);
      }
      close() {
        this.is_closed = true;
        this.onclose?.();
      }
    }
    Object.defineProperty(globalThis, "Notification", { value: Recording, configurable: true });
    const page = globalThis as never as { document: object; navigator: object; OscillatorNode: { prototype: object } };
    Object.defineProperty(page.document, "hasFocus", { value: () => outside.is_looked_at });
    Object.assign(page.navigator, {
      setAppBadge: async (count: number) => void (outside.badges as number[]).push(count),
      clearAppBadge: async () => void (outside.badges as number[]).push(0),
    });
    Object.defineProperty(page.OscillatorNode.prototype, "start", {
      value(this: { frequency: { value: number } }) {
        (outside.tones as number[]).push(this.frequency.value);
      },
    });
  }, permission);
}

function notices(page: Page): Promise<Recorded[]> {
  return page.evaluate("notices.map(({ title, body, tag, is_closed }) => ({ title, body, tag, is_closed }))");
}

/** The user looks at another window, or comes back. */
async function looksAway(page: Page, isAway = true): Promise<void> {
  await page.evaluate(`is_looked_at = ${!isAway}; window.dispatchEvent(new Event("${isAway ? "blur" : "focus"}"))`);
}

async function openedPage(gate: GateUnderTest, permission: "granted" | "default" | "denied" = "granted") {
  const context = await browser().newContext();
  onTestFinished(() => context.close());
  await recording(context, permission);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  const listed = listsOnce(page);
  await page.goto((await linkTo(gate)).url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { context, page, complaints, listed };
}

/** Resolves once the page has the list that its tab is drawn from, which it asks for a moment after it is there. */
function listsOnce(page: Page): Promise<void> {
  return new Promise((resolve) => {
    page.on("websocket", (socket) => {
      let id: unknown;
      socket.on("framesent", ({ payload }) => {
        const { method, params, ...sent } = JSON.parse(String(payload));
        if (method === "approvals.list" && params.limit === TAB_LISTS) id = sent.id;
      });
      socket.on("framereceived", ({ payload }) => {
        if (id !== undefined && JSON.parse(String(payload)).id === id) resolve();
      });
    });
  });
}

const icon = (page: Page) =>
  page.evaluate<string>(`decodeURIComponent(document.querySelector('link[rel="icon"]').href)`);

describe.skipIf(NO_BROWSER !== null)("the tab", () => {
  it("says how much waits and what is asked first, with a dot on its icon; afterwards it is as before, without a complaint", async () => {
    const gate = await startGate({ web: true });
    const { page, complaints, listed } = await openedPage(gate);
    expect(await page.title()).toBe("Metnos Gate");
    // What is listed later is in the language that was chosen meanwhile.
    await listed;
    const agent = await gate.agent("claude-code");
    const first = await agent.ask(READ);
    await agent.ask({ executor: "Bash", args: { command: "npm test" } });
    await expect.poll(() => page.title()).toBe("(2) May I read? – Metnos Gate");
    await expect.poll(() => icon(page)).toContain('cx="23"');
    expect(await page.evaluate("badges.at(-1)")).toBe(2);
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await gate.operator.call("approvals.resolve", { token: tokenOf(first.decision), decision: "rejected" });
    await expect.poll(() => page.title()).toBe("(1) May I run? – Metnos Gate");
    await agent.close();
    await expect.poll(() => page.title()).toBe("Metnos Gate");
    await expect.poll(() => icon(page)).not.toContain('cx="23"');
    expect(await page.evaluate("badges.at(-1)")).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("says in any view that an agent wants to connect, and that the gate isn't answering", async () => {
    const gate = await startGate({ web: true });
    const { page } = await openedPage(gate);
    await page.getByRole("link", { name: "Grants" }).click();
    await (await gate.connect()).hello("codex");
    await expect.poll(() => page.title()).toBe("(1) An agent wants to connect – Metnos Gate");
    await gate.close();
    await expect.poll(() => page.title()).toBe("The gate isn't answering – Metnos Gate");
  });
});

describe.skipIf(NO_BROWSER !== null)("a notification of the browser", () => {
  it("is asked for in the settings only; then each request gets one while the user looks elsewhere, which leads to it and ends with it", async () => {
    const gate = await startGate({ web: true });
    const { page } = await openedPage(gate, "default");
    const agent = await gate.agent("claude-code");
    await looksAway(page);
    const before = await agent.ask(READ);
    await card(page, "May I read?").waitFor();
    expect(await notices(page)).toEqual([]);
    await looksAway(page, false);
    await page.getByRole("link", { name: "Settings" }).click();
    const notify = page.getByRole("checkbox", { name: "Notify me in this browser" });
    expect(await page.evaluate("Notification.permission")).toBe("default");
    await notify.check();
    expect(await page.evaluate("Notification.permission")).toBe("granted");
    expect(await seriousProblems(page)).toEqual([]);

    const seen = await agent.ask({ executor: "Bash", args: { command: "npm test" } });
    await expect.poll(() => page.title()).toContain("(2)");
    expect(await notices(page)).toEqual([]);
    await looksAway(page);
    const missed = await agent.ask({ executor: "Bash", args: { command: "npm run \u202e<b>build" } });
    await expect.poll(() => notices(page)).toHaveLength(1);
    const [shown] = await notices(page);
    expect(shown).toMatchObject({ title: "claude-code: May I run?", tag: tokenOf(missed.decision), is_closed: false });
    expect(shown?.body).toContain("npm run \\u{202e}<b>build");
    expect(shown?.body.split("\n").at(-1)).toBe("Metnos Gate");
    await page.evaluate("notices[0].onclick()");
    expect(page.url()).toContain(`#/approvals/${tokenOf(missed.decision)}`);
    for (const { decision } of [before, seen])
      await gate.operator.call("approvals.resolve", { token: tokenOf(decision), decision: "rejected" });
    const later = await agent.ask({ executor: "Bash", args: { command: "npm run later" } });
    await expect.poll(async () => (await notices(page)).length).toBe(2);
    await gate.operator.call("approvals.resolve", { token: tokenOf(later.decision), decision: "rejected" });
    await expect.poll(async () => (await notices(page)).at(-1)?.is_closed).toBe(true);
  });

  it("is one for an agent that has many; closed by coming back, and by a gate that is away", async () => {
    const gate = await startGate({ web: true });
    const { page } = await openedPage(gate);
    await page.evaluate("localStorage.setItem('notify', 'on')");
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await looksAway(page);
    const agent = await gate.agent("codex");
    for (let count = 0; count < 5; count++)
      await agent.ask({ executor: "Bash", args: { command: `npm run t${count}` } });
    const open = async () => (await notices(page)).filter(({ is_closed }) => !is_closed);
    await expect.poll(async () => (await open()).map(({ title }) => title)).toEqual(["codex is waiting: 5 requests"]);
    expect((await open())[0]?.body).toMatch(/npm run t\d.*\n[\s\S]*and 1 more\nMetnos Gate$/);
    await looksAway(page, false);
    await expect.poll(open).toEqual([]);
    await looksAway(page);
    await agent.ask({ executor: "Bash", args: { command: "npm run t6" } });
    await expect.poll(async () => (await open()).map(({ title }) => title)).toEqual(["codex is waiting: 6 requests"]);
    await gate.close();
    await expect.poll(open).toEqual([]);
  });

  it("that the browser blocks can't be chosen, and the reason is there", async () => {
    const gate = await startGate({ web: true });
    const { page } = await openedPage(gate, "denied");
    await page.getByRole("link", { name: "Settings" }).click();
    expect(await page.getByRole("checkbox", { name: "Notify me in this browser" }).isDisabled()).toBe(true);
    await page.getByText("This browser blocks notifications of this page").waitFor();
  });
});

describe.skipIf(NO_BROWSER !== null)("a tone", () => {
  it("is off until it is chosen", async () => {
    const gate = await startGate({ web: true });
    const { page } = await openedPage(gate);
    const agent = await gate.agent();
    await agent.ask(READ);
    await card(page, "May I read?").waitFor();
    expect(await page.evaluate("tones.length")).toBe(0);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("checkbox", { name: "Play a tone" }).check();
    await expect.poll(() => page.evaluate("tones.length")).toBe(1);
  });
});

describe.skipIf(NO_BROWSER !== null)("the page", () => {
  it("can be installed: its manifest and icons are served to its session alone, under its policy", async () => {
    const gate = await startGate({ web: true });
    const { page, context, complaints } = await openedPage(gate);
    const session = await context.newCDPSession(page);
    const manifest = await session.send("Page.getAppManifest");
    expect(manifest.errors).toEqual([]);
    expect(JSON.parse(manifest.data ?? "null")).toMatchObject({
      name: "Metnos Gate",
      start_url: "/",
      display: "standalone",
    });
    const icons = (JSON.parse(manifest.data ?? "null") as { icons: { src: string }[] }).icons;
    for (const { src } of icons) {
      const type = await page.evaluate(`fetch("${src}").then((r) => r.status + " " + r.headers.get("content-type"))`);
      expect(type).toBe("200 image/png");
    }
    const outside = await fetch(new URL("/manifest.webmanifest", page.url()));
    expect(outside.status).toBe(403);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(NO_BROWSER !== null)("who comes back after more than five minutes", () => {
  it("gets one line about what was decided without them, and can dismiss it; after less, none", async () => {
    const gate = await startGate({ web: true });
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    await context.addInitScript(`
      globalThis.decisions = 0;
      globalThis.isConnected = false;
      globalThis.WebSocket = class extends WebSocket {
        constructor(...given) {
          super(...given);
          this.addEventListener("message", ({ data }) => {
            isConnected = true;
            if (JSON.parse(data).event?.type === "decision") decisions++;
          });
        }
      };
    `);
    const page = await context.newPage();
    await installClock(page);
    await page.goto((await linkTo(gate)).url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.evaluate("isConnected")).toBe(true);
    await stopClock(page);
    const hide = (isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, "visibilityState", { value: "${isHidden ? "hidden" : "visible"}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      `);
    await gate.operator.call("grants.add", { capability: "fs:read", target: "/srv/**" });
    const agent = await gate.agent();
    const work = async () => {
      await agent.ask(READ);
      await agent.ask(READ);
      await agent.ask({ executor: "Bash", args: { command: "rm -rf /" } });
    };
    await hide(true);
    await work();
    await expect.poll(() => page.evaluate("decisions")).toBe(3);
    await page.clock.fastForward("04:59");
    await hide(false);
    expect(await page.getByText("While you were away").count()).toBe(0);
    await hide(true);
    await work();
    await expect.poll(() => page.evaluate("decisions")).toBe(6);
    await page.clock.fastForward("05:01");
    await hide(false);
    await page.getByText("While you were away: 2 allowed by grants, 1 denied by the guard.").waitFor();
    await page.getByRole("status").getByRole("button", { name: "Dismiss" }).click();
    expect(await page.getByText("While you were away").count()).toBe(0);
  });
});

describe.skipIf(NO_BROWSER !== null)("signing out everywhere", () => {
  it("asks once more, and ends this page's session, too", async () => {
    const gate = await startGate({ web: true });
    const { page } = await openedPage(gate);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "This page's session has ended" }).waitFor();
    expect((await gate.operator.call("audit.tail", {})).at(-1)).toMatchObject({ event: "web.revoked", sessions: 1 });
  });
});
