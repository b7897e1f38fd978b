import { describe, expect, test } from "vitest";
import { type Key, type KeyName, pressed } from "../../../cli/watch/keys.ts";
import {
  appeared,
  closed,
  drawn,
  EMPTY,
  type Layout,
  loaded,
  refused,
  type WatchState,
} from "../../../cli/watch/state.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { approvalView } from "../../support/approval-view.ts";
import { cardKind } from "../../support/card-views.ts";

const FITS: Layout = { lines: 5, page: 10, choiceFits: true };
const LONG: Layout = { lines: 50, page: 10, choiceFits: true };
const TOKEN = approvalView().token;
const key = (input: string): Key => ({ input });
const named = (name: KeyName): Key => ({ input: "", name });
const pasted = (input: string): Key => ({ input, isPaste: true });
const late = approvalView({ token: "1".repeat(16), expires_at: "2026-11-21T00:19:00Z", target_summary: "late.ts" });
const soon = approvalView({ token: "2".repeat(16), expires_at: "2026-11-21T00:01:00Z", target_summary: "soon.ts" });

/** One card that was shown long enough once PRESS_DELAY_MS is reached, and was read. */
function ready(card = approvalView()): WatchState {
  return drawn(appeared(EMPTY, card, 0), FITS);
}

/** Presses one after the other, each frame drawn; gives the last step. */
function pressAll(state: WatchState, keys: readonly Key[], now = PRESS_DELAY_MS, layout = FITS) {
  let step = pressed(state, keys[0] ?? key(""), now, layout);
  for (const next of keys.slice(1)) step = pressed(drawn(step.state, layout), next, now, layout);
  return step;
}

const written = (text: string): Key[] => [...text].map(key);

describe("answers", () => {
  test.each([named("enter"), key("d")])("deny is the default key: %j", (pressedKey) => {
    const { effect } = pressed(ready(), pressedKey, PRESS_DELAY_MS, FITS);
    expect(effect).toEqual({ kind: "answer", answer: { token: TOKEN, decision: "rejected" } });
  });

  test("a card that says something else once the gate is back has to be looked at again", () => {
    const script = (hash: string) => {
      const card = cardKind("script that a name stands for");
      const standsFor = card.description?.stands_for.map((one) => ({ ...one, sha256: hash })) ?? [];
      return { ...card, description: card.description && { ...card.description, stands_for: standsFor } };
    };
    const state = ready(script("a"));
    expect(pressed(loaded(state, [script("a")], 400), key("a"), 500, FITS).effect).toBeDefined();
    expect(pressed(loaded(state, [script("b")], 400), key("a"), 500, FITS).effect).toBeUndefined();
  });

  test("allow needs its own key", () => {
    const { effect } = pressed(ready(), key("a"), PRESS_DELAY_MS, FITS);
    expect(effect).toEqual({ kind: "answer", answer: { token: TOKEN, decision: "approved" } });
    for (const other of ["y", "A", "o", "1", " ", "D", "e", "x"])
      expect(pressed(ready(), key(other), PRESS_DELAY_MS, FITS).effect).toBeUndefined();
  });

  test("a call that is made again and again is stopped or let continue, and nothing wider", () => {
    const state = ready(approvalView({ repeated: { count: 40, seconds: 60 } }));
    for (const other of ["s", "p", "c", "t", "m"]) {
      const step = pressed(state, key(other), PRESS_DELAY_MS, FITS);
      expect([step.effect, step.state.mode]).toEqual([undefined, { kind: "cards" }]);
      expect(step.state.notice).toBe("It can only be stopped, d, or let continue, a.");
    }
    const decided = (by: Key) => pressed(state, by, PRESS_DELAY_MS, FITS).effect;
    expect(decided(named("enter"))).toEqual({ kind: "answer", answer: { token: TOKEN, decision: "rejected" } });
    expect(decided(key("a"))).toEqual({ kind: "answer", answer: { token: TOKEN, decision: "approved" } });
  });

  test("a card is answered once: the second key waits for the first one's end", () => {
    const first = pressed(ready(), key("a"), PRESS_DELAY_MS, FITS);
    const second = pressed(first.state, key("d"), PRESS_DELAY_MS, FITS);
    expect(second.effect).toBeUndefined();
    const again = refused(first.state, TOKEN, "the grant would have expired already");
    expect(again.notice).toContain("expired already");
    expect(pressed(again, key("d"), PRESS_DELAY_MS, FITS).effect).toBeDefined();
  });

  test("a denial may carry a message for the agent, written on a line with a cursor", () => {
    const keys = [
      key("m"),
      ...written("not noww"),
      named("backspace"),
      named("home"),
      ...written("No, "),
      named("enter"),
    ];
    expect(pressAll(ready(), keys).effect).toEqual({
      kind: "answer",
      answer: { token: TOKEN, decision: "rejected", message: "No, not now" },
    });
    expect(pressAll(ready(), [key("m"), named("enter")]).effect).toEqual({
      kind: "answer",
      answer: { token: TOKEN, decision: "rejected" },
    });
  });

  test("pasted text is text for a line and never an answer", () => {
    for (const text of ["a", "d", "aaaa", "p\r\r", " \r"])
      expect(pressed(ready(), pasted(text), PRESS_DELAY_MS, FITS).effect).toBeUndefined();
    expect(pressAll(ready(), [key("p"), pasted("\r\r")]).effect).toBeUndefined();
    const { effect, state } = pressAll(ready(), [key("m"), pasted("no:\r\nuse\u001b the test\r")]);
    expect(effect).toBeUndefined();
    expect(state.mode).toMatchObject({ line: { before: "no: use the test " } });
  });

  test("Escape never approves and never denies, it closes a sub-view", () => {
    expect(pressed(ready(), named("escape"), PRESS_DELAY_MS, FITS).effect).toBeUndefined();
    for (const opening of [[key("p")], [key("s")], [key("m"), ...written("why")], [key("p"), named("down")]]) {
      const { state, effect } = pressAll(ready(), [...opening, named("escape")]);
      expect([effect, state.mode.kind, state.cards.length]).toEqual([undefined, "cards", 1]);
    }
    const field = pressAll(ready(), [key("p"), key("e"), ...written("zzz"), named("escape")]);
    expect(field.effect).toBeUndefined();
    expect(field.state.mode).toMatchObject({ kind: "choices", target: "/srv/project/a.ts", editing: null });
  });

  test("q quits from the cards, Ctrl-C from everywhere, and neither answers anything", () => {
    expect(pressed(ready(), key("q"), 0, FITS).effect).toEqual({ kind: "quit" });
    for (const opening of ["", "m", "p", "s"]) {
      const { state } = pressed(ready(), key(opening), PRESS_DELAY_MS, FITS);
      expect(pressed(state, named("quit"), PRESS_DELAY_MS, FITS).effect).toEqual({ kind: "quit" });
    }
  });
});

