import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { appendLine, readCalls, writeCalls } from "../../main/undo/call-log.ts";
import { ListedCalls } from "../../main/undo/listed-calls.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NAME = "0123456789abcdef01234567";
const TREES = ["a".repeat(40), "b".repeat(40)] as const;

function logIn(folder: string, name = NAME, project = "/p") {
  const store = join(folder, name);
  mkdirSync(store, { recursive: true });
  writeFileSync(join(store, "project"), `${project}\n`);
  const began = (id: string, at: number, more: object = {}) => {
    const call = { id, agent: "tester", session: "s", executor: "Write", at, paths: ["x"], tree: TREES[0], ...more };
    appendLine(store, { line: "before", missing: null, ...call });
  };
  const ended = (id: string, tree: string = TREES[1]) => appendLine(store, { line: "after", id, tree, missing: null });
  return { store, began, ended };
}

it("what was added to a log since the last look is there, also where a line was cut short", async () => {
  const folder = tempFolder();
  const { store, began, ended } = logIn(folder);
  const other = logIn(folder, "f".repeat(24), "/q");
  const listed = new ListedCalls(folder);
  expect(await listed.all()).toEqual([]);
  began("one", 1);
  other.began("two", 2);
  const ids = async () =>
    (await listed.all()).map(({ id, project, hasEnded, isUndone }) => [id, project, hasEnded, isUndone]);
  expect(await ids()).toEqual([
    ["two", "/q", false, false],
    ["one", "/p", false, false],
  ]);
  ended("one");
  appendFileSync(join(store, "calls.jsonl"), '{"line":"before","id":"to');
  expect((await ids())[1]).toEqual(["one", "/p", true, false]);
  began("three", 3, { agent: null, executor: "undo", of: ["one"] });
  ended("three");
  expect(await ids()).toEqual([
    ["three", "/p", true, false],
    ["two", "/q", false, false],
    ["one", "/p", true, true],
  ]);
  began("four", 4, { agent: null, executor: "redo", of: ["three"] });
  ended("four");
  expect((await ids()).filter(([, , , isUndone]) => isUndone)).toEqual([["three", "/p", true, true]]);
  other.ended("two", TREES[0]);
  expect((await ids()).map(([id]) => id)).toEqual(["four", "three", "one"]);
});

it("a log that was written anew, and a store that is gone, are no longer as they were", async () => {
  const folder = tempFolder();
  const { store, began, ended } = logIn(folder);
  const listed = new ListedCalls(folder);
  for (const [at, id] of ["one", "two", "three"].entries()) {
    began(id, at);
    ended(id);
  }
  expect(await listed.all()).toHaveLength(3);
  writeCalls(store, readCalls(store).slice(1));
  began("four", 4);
  expect((await listed.all()).map(({ id }) => id)).toEqual(["four", "three", "two"]);
  // A failure for one of its files is still known.
  began("undo", 5, { agent: null, executor: "undo", of: ["three"] });
  appendLine(store, { line: "after", id: "undo", tree: TREES[1], missing: null, has_failed: true });
  writeCalls(store, readCalls(store));
  expect((await listed.all()).find(({ id }) => id === "three")).toMatchObject({ isUndone: false });
  rmSync(store, { recursive: true });
  expect(await listed.all()).toEqual([]);
});

it("of twenty thousand undos of undos each is listed as it is", async () => {
  const folder = tempFolder();
  const { store, began } = logIn(folder);
  began("0", 0);
  const lines = Array.from({ length: 20_000 }, (_, at) => [
    { line: "before", id: `${at + 1}`, agent: null, session: "", executor: "undo", at, paths: ["x"], of: [`${at}`] },
    { line: "after", id: `${at + 1}`, tree: TREES[1], missing: null },
  ]).flat();
  appendFileSync(
    join(store, "calls.jsonl"),
    lines.map((line) => `${JSON.stringify({ tree: TREES[0], missing: null, ...line })}\n`).join(""),
  );
  const all = await new ListedCalls(folder).all();
  // The last one counts, so that the one before it doesn't, and so on.
  expect(all.map(({ isUndone }) => isUndone)).toEqual(all.map((_, at) => at % 2 === 1));
});

it("of two undos of one call the later one counts, and of one that was taken back what was there before", async () => {
  const folder = tempFolder();
  const { began, ended } = logIn(folder);
  const listed = new ListedCalls(folder);
  const act = (id: string, at: number, of?: string[]) => {
    began(id, at, of === undefined ? {} : { agent: null, executor: "undo", of });
    ended(id);
  };
  const undone = async () => (await listed.all()).filter(({ isUndone }) => isUndone).map(({ id }) => id);
  act("call", 1);
  act("one", 2, ["call"]);
  act("two", 3, ["call"]);
  expect(await undone()).toEqual(["call"]);
  act("again", 4, ["two"]);
  expect(await undone()).toEqual(["two"]);
  act("three", 5, ["call"]);
  expect(await undone()).toEqual(["two", "call"]);
  act("back", 6, ["again"]);
  expect(await undone()).toEqual(["again", "call"]);
  // It couldn't put back a file.
  began("failed", 7, { agent: null, executor: "undo", of: ["three"] });
  expect(await undone()).toEqual(["again", "call"]);
});

it("of ten thousand calls a look again costs a small part of reading them, and no look keeps others waiting for long", async () => {
  const folder = tempFolder();
  const { store } = logIn(folder);
  const lines = Array.from({ length: 10_000 }, (_, at) => [
    { line: "before", id: `${at}`.padEnd(36, "x"), agent: "tester", session: "s", executor: "Bash", at, paths: null },
    { line: "after", id: `${at}`.padEnd(36, "x"), tree: TREES[1], missing: null, ms: 5 },
  ]).flat();
  const text = lines.map((line) => `${JSON.stringify({ tree: TREES[0], missing: null, ...line })}\n`).join("");
  writeFileSync(join(store, "calls.jsonl"), text);
  const whole = median(5, () => readCalls(store));
  let listed = new ListedCalls(folder);
  const longest: number[] = [];
  for (let i = 0; i < 5; i++) {
    listed = new ListedCalls(folder);
    longest.push(await longestTurn(async () => expect(await listed.all()).toHaveLength(10_000)));
  }
  // What else the machine does makes a turn longer, never shorter.
  expect(Math.min(...longest)).toBeLessThan(whole / 2);
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const began = performance.now();
    await listed.all();
    times.push(performance.now() - began);
  }
  expect(times.sort((a, b) => a - b)[4]).toBeLessThan(whole / 10);
});

/** For how long nobody else had a turn meanwhile, in milliseconds. */
async function longestTurn(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const turn = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await act();
  isOver = true;
  return longest;
}

function median(count: number, act: () => unknown): number {
  const times = Array.from({ length: count }, () => {
    const began = performance.now();
    act();
    return performance.now() - began;
  });
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}
