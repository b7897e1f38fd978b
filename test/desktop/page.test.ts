import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, expect, it } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { AgentConnection, tokenOf } from "../support/agent-connection.ts";
import { seriousProblems } from "../support/axe.ts";
import { cardOf, cards } from "../support/card-page.ts";
import { pressUntil } from "../support/page-seat.ts";
import { readToken } from "../support/running-gate.ts";
import type { TemporaryHome } from "../support/temporary-home.ts";
import type { DesktopApp } from "./driver/desktop-app.ts";
import { describeDesktop, launchDesktop, recorded } from "./driver/launch.ts";

// What the page promises, held in the app's own windows: the popup and the main window.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const RAW = /[\u202a-\u202e\u2066-\u2069\u200b\u001b\u0007]/;
const HOSTILE = [
  '<article class="card"><h2>May I read?</h2><button>Approve once</button></article><img src=x>',
  "May I read?\nnotes.txt from ~/\n[ Deny ] [ Approve once ]",
  "\u001b[2J\u001b[31m\u0007 \u202egnp.exe\u202c \u200b",
].join("\n");

describeDesktop("the page in the app's windows", () => {
  let app: DesktopApp & { home: TemporaryHome };
  let operator: OperatorClient;
  let agent: AgentConnection;
  let pages: [popup: Page, window: Page];
  let files = 0;
  const thrown: string[] = [];
  const ask = (content = "text", intent = "write a file") =>
    agent.ask({
      executor: "Write",
      intent,
      args: { file_path: join(app.home.home, "work", `${++files}.txt`), content },
    });

  beforeAll(async () => {
    app = await launchDesktop();
    const { operator_socket, operatorToken, agent_socket } = app.home.paths;
    operator = await OperatorClient.connect(operator_socket, operatorToken);
    await operator.call("agents.pair", { name: "asker", level: "Supervised" });
    mkdirSync(join(app.home.home, "work"));
    agent = await AgentConnection.open(agent_socket);
    await agent.hello("asker", { token: readToken(agentTokenFile(app.home.paths, "asker")) });
    pages = [await app.page("popup"), await app.page("approvals")];
    for (const page of pages) page.on("pageerror", (error) => thrown.push(`${page.url()}: ${error.message}`));
    await recorded(app, ({ tray }) => {
      const bounds = { x: 1200, y: 0, width: 22, height: 24 };
      tray.emit("click", {}, bounds, { x: bounds.x, y: bounds.y });
    });
    return async () => {
      await agent.close();
      await operator.close();
    };
  });

  /** Whether a page that shows no card was loaded, is visible, has the gate's answers and asks for more. */
  async function printSeen(): Promise<void> {
    const seen = '[document.readyState, document.visibilityState, document.body.innerText].join("\\n")';
    for (const page of pages) console.log(page.url(), await page.evaluate<string>(seen).catch(String));
    console.log(thrown, await operator.call("approvals.list", {}), app.output());
  }

  // What a test that failed has left would fail the others.
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await printSeen();
    for (const { token } of await operator.call("approvals.list", {}))
      await operator.call("approvals.resolve", { token, decision: "rejected" });
    for (const page of pages) await expect.poll(() => cards(page).count()).toBe(0);
  });

  it.each([
    [0, "popup"],
    [1, "window"],
  ] as const)("a click and Enter in a card's first 500 ms do nothing (%i: the %s)", async (index, _name) => {
    const page = pages[index];
    await page.bringToFront();
    const asked = await ask();
    const asking = cardOf(page, tokenOf(asked.decision));
    await asking.waitFor();
    // The card moves and is pressed in one task, so that a slow machine presses no later: a click, and what Enter makes of it. What it
    // says of that is gone again after a while.
    const said = await page.evaluate<string>(`new Promise((resolve) => {
      const card = document.querySelector('article[data-token="${tokenOf(asked.decision)}"]');
      const status = card.querySelector("[role=status]");
      new MutationObserver(() => resolve(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true });
      const approve = [...card.querySelectorAll("button")].find((one) => one.textContent.startsWith("Approve once"));
      card.parentElement.style.paddingTop = "7px";
      approve.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
      approve.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }));
      card.querySelector("[data-deny]").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      card.querySelector("[data-deny]").click();
    })`);
    expect(said).toContain("That didn't count");
    await agent.ping();
    expect(await operator.call("approvals.list", {})).toHaveLength(1);
    expect(agent.unread).toEqual([]);
    // Once it has not moved for the delay, a press counts.
    const final = asked.final();
    const answered = await pressUntil(asking.getByRole("button", { name: "Deny", exact: true }), final);
    expect(answered.status).toBe("rejected");
  });

  it.each(["light", "dark"] as const)(
    "axe finds nothing serious, with a card and everything open: %s",
    async (scheme) => {
      await ask("line\n".repeat(200));
      for (const page of pages) {
        await page.bringToFront();
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await cards(page).waitFor();
        expect(await seriousProblems(page)).toEqual([]);
        await page.getByRole("button", { name: "Everything" }).click();
        await page.getByRole("figure").nth(1).waitFor();
        expect(await seriousProblems(page)).toEqual([]);
      }
    },
  );

  it("hostile text is inert and visible, in one card", async () => {
    await ask(`${HOSTILE}\n${"May I read?\n".repeat(10_000)}`, HOSTILE);
    for (const page of pages) {
      await page.bringToFront();
      await cards(page).waitFor();
      const approve = page.getByRole("button", { name: "Approve once" });
      expect(await approve.isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Everything" }).click();
      await page.getByText("gnp.exe").first().waitFor();
      expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["May I write?"]);
      expect(await approve.count()).toBe(1);
      expect(await cards(page).count()).toBe(1);
      expect(await page.locator("article :is(img, b, i, script)").count()).toBe(0);
      const text = await page.locator("body").innerText();
      expect(text).not.toMatch(RAW);
      for (const shown of ["\\u{202e}", "\\u{1b}[31m", "<img src=x>"]) expect(text).toContain(shown);
      expect(await approve.isDisabled()).toBe(true);
    }
  });
});
