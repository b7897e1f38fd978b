import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousProblems } from "../../support/axe.ts";
import { NO_BROWSER, SCHEMES } from "../../support/browser.ts";
import { card, cards, focused, press, settle } from "../../support/card-page.ts";
import { cardKind, operatorWith, runs } from "../../support/card-views.ts";
import {
  guardRefusal,
  judgeStatus,
  modelStatus,
  operatorWithJudges,
  refusedCall,
  review,
  runningReview,
} from "../../support/judge-views.ts";
import { HeldJudge, judgedBy } from "../../support/judged-calls.ts";
import { openPage } from "../../support/page-home.ts";
import { startGate } from "../../support/running-gate.ts";
import { sharedBrowser } from "../../support/shared-browser.ts";

const browser = sharedBrowser(beforeAll, afterAll);
const SIDEWAYS = `[document.documentElement, ...document.querySelectorAll("main, main *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "hidden" && getComputedStyle(one).display !== "inline" && !one.closest(".mono, .unseen"))
  .map((one) => one.tagName + "." + one.className + ": " + one.scrollWidth + " > " + one.clientWidth)`;
const HOSTILE = "\u202e<img src=x>\u001b[31m";

describe.skipIf(NO_BROWSER !== null)("calls that are judged", () => {
  it("are in Activity with their judge and the seconds, at most five, until they are decided", async () => {
    const gate = await startGate();
    const running = Array.from({ length: 7 }, (_, index) => runningReview({ id: String(index) }));
    const operator = operatorWithJudges(gate.operator, { running });
    const { page, problems } = await openPage(operator, { at: "activity", browser: browser(), standsStill: true });
    const rows = page.getByRole("region", { name: "Being judged now" }).getByRole("listitem");
    await rows.nth(4).waitFor();
    expect(await rows.count()).toBe(5);
    await page.getByText("and 2 more").waitFor();
    const seconds = async () => Number(/, (\d+) s$/.exec((await rows.first().textContent()) ?? "")?.[1]);
    const before = await seconds();
    expect(await rows.first().textContent()).toContain("claude-coderun npm testbeing judged by local-8b, ");
    await page.clock.runFor(2000);
    expect(await seconds()).toBe(before + 2);
    operator.change({ running: [] });
    await rows.first().waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("a call of a real gate is there while its judge looks at it; opened it says what the judge found", async () => {
    const gate = await startGate();
    const judge = new HeldJudge("reviewer");
    judgedBy(gate.gate.core, judge);
    const agent = await gate.agent("tester", "Full");
    const { page } = await openPage(gate.operator, { at: "activity", browser: browser() });
    const answered = agent.ask({ executor: "Bash", args: { command: "make" } });
    const looking = await judge.reviewing(1);
    await page.getByText(/^being judged by reviewer, \d+ s$/).waitFor();
    looking.pass(`It builds ${HOSTILE}.`);
    await answered;
    await page.locator(".running-reviews").waitFor({ state: "detached" });
    await page.locator(".decision > button").click();
    const found = page.locator(".opened-decision .facts dd").filter({ hasText: "Validator reviewer: It builds" });
    await found.waitFor();
    expect(await found.textContent()).toMatch(/\(score 0\.90, confidence 0\.80, 3 ms\)$/);
    expect(await found.textContent()).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});

describe.skipIf(NO_BROWSER !== null)("a card", () => {
  it("says each judge's sentence quietly, a score only among its details, and in words that one could not be asked", async () => {
    const gate = await startGate();
    const judged = runs("npm test", {
      token: "t1",
      reviews: [
        review({ sentence: `Runs tests ${HOSTILE}` }),
        review({ stage: "validators", name: "reviewer", sentence: "Fine.", confidence: 0.8 }),
        review({ stage: "validators", name: "silent", sentence: "" }),
      ],
    });
    const fallback = "llm-judge fallback (parse fail)";
    const degraded = runs("make", {
      token: "t2",
      judge: { score: 0.5, reason: fallback, degraded: true },
      reviews: [review({ outcome: "fallback", score: 0.5, sentence: fallback })],
    });
    const { page } = await openPage(operatorWith(gate.operator, [judged, degraded]), { browser: browser() });
    await cards(page).nth(1).waitFor();
    const [first, second] = [cards(page).nth(0), cards(page).nth(1)];
    const notes = await first.locator(".notes").textContent();
    expect(notes).toContain("Judge local-8b: Runs tests \\u{202e}<img src=x>\\u{1b}[31m");
    expect(notes).toContain("Validator reviewer: Fine.");
    expect(notes).not.toMatch(/silent|0[.,]8/);
    await first.getByRole("button", { name: "Everything" }).click();
    await first.getByText("(score 0.82, confidence 0.80, 412 ms)").waitFor();
    expect(await second.locator(".notes").textContent()).toContain(
      "The judge could not be asked: its answer could not be read",
    );
    expect(await second.textContent()).not.toContain("fallback");
  });
});

describe.skipIf(NO_BROWSER !== null)("what a judge refused", () => {
  it("is below all that waits: the thing itself, by whom and why, and what the agent got; it never has the focus", async () => {
    const gate = await startGate();
    const edit = cardKind("edit");
    const hostile = refusedCall({
      id: "d2",
      executor: "Edit",
      args: edit.args,
      capabilities: edit.capabilities,
      description: edit.description,
      instead: `do ${HOSTILE}`,
      can_override: false,
    });
    const operator = operatorWithJudges(operatorWith(gate.operator, [cardKind("command that only reads")]), {
      refused: [refusedCall(), hostile],
    });
    const { page, problems } = await openPage(operator, { browser: browser() });
    const refused = page.locator("[data-refusal=d1]");
    await refused
      .getByText("Refused by reviewer: It rewrites the history of main, and nobody asked for that.")
      .waitFor();
    const text = await refused.textContent();
    expect(text).toContain("npm test && git push --force origin main");
    expect(text).toContain("The agent got: push without --force, or ask the user first");
    expect(text).toContain(
      "If you allow it, the agent has to send it again within 10 minutes; guard, policy and pause still count.",
    );
    expect(await page.locator("[data-refusal=d2]").textContent()).toContain("do \\u{202e}<img src=x>\\u{1b}[31m");
    expect(await page.locator("[data-refusal=d2]").getByRole("button", { name: "Allow once anyway" }).count()).toBe(0);
    const heights = await cards(page).evaluateAll((all) =>
      all.map((one) => (one as never as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top),
    );
    expect(heights).toEqual(heights.toSorted((a, b) => a - b));
    await expect.poll(() => focused(page)).toBe("Deny");
    expect(problems).toEqual([]);
  });

  it.each([
    [
      "en",
      "Refused by the guard: a command that leaves no way back",
      "Nothing overrides the guard: what you want done",
    ],
    ["it", "Respinta dalla guardia: un comando senza ritorno", "Nulla scavalca la guardia"],
  ] as const)(
    "by the guard: what, why and what is possible, and nothing to allow it with (%s)",
    async (language, why, possible) => {
      const gate = await startGate();
      await gate.operator.call("settings.set", { key: "language", value: language });
      const operator = operatorWithJudges(gate.operator, { refused: [guardRefusal()] });
      const { page, problems } = await openPage(operator, { browser: browser() });
      const refused = page.locator("[data-refusal=g1]");
      await refused.getByText(why).waitFor();
      for (const part of ["run rm -rf /", "name exactly what should change, inside the project", possible])
        expect(await refused.textContent()).toContain(part);
      expect(await refused.getByRole("button").count()).toBe(1);
      expect(await seriousProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it("where nothing waits nothing has the focus, and a press too soon doesn't count", async () => {
    const gate = await startGate();
    const operator = operatorWithJudges(gate.operator, { refused: [refusedCall()] });
    const { page } = await openPage(operator, { browser: browser(), standsStill: true });
    const refused = page.locator("[data-refusal=d1]");
    const allow = refused.getByRole("button", { name: "Allow once anyway" });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await settle(page);
    operator.change({ refused: [refusedCall({ id: "d9" }), refusedCall()] });
    await page.locator("[data-refusal=d9]").waitFor();
    await allow.click();
    await refused.getByText("That didn't count").waitFor();
    expect(operator.overridden).toEqual([]);
    await press(allow);
    await refused
      .getByText("You allowed it once: it passes when the agent sends it again within 10 minutes.")
      .waitFor();
    expect(operator.overridden).toEqual(["d1"]);
    expect(await allow.count()).toBe(0);
  });

  it("can be allowed only when the end of the call was on the screen", async () => {
    const gate = await startGate();
    const command = Array.from({ length: 120 }, (_, index) => `echo ${index}`).join("\n");
    const { description } = runs(command);
    const operator = operatorWithJudges(gate.operator, {
      refused: [refusedCall({ args: { command }, description })],
    });
    const { page } = await openPage(operator, { browser: browser() });
    const allow = page.getByRole("button", { name: "Allow once anyway" });
    await page.getByText("Scroll to the end to approve.").waitFor();
    expect(await allow.isDisabled()).toBe(true);
  });

  it("goes away when it is dismissed, and the next one's button has the focus", async () => {
    const gate = await startGate();
    const operator = operatorWithJudges(gate.operator, { refused: [refusedCall(), refusedCall({ id: "d2" })] });
    const { page } = await openPage(operator, { browser: browser(), standsStill: true });
    await press(page.locator("[data-refusal=d1]").getByRole("button", { name: "Dismiss" }));
    await page.locator("[data-refusal=d1]").waitFor({ state: "detached" });
    expect(operator.dismissed).toEqual(["d1"]);
    await expect.poll(() => focused(page)).toBe("Dismiss");
    await press(page.locator("[data-refusal=d2]").getByRole("button", { name: "Dismiss" }));
    await page.getByRole("heading", { name: "Refused", exact: true }).waitFor({ state: "detached" });
  });

  it("comes while a card waits without moving it", async () => {
    const gate = await startGate();
    const view = cardKind("command that only reads");
    const operator = operatorWithJudges(operatorWith(gate.operator, [view]), {});
    const { page } = await openPage(operator, { browser: browser() });
    const asking = card(page, "May I run?");
    const before = await asking.boundingBox();
    operator.change({ refused: [refusedCall()] });
    await page.locator("[data-refusal=d1]").waitFor();
    expect(await asking.boundingBox()).toEqual(before);
  });
});

describe.skipIf(NO_BROWSER !== null)("settings", () => {
  const models = [
    modelStatus(),
    modelStatus({ name: "haiku", host: "api.example.com", is_online: true, measured: null, problem: "over-budget" }),
  ];

  it.each([
    [
      "en",
      "12 of 100 calls, 0.02 of 0.50 today",
      "measured on ours (150 calls, 2026-11-22): precision 0.91, recall 0.84",
      "not measured: how good it is as a judge is unknown",
      "until midnight the rules alone judge",
      "its budget for today is used up",
    ],
    [
      "it",
      "oggi 12 di 100 chiamate, 0,02 di 0,50",
      "misurato su ours (150 chiamate, 2026-11-22): precisione 0,91, richiamo 0,84",
      "non misurato: non si sa quanto sia buono come giudice",
      "fino a mezzanotte giudicano solo le regole",
      "ha esaurito il budget di oggi",
    ],
  ])(
    "say of each model what it was used today, how good it is, and why it can't be asked (%s)",
    async (language, ...said) => {
      const gate = await startGate({ config: `language = "${language}"\n` });
      const operator = operatorWithJudges(gate.operator, {
        status: judgeStatus({ kind_now: "rule-based-v1", models }),
      });
      const { page } = await openPage(operator, { at: "settings", browser: browser() });
      const state = page.locator(".judge-state");
      await state.waitFor();
      const text = await state.textContent();
      for (const one of said) expect(text).toContain(one);
      expect(text).toContain("Nothing is published.");
    },
  );

  it("say nothing of judges where the rules alone judge", async () => {
    const gate = await startGate();
    const { page } = await openPage(gate.operator, { at: "settings", browser: browser() });
    await page.getByLabel("Judge's threshold").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.locator(".judge-state").count()).toBe(0);
  });
});

describe.skipIf(NO_BROWSER !== null)("what is shown of judges", () => {
  it.each(SCHEMES)("has no serious accessibility problem and fits 320 px (%s)", async (scheme) => {
    const gate = await startGate();
    const long = review({ outcome: "rejected", name: "n".repeat(64), sentence: "long-word".repeat(40) });
    const operator = operatorWithJudges(
      operatorWith(gate.operator, [runs("npm test", { reviews: [review(), long] })]),
      {
        running: [runningReview({ name: "n".repeat(64), summary: "x".repeat(200), agent_name: "a".repeat(60) })],
        refused: [refusedCall(), refusedCall({ id: "d2", review: long, instead: "y".repeat(300) })],
        status: judgeStatus({
          models: [modelStatus({ name: "n".repeat(64), measured: null, problem: "unreachable" })],
        }),
      },
    );
    const shows = { approvals: "[data-refusal=d2]", activity: ".running-reviews", settings: ".judge-state" };
    const { page } = await openPage(operator, { browser: browser(), scheme, width: 320 });
    for (const [at, selector] of Object.entries(shows)) {
      await page.goto(`${page.url().split("#")[0]}#/${at}`);
      await page.locator(selector).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      expect(await page.evaluate<string[]>(SIDEWAYS)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    }
  });
});