describe("the first 500 ms", () => {
  const answers = [key("a"), key("d"), named("enter"), key("s"), key("p"), key("m")];

  test.each(answers)("nothing counts in a card's first 500 ms: %j", (any) => {
    const { state, effect } = pressed(ready(), any, PRESS_DELAY_MS - 1, FITS);
    expect([effect, state.mode.kind]).toEqual([undefined, "cards"]);
    const later = pressed(ready(), any, PRESS_DELAY_MS, FITS);
    expect(later.effect !== undefined || later.state.mode.kind !== "cards").toBe(true);
  });

  test("a card that moves into the selected place starts its own 500 ms", () => {
    const two = drawn(appeared(ready(), late, 100), FITS);
    const afterClose = drawn(closed(two, approvalView({ status: "expired" }), 1000), FITS);
    const afterTab = drawn(pressed(two, named("tab"), 1000, FITS).state, FITS);
    for (const state of [afterClose, afterTab]) {
      expect(state.selected).toBe(late.token);
      expect(pressed(state, key("a"), 1000 + PRESS_DELAY_MS - 1, FITS).effect).toBeUndefined();
      expect(pressed(state, key("a"), 1000 + PRESS_DELAY_MS, FITS).effect).toMatchObject({
        answer: { token: late.token },
      });
    }
  });

  test("cards that come do not take the selected one away, nor hold up its answer", () => {
    const state = appeared(ready(), soon, PRESS_DELAY_MS);
    expect(state.selected).toBe(TOKEN);
    expect(pressed(state, key("a"), PRESS_DELAY_MS, FITS).effect).toMatchObject({ answer: { token: TOKEN } });
  });

  test("a card that says something else than before starts its 500 ms anew, and what was being typed doesn't reach it", () => {
    const again = drawn(appeared(ready(), approvalView({ target_summary: "another" }), 1000), FITS);
    expect(again.cards.map(({ target_summary }) => target_summary)).toEqual(["another"]);
    expect(pressed(again, key("a"), 1000 + PRESS_DELAY_MS - 1, FITS).effect).toBeUndefined();
    expect(pressed(again, key("a"), 1000 + PRESS_DELAY_MS, FITS).effect).toMatchObject({ answer: { token: TOKEN } });
    const typing = pressAll(ready(), [key("m"), ...written("beca")]).state;
    expect(appeared(typing, approvalView({ target_summary: "another" }), 1000).mode.kind).toBe("interrupted");
  });

  test("what was being typed when its card was removed does not reach the next card", () => {
    const two = appeared(ready(), late, 0);
    for (const opening of [[key("m"), ...written("because")], [key("p")]]) {
      const { state } = pressAll(two, opening);
      const interrupted = closed(state, approvalView({ status: "cancelled" }), 1000);
      const typing = pressAll(interrupted, [...written("a d and p"), pasted("a")], 5000);
      expect([typing.effect, typing.state.mode.kind]).toEqual([undefined, "interrupted"]);
      const acknowledged = pressed(typing.state, named("enter"), 5000, FITS);
      expect([acknowledged.effect, acknowledged.state.mode.kind]).toEqual([undefined, "cards"]);
      expect(pressed(acknowledged.state, named("enter"), 5000 + PRESS_DELAY_MS - 1, FITS).effect).toBeUndefined();
    }
    const alone = closed(pressAll(ready(), [key("m")]).state, approvalView({ status: "expired" }), 1000);
    expect(appeared(alone, late, 1000).mode.kind).toBe("interrupted");
  });
});

