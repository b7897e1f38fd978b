import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pressed } from "../../../cli/watch/keys.ts";
import { widthOf } from "../../../cli/watch/rows.ts";
import { arranged } from "../../../cli/watch/screen.ts";
import { appeared, closed, drawn, EMPTY, reviewsAre, type WatchState } from "../../../cli/watch/state.ts";
import { LANGUAGES } from "../../../ipc/contract/language.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { approvalView } from "../../support/approval-view.ts";
import { guardRefusal, refusedCall, review, runningReview } from "../../support/judge-views.ts";
import { Watched } from "../../support/watched.ts";

const AT = Date.parse("2026-11-21T00:00:19Z");
const SIZE = { columns: 100, rows: 40 };
const text = (rows: readonly { text: string }[]) => rows.map((row) => row.text).join("\n");
const refused = refusedCall({ refused_at: "2026-11-21T00:00:00Z" });
const loadedWith = (refusals: readonly (typeof refused)[]): WatchState =>
  reviewsAre({ ...EMPTY, isLoaded: true }, { running: [], refused: refusals }, 0);
const layout = (state: WatchState) => arranged(state, SIZE, AT).layout;
const read = (state: WatchState): WatchState => drawn(state, layout(state));
const press = (state: WatchState, input: string, now: number) => pressed(state, { input }, now, layout(state));

describe("calls that are judged", () => {
  const running = Array.from({ length: 14 }, (_, index) =>
    runningReview({ id: String(index), since: new Date(AT - 3200 - index).toISOString() }),
  );

  test.each([
    ["en", "claude-code  being judged by local-8b, 3 s  run npm test", "and 11 more"],
    ["it", "claude-code  la giudica local-8b, 3 s  run npm test", "e altre 11"],
  ] as const)(
    "each is a line with its judge and the seconds, and the others are counted (%s)",
    (language, line, more) => {
      const state = { ...reviewsAre({ ...EMPTY, isLoaded: true }, { running, refused: [] }, 0), language };
      const rows = text(arranged(state, { columns: 100, rows: 24 }, AT).rest).split("\n");
      expect(rows.filter((row) => row === line)).toHaveLength(3);
      expect(rows).toContain(more);
      expect(text(arranged(state, { columns: 100, rows: 24 }, AT + 1000).rest)).toContain(
        language === "en" ? "4 s" : "4 s",
      );
    },
  );

  test("what a judge or an agent is called is shown with its hidden characters, and never wraps a row", () => {
    const [one = runningReview()] = running;
    const hostile = { ...one, agent_name: "a\u202eb", summary: "x\u001b[2J".repeat(50) };
    const state = reviewsAre({ ...EMPTY, isLoaded: true }, { running: [hostile], refused: [] }, 0);
    const shown = text(arranged(state, SIZE, AT).rest);
    expect(shown).toContain("a\\u{202e}b");
    expect(shown).not.toContain("\u001b");
  });
});

describe("a card", () => {
  test.each(LANGUAGES)("says each judge's sentence, and in words that one could not be asked (%s)", (language) => {
    const card = approvalView({
      judge: { score: 0.5, reason: "llm-judge fallback (chat failed)", degraded: true },
      reviews: [
        review({ outcome: "fallback", score: 0.5, sentence: "llm-judge fallback (chat failed)" }),
        review({ stage: "validators", name: "reviewer", sentence: "Fine\u202e." }),
        review({ stage: "validators", name: "silent", sentence: "" }),
      ],
    });
    const rows = text(arranged({ ...appeared(EMPTY, card, 0), language }, SIZE, AT).card);
    expect(rows).toContain(
      language === "en"
        ? "The judge could not be asked: its model didn't answer"
        : "Non è stato possibile chiedere al giudice: il suo modello non ha risposto",
    );
    expect(rows).toContain(`${language === "en" ? "Validator" : "Validatore"} reviewer: Fine\\u{202e}.`);
    expect(rows).not.toContain("silent");
    expect(rows.match(/fallback/)).toBe(null);
  });
});

