import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { expect, it } from "vitest";
import { appendLine } from "../../main/undo/call-log.ts";
import { StoreProcess } from "../../main/undo/store-process.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";
import { nodeImporting, OwnStore } from "./own-store.ts";

const ROUNDS = IS_WHOLE_RUN ? 300 : 12;
const FILES = 200;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function fsck(store: OwnStore): void {
  const env = { PATH: process.env.PATH, GIT_DIR: store.folder, HOME: store.folder };
  execFileSync("git", ["fsck", "--full", "--no-dangling"], { cwd: store.folder, env, stdio: "pipe" });
}

it("killed at any moment of a snapshot, the next process keeps the project as if nothing had been", async () => {
  const store = new OwnStore();
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < FILES; i++) writeFileSync(store.path(`${i}`), `${round} ${i} `.repeat(200));
    const asked = store.begun().catch(() => undefined);
    await wait(round * 4);
    store.restart();
    await asked;
    const id = await store.call(() => rmSync(store.path("7")));
    await store.takeBack([id]);
    expect(readFileSync(store.path("7"), "utf8")).toBe(`${round} 7 `.repeat(200));
  }
  expect(() => fsck(store)).not.toThrow();
});

it("killed at any moment of an undo, each file is as it was before or after, nothing is half made, and the same undo ends it", async () => {
  const store = new OwnStore();
  mkdirSync(store.path("src"));
  const unfinished: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < FILES; i++) writeFileSync(store.path(`src/${i}`), "before");
    const id = await store.call(() => {
      for (let i = 0; i < FILES; i++) writeFileSync(store.path(`src/${i}`), "the agent's");
    });
    const undone = store.takeBack([id]).catch(() => undefined);
    await wait(2 + round * 3);
    store.restart();
    await undone;
    // The new process has looked at what the other one left.
    await store.states(id);
    expect(readdirSync(store.path("src"))).toHaveLength(FILES);
    const texts = readdirSync(store.path("src")).map((name) => readFileSync(store.path(`src/${name}`), "utf8"));
    expect(texts.filter((text) => text !== "before" && text !== "the agent's")).toEqual([]);
    unfinished.push(texts.filter((text) => text !== "before").length);
    await store.takeBack([id]);
    for (let i = 0; i < FILES; i++) expect(readFileSync(store.path(`src/${i}`), "utf8")).toBe("before");
  }
  // Else it was never killed while it worked.
  expect(unfinished.some((count) => count > 0)).toBe(true);
  const interrupted = store.calls.filter(({ missing }) => missing === "interrupted");
  for (const { after } of interrupted) expect(after).not.toBeNull();
});

/** Of all steps in which something is written; some of them, another part each time, where not all are wanted. */
const EACH = IS_WHOLE_RUN ? 1 : 9;

it("killed at each step of a snapshot, an undo and the tidying after it: either state, or it is said that it was interrupted", async () => {
  const names = ["a", "src/b", "src/c", "made/d"];
  const folder = (store: OwnStore, name: string) => mkdirSync(store.path(name), { recursive: true });
  const states = new Set<string>();
  let isThrough = false;
  for (let step = 1 + (Date.now() % EACH); !isThrough; step += EACH) {
    const store = new OwnStore();
    folder(store, "src");
    for (const name of names.slice(0, 3)) writeFileSync(store.path(name), "before");
    store.restart(nodeImporting("killed-at-step.ts", `KILLED_AT=${step}`));
    const said: string[] = [];
    const tell = async <T>(what: string, asked: Promise<T>) => {
      await asked;
      said.push(what);
    };
    try {
      await tell("before", store.begun());
      rmSync(store.path("src/b"));
      writeFileSync(store.path("a"), "agent");
      folder(store, "made");
      writeFileSync(store.path("made/d"), "agent");
      await tell("after", store.process.ask({ do: "after", id: "call-1" }));
      await tell("undo", store.takeBack(["call-1"]));
      await tell("tidy", store.process.ask({ do: "tidy", now: Date.now() + 8 * 86_400_000 }));
      isThrough = true;
    } catch {
      // killed
    }
    store.restart(process.execPath);
    expect([step, (await store.begun()).missing]).toEqual([step, null]);
    expect(readFileSync(`${store.folder}/project`, "utf8")).toBe(`${store.root}\n`);
    const is = names.map((name) => (existsSync(store.path(name)) ? readFileSync(store.path(name), "utf8") : "none"));
    const [call, undo] = [
      store.calls.find(({ id }) => id === "call-1"),
      store.calls.find(({ agent }) => agent === null),
    ];
    const state = is.join(" ");
    states.add(state);
    expect(readdirSync(store.path("src")).every((name) => name === "b" || name === "c")).toBe(true);
    if (said.includes("undo")) expect([step, state]).toEqual([step, "before before before none"]);
    else if (said.includes("before")) expect([step, call]).toMatchObject([step, { missing: null }]);
    if (said.includes("after") && !said.includes("undo")) {
      if (state !== "agent none before agent") expect([step, undo]).toMatchObject([step, { executor: "undo" }]);
      if (undo !== undefined && undo.missing !== "interrupted")
        expect([step, state]).toEqual([step, "before before before none"]);
      await store.takeBack(["call-1"]);
      expect([step, existsSync(store.path("made")), readFileSync(store.path("src/b"), "utf8")]).toEqual([
        step,
        false,
        "before",
      ]);
      expect([step, readFileSync(store.path("a"), "utf8")]).toEqual([step, "before"]);
    }
    fsck(store);
    store.end();
  }
  expect(states.size).toBeGreaterThan(2);
}, 900_000);