describe("a call that is longer than the screen", () => {
  const unread = () => drawn(appeared(EMPTY, approvalView(), 0), LONG);

  test("can't be approved before its end was shown, but can be denied", () => {
    for (const yes of ["a", "s", "p"]) {
      const step = pressed(unread(), key(yes), PRESS_DELAY_MS, LONG);
      expect([step.effect, step.state.mode.kind]).toEqual([undefined, "cards"]);
      expect(step.state.notice).toContain("Read the whole call first");
    }
    expect(pressed(unread(), key("d"), PRESS_DELAY_MS, LONG).effect).toBeDefined();
    const keys = Array.from({ length: 4 }, () => key(" "));
    expect(pressAll(unread(), [...keys.slice(1), key("a")], PRESS_DELAY_MS, LONG).effect).toBeUndefined();
    const read = pressAll(unread(), [...keys, key("b"), key("a")], PRESS_DELAY_MS, LONG);
    expect(read.effect).toMatchObject({ answer: { decision: "approved" } });
  });

  test("a page that was skipped before it was drawn does not count", () => {
    let state = unread();
    for (let page = 0; page < 4; page++) state = pressed(state, key(" "), PRESS_DELAY_MS, LONG).state;
    state = drawn(state, LONG);
    expect([state.scroll, state.isRead]).toEqual([40, false]);
  });

  test("a screen of another width starts the reading anew, until it was read", () => {
    const half = pressAll(unread(), [key(" "), key(" "), key("")], PRESS_DELAY_MS, LONG).state;
    const wider = { ...LONG, lines: 30 };
    const resized = drawn(drawn(half, wider), wider);
    expect([resized.scroll, resized.readTo, resized.isRead]).toEqual([0, 10, false]);
    const read = pressAll(resized, [key(" "), key(" "), key("")], PRESS_DELAY_MS, wider).state;
    expect(drawn(read, LONG).isRead).toBe(true);
  });

  test("a screen without room for the call reads nothing", () => {
    expect(drawn(appeared(EMPTY, approvalView(), 0), { ...FITS, page: 0 }).isRead).toBe(false);
  });

  test("read once stays read, but a window that hides it again takes the approval with it", () => {
    const { effect, state } = pressed(ready(), key("a"), PRESS_DELAY_MS, { ...FITS, page: 0 });
    expect([effect, state.isRead]).toEqual([undefined, true]);
    expect(pressed(state, key("a"), PRESS_DELAY_MS, FITS).effect).toBeDefined();
  });

  test("the next card is to be read for itself", () => {
    const state = closed(appeared(ready(), late, 0), approvalView({ status: "approved" }), 0);
    expect([state.selected, state.isRead]).toEqual([late.token, false]);
  });
});

