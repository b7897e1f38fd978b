import { describe, expect, test } from "vitest";
import { entriesOf } from "../../../cli/watch/bundle.ts";
import { type Key, type KeyName, pressed } from "../../../cli/watch/keys.ts";
import { arranged, type Size } from "../../../cli/watch/screen.ts";
import { appeared, closed, drawn, EMPTY, loaded, refused, type WatchState } from "../../../cli/watch/state.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { cardKind, runs } from "../../support/card-views.ts";

const SIZE: Size = { columns: 80, rows: 24 };
const LATE = 5000;
const key = (input: string): Key => ({ input });
const named = (name: KeyName): Key => ({ input: "", name });
const text = (rows: readonly { text: string }[]) => rows.map((row) => row.text).join("\n");
const CREATED = "2026-11-21T00:00:00Z";

const numbered = (at: number, view: ApprovalView): ApprovalView => ({
  ...view,
  token: String(at).padStart(16, "0"),
  created_at: CREATED,
});
const many = (count: number, make = (at: number) => runs(`ls part-${at}`)): ApprovalView[] =>
  Array.from({ length: count }, (_, at) => numbered(at, make(at)));
const waiting = (views: readonly ApprovalView[]): WatchState => loaded(EMPTY, views, 0);

const look = (state: WatchState, size = SIZE) => arranged(state, size, LATE);
/** Draws the frame, and every page after it. */
function readAll(state: WatchState, size = SIZE): WatchState {
  let now = drawn(state, look(state, size).layout);
  for (let pages = 0; pages < 60 && !now.isRead; pages++) {
    now = pressed(now, key(" "), LATE, look(now, size).layout).state;
    now = drawn(now, look(now, size).layout);
  }
  return now;
}
const press = (state: WatchState, pressing: Key, now = LATE) => pressed(state, pressing, now, look(state).layout);

describe("many requests of one agent at once", () => {
  test("are one entry, and its one answer is for all of them", () => {
    const state = waiting(many(8));
    expect(entriesOf(state)).toHaveLength(1);
    const { card, rest } = look(state);
    expect(text(card)).toContain("claude-code is waiting: 8 requests");
    expect(text(rest)).toContain("Enter/d deny all");
    const { effect, state: sent } = press(state, named("enter"));
    expect(effect).toEqual({
      kind: "answers",
      answers: many(8).map(({ token }) => ({ token, decision: "rejected" })),
    });
    // None of them is answered twice.
    expect(press(sent, key("d")).effect).toBeUndefined();
  });

  test("nothing counts in the first 500 ms, and pasted text never", () => {
    const state = readAll(waiting(many(8)));
    expect(press(state, key("d"), 400).effect).toBeUndefined();
    expect(press(state, key("a"), 400).effect).toBeUndefined();
    expect(press(state, { input: "d", isPaste: true }).effect).toBeUndefined();
    expect(press(state, named("escape")).effect).toBeUndefined();
  });

  test("are approved together only once each of them was on the screen, whole", () => {
    const state = waiting(many(30));
    expect(press(drawn(state, look(state).layout), key("a")).effect).toBeUndefined();
    const read = readAll(state);
    expect(read.isRead).toBe(true);
    expect(press(read, key("a")).effect).toMatchObject({ kind: "answers", answers: { length: 30 } });
    let all = "";
    for (let at = waiting(many(30)), pages = 0; pages < 60; pages++) {
      all += text(look(at).card);
      at = pressed(at, key(" "), LATE, look(at).layout).state;
    }
    for (const view of many(30)) expect(all).toContain(`command: ${view.args?.command}`);
  });

  test("where a yes would cover what can't be shown, there is a no and a look at each", () => {
    const script = (at: number) => (at === 3 ? runs("node missing.mjs") : runs(`ls part-${at}`));
    const state = readAll(waiting(many(8, script)));
    const { card, rest } = look(state);
    expect(text(card)).toContain("Not all that a yes would cover can be shown");
    expect(text(rest)).not.toMatch(/approve/);
    expect(press(state, key("a")).effect).toBeUndefined();
    expect(press(state, key("d")).effect).toMatchObject({ kind: "answers" });
    const each = press(state, key("e")).state;
    expect(entriesOf(each)).toHaveLength(8);
    expect(each.selected).toBe("0".repeat(16));
  });

  test("what is dangerous is never among them, and comes first", () => {
    const state = waiting([...many(8), numbered(99, cardKind("command with a hazard"))]);
    const entries = entriesOf(state);
    expect(entries.map(({ views }) => views.length)).toEqual([1, 8]);
    expect(state.selected).toBe("99".padStart(16, "0"));
    expect(text(look(state).rest)).toContain("8 requests");
  });

  test("another one among them has to be read, too; what one of them has become as well", () => {
    const state = readAll(waiting(many(8)));
    const joined = appeared(state, numbered(50, runs("ls other")), LATE);
    expect(joined.isRead).toBe(false);
    expect(press(joined, key("d"), LATE + 100).effect).toBeUndefined();
    const changed = appeared(state, numbered(3, runs("ls something-else")), LATE);
    expect(changed.isRead).toBe(false);
  });

  test("fewer than six are answered one by one again", () => {
    const state = waiting(many(6));
    const [first] = many(6);
    if (first === undefined) return expect.unreachable();
    const left = closed(state, { ...first, status: "cancelled", withdrawn: null }, LATE);
    expect(entriesOf(left)).toHaveLength(5);
    expect(left.selected).toBe("1".padStart(16, "0"));
    expect(press(left, named("enter"), LATE + 100).effect).toBeUndefined();
  });

  test("one whose answer the gate refused waits again", () => {
    const { state } = press(waiting(many(8)), key("d"));
    expect(entriesOf(state)).toHaveLength(0);
    const again = refused(state, "3".padStart(16, "0"), "it has changed");
    expect(entriesOf(again).map((one) => one.key)).toEqual(["3".padStart(16, "0")]);
  });

  test("a card that is looked at stays by itself as others join it", () => {
    const [first, ...others] = many(8);
    if (first === undefined) return expect.unreachable();
    let state = waiting([first]);
    for (const one of others) state = appeared(state, one, LATE);
    expect(state.selected).toBe(first.token);
    expect(entriesOf(state).map(({ views }) => views.length)).toEqual([1, 7]);
  });

  test.each([
    [60, 20],
    [80, 24],
    [200, 50],
    [40, 12],
  ])("fits a screen of %i x %i, in both languages", (columns, rows) => {
    for (const language of ["en", "it"] as const) {
      const { top, card, rest } = look({ ...waiting(many(30)), language }, { columns, rows });
      expect(top.length + card.length + rest.length + 2).toBeLessThan(rows);
      for (const row of [...card, ...rest]) expect(row.text.length).toBeLessThanOrEqual(columns);
    }
  });
});