describe("what a judge refused", () => {
  test("is shown where nothing waits: what, by whom, why, and what the agent got", () => {
    const card = text(arranged(loadedWith([refused]), SIZE, AT).card);
    expect(card).toContain("Refused by reviewer: It rewrites the history of main, and nobody asked for that.");
    expect(card).toContain("The agent got: push without --force, or ask the user first");
    expect(card).toContain("command: npm test && git push --force origin main");
    expect(card).toContain("Rewrites history on a remote: can't be undone");
  });

  test("a request that waits takes the place of a refusal, and no refusal takes that of a request", () => {
    const card = approvalView();
    const waiting = appeared(loadedWith([refused]), card, 1000);
    expect([waiting.selected, waiting.selectedAt]).toEqual([card.token, 1000]);
    const both = reviewsAre(waiting, { running: [], refused: [refusedCall({ id: "d2" }), refused] }, 2000);
    expect(both.selected).toBe(card.token);
    expect(text(arranged(both, SIZE, AT).rest)).toContain("2 calls refused: Tab");
    expect(pressed(both, { input: "", name: "tab" }, 2000, layout(both)).state.selected).toBe("refusal d2");
    const after = closed(both, { ...card, status: "rejected" }, 3000);
    expect([after.selected, after.selectedAt]).toEqual(["refusal d2", 3000]);
  });

  test("a request that comes while it is asked back ends the question", () => {
    const asked = press(read(loadedWith([refused])), "o", PRESS_DELAY_MS).state;
    expect(asked.mode.kind).toBe("override");
    const next = appeared(asked, approvalView(), 5000);
    expect(next.mode.kind).toBe("cards");
    expect(press(next, "y", 9000).effect).toBe(undefined);
  });

  test("it is allowed once only by o and then y, each after the press delay, and once the whole call was shown", () => {
    const unread = loadedWith([refused]);
    expect(press(unread, "o", PRESS_DELAY_MS).state.mode.kind).toBe("cards");
    const state = read(unread);
    expect(state.isRead).toBe(true);
    expect(press(state, "o", PRESS_DELAY_MS - 1).state.mode.kind).toBe("cards");
    const asked = press(state, "o", PRESS_DELAY_MS);
    expect(asked.effect).toBe(undefined);
    expect(text(arranged(asked.state, SIZE, AT).card)).toContain("guard, policy and pause still");
    expect(press(asked.state, "y", PRESS_DELAY_MS * 2 - 1).effect).toBe(undefined);
    expect(pressed(asked.state, { input: "y", isPaste: true }, 9000, layout(asked.state)).effect).toBe(undefined);
    expect(pressed(asked.state, { input: "", name: "escape" }, 9000, layout(asked.state)).state.mode.kind).toBe(
      "cards",
    );
    expect(pressed(asked.state, { input: "", name: "enter" }, 9000, layout(asked.state)).effect).toBe(undefined);
    expect(press(asked.state, "y", PRESS_DELAY_MS * 2).effect).toEqual({ kind: "override", id: "d1" });
  });

  test("where gate.toml doesn't allow it, no key does", () => {
    const state = read(loadedWith([{ ...refused, can_override: false }]));
    const step = press(state, "o", 9000);
    expect([step.state.mode.kind, step.effect]).toEqual(["cards", undefined]);
    expect(text(arranged(state, SIZE, AT).rest)).not.toContain("allow once");
    expect(text(arranged(state, SIZE, AT).card)).toContain("With override = true in [judge] of gate.toml");
  });

  test.each([
    ["en", "Refused by the guard: a command that leaves no way back", "do yourself in a terminal"],
    ["it", "Respinta dalla guardia: un comando senza ritorno", "fallo tu in un terminale"],
  ] as const)(
    "what the guard refused says what, why and what is possible; no key allows it (%s)",
    (language, why, possible) => {
      const state = { ...read(loadedWith([guardRefusal({ refused_at: refused.refused_at })])), language };
      const card = text(arranged(state, SIZE, AT).card);
      for (const part of ["rm -rf /", why, possible]) expect(card).toContain(part);
      const step = press(state, "o", 9000);
      expect([step.state.mode.kind, step.effect]).toEqual(["cards", undefined]);
      expect(text(arranged(step.state, SIZE, AT).rest)).toContain(possible);
      expect(press(state, "d", 9000).effect).toEqual({ kind: "dismiss", id: "g1" });
    },
  );

  test("is never higher than the terminal, and no row wider", () => {
    const size = fc.record({ columns: fc.integer({ min: 30, max: 200 }), rows: fc.integer({ min: 8, max: 70 }) });
    fc.assert(
      fc.property(size, fc.nat(20), fc.boolean(), fc.constantFrom(...LANGUAGES), (screen, count, isAsked, language) => {
        const long = refusedCall({
          summary: "run ".repeat(90),
          instead: "else ".repeat(90),
          review: review({ outcome: "rejected", sentence: "日本 ".repeat(200) }),
          args: { command: "echo 日本\n".repeat(count) },
        });
        const running = Array.from({ length: count }, (_, index) => runningReview({ id: `${index}` }));
        const loaded = reviewsAre({ ...EMPTY, isLoaded: true, language }, { running, refused: [long] }, 0);
        const state: WatchState = isAsked ? { ...loaded, mode: { kind: "override" } } : loaded;
        const { card, rest } = arranged(state, screen, AT);
        expect(card.length + 2 + rest.length).toBeLessThan(screen.rows);
        for (const row of card) expect(widthOf(row.text)).toBeLessThanOrEqual(screen.columns - 4);
        for (const row of rest) expect(widthOf(row.text)).toBeLessThanOrEqual(screen.columns);
      }),
    );
  });
});

test("in a terminal the seconds run, a refusal is allowed once when that was asked back, and dismissed", async () => {
  const watched = await Watched.start();
  const { pty } = watched;
  const running = [runningReview({ since: "2026-11-21T00:00:16Z" })];
  await watched.do("reviews", { running, refused: [] });
  await pty.shows("being judged by local-8b, 3 s");
  await watched.clock(2000);
  await pty.shows("being judged by local-8b, 5 s");
  await watched.do("reviews", { running: [], refused: [refused] });
  await pty.shows("Refused by reviewer");
  expect(pty.red.join("\n")).toContain("Rewrites history on a remote: can't be undone");
  await watched.clock(3000);
  await watched.typed("o");
  await pty.shows("Allow it once in spite of the judge?");
  await watched.clock(4000);
  await watched.typed("y");
  await pty.shows("You allowed it once: it passes when the agent sends it again");
  await watched.clock(5000);
  await watched.typed("d");
  await pty.shows("Nothing is waiting for you.");
  expect(watched.answers).toEqual([{ "reviews.override": "d1" }, { "reviews.dismiss": "d1" }]);
  watched.pty.type("q");
  expect(await watched.end()).toBe("quit");
});
