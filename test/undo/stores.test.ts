import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ConfinedRun } from "../../main/decide/confinement/box.ts";
import { StoreProcess } from "../../main/undo/store-process.ts";
import { Undo } from "../../main/undo/undo.ts";
import { smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { OwnStore } from "./own-store.ts";

/** The gate's end of all stores, with a project. */
function keeping({ node = process.execPath, folder = join(tempFolder(), "undo"), require = false } = {}) {
  const project = tempFolder();
  const clock = { now: Date.now() };
  const undo = new Undo({
    folder,
    home: tempFolder(),
    config: { max_files: 1000, max_bytes: 10 * 1024 * 1024, days: 7, require },
    node,
    boxMaker: () => null,
    now: () => clock.now,
    comesBack: () => undefined,
    failed: () => undefined,
  });
  onTestFinished(() => undo.close());
  let count = 0;
  /** A confined command begins. @returns its call's id */
  const run = async () => {
    const decisionId = `decision-${++count}`;
    const declaration = { project, writes: [project] };
    await undo.beforeRun({
      declaration,
      decision_id: decisionId,
      agent_name: "ada",
      session: "s",
    } as unknown as ConfinedRun);
    return decisionId;
  };
  /** One that is kept: a process that has just been started may come too late for the first. */
  const kept = async () => {
    let id = "";
    await expect
      .poll(async () => {
        id = await run();
        return (await undo.list(100)).find((call) => call.id === id)?.missing;
      })
      .toBeNull();
    return id;
  };
  return { undo, project, folder, clock, run, kept };
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

describe("one process at a time has a store", () => {
  const nextOf = ({ folder, root }: OwnStore) => {
    const bounds = { max_files: 10_000, max_bytes: 2 ** 30, days: 7 };
    const next = new StoreProcess({ folder, root, bounds, node: process.execPath });
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

  it("and kills one that doesn't end", async () => {
    const store = new OwnStore();
    await store.begun();
    const { pid = 0 } = store.process;
    process.kill(pid, "SIGSTOP");
    const second = nextOf(store);
    expect(await second.ask({ do: "prepare" })).toBeNull();
    expect(store.process.hasEnded).toBe(true);
    expect(readFileSync(join(store.folder, "pid"), "utf8")).toBe(`${second.pid}\n`);
  });
});
