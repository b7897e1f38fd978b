import { describe, expect, test } from "vitest";
import {
  appeared,
  closed,
  drawn,
  EMPTY,
  type Key,
  pressed,
  SETTLE_MS,
  type WatchState,
} from "../../../cli/watch/state.ts";
import { approvalView } from "../../support/approval-view.ts";

const FITS = { lines: 5, page: 10 };
const LONG = { lines: 50, page: 10 };
const key = (input: string): Key => ({ input });
const named = (name: NonNullable<Key["name"]>): Key => ({ input: "", name });

/** One card that has stood long enough and was read. */
function ready(card = approvalView()): WatchState {
  return drawn(appeared(EMPTY, card, 0), FITS);
}

describe("answers", () => {
  test.each([named("enter"), key("d")])("deny is the default key", (pressed_key) => {
    const { effect } = pressed(ready(), pressed_key, SETTLE_MS, FITS);
    expect(effect).toEqual({ kind: "answer", answer: { token: approvalView().token, decision: "rejected" } });
  });

  test("allow needs its own key", () => {
    const { effect } = pressed(ready(), key("a"), SETTLE_MS, FITS);
    expect(effect).toEqual({ kind: "answer", answer: { token: approvalView().token, decision: "approved" } });
    for (const other of ["y", "A", "o", "1", " "])
      expect(pressed(ready(), key(other), SETTLE_MS, FITS).effect).toBeUndefined();
  });

  test("nothing counts in a card's first 500 ms", () => {
    for (const any of [key("a"), key("d"), named("enter"), key("p"), key("m")]) {
      const { state, effect } = pressed(ready(), any, SETTLE_MS - 1, FITS);
      expect(effect).toBeUndefined();
      expect(state.mode.kind).toBe("cards");
    }
  });

  test("a card that moves under the finger starts its 500 ms anew", () => {
    const late = approvalView({ token: "b".repeat(16), expires_at: "2026-11-21T00:00:05Z" });
    const moved = appeared(ready(approvalView({ expires_at: "2026-11-21T00:00:09Z" })), late, 1000);
    expect(pressed(moved, key("a"), 1000 + SETTLE_MS - 1, FITS).effect).toBeUndefined();
    const next = closed(ready(), approvalView({ status: "approved" }), 1000);
    const again = drawn(appeared(next, late, 1200), FITS);
    expect(pressed(again, key("a"), 1200 + SETTLE_MS - 1, FITS).effect).toBeUndefined();
    expect(pressed(again, key("a"), 1200 + SETTLE_MS, FITS).effect).toBeDefined();
  });

  test("Escape never approves and never denies", () => {
    expect(pressed(ready(), named("escape"), SETTLE_MS, FITS).effect).toBeUndefined();
    const choosing = pressed(ready(), key("p"), SETTLE_MS, FITS).state;
    expect(pressed(choosing, named("escape"), SETTLE_MS, FITS)).toMatchObject({ state: { mode: { kind: "cards" } } });
    const writing = pressed(ready(), key("m"), SETTLE_MS, FITS).state;
    const left = pressed(writing, named("escape"), SETTLE_MS, FITS);
    expect([left.effect, left.state.mode.kind]).toEqual([undefined, "cards"]);
  });

  test("a call that is longer than the screen can't be approved before its end was shown, but can be denied", () => {
    let state = drawn(appeared(EMPTY, approvalView(), 0), LONG);
    for (const yes of ["a", "s", "p"]) {
      const step = pressed(state, key(yes), SETTLE_MS, LONG);
      expect([step.effect, step.state.mode.kind]).toEqual([undefined, "cards"]);
      expect(step.state.notice).toContain("read it");
    }
    expect(pressed(state, key("d"), SETTLE_MS, LONG).effect).toBeDefined();
    for (let page = 0; page < 4; page++) state = drawn(pressed(state, key(" "), SETTLE_MS, LONG).state, LONG);
    expect(state.scroll).toBe(40);
    expect(pressed(state, key("a"), SETTLE_MS, LONG).effect).toBeDefined();
  });

  test("a denial may carry a message for the agent", () => {
    let state = pressed(ready(), key("m"), SETTLE_MS, FITS).state;
    for (const character of "not noww") state = pressed(state, key(character), SETTLE_MS, FITS).state;
    state = pressed(state, named("backspace"), SETTLE_MS, FITS).state;
    expect(pressed(state, named("enter"), SETTLE_MS, FITS).effect).toMatchObject({
      answer: { decision: "rejected", message: "not now" },
    });
  });
});

describe("remembering", () => {
  test("the choice, its target as edited and its expiry are what is sent", () => {
    let state = pressed(ready(), key("p"), SETTLE_MS, FITS).state;
    state = pressed(state, named("down"), SETTLE_MS, FITS).state;
    state = pressed(state, key("e"), SETTLE_MS, FITS).state;
    for (const character of "x") state = pressed(state, key(character), SETTLE_MS, FITS).state;
    state = pressed(state, named("enter"), SETTLE_MS, FITS).state;
    state = pressed(state, key("x"), SETTLE_MS, FITS).state;
    for (const character of "2h") state = pressed(state, key(character), SETTLE_MS, FITS).state;
    state = pressed(state, named("enter"), SETTLE_MS, FITS).state;
    expect(pressed(state, named("enter"), 0 + SETTLE_MS, FITS).effect).toEqual({
      kind: "answer",
      answer: {
        token: approvalView().token,
        decision: "approved",
        scope: "permanent",
        target: "/srv/project/*x",
        expires_at: new Date(SETTLE_MS + 7_200_000).toISOString(),
      },
    });
  });

  test("an expiry that is no date is said so, and nothing is sent", () => {
    let state = pressed(ready(), key("s"), SETTLE_MS, FITS).state;
    for (const any of [key("x"), key("z"), named("enter")]) state = pressed(state, any, SETTLE_MS, FITS).state;
    const { effect, state: after } = pressed(state, named("enter"), SETTLE_MS, FITS);
    expect(effect).toBeUndefined();
    expect(after.notice).toContain("neither a span nor a date");
  });

  test("what is asked about every time can only be approved once", () => {
    const card = approvalView({ choices: [{ scope: "none", label: "once", grants: [] }] });
    for (const scope of ["s", "p"]) {
      const { state, effect } = pressed(ready(card), key(scope), SETTLE_MS, FITS);
      expect([effect, state.mode.kind]).toEqual([undefined, "cards"]);
      expect(state.notice).toContain("only be approved once");
    }
  });
});

describe("cards", () => {
  test("the soonest deadline comes first", () => {
    const late = approvalView({ token: "1".repeat(16), expires_at: "2026-11-21T00:09:00Z" });
    const soon = approvalView({ token: "2".repeat(16), expires_at: "2026-11-21T00:01:00Z" });
    const state = appeared(appeared(EMPTY, late, 0), soon, 0);
    expect(state.cards.map(({ token }) => token)).toEqual([soon.token, late.token]);
    expect(state.selected).toBe(late.token);
  });

  test.each([
    ["approved", "approved: "],
    ["rejected", "denied: "],
    ["expired", "nobody answered"],
    ["cancelled", "withdrawn"],
  ] as const)("a card that was %s elsewhere goes away with one line", (status, words) => {
    const state = closed(ready(), approvalView({ status }), 1000);
    expect(state.cards).toEqual([]);
    expect(state.selected).toBeNull();
    expect(state.notice).toContain(words);
  });

  test("q quits and answers nothing", () => {
    expect(pressed(ready(), key("q"), SETTLE_MS, FITS).effect).toEqual({ kind: "quit" });
  });
});
