import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pressed } from "../../../cli/watch/keys.ts";
import { arranged } from "../../../cli/watch/screen.ts";
import { appeared, EMPTY, lookedBack, type WatchState } from "../../../cli/watch/state.ts";
import { LANGUAGES } from "../../../ipc/contract/language.ts";
import type { UndoneCall, UndoneFile } from "../../../ipc/contract/undo.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { approvalView } from "../../support/approval-view.ts";
import { startGate } from "../../support/running-gate.ts";
import { CART_BY_AGENT, undoProject, warmed } from "../../support/undo-project.ts";
import { LAUNCHER, Pty } from "../../support/watched.ts";

const AT = Date.parse("2026-11-21T00:00:19Z");
const SIZE = { columns: 100, rows: 30 };

const CALL: UndoneCall = {
  id: "0f1e2d3c-aaaa",
  agent: "claude-code",
  session: "s1",
  executor: "Bash",
  at: "2026-11-21T00:00:00Z",
  project: "/home/ada/shop",
  state: "kept",
  missing: null,
};

const file = (path: string, change: Partial<UndoneFile> = {}): UndoneFile => ({
  project: "/home/ada/shop",
  path,
  bytes: path,
  state: "ready",
  part: "file",
  before: "file",
  agent: null,
  now: null,
  ...change,
});

const asked = (files: readonly UndoneFile[], call: Partial<UndoneCall> = {}): WatchState =>
  lookedBack({ ...EMPTY, isLoaded: true, home: "/home/ada" }, { call: { ...CALL, ...call }, files }, 0);
const layout = (state: WatchState) => arranged(state, SIZE, AT).layout;
const press = (state: WatchState, key: { input: string; name?: "escape" }, now = PRESS_DELAY_MS) =>
  pressed(state, key, now, layout(state));
const text = (state: WatchState, size = SIZE) => {
  const { card, rest } = arranged(state, size, AT);
  return [...card, ...rest].map((row) => row.text).join("\n");
};

describe("`u` in watch", () => {
  test("wants the last call's files, from a card, too; they are shown with what they were, and asked about once", () => {
    expect(press({ ...EMPTY, isLoaded: true }, { input: "u" }).effect).toEqual({ kind: "look_back" });
    const state = asked([file("src/a.ts"), file("src/b\u202e.ts", { state: "changed", agent: "file" })]);
    const screen = text(state);
    for (const line of [
      "Take back what this call did to files?",
      "claude-code  ·  Bash",
      "~/shop",
      "2 files: 1 deleted, 1 changed",
      "deleted    src/a.ts",
      "changed    src/b\\u{202e}.ts  (changed since)",
      "1 file for you to decide",
      "What can't come back: what was sent",
      "y take it back",
    ])
      expect(screen).toContain(line);
    const { state: next, effect } = press(state, { input: "y" });
    expect(effect).toEqual({ kind: "take_back", call: CALL.id });
    expect(next.mode.kind).toBe("cards");
  });

  test("nothing comes back by another key, too early, by a paste, or where nothing is ready", () => {
    const state = asked([file("a")]);
    expect(press(state, { input: "y" }, PRESS_DELAY_MS - 1).effect).toBeUndefined();
    expect(pressed(state, { input: "yy", isPaste: true }, PRESS_DELAY_MS, layout(state)).effect).toBeUndefined();
    for (const input of ["a", "d", "q", "u"]) expect(press(state, { input }).effect).toBeUndefined();
    const left = press(state, { input: "", name: "escape" });
    expect([left.effect, left.state.mode.kind]).toEqual([undefined, "cards"]);
    const undecided = asked([file("a", { state: "unsure" })], { state: "unended" });
    expect(press(undecided, { input: "y" }).effect).toBeUndefined();
    expect(text(undecided)).not.toContain("y take it back");
    for (const part of ["git", "runs-later"] as const)
      expect(press(asked([file("a", { part })]), { input: "y" }).effect).toBeUndefined();
  });

  test("the call's reason is said; in a small window the files come in pages, and where there is no room nothing is taken back", () => {
    const files = Array.from({ length: 60 }, (_, at) => file(`src/${at}.ts`));
    const state = asked(files, { missing: "late" });
    expect(text(state)).toContain("It can't be taken back as a whole: its project could not be kept in time");
    expect(text(state)).not.toContain("src/59.ts");
    let paged = state;
    for (let page = 0; page < 6; page++) paged = press(paged, { input: " " }).state;
    expect(text(paged)).toContain("src/59.ts");
    const tiny = { lines: 60, page: 0, choiceFits: false };
    expect(pressed(state, { input: "y" }, PRESS_DELAY_MS, tiny).effect).toBeUndefined();
    for (const language of LANGUAGES)
      for (const rows of [8, 14, 24])
        expect(text({ ...state, language }, { columns: 40, rows }).split("\n").length).toBeLessThan(rows);
  });

  test("a card that comes meanwhile waits below it; what is typed into another card isn't taken away", () => {
    const state = appeared(asked([file("a")]), approvalView(), 5);
    expect(state.mode.kind).toBe("take_back");
    const help: WatchState = { ...EMPTY, isLoaded: true, mode: { kind: "help" } };
    expect(lookedBack(help, { call: CALL, files: [] }, 0)).toBe(help);
  });
});

test("with a running gate the last edit is taken back; what the user has changed since isn't, and undo that is off is said", async () => {
  const world = await warmed(await undoProject());
  const before = world.read("src/cart.ts");
  await world.edit("made.ts", "export {};\n");
  await world.edit("src/cart.ts", CART_BY_AGENT);
  const pty = new Pty([LAUNCHER, "watch"], world.gate.home.env, 110, 36);
  await pty.shows("u take back");
  pty.type("u");
  await pty.shows("changed    src/cart.ts");
  const again = setInterval(() => pty.type("y"), 200);
  await pty.shows("1 file back as before. Put again by: metnos-gate undo redo");
  clearInterval(again);
  expect(world.read("src/cart.ts")).toBe(before);
  expect(existsSync(world.path("made.ts"))).toBe(true);
  writeFileSync(world.path("made.ts"), "the user's\n");
  pty.type("u");
  await pty.shows("made.ts  (changed since)");
  expect(pty.screen).not.toContain("y take it back");
  pty.type("y");
  pty.type("\u001b");
  await pty.shows("Nothing is waiting for you.");
  expect(world.read("made.ts")).toBe("the user's\n");

  const off = await startGate({ config: "[undo]\nenabled = false\n" });
  const other = new Pty([LAUNCHER, "watch"], off.home.env, 110, 36);
  await other.shows("u take back");
  other.type("u");
  await other.shows("nothing is kept that could be taken back");
});
