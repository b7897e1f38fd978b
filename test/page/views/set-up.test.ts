import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER } from "../../support/browser.ts";
import { modelServer } from "../../support/model-server.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";
import { BOT_TOKEN, telegramServer } from "../../support/telegram-server.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const browser = sharedBrowser(beforeAll, afterAll);

/** Everything that the page holds, its fields' values too. */
const WHOLE = `document.documentElement.outerHTML + [...document.querySelectorAll("input")].map((one) => one.value).join()
  + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })`;

describe.skipIf(NO_BROWSER !== null)("what is set up on the page", () => {
  it("a Telegram bot: its token is saved, the link is offered at once, and the page keeps nothing of it", async () => {
    const server = await telegramServer();
    const gate = await startGate({ home: temporaryHome(`[telegram]\napi_url = "${server.url}"\n`) });
    const { page, problems } = await openPage(gate.operator, { at: "settings", browser: browser() });
    const telegram = page.locator("[data-channel=telegram]");
    await telegram.getByLabel("Your bot's token").fill("no token");
    await telegram.getByRole("button", { name: "Save" }).click();
    await telegram.getByText(/no bot's token/).waitFor();
    await telegram.getByLabel("Your bot's token").fill(BOT_TOKEN);
    expect(await telegram.getByLabel("Your bot's token").getAttribute("type")).toBe("password");
    await page.keyboard.press("Enter");
    await telegram.getByText("Saved, and in force").waitFor();
    await telegram.getByText("not linked yet").waitFor();
    await telegram.getByRole("button", { name: "Link a chat" }).click();
    await telegram.locator(".qr").waitFor();
    expect(await page.evaluate<string>(WHOLE)).not.toContain(BOT_TOKEN);
    expect(await seriousProblems(page)).toEqual([]);
    await telegram.getByRole("button", { name: "Take it away" }).click();
    await telegram.getByText("make a bot of your own").waitFor();
    expect(existsSync(gate.paths.telegramToken)).toBe(false);
    expect(problems).toEqual([]);
  });

  it("a model as judge: saved, tested, shown with its figures, and taken away again", async () => {
    const model = await modelServer();
    const gate = await startGate();
    const { page, problems } = await openPage(gate.operator, { at: "settings", browser: browser() });
    const judging = page.getByRole("region", { name: "Judging" });
    await judging.getByLabel("Address").fill("https://api.example.org/v1");
    await judging.getByRole("button", { name: "Save" }).click();
    await judging.getByText(/is on another machine/).waitFor();
    await judging.getByLabel("Address").fill(model.base_url);
    await judging.getByLabel("Model", { exact: true }).fill("small-8b");
    await judging.getByLabel("Key, where it wants one").fill("sk-a-key");
    await judging.getByRole("button", { name: "Save" }).click();
    await judging.getByText("Saved, and in force").waitFor();
    await judging.getByText(/^judge: small-8b at 127\.0\.0\.1/).waitFor();
    await judging.getByText("A key is kept for this server.").waitFor();
    await judging.getByRole("button", { name: "Test" }).click();
    await judging.getByText(/^It answers, in \d+ ms, with a score of 0\.9\.$/).waitFor();
    expect(model.last.headers.authorization).toBe("Bearer sk-a-key");
    expect(await page.evaluate<string>(WHOLE)).not.toContain("sk-a-key");
    expect(await seriousProblems(page)).toEqual([]);
    await judging.getByRole("button", { name: "Take it away" }).click();
    await judging.getByText(/^judge: small-8b/).waitFor({ state: "detached" });
    expect((await gate.operator.call("judge.status", {})).kind).toBe("rule-based-v1");
    expect(problems).toEqual([]);
  });

  it("is not offered where gate.toml sets it", async () => {
    const gate = await startGate({
      home: temporaryHome('[telegram]\ntoken_env = "BOT"\n[judge]\nkind = "rule-based-v1"\n'),
    });
    const { page } = await openPage(gate.operator, { at: "settings", browser: browser() });
    await page.locator(".channel").nth(2).waitFor();
    await page.getByRole("region", { name: "Judging" }).waitFor();
    expect(await page.locator(".set-up").count()).toBe(0);
  });
});
