import type { Page } from "playwright-core";
import { encode } from "uqr";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inEach } from "../../../ipc/contract/language.ts";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER, SCHEMES } from "../../support/browser.ts";
import { focused, settle } from "../../support/card-page.ts";
import { openPage, type PageOptions } from "../../support/page-home.ts";
import { partialOperator } from "../../support/partial-operator.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";
import { TelegramLinking } from "../../support/telegram-linking.ts";

const browser = sharedBrowser(beforeAll, afterAll);

async function openSettings(options: PageOptions = {}) {
  const gate = await startGate();
  const linking = new TelegramLinking();
  const { api, tell } = partialOperator(gate.operator, linking.methods);
  linking.tell = tell;
  const { page, problems } = await openPage(api, { at: "settings", browser: browser(), ...options });
  await page.locator(".channel").nth(2).waitFor();
  return { gate, linking, page, problems };
}

const channel = (page: Page, name: string) => page.locator(`[data-channel=${name}]`);
const confirm = (page: Page) => page.getByRole("button", { name: "Yes, link it" });

describe.skipIf(NO_BROWSER !== null)("the channels in the settings", () => {
  it("each says its state in a word and a shape, when it is used, and how to use one that is off", async () => {
    const { linking, page } = await openSettings();
    linking.channels = [
      ...linking.channels.filter(({ name }) => name !== "desktop"),
      {
        name: "desktop",
        state: "failing",
        text: "no server answers \u202eon the bus",
        route: inEach(() => "at once"),
      },
    ];
    linking.becomes({});
    await channel(page, "desktop").getByText("failing, tried again").waitFor();
    await channel(page, "desktop").getByText("no server answers \\u{202e}on the bus").waitFor();
    await channel(page, "desktop").getByText("at once").waitFor();
    await channel(page, "telegram").getByText("not linked yet").waitFor();
    await channel(page, "telegram").getByText("when nobody answered for 60 s").waitFor();
    await channel(page, "ntfy").getByText("docs/channels.md").waitFor();
    expect(await channel(page, "ntfy").getByRole("button").count()).toBe(0);
    const shapes = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".channel .decided svg")].map((svg) => svg.innerHTML)`,
    );
    expect(new Set(shapes).size).toBe(3);
  });

  it("a test is sent by one press, and that is said", async () => {
    const { linking, page } = await openSettings();
    await page.getByRole("button", { name: "Test This desktop" }).click();
    await page.getByText("Sent: it says that it is a test.").waitFor();
    expect(linking.asked).toEqual(["test desktop"]);
  });

  it("a link is shown with its time left and as a QR code of just itself, drawn here", async () => {
    const { page, problems } = await openSettings();
    await page.getByRole("button", { name: "Link a chat" }).click();
    const code = page.getByRole("img", { name: "The link as a QR code" });
    await code.waitFor();
    const url = `https://t.me/ada_gate_bot?start=${"c0ffee".repeat(5)}cc`;
    await page.locator("code", { hasText: url }).waitFor();
    await page.getByText(/^(10|9) min left$/).waitFor();
    const path = (await code.locator("path").getAttribute("d")) ?? "";
    const dark = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)].flatMap(([, x, y, run]) =>
      Array.from({ length: Number(run) }, (_, index) => `${Number(x) + index},${y}`),
    );
    const { data } = encode(url, { ecc: "M", border: 3 });
    const expected = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x},${y}`] : [])));
    expect(dark).toEqual(expected);
    expect(problems).toEqual([]);
  });

  it("a link whose time is over, or that another one replaced, is shown no longer", async () => {
    const { linking, page } = await openSettings({ standsStill: true });
    const code = page.getByRole("img", { name: "The link as a QR code" });
    await page.getByRole("button", { name: "Link a chat" }).click();
    await code.waitFor();
    linking.becomes({ link_expires_at: new Date(Date.now() + 700_000).toISOString() });
    await page.getByText("A link that was made elsewhere is open:").waitFor();
    expect(await code.count()).toBe(0);
    await page.getByRole("button", { name: "Make another link" }).click();
    await code.waitFor();
    // Ten minutes, and what this machine took until here: the page's clock didn't move.
    await page.clock.runFor(720_000);
    await page.getByText("The link's time is over.").waitFor();
    expect(await code.count()).toBe(0);
  });
});

describe.skipIf(NO_BROWSER !== null)("whoever pressed the link", () => {
  it("is named with what can't be chosen, and the safe answer has the focus; linked only by a press of its own", async () => {
    const { linking, page } = await openSettings({ standsStill: true });
    await page.getByRole("button", { name: "Link a chat" }).click();
    linking.claimed();
    const claim = page.getByRole("article", { name: "Is this you?" });
    await claim.getByText("(@anna, id 123)").waitFor();
    expect(await page.getByRole("img", { name: "The link as a QR code" }).count()).toBe(0);
    expect(await focused(page)).toBe("Not me");
    await confirm(page).click();
    await claim.getByText("That didn't count").waitFor();
    expect(linking.asked).toEqual(["link"]);
    await settle(page);
    await confirm(page).click();
    await page.getByText("Linked with").waitFor();
    expect(linking.asked).toEqual(["link", "confirm claim-1"]);
  });

  it("Enter says that it isn't you", async () => {
    const { linking, page } = await openSettings({ standsStill: true });
    linking.claimed();
    await page.getByRole("article", { name: "Is this you?" }).waitFor();
    await settle(page);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Link a chat" }).waitFor();
    expect(linking.asked).toEqual(["reject claim-1"]);
  });

  it.each([
    ["another claim", { id: "claim-2", name: "Mallory" }],
    ["the same one under another name", { id: "claim-1", name: "Mallory" }],
  ])("a press is meant for what it was begun on: %s takes its place under it", async (_, change) => {
    const { linking, page } = await openSettings({ standsStill: true });
    linking.claimed();
    await confirm(page).waitFor();
    await settle(page);
    await confirm(page).hover();
    await page.mouse.down();
    linking.claimed(change);
    await page.getByText("Mallory").waitFor();
    await page.mouse.up();
    // Nor does one that is begun at once.
    await confirm(page).click();
    await page.getByText("That didn't count").waitFor();
    expect(linking.asked).toEqual([]);
    await settle(page);
    await confirm(page).click();
    await page.getByText("Linked with").waitFor();
    expect(linking.asked).toEqual([`confirm ${change.id}`]);
  });

  it("a claim that has ended at the gate links nobody, and that is said", async () => {
    const { linking, page } = await openSettings({ standsStill: true });
    linking.claimed();
    await confirm(page).waitFor();
    await settle(page);
    // The event is still on its way.
    linking.status = { ...linking.status, claim: { ...linking.status.claim, id: "claim-2" } as never };
    await confirm(page).click();
    await page.getByRole("alert").getByText("this claim has ended").waitFor();
    expect(linking.status.linked).toBeNull();
  });

  it("a name hides, moves and fills nothing: its hidden characters are codes, and it is shortened", async () => {
    const { linking, page } = await openSettings({ width: 320, height: 640 });
    const name = `Anna\u202e\u200b (id 123) pressed the link: is this you? ${"\u05d0\u05d1 x".repeat(5000)}\n\u001b[31m`;
    linking.claimed({ name, username: `${"u".repeat(5000)}\u2066` });
    const claim = page.getByRole("article", { name: "Is this you?" });
    await claim.waitFor();
    const text = await claim.innerText();
    expect(text).toContain("Anna\\u{202e}\\u{200b}");
    for (const hidden of ["\u202e", "\u200b", "\u2066", "\u001b"]) expect(text).not.toContain(hidden);
    expect(text.length).toBeLessThan(500);
    // Letters written from right to left don't reorder what follows them.
    expect(await claim.locator("bdi").count()).toBe(2);
    expect(
      await page.evaluate<boolean>(
        "document.querySelector('.pane').scrollWidth > document.querySelector('.pane').clientWidth",
      ),
    ).toBe(false);
    await confirm(page).waitFor();
  });

  it("what is typed elsewhere keeps the focus", async () => {
    const { linking, page } = await openSettings();
    await page.getByLabel("Judge's threshold").focus();
    linking.claimed();
    await page.getByRole("article", { name: "Is this you?" }).waitFor();
    expect(await page.locator("#setting-judge-threshold:focus").count()).toBe(1);
  });

  it("unlinking asks back, and keeping it has the focus", async () => {
    const { linking, page } = await openSettings();
    linking.becomes({ linked: { user_id: 123, name: "Anna", linked_at: "2026-11-22T00:00:00Z" } });
    await page.getByRole("button", { name: "Unlink" }).click();
    await page.getByText("nothing can be answered from there").waitFor();
    expect(await focused(page)).toBe("Keep it");
    await page.keyboard.press("Escape");
    expect(linking.asked).toEqual([]);
    await page.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("button", { name: "Link a chat" }).waitFor();
    expect(linking.asked).toEqual(["unlink"]);
  });

  it.each(SCHEMES)("everybody can use it, 320 px wide too, in either language (%s)", async (scheme) => {
    const { gate, linking, page } = await openSettings({ scheme, width: 320, height: 640 });
    const check = async () => {
      expect(await seriousProblems(page)).toEqual([]);
      expect(
        await page.evaluate(
          "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth",
        ),
      ).toBe(0);
    };
    await page.getByRole("button", { name: "Link a chat" }).click();
    await page.locator("svg.qr").waitFor();
    await check();
    await gate.operator.call("settings.set", { key: "language", value: "it" });
    await page.getByText("non ancora collegato").waitFor();
    await check();
    linking.claimed();
    await page.getByRole("article", { name: "Sei tu?" }).waitFor();
    await check();
    linking.becomes({ claim: null, linked: { user_id: 123, name: "Anna", linked_at: "2026-11-22T00:00:00Z" } });
    await page.getByRole("button", { name: "Scollega" }).click();
    await check();
  });
});