describe("remembering", () => {
  test("the choice, its target as edited and its expiry are what is sent", () => {
    const keys = [key("p"), named("down"), key("e"), key("x"), named("enter")];
    const edited = pressAll(ready(), [...keys, key("x"), ...written("2h"), named("enter"), named("enter")]);
    expect(edited.effect).toEqual({
      kind: "answer",
      answer: {
        token: TOKEN,
        decision: "approved",
        scope: "permanent",
        reach: "folder",
        target: "/srv/project/*x",
        expires_at: new Date(PRESS_DELAY_MS + 7_200_000).toISOString(),
      },
    });
  });

  test("the session's own choices, without an expiry", () => {
    expect(pressAll(ready(), [key("s"), named("enter")]).effect).toEqual({
      kind: "answer",
      answer: { token: TOKEN, decision: "approved", scope: "session", reach: "file", target: "/srv/project/a.ts" },
    });
  });

  test("several grants at once are stored as they are: their targets can't be edited", () => {
    const grants = ["/a", "/b"].map((target) => ({ capability: "fs:write" as const, target }));
    const card = approvalView({ choices: [{ scope: "permanent", reach: "exact", grants }] });
    expect(pressAll(ready(card), [key("p"), key("e")]).state.mode).toMatchObject({ editing: null });
    expect(pressAll(ready(card), [key("p"), named("enter")]).effect).toEqual({
      kind: "answer",
      answer: { token: TOKEN, decision: "approved", scope: "permanent", reach: "exact" },
    });
  });

  test("an expiry that is no date, or an empty target, is said so, and nothing is sent", () => {
    const noDate = pressAll(ready(), [key("s"), key("x"), key("z"), named("enter"), named("enter")]);
    expect(noDate.effect).toBeUndefined();
    expect(noDate.state.notice).toContain("neither a span nor a date");
    const noTarget = pressAll(ready(), [key("s"), key("e"), named("clear"), named("enter")]);
    expect([noTarget.effect, noTarget.state.notice]).toEqual([undefined, "A target can't be empty."]);
  });

  test("what would be stored must be on the screen to be approved", () => {
    const { state } = pressAll(ready(), [key("p")]);
    expect(pressed(state, named("enter"), PRESS_DELAY_MS, { ...FITS, choiceFits: false }).effect).toBeUndefined();
  });

  test("what is asked about every time can only be approved once", () => {
    const card = approvalView({ choices: [{ scope: "none", reach: null, grants: [] }] });
    for (const scope of ["s", "p"]) {
      const { state, effect } = pressed(ready(card), key(scope), PRESS_DELAY_MS, FITS);
      expect([effect, state.mode.kind]).toEqual([undefined, "cards"]);
      expect(state.notice).toContain("only be approved once");
    }
  });
});