it("a disk that fails at any step of an undo: what is said of each file is so, nothing else is touched, and the same undo ends it", async () => {
  const seen = new Set<string>();
  for (const [code, lasts] of [
    ["EIO", false],
    ["ENOSPC", true],
  ] as const) {
    let isThrough = false;
    for (let step = 1 + (Date.now() % (2 * EACH)); !isThrough; step += 2 * EACH) {
      const store = new OwnStore();
      mkdirSync(store.path("src"));
      for (const name of ["a", "src/b", "src/c"]) writeFileSync(store.path(name), "before");
      symlinkSync("before", store.path("link"));
      const id = await store.call(() => {
        for (const name of ["a", "src/b"]) writeFileSync(store.path(name), "agent");
        rmSync(store.path("link"));
        rmSync(store.path("src/c"));
        mkdirSync(store.path("made"));
        writeFileSync(store.path("made/d"), "agent");
      });
      mkdirSync(store.path("mine"));
      writeFileSync(store.path("mine/file"), "mine");
      const is = () =>
        Object.fromEntries(
          ["a", "src/b", "src/c", "link", "made", "made/d", "mine/file"].map((name) => [
            name,
            textAt(store.path(name)),
          ]),
        );
      const [agent, before] = [is(), { a: "before", "src/b": "before", "src/c": "before", link: "-> before" }];
      const all = { ...before, made: "none", "made/d": "none", "mine/file": "mine" };
      store.restart(nodeImporting("failing-at-step.ts", `FAILS_AT=${step} FAILS_WITH=${code} LASTS=${lasts}`));
      const undo = await store.takeBack([id]).catch(() => undefined);
      const now = is();
      for (const [name, text] of Object.entries(now)) {
        const outcome = undo?.outcomes[name];
        seen.add(`${outcome}`);
        expect([code, step, name, text]).toEqual([
          code,
          step,
          name,
          outcome === "restored" ? all[name as keyof typeof all] : agent[name],
        ]);
      }
      isThrough = undo !== undefined && Object.values(undo.outcomes).every((outcome) => outcome === "restored");
      isThrough &&= Object.keys(undo?.outcomes ?? {}).length === 6;
      store.restart(process.execPath);
      await store.takeBack([id]);
      expect([code, step, is()]).toEqual([code, step, all]);
      const left = readdirSync(store.root).concat(readdirSync(store.path("src")));
      expect([code, step, left.filter((name) => name.startsWith("."))]).toEqual([code, step, []]);
      store.end();
    }
  }
  expect([...seen].sort()).toEqual(["failed", "restored", "undefined"]);
}, 900_000);

function textAt(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "none";
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return stat.isDirectory() ? "folder" : readFileSync(path, "utf8");
}

it("what an undo had half made goes with the next process, and nothing else does", async () => {
  const store = new OwnStore();
  mkdirSync(store.path("src"));
  writeFileSync(store.path("src/a"), "a");
  await store.call(() => rmSync(store.path("src/a")));
  const tree = store.calls[0]?.before ?? "";
  const undo = { id: "half", agent: null, session: "", executor: "undo", at: Date.now(), of: ["call-1"] };
  appendLine(store.folder, { line: "before", ...undo, paths: ["src/a"], tree, missing: null });
  for (const name of [".metnos-gate-undo-0123456789ab", ".metnos-gate-undo-mine"])
    writeFileSync(store.path(`src/${name}`), "half");
  store.restart();
  await store.begun();
  expect(readdirSync(store.path("src"))).toEqual([".metnos-gate-undo-mine"]);
  expect(store.calls.find(({ id }) => id === "half")).toMatchObject({ missing: "interrupted" });
});

it("killed while it answers, or where it can't be started, it ends no gate", async () => {
  const store = new OwnStore();
  const half = store.path("half-node");
  writeFileSync(half, `#!/bin/sh\nread -r asked\nprintf '{"n":1,"answ'\n`, { mode: 0o755 });
  for (const node of [half, store.path("nothing")]) {
    const bounds = { max_files: 100, max_bytes: 1_000_000, days: 7 };
    const other = new StoreProcess({ folder: `${store.folder}-other`, root: store.root, bounds, node });
    await expect(other.ask({ do: "prepare" })).rejects.toThrow("ended");
    await expect(other.ask({ do: "prepare" })).rejects.toThrow("ended");
  }
});
