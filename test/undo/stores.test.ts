import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConfinedRun } from "../../main/decide/confinement/box.ts";
import type * as RunLater from "../../main/decide/places/run-later.ts";
import { readCalls } from "../../main/undo/call-log.ts";
import { StoreProcess } from "../../main/undo/store-process.ts";
import { Undo } from "../../main/undo/undo.ts";
import { smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { nodeImporting, OwnStore } from "./own-store.ts";

/** How often it was looked whether a file runs later. */
const looked = vi.hoisted(() => ({ count: 0 }));
vi.mock("../../main/decide/places/run-later.ts", async (original) => {
  const real = await original<typeof RunLater>();
  const runsLater = (...of: Parameters<typeof real.runsLater>) => {
    looked.count += 1;
    return real.runsLater(...of);
  };
  return { ...real, runsLater };
});

/** So that no two of them have calls of the same name, also where they share their folder. */
let keepings = 0;

/** The gate's end of all stores, with a project. */
function keeping({
  node = process.execPath,
  folder = join(tempFolder(), "undo"),
  require = false,
  max_files = 1000,
} = {}) {
  const project = tempFolder();
  const clock = { now: Date.now() };
  const undo = new Undo({
    folder,
    home: tempFolder(),
    config: { max_files, max_bytes: 10 * 1024 * 1024, days: 7, require },
    node,
    boxMaker: () => null,
    now: () => clock.now,
    comesBack: () => undefined,
    failed: () => undefined,
  });
  onTestFinished(() => undo.close());
  keepings += 1;
  let count = 0;
  /** A confined command begins. @returns its call's id */
  const run = async (more: Partial<ConfinedRun["declaration"]> = {}, agentName = "ada") => {
    const decisionId = `decision-${keepings}-${++count}`;
    const declaration = { project, writes: [project], ...more };
    await undo.beforeRun({
      declaration,
      decision_id: decisionId,
      agent_name: agentName,
      session: "s",
    } as unknown as ConfinedRun);
    return decisionId;
  };
  /** One that is kept: a process that has just been started may come too late for the first. */
  const kept = async (...more: Parameters<typeof run>) => {
    let id = "";
    await expect
      .poll(async () => {
        id = await run(...more);
        return (await undo.list(100)).find((call) => call.id === id)?.missing;
      })
      .toBeNull();
    return id;
  };
  const ended = async (id: string) => {
    undo.afterRun({ decision_id: id } as unknown as ConfinedRun);
    await expect.poll(async () => (await undo.list(100)).find((call) => call.id === id)?.state).toBe("kept");
    // What is taken back from now on wasn't taken back while it ran.
    clock.now = Date.now() + 1;
  };
  return { undo, project, folder, clock, run, kept, ended };
}

describe("a call that couldn't be kept says so, where nothing could write that", () => {
  it("as its store's process doesn't answer, or ends", async () => {
    const hanging = join(tempFolder(), "node");
    writeFileSync(hanging, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    for (const [node, missing] of [
      [hanging, "late"],
      ["/bin/false", "disk"],
    ] as const) {
      const { undo, project, run } = keeping({ node });
      const began = performance.now();
      const id = await run();
      expect(performance.now() - began).toBeLessThan(3000);
      expect(await undo.list(10)).toMatchObject([{ id, project, agent: "ada", state: "not-kept", missing }]);
      const strict = keeping({ node, require: true });
      await expect(strict.run()).rejects.toThrow("it could not be taken back");
    }
  });

  it("as the disk is full, before and after the gate's next start", async () => {
    const disk = smallDisk(8);
    if (disk === undefined) return;
    const { undo, project, kept, run } = keeping({ folder: disk.folder });
    writeFileSync(join(project, "a"), "before");
    const first = await kept();
    disk.fill();
    writeFileSync(join(project, "b"), execFileSync("head", ["-c", "30000", "/dev/urandom"]));
    const id = await run();
    expect(await undo.list(1)).toMatchObject([{ id, state: "not-kept", missing: "disk" }]);
    undo.close();
    const next = keeping({ folder: disk.folder });
    // What the disk still holds is its project's, whatever else couldn't be written.
    await next.undo.files({ call: first }).catch(() => undefined);
    expect((await next.undo.list(10)).find((call) => call.id === first)).toMatchObject({ project });
    disk.empty();
    expect((await next.undo.files({ call: first })).files).toMatchObject([{ path: "b" }]);
  });
});

it("a link by the name of a folder of settings isn't put back without a choice", async () => {
  const { undo, project, kept } = keeping();
  symlinkSync("cfg", join(project, ".vscode"));
  writeFileSync(join(project, "a"), "before");
  const id = await kept();
  for (const name of [".vscode", "a"]) rmSync(join(project, name));
  undo.afterRun({ decision_id: id } as unknown as ConfinedRun);
  await expect.poll(async () => (await undo.list(1))[0]?.state).toBe("kept");
  expect((await undo.files({ call: id })).files.map(({ path, part }) => [path, part])).toEqual([
    [".vscode", "runs-later"],
    ["a", "file"],
  ]);
  for await (const { files } of undo.takeBack({ call: id }, [], "undo")) expect(files).toHaveLength(2);
  expect(readdirSync(project)).toEqual(["a"]);
});

describe("what is forgotten", () => {
  it("what a gate that was killed meanwhile had left of it goes, too, and counts as nothing", async () => {
    const { undo, folder, kept } = keeping();
    await kept();
    const [name = ""] = readdirSync(folder);
    const left = join(folder, `${name}-1.forgotten`);
    mkdirSync(left);
    writeFileSync(join(left, "project"), "/srv/x\n");
    expect((await undo.list(100)).every(({ project }) => project !== "/srv/x")).toBe(true);
    await undo.tidy();
    expect(existsSync(left)).toBe(false);
    expect(await undo.forget()).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a project in which nothing has been done for as long as calls are kept: nothing of it is kept on", async () => {
    const { undo, folder, clock, project, kept } = keeping();
    writeFileSync(join(project, "secret"), "secret");
    await kept();
    await undo.tidy();
    expect(readdirSync(folder)).toHaveLength(1);
    clock.now += 8 * 86_400_000;
    await undo.tidy();
    expect(readdirSync(folder)).toEqual([]);
  });
});

it("a call that has to be kept, and comes while its project is forgotten, isn't kept by what is removed", async () => {
  const { undo, project, kept, run } = keeping({ require: true });
  for (let i = 0; i < 200; i++) writeFileSync(join(project, `${i}`), "before");
  await kept();
  const stop = vi.spyOn(StoreProcess.prototype, "stop");
  onTestFinished(() => stop.mockRestore());
  for (let round = 1; round <= 5; round++) {
    const forgotten = undo.forget();
    while (stop.mock.calls.length < round) await nextTurn();
    const id = await run().catch(() => undefined);
    await forgotten;
    if (id !== undefined) expect((await undo.files({ call: id })).calls).toEqual([id]);
    await kept();
  }
});

it("of a long chain of undos each agent gets to know what was done with its files", async () => {
  const { undo, project, folder, kept, ended, clock } = keeping();
  writeFileSync(join(project, "a"), "before");
  const id = await kept();
  writeFileSync(join(project, "a"), "the agent's");
  await ended(id);
  const [name = ""] = readdirSync(folder);
  const store = join(folder, name);
  const call = readCalls(store).find((one) => one.id === id);
  const ids = [id, ...Array.from({ length: 20_000 }, (_, at) => `undo-${at}`)];
  const [before, after] = [call?.before ?? "", call?.after ?? ""];
  const chain = ids.slice(1).flatMap((one, at) => {
    const undone = { id: one, agent: null, session: "", executor: "undo", at: clock.now, of: [ids[at] ?? ""] };
    const [from, to] = at % 2 === 0 ? [after, before] : [before, after];
    return [
      { line: "before", ...undone, paths: ["a"], tree: from, missing: null },
      { line: "after", id: one, tree: to, missing: null },
    ];
  });
  appendFileSync(join(store, "calls.jsonl"), chain.map((line) => `${JSON.stringify(line)}\n`).join(""));
  clock.now += 1;
  for await (const { files } of undo.takeBack({ call: ids.at(-1) ?? "" }, [], "undo"))
    expect(files).toMatchObject([{ path: "a", outcome: "restored" }]);
  expect(undo.unreported.take({ agent: "ada", session: "s" })).toMatchObject({ put_again: ["a"] });
});

describe("one process at a time has a store", () => {
  const nextOf = ({ folder, root }: OwnStore, node = process.execPath) => {
    const bounds = { max_files: 10_000, max_bytes: 2 ** 30, days: 7 };
    const next = new StoreProcess({ folder, root, bounds, node });
    onTestFinished(() => next.stop());
    return next;
  };

  it("the next one waits until that of a gate that was killed has done what it was asked for", async () => {
    const store = new OwnStore();
    for (let i = 0; i < 100; i++) writeFileSync(store.path(`${i}`), "before");
    const id = await store.call(() => {
      for (let i = 0; i < 100; i++) rmSync(store.path(`${i}`));
    });
    const first = store.process;
    const undone = store.takeBack([id]);
    undone.catch(() => undefined);
    // Its gate is gone: nothing is asked any more.
    await expect.poll(() => store.calls.at(-1)?.executor, { interval: 1 }).toBe("undo");
    first.end();
    const second = nextOf(store);
    await second.ask({ do: "prepare" });
    await expect.poll(() => first.hasEnded).toBe(true);
    await undone;
    expect(store.calls.at(-1)).toMatchObject({ executor: "undo", missing: null });
    expect(readdirSync(store.root)).toHaveLength(100);
  });

  it("makes nothing anew where the gate's folder was removed meanwhile", async () => {
    const gone = join(tempFolder(), "gone");
    const late = new StoreProcess({
      folder: join(gone, "store"),
      root: tempFolder(),
      bounds: { max_files: 10, max_bytes: 2 ** 20, days: 7 },
      node: process.execPath,
      boxMaker: () => null,
    });
    await expect(late.ask({ do: "prepare" })).rejects.toThrow("ended");
    expect(existsSync(gone)).toBe(false);
  });

  it("of two that begin at the same time, too: one waits until the other has ended", async () => {
    const store = new OwnStore();
    store.end();
    rmSync(join(store.folder, "pid"), { force: true });
    const slow = nodeImporting("slow-to-claim.ts");
    const both = [nextOf(store, slow), nextOf(store, slow)];
    const answers = both.map((one) => one.ask({ do: "prepare" }).then(() => one));
    const first = await Promise.race(answers);
    // As long as that one has it, the other one says nothing.
    const other = both.find((one) => one !== first);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([other?.waiting, readFileSync(join(store.folder, "pid"), "utf8").split("\n")[0]]).toEqual([
      1,
      `${first.pid}`,
    ]);
    await first.stop();
    expect((await Promise.all(answers)).at(both.indexOf(first) === 0 ? 1 : 0)).toBe(other);
  });

  it("one that begins late makes nothing anew of what was forgotten meanwhile", async () => {
    const { undo, folder, project, kept } = keeping();
    await kept();
    const [name = ""] = readdirSync(folder);
    const [gone, moved] = [join(folder, name), join(tempFolder(), "moved")];
    const bounds = { max_files: 10, max_bytes: 2 ** 20, days: 7 };
    undo.close();
    const late = new StoreProcess({ folder: gone, root: project, bounds, node: process.execPath });
    const answer = late.ask({ do: "prepare" });
    renameSync(gone, moved);
    await expect(answer).rejects.toThrow("ended");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("and kills one that doesn't end", async () => {
    const store = new OwnStore();
    await store.begun();
    const { pid = 0 } = store.process;
    process.kill(pid, "SIGSTOP");
    const second = nextOf(store);
    expect(await second.ask({ do: "prepare" })).toBeNull();
    await expect.poll(() => store.process.hasEnded).toBe(true);
    expect(readFileSync(join(store.folder, "pid"), "utf8")).toBe(`${second.pid}\n`);
  });
});

describe("a command in a project that is too large to be looked through", () => {
  const inFolder = (project: string) => ({ writes: [join(project, "src")], is_project_too_large: true as const });

  it("that removes files in a folder has the whole project kept: they come back", async () => {
    const { undo, project, kept, run, ended } = keeping();
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src/a"), "before");
    await kept();
    const id = await run(inFolder(project));
    rmSync(join(project, "src/a"));
    await ended(id);
    for await (const { files } of undo.takeBack({ call: id }, [], "undo"))
      expect(files).toMatchObject([{ path: "src/a", outcome: "restored" }]);
    expect(readFileSync(join(project, "src/a"), "utf8")).toBe("before");
  });

  it("says where that can't be kept, and one that writes a file that is there is kept all the same", async () => {
    const { undo, project, kept, run, ended } = keeping({ max_files: 10 });
    mkdirSync(join(project, "src"));
    await kept();
    for (let i = 0; i < 20; i++) writeFileSync(join(project, `src/${i}`), "before");
    const id = await run(inFolder(project));
    rmSync(join(project, "src/7"));
    expect(await undo.list(1)).toMatchObject([{ id, state: "not-kept", missing: "too-many-files" }]);
    const named = await run({ writes: [join(project, "src/8")], is_project_too_large: true });
    writeFileSync(join(project, "src/8"), "the agent's");
    await ended(named);
    expect((await undo.files({ call: named })).files).toMatchObject([{ path: "src/8", state: "ready" }]);
  });
});

it("a store that can't be tidied keeps no other from forgetting what is too old", async () => {
  const { undo, folder, clock, kept } = keeping();
  await kept();
  const [first = ""] = readdirSync(folder);
  for (const other of [keeping({ folder }), keeping({ folder })]) {
    await other.kept();
    other.undo.close();
  }
  expect(readdirSync(folder)).toHaveLength(3);
  rmSync(join(folder, first, "calls.jsonl"));
  mkdirSync(join(folder, first, "calls.jsonl"));
  clock.now += 8 * 86_400_000;
  await undo.tidy().catch(() => undefined);
  expect(readdirSync(folder)).toEqual([first]);
});

describe("what was taken back", () => {
  it("is said to whoever writes it down before anything else is done with it", async () => {
    const { undo, project, kept, ended } = keeping();
    writeFileSync(join(project, "a"), "before");
    const id = await kept();
    rmSync(join(project, "a"));
    await ended(id);
    vi.spyOn(undo.unreported, "note").mockImplementation(() => {
      throw new Error("no memory");
    });
    const results = undo.takeBack({ call: id }, [], "undo");
    expect((await results.next()).value).toMatchObject({ calls: [id], files: [{ path: "a", outcome: "restored" }] });
    await expect(results.next()).rejects.toThrow("no memory");
  });

  it("isn't the call where a file couldn't be put back: the same selection has it again, and the next one doesn't", async () => {
    const { undo, project, kept, ended } = keeping();
    for (const name of ["a", "b"]) {
      mkdirSync(join(project, name));
      writeFileSync(join(project, name, "file"), "before");
    }
    const id = await kept();
    for (const name of ["a", "b"]) rmSync(join(project, name, "file"));
    await ended(id);
    renameSync(join(project, "b"), join(project, "away"));
    writeFileSync(join(project, "b"), "in its place");
    const stateOf = async () => (await undo.list(100)).find((call) => call.id === id)?.state;
    const take = async () => {
      const outcomes: (string | undefined)[] = [];
      for await (const { files } of undo.takeBack({ session: "s" }, [], "undo"))
        for (const { path, outcome } of files) if (path.endsWith("/file")) outcomes.push(outcome);
      return outcomes;
    };
    expect(await take()).toEqual(["restored", "failed"]);
    expect(await stateOf()).toBe("kept");
    // Nothing at all is done this time.
    expect(await take()).toEqual(["left", "failed"]);
    expect(await stateOf()).toBe("kept");
    expect((await undo.list(100)).filter(({ agent }) => agent === null)).toHaveLength(1);
    rmSync(join(project, "b"));
    renameSync(join(project, "away"), join(project, "b"));
    expect(await take()).toEqual(["left", "restored"]);
    expect(await stateOf()).toBe("undone");
  });

  it("is there again where its undo is taken back by its own name, and a call isn't put again", async () => {
    const { undo, project, kept, ended } = keeping();
    writeFileSync(join(project, "a"), "before");
    const id = await kept();
    rmSync(join(project, "a"));
    await ended(id);
    const take = async (call: string, as: "undo" | "redo" = "undo") => {
      const ids: string[] = [];
      for await (const result of undo.takeBack({ call }, [], as)) ids.push(result.id);
      return ids[0] ?? "";
    };
    const stateOf = async () => (await undo.list(100)).find((call) => call.id === id)?.state;
    await expect(take(id, "redo")).rejects.toMatchObject({ code: "unknown_call" });
    const first = await take(id);
    expect([await stateOf(), existsSync(join(project, "a"))]).toEqual(["undone", true]);
    const second = await take(first);
    expect([await stateOf(), existsSync(join(project, "a"))]).toEqual(["kept", false]);
    await take(second);
    expect([await stateOf(), existsSync(join(project, "a"))]).toEqual(["undone", true]);
  });
});

it("of several projects one that is gone keeps no other from coming back", async () => {
  const { undo, project, kept, ended } = keeping();
  const other = tempFolder();
  const gone = await kept({ project: other, writes: [other] });
  writeFileSync(join(other, "a"), "the agent's");
  await ended(gone);
  const id = await kept();
  writeFileSync(join(project, "a"), "the agent's");
  await ended(id);
  rmSync(other, { recursive: true });
  expect((await undo.files({ session: "s" })).files).toMatchObject([{ project, path: "a" }]);
  for await (const { files } of undo.takeBack({ session: "s" }, [], "undo"))
    expect(files).toMatchObject([{ project, path: "a", outcome: "restored" }]);
  await expect(undo.files({ call: gone })).rejects.toMatchObject({ code: "undo_failed" });
});

describe("of the last call", () => {
  it("that couldn't be kept it is said, and no earlier one is taken back in its stead", async () => {
    const { undo, project, kept, run, ended } = keeping({ max_files: 10 });
    writeFileSync(join(project, "a"), "before");
    const id = await kept();
    rmSync(join(project, "a"));
    await ended(id);
    for (let i = 0; i < 20; i++) writeFileSync(join(project, `${i}`), "");
    await run();
    await expect(undo.files({})).rejects.toMatchObject({
      code: "unknown_call",
      message: expect.stringContaining("the last call can't be taken back"),
    });
    expect((await undo.files({ call: id })).calls).toEqual([id]);
  });

  it("only what was shown is taken back, although an agent made another one meanwhile", async () => {
    const { undo, project, kept, ended } = keeping();
    const call = async (name: string) => {
      const id = await kept();
      writeFileSync(join(project, name), "the agent's");
      await ended(id);
      return id;
    };
    for (const name of ["a", "b"]) writeFileSync(join(project, name), "before");
    const first = await call("a");
    const shown = await undo.files({});
    expect(shown.calls).toEqual([first]);
    await call("b");
    for await (const result of undo.takeBack({ calls: shown.calls }, [], "undo")) expect(result.calls).toEqual([first]);
    expect(["a", "b"].map((name) => readFileSync(join(project, name), "utf8"))).toEqual(["before", "the agent's"]);
  });

  it("a file that was chosen stays where it isn't as it was shown any more", async () => {
    const { undo, project, kept, ended } = keeping();
    writeFileSync(join(project, "package.json"), "before");
    const id = await kept();
    writeFileSync(join(project, "package.json"), "the agent's");
    await ended(id);
    const { files } = await undo.files({ call: id });
    const choices = files.map(({ bytes, state }) => ({ project, path: bytes, choice: "before" as const, state }));
    expect(files).toMatchObject([{ path: "package.json", state: "ready" }]);
    writeFileSync(join(project, "package.json"), "mine");
    for await (const result of undo.takeBack({ call: id }, choices, "undo"))
      expect(result.files).toMatchObject([{ outcome: "left" }]);
    expect(readFileSync(join(project, "package.json"), "utf8")).toBe("mine");
  });
});

describe("an edit", () => {
  const edit = (project: string) => ({ writes: [join(project, "a")], is_project_too_large: true as const });

  it("waits a quarter of a second at the most, also where its own files can't be read", async () => {
    const { undo, project, kept, run } = keeping();
    writeFileSync(join(project, "a"), "before");
    await kept(edit(project));
    const pipe = join(tempFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    // Whoever reads a file in this process waits from now on, as on a disk that hangs.
    const readers = Array.from({ length: 64 }, () => open(pipe, "r"));
    const began = performance.now();
    const id = await run(edit(project));
    const took = performance.now() - began;
    const writer = openSync(pipe, "r+");
    for (const reader of readers) await (await reader).close();
    closeSync(writer);
    expect(took).toBeLessThan(1000);
    expect(await undo.list(1)).toMatchObject([{ id, state: "not-kept", missing: "late" }]);
  });

  it("is kept only while little waits for its store; after that it runs as one that can't be taken back", async () => {
    const { undo, project, folder, kept, run } = keeping();
    writeFileSync(join(project, "a"), "before");
    await kept(edit(project));
    writeFileSync(join(project, "a"), "x".repeat(4 * 1024 * 1024));
    const [name = ""] = readdirSync(folder);
    const pid = Number(readFileSync(join(folder, name, "pid"), "utf8"));
    process.kill(pid, "SIGSTOP");
    const ids: string[] = [];
    try {
      for (let i = 0; i < 24; i++) ids.push(await run(edit(project)));
      // Nobody waits for a store that has so much to do.
      const began = performance.now();
      for (let i = 0; i < 5; i++) await run();
      expect(performance.now() - began).toBeLessThan(500);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    const missing = async () => {
      const calls = new Map((await undo.list(100)).map((call) => [call.id, call.missing]));
      return ids.map((id) => calls.get(id));
    };
    await expect.poll(async () => (await missing())[0], { timeout: 10_000 }).toBeNull();
    expect((await missing()).at(-1)).toBe("late");
    ids.push(await run(edit(project)));
    await expect.poll(async () => (await missing()).at(-1), { timeout: 10_000 }).toBeNull();
  });
});

it("while many files are looked at others have their turn", async () => {
  const { undo, project, kept, ended } = keeping();
  const names = Array.from({ length: 900 }, (_, i) => `a-file-with-a-name-${i}`);
  const id = await kept();
  for (const name of names) writeFileSync(join(project, name), "");
  await ended(id);
  let [before, most, isDone] = [looked.count, 0, false];
  const look = () => {
    most = Math.max(most, looked.count - before);
    before = looked.count;
    if (!isDone) setImmediate(look);
  };
  look();
  const parse = vi.spyOn(JSON, "parse");
  expect((await undo.files({ call: id })).files).toHaveLength(names.length);
  isDone = true;
  // Nor is what its store says of them taken apart at once.
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(100_000);
  parse.mockRestore();
  await nextTurn();
  expect(looked.count).toBeGreaterThanOrEqual(names.length);
  expect(most).toBeLessThan(names.length / 4);
});

it("each agent gets to know of what it did itself, and of nobody else's files", async () => {
  const { undo, project, kept, ended } = keeping();
  for (const name of ["a", "b"]) writeFileSync(join(project, name), "before");
  for (const [agent, name] of [
    ["ada", "a"],
    ["bob", "b"],
  ] as const) {
    const id = await kept({}, agent);
    writeFileSync(join(project, name), "the agent's");
    await ended(id);
  }
  const since = new Date(0).toISOString();
  for await (const { files } of undo.takeBack({ since }, [], "undo")) expect(files).toHaveLength(2);
  const reported = (agent: string) => undo.unreported.take({ agent, session: "s" });
  expect(reported("ada")).toEqual({ taken_back: ["a"], put_again: [], more: 0 });
  expect(reported("bob")).toEqual({ taken_back: ["b"], put_again: [], more: 0 });
  for await (const { files } of undo.takeBack({ call: await undo.lastUndo() }, [], "redo"))
    expect(files).toHaveLength(2);
  expect([reported("ada"), reported("bob")]).toMatchObject([{ put_again: ["a"] }, { put_again: ["b"] }]);
});

it("what couldn't be put again can be asked for once more", async () => {
  const { undo, project, clock, kept, ended } = keeping();
  for (const name of ["a", "b"]) mkdirSync(join(project, name));
  const id = await kept();
  for (const name of ["a", "b"]) writeFileSync(join(project, name, "file"), "the agent's");
  await ended(id);
  const take = async (call: string, as: "undo" | "redo") => {
    const outcomes: string[] = [];
    clock.now += 1;
    for await (const { files } of undo.takeBack({ call }, [], as))
      outcomes.push(...files.map(({ outcome }) => outcome));
    return outcomes;
  };
  expect(await take(id, "undo")).toEqual(["restored", "restored"]);
  const first = await undo.lastUndo();
  renameSync(join(project, "b"), join(project, "away"));
  writeFileSync(join(project, "b"), "in its place");
  expect(await take(first, "redo")).toEqual(["restored", "failed"]);
  rmSync(join(project, "b"));
  renameSync(join(project, "away"), join(project, "b"));
  expect(await undo.lastUndo()).toBe(first);
  expect(await take(first, "redo")).toEqual(["left", "restored"]);
  expect(["a", "b"].map((name) => readFileSync(join(project, name, "file"), "utf8"))).toEqual(
    Array(2).fill("the agent's"),
  );
  await expect(undo.lastUndo()).rejects.toMatchObject({ code: "unknown_call" });
  expect((await undo.list(100)).find((call) => call.id === id)?.state).toBe("kept");
});