describe("cards", () => {
  test("the soonest deadline comes first, and is the one selected at the start", () => {
    const state = loaded(EMPTY, [late, approvalView(), soon], 0);
    expect(state.cards.map(({ token }) => token)).toEqual([soon.token, TOKEN, late.token]);
    expect(state.selected).toBe(soon.token);
    expect(pressed(state, named("up"), 0, FITS).state.selected).toBe(late.token);
    expect(pressed(state, key("j"), 0, FITS).state.selected).toBe(TOKEN);
  });

  test("one that came by event and in the list is one card", () => {
    expect(loaded(appeared(EMPTY, soon, 0), [soon, late], 0).cards).toHaveLength(2);
  });

  test.each([
    ["approved", "Approved elsewhere: write a.ts -> /srv/project/"],
    ["rejected", "Denied elsewhere: write a.ts"],
    ["expired", "Expired, nobody answered in time: write a.ts"],
    ["cancelled", "Withdrawn by claude-code: write a.ts"],
  ] as const)("a card that was %s elsewhere is removed with one line that says so", (status, words) => {
    const state = closed(ready(), approvalView({ status }), 1000);
    expect([state.cards, state.selected]).toEqual([[], null]);
    expect(state.ended).toEqual([expect.stringContaining(words)]);
    expect(closed(state, approvalView({ status }), 1000)).toBe(state);
  });

  test.each([
    ["en", "telegram", "Denied in Telegram: write a.ts"],
    ["it", "notification", "Rifiutata in una notifica: write a.ts"],
    ["en", "terminal", "Denied elsewhere: write a.ts"],
    ["en", null, "Denied elsewhere: write a.ts"],
  ] as const)("where it was answered is said, but for another terminal: %s %s", (language, decisionSurface, words) => {
    const view = approvalView({ status: "rejected", decision_surface: decisionSurface });
    expect(closed({ ...ready(), language }, view, 1000).ended).toEqual([expect.stringContaining(words)]);
  });

  test("the user's own answer is shown as such", () => {
    const sent = pressed(ready(), key("a"), PRESS_DELAY_MS, FITS).state;
    const state = closed(sent, approvalView({ status: "approved", territory_concession: "permanent" }), PRESS_DELAY_MS);
    expect(state.ended).toEqual(["You approved permanently: write a.ts -> /srv/project/"]);
    expect(state.answering).toBeNull();
  });

  test.each([
    ["approved", "Approvata altrove per questa sessione: write"],
    ["rejected", "Rifiutata altrove: write"],
    ["expired", "Scaduta, nessuno ha risposto in tempo: write"],
    ["cancelled", "Ritirata da claude-code: write"],
  ] as const)("how a card ended is said in the user's language: %s", (status, words) => {
    const view = approvalView({ status, territory_concession: status === "approved" ? "session" : "none" });
    expect(closed({ ...ready(), language: "it" }, view, 1000).ended).toEqual([expect.stringContaining(words)]);
  });

  test("hidden characters in a reported line are visible", () => {
    const card = approvalView({ status: "cancelled", agent_name: "a\u001b[31m", message: "\u202egone" });
    expect(closed(ready(), card, 0).ended[0]).toMatch(/a\\u\{1b\}\[31m.*\\u\{202e\}gone/);
  });
});

describe("while no gate answers", () => {
  test("no key does anything but q and Ctrl-C, which leave; a pasted q is no key", () => {
    const away: WatchState = { ...ready(), isAway: true };
    for (const input of [..."dmactsp?j b"])
      expect([input, pressed(away, key(input), PRESS_DELAY_MS, FITS)]).toEqual([input, { state: away }]);
    for (const name of ["enter", "escape", "tab", "page_down"] as const)
      expect([name, pressed(away, named(name), PRESS_DELAY_MS, FITS)]).toEqual([name, { state: away }]);
    expect(pressed(away, { input: "q", isPaste: true }, PRESS_DELAY_MS, FITS).effect).toBeUndefined();
    for (const leaving of [key("q"), named("quit")])
      expect(pressed(away, leaving, PRESS_DELAY_MS, FITS).effect).toEqual({ kind: "quit" });
  });
});

describe("how long, and a no for the session", () => {
  const grants = [{ capability: "fs:write" as const, target: "/srv/project/a.ts" }];
  const refusals = [
    { refuse: "call" as const, targets: [] },
    { refuse: "target" as const, targets: grants },
  ];
  /** Presses s, then Right so often, then Enter. */
  const answerAfter = (rights: number, wall: number) => {
    const state = pressAll(ready(), [key("s"), ...Array.from({ length: rights }, () => named("right"))]).state;
    return pressed(state, named("enter"), PRESS_DELAY_MS, FITS, wall).effect;
  };

  test("Right goes from this session to an hour, today, 30 days, until revoked, and round again; Left back", () => {
    const wall = new Date(2026, 10, 22, 10, 15).getTime();
    const answers = [0, 1, 2, 3, 4, 5].map((rights) => answerAfter(rights, wall));
    const base = { token: TOKEN, decision: "approved", reach: "file", target: "/srv/project/a.ts" };
    const until = (end: Date) => ({ scope: "permanent", expires_at: end.toISOString() });
    const terms = [
      { scope: "session" },
      until(new Date(wall + 3_600_000)),
      until(new Date(2026, 10, 22, 23, 59, 59)),
      until(new Date(wall + 30 * 86_400_000)),
      { scope: "permanent" },
      { scope: "session" },
    ];
    expect(answers).toEqual(terms.map((term) => ({ kind: "answer", answer: { ...base, ...term } })));
    const back = pressAll(ready(), [key("s"), named("left")]).state;
    expect(pressed(back, named("enter"), PRESS_DELAY_MS, FITS, wall).effect).toEqual(answers[4]);
  });

  test("of what can't be said for the session only the other lengths are offered, and an edited target stays", () => {
    const folder = pressAll(ready(), [key("p"), named("down"), named("right")]).state;
    expect(folder.mode).toMatchObject({ scope: "permanent", index: 1, expires: "1h" });
    const edited = pressAll(ready(), [key("s"), key("e"), ...written("x"), named("enter"), named("right")]).state;
    expect(edited.mode).toMatchObject({ scope: "permanent", target: "/srv/project/a.tsx" });
  });

  test("c denies this very call for the session, t all on its target; not in a card's first moment", () => {
    const view = approvalView({ refusals });
    const press = (input: string, now = PRESS_DELAY_MS) => pressed(ready(view), key(input), now, FITS).effect;
    const denial = { token: TOKEN, decision: "rejected" };
    expect(press("c")).toEqual({ kind: "answer", answer: { ...denial, refuse: "call" } });
    expect(press("t")).toEqual({ kind: "answer", answer: { ...denial, refuse: "target" } });
    expect(press("c", PRESS_DELAY_MS - 1)).toBeUndefined();
    expect(pressed(ready(approvalView()), key("t"), PRESS_DELAY_MS, FITS).effect).toBeUndefined();
  });
});
