import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isIgnored, rulesOf } from "../../main/undo/ignored.ts";
import { powerlessNode } from "../support/powerless-node.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { nodeImporting, OwnStore } from "./own-store.ts";

/** A program of the same user that does something again and again, until the test has ended. */
async function neighbour(script: string, cwd: string): Promise<void> {
  const child = spawn("bash", ["-c", `echo begun; ${script}`], { cwd, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child.stdout, "data");
}

describe("a link in place of a folder", () => {
  it("above the project: nothing is read, nor written, where it leads", async () => {
    const base = tempFolder();
    const [real, elsewhere] = [join(base, "outer/mid"), join(base, "home")];
    const store = new OwnStore({}, { project: real });
    writeFileSync(store.path("keys"), "the agent's");
    const id = await store.call(() => rmSync(store.path("keys")));
    mkdirSync(join(elsewhere, "project"), { recursive: true });
    writeFileSync(join(elsewhere, "project/secret"), "secret");
    renameSync(real, join(base, "moved"));
    symlinkSync(elsewhere, real);
    await expect(store.takeBack([id])).rejects.toThrow();
    expect(readdirSync(join(elsewhere, "project"))).toEqual(["secret"]);
    expect((await store.begun()).missing).toBe("project-gone");
  });

  it("swapped again and again while files are put back: nothing gets to where it leads", async () => {
    const store = new OwnStore();
    const outside = tempFolder();
    mkdirSync(store.path("a/b"), { recursive: true });
    for (let i = 0; i < 60; i++) writeFileSync(store.path(`a/b/${i}`), `${i}`);
    const id = await store.call(() => {
      for (let i = 0; i < 60; i++) rmSync(store.path(`a/b/${i}`));
    });
    const swap = (name: string) =>
      `mv -T ${name} ${name}x; ln -s ${outside} ${name}; rm ${name}; mv -T ${name}x ${name}`;
    mkdirSync(join(outside, "b"));
    await neighbour(`while :; do ${swap("a")}; (cd a && ${swap("b")}); done`, store.root);
    for (let round = 0; round < 10; round++) await store.takeBack([id]).catch(() => undefined);
    expect(readdirSync(outside)).toEqual(["b"]);
    expect(readdirSync(join(outside, "b"))).toEqual([]);
  });

  it("a file swapped with a link again and again is never followed, and what it leads to never kept", async () => {
    const store = new OwnStore();
    const outside = join(tempFolder(), "secret");
    writeFileSync(outside, "secret");
    writeFileSync(store.path("a"), "before");
    await neighbour(`while :; do ln -sf ${outside} a; echo agent > b; mv b a; done`, store.root);
    for (let round = 0; round < 20; round++) {
      const id = await store.call(() => undefined);
      await store.takeBack([id], { a: "before" });
      const texts = await store.process.ask({ do: "contents", ids: [id], path: "a", max: 100 });
      expect(texts).not.toContain("secret");
    }
    expect(readFileSync(outside, "utf8")).toBe("secret");
  });
});

describe("what couldn't be looked at before a call", () => {
  it("a folder that was closed counts as unknown: what is in it stays", async () => {
    const node = powerlessNode();
    if (node === undefined) return;
    const store = new OwnStore({}, { node });
    mkdirSync(store.path("src"));
    writeFileSync(store.path("src/mine"), "mine");
    chmodSync(store.path("src"), 0);
    const id = await store.call(() => chmodSync(store.path("src"), 0o755));
    await store.takeBack([id]);
    expect(readFileSync(store.path("src/mine"), "utf8")).toBe("mine");
  });

  it("one that was left out until its repository no longer ignored it: what is in it stays", async () => {
    const store = new OwnStore();
    writeFileSync(store.path(".gitignore"), "dist\nlarge\n");
    mkdirSync(store.path("dist"));
    writeFileSync(store.path("dist/mine"), "mine");
    writeFileSync(store.path("large"), "mine");
    truncateSync(store.path("large"), 2 * 1024 * 1024);
    const id = await store.call(() => writeFileSync(store.path(".gitignore"), ""));
    await store.takeBack([id]);
    expect(readFileSync(store.path("dist/mine"), "utf8")).toBe("mine");
    expect(existsSync(store.path("large"))).toBe(true);
    expect(readFileSync(store.path(".gitignore"), "utf8")).toBe("dist\nlarge\n");
    // Packed anew, trees with such entries are whole.
    await store.process.ask({ do: "tidy", now: Date.now() + 8 * 86_400_000 });
    // By then it is kept.
    writeFileSync(store.path(".gitignore"), "");
    await store.begun();
    const removed = await store.call(() => rmSync(store.path("large")));
    expect(await store.states(removed)).toEqual({ large: "ready" });
  });

  it("a disk that was mounted there, and isn't any more", async () => {
    const store = new OwnStore();
    mkdirSync(store.path("data"));
    writeFileSync(store.path("data/mine"), "mine");
    try {
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", store.path("data")], { stdio: "pipe" });
    } catch (error) {
      if (process.env.CI === "true") throw error;
      return; // only root may mount
    }
    writeFileSync(store.path("data/other"), "another disk's");
    const id = await store.call(() => execFileSync("umount", [store.path("data")]));
    await store.takeBack([id]);
    expect(readdirSync(store.path("data"))).toEqual(["mine"]);
  });

  it("folders and files that were closed keep no snapshot from being made, and are opened again by taking that back", async () => {
    const node = powerlessNode();
    if (node === undefined) return;
    const store = new OwnStore({}, { node });
    mkdirSync(store.path("src/in"), { recursive: true });
    for (const name of ["src/a", "src/in/b", "c"]) writeFileSync(store.path(name), "before");
    for (const mode of [0o000, 0o644, 0o300]) {
      const id = await store.call(() => {
        writeFileSync(store.path("c"), `${mode}`);
        rmSync(store.path("src/in/b"));
        chmodSync(store.path("src"), mode);
      });
      expect(store.calls.find((call) => call.id === id)).toMatchObject({ missing: null });
      expect((await store.begun(["src/a"])).missing).toBeNull();
      await store.takeBack([id]);
      expect(lstatSync(store.path("src")).mode & 0o777).toBe(0o755);
      expect(readFileSync(store.path("c"), "utf8")).toBe("before");
      // What was in it can be looked at now.
      await store.takeBack([id]);
      expect(readFileSync(store.path("src/in/b"), "utf8")).toBe("before");
      expect(readFileSync(store.path("src/a"), "utf8")).toBe("before");
    }
  });

  it("a folder that nobody may write to, made by the agent, goes with what is in it", async () => {
    const node = powerlessNode();
    if (node === undefined) return;
    const store = new OwnStore({}, { node });
    const id = await store.call(() => {
      mkdirSync(store.path("made/deep"), { recursive: true });
      writeFileSync(store.path("made/deep/a"), "a");
      chmodSync(store.path("made/deep"), 0o555);
      chmodSync(store.path("made"), 0o555);
    });
    await store.takeBack([id]);
    expect(readdirSync(store.root)).toEqual([]);
    // Where something of somebody else's is in it, it is as it was.
    const second = await store.call(() => {
      mkdirSync(store.path("made"));
      writeFileSync(store.path("made/a"), "a");
    });
    writeFileSync(store.path("made/mine"), "mine");
    chmodSync(store.path("made"), 0o555);
    await store.takeBack([second], { made: "before" });
    expect(lstatSync(store.path("made")).mode & 0o777).toBe(0o555);
    expect(existsSync(store.path("made/mine"))).toBe(true);
    chmodSync(store.path("made"), 0o755);
  });
});

describe("a disk that fails, or that hangs in the project", () => {
  it("one file or folder that can't be read keeps the others from nothing", async () => {
    const store = new OwnStore({}, { node: nodeImporting("failing-disk.ts") });
    for (const name of ["a", "bad-file"]) writeFileSync(store.path(name), "before");
    mkdirSync(store.path("bad-mount"));
    const id = await store.call(() => {
      for (const name of ["a", "bad-file"]) writeFileSync(store.path(name), "agent");
    });
    expect((await store.begun(["bad-file", "bad-mount/x"])).missing).toBeNull();
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
    expect(readFileSync(store.path("bad-file"), "utf8")).toBe("agent");
  });

  it("full as an undo ends: what became of each file is said all the same, and the next process knows that it was interrupted", async () => {
    const store = new OwnStore({}, { node: nodeImporting("disk-full-at-end.ts") });
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    expect((await store.takeBack([id])).outcomes).toEqual({ a: "restored" });
    store.restart(process.execPath);
    await store.begun();
    expect(store.calls.find(({ agent }) => agent === null)).toMatchObject({ missing: "interrupted" });
  });

  it("that takes a part of a line alone: the call isn't said to be kept, and nothing is put back that couldn't be put again", async () => {
    const store = new OwnStore({}, { node: nodeImporting("disk-that-takes-a-part.ts") });
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    expect((await store.begun()).missing).toBe("disk");
    expect(store.calls).toHaveLength(1);
    store.restart();
    await expect(store.takeBack([id])).rejects.toThrow("full");
    expect(readFileSync(store.path("a"), "utf8")).toBe("agent");
    // The next line is whole.
    store.restart(process.execPath);
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
  });

  it("a pack that can't be read any more: what is full forgets no calls for that, and new ones are kept once there is room", async () => {
    const store = new OwnStore({ max_bytes: 320_000 });
    const fill = () => writeFileSync(store.path("a"), execFileSync("head", ["-c", "150000", "/dev/urandom"]));
    fill();
    const first = await store.call(fill);
    const packs = join(store.folder, "objects/pack");
    for (const name of readdirSync(packs).filter((one) => one.endsWith(".pack"))) {
      chmodSync(join(packs, name), 0o600);
      truncateSync(join(packs, name), statSync(join(packs, name)).size - 1000);
    }
    store.restart();
    await store.process.ask({ do: "tidy", now: Date.now() });
    expect(store.calls.map((call) => call.id)).toContain(first);
  });

  it("a disk that was mounted since gets nothing of what was under it", async () => {
    const store = new OwnStore();
    mkdirSync(store.path("data"));
    for (const name of ["data/a", "b"]) writeFileSync(store.path(name), "before");
    const id = await store.call(() => {
      for (const name of ["data/a", "b"]) rmSync(store.path(name));
    });
    try {
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", store.path("data")], { stdio: "pipe" });
    } catch (error) {
      if (process.env.CI === "true") throw error;
      return; // only root may mount
    }
    try {
      await store.takeBack([id]);
      expect(readdirSync(store.path("data"))).toEqual([]);
      expect(readFileSync(store.path("b"), "utf8")).toBe("before");
    } finally {
      execFileSync("umount", [store.path("data")]);
    }
    await store.takeBack([id]);
    expect(readFileSync(store.path("data/a"), "utf8")).toBe("before");
  });
});

describe("what is kept no content of", () => {
  it("a file that is too large, made by the agent, isn't removed without a choice: it couldn't be put again", async () => {
    const store = new OwnStore();
    const id = await store.call(() => {
      writeFileSync(store.path("model"), "");
      truncateSync(store.path("model"), 40 * 1024 * 1024);
    });
    expect(await store.states(id)).toEqual({ model: "unkept" });
    await store.takeBack([id]);
    expect(existsSync(store.path("model"))).toBe(true);
    await store.takeBack([id], { model: "before" });
    expect(existsSync(store.path("model"))).toBe(false);
  });

  it("one in place of a small file, whoever made it, isn't replaced without a choice, for the same", async () => {
    const store = new OwnStore();
    for (const name of ["model", "other"]) writeFileSync(store.path(name), "a pointer");
    const id = await store.call(() => {
      truncateSync(store.path("model"), 40 * 1024 * 1024);
      writeFileSync(store.path("other"), "agent");
    });
    truncateSync(store.path("other"), 40 * 1024 * 1024);
    expect(await store.states(id)).toEqual({ model: "unkept", other: "unkept" });
    await store.takeBack([id]);
    expect(statSync(store.path("model")).size).toBe(40 * 1024 * 1024);
    await store.takeBack([id], { model: "before" });
    expect(readFileSync(store.path("model"), "utf8")).toBe("a pointer");
  });

  it("choosing what isn't kept changes nothing", async () => {
    const store = new OwnStore();
    writeFileSync(store.path(".gitignore"), "dist\n");
    mkdirSync(store.path("dist"));
    const id = await store.call(() => {
      renameSync(store.path("dist"), store.path("moved"));
      mkdirSync(store.path("dist"));
    });
    expect((await store.takeBack([id], { dist: "before" })).outcomes).toMatchObject({ dist: "failed" });
    expect(existsSync(store.path("dist"))).toBe(true);
  });

  it("a pipe that the agent put in a file's place is taken back as a file", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => {
      rmSync(store.path("a"));
      execFileSync("mkfifo", [store.path("a")]);
    });
    expect(await store.states(id)).toEqual({ a: "ready" });
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
  });
});

describe("names that differ by case alone, on a disk that takes them for one", () => {
  it("a file that was renamed so comes back, and so does what was undone", async () => {
    const store = new OwnStore({}, { node: nodeImporting("caseless-disk.ts") });
    mkdirSync(store.path("Src"));
    writeFileSync(store.path("Src/Readme"), "text");
    const id = await store.call(() => {
      renameSync(store.path("Src/Readme"), store.path("Src/README"));
      renameSync(store.path("Src"), store.path("src"));
    });
    const undo = await store.takeBack([id]);
    expect(readdirSync(store.root)).toEqual(["Src"]);
    expect(readdirSync(store.path("Src"))).toEqual(["Readme"]);
    await store.takeBack([undo.id]);
    expect(readdirSync(store.path("src"))).toEqual(["README"]);
    expect(readFileSync(store.path("src/README"), "utf8")).toBe("text");
  });
});

describe("somebody else at the same time", () => {
  it("an edit that came after the files were looked at stays, as nobody has chosen it", async () => {
    const store = new OwnStore();
    for (const name of ["a", "b"]) writeFileSync(store.path(name), "before");
    const id = await store.call(() => {
      for (const name of ["a", "b"]) writeFileSync(store.path(name), "agent");
    });
    const looked = await store.process.ask({ do: "files", ids: [id] });
    writeFileSync(store.path("a"), "mine");
    const undo = { id: "undo", agent: null, session: "", executor: "undo", at: Date.now() };
    const wishes = looked.map(({ path }) => ({ path, choice: null }));
    await store.process.ask({ do: "takeBack", ids: [id], undo, wishes });
    expect(readFileSync(store.path("a"), "utf8")).toBe("mine");
    expect(readFileSync(store.path("b"), "utf8")).toBe("before");
  });

  it("an edit at whatever time while a file is looked at again and again stays", async () => {
    for (let at = 1; at <= 6; at++) {
      const store = new OwnStore();
      writeFileSync(store.path("a"), "before");
      const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
      // What is seen of it may be what it was a moment ago.
      await new Promise((resolve) => setTimeout(resolve, 30));
      store.restart(nodeImporting("edited-while-read.ts", `EDITED_AT=${at}`));
      await store.takeBack([id]);
      expect([at, readFileSync(store.path("a"), "utf8")]).toEqual([at, at === 6 ? "before" : "mine"]);
    }
  });

  it("two undos of one call at once are one: the second finds nothing to do, and what was undone can be put again", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    const wishes = [{ path: "a", choice: null }];
    const undo = (name: string) => ({ id: name, agent: null, session: "", executor: "undo", at: Date.now() });
    await Promise.all(
      ["one", "two"].map((name) => store.process.ask({ do: "takeBack", ids: [id], undo: undo(name), wishes })),
    );
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
    expect(store.calls.map((call) => call.id)).toEqual([id, "one"]);
    await store.takeBack(["one"]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("agent");
  });

  it("a call that runs while another one is taken back: undoing it later doesn't bring the first one's work again", async () => {
    const store = new OwnStore();
    for (const name of ["a", "b"]) writeFileSync(store.path(name), "before");
    const first = await store.call(() => writeFileSync(store.path("a"), "agent"));
    const second = await store.begun();
    await store.takeBack([first]);
    writeFileSync(store.path("b"), "agent");
    await store.process.ask({ do: "after", id: second.id });
    expect(await store.states(second.id)).toEqual({ a: "unsure", b: "ready" });
    await store.takeBack([second.id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
    expect(readFileSync(store.path("b"), "utf8")).toBe("before");
  });

  it("a file that the agent deleted and somebody made anew, and a redo after an edit, wait for a choice", async () => {
    const store = new OwnStore();
    for (const name of ["a", "b"]) writeFileSync(store.path(name), "before");
    const id = await store.call(() => {
      rmSync(store.path("a"));
      writeFileSync(store.path("b"), "agent");
    });
    writeFileSync(store.path("a"), "mine");
    expect(await store.states(id)).toEqual({ a: "changed", b: "ready" });
    const undo = await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("mine");
    writeFileSync(store.path("b"), "mine, too");
    expect(await store.states(undo.id)).toEqual({ b: "changed" });
    await store.takeBack([undo.id]);
    expect(readFileSync(store.path("b"), "utf8")).toBe("mine, too");
  });

  it("folders that come and go while the project is read keep no snapshot from being made", async () => {
    const store = new OwnStore();
    for (let i = 0; i < 20; i++) mkdirSync(store.path(`${i}`));
    const turn = "mkdir -p $i/x/y/z; rm -r $i/x";
    await neighbour(`while :; do for i in {0..19}; do ${turn}; done; done`, store.root);
    await neighbour(`while :; do for i in {19..0}; do ${turn}; done; done`, store.root);
    const missing = new Set<string | null>();
    for (let round = 0; round < 150; round++) missing.add((await store.begun()).missing);
    expect([...missing]).toEqual([null]);
  });
});

describe("of a hostile project", () => {
  it("rules of what is ignored keep nobody waiting", () => {
    const began = performance.now();
    const name = "a".repeat(250);
    for (const rule of ["*a*a*a*a*a*b", "**/**/**/b", "?*?*?*?*?*?*b", "[a]*[a]*[a]*[a]*[a]*[a]*b"])
      isIgnored(Array(200).fill(name).join("/"), false, rulesOf(`${rule}\nx/${rule}\n`, "", undefined));
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("variables for Git that the gate was started with count for nothing", async () => {
    const elsewhere = tempFolder();
    for (const name of ["GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_WORK_TREE"])
      vi.stubEnv(name, elsewhere);
    vi.stubEnv("GIT_CONFIG_PARAMETERS", "'core.alternaterefscommand=false' 'core.packedGitLimit=1'");
    vi.stubEnv("NODE_OPTIONS", "--import=/nothing");
    onTestFinished(() => void vi.unstubAllEnvs());
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    await store.takeBack([id]);
    await store.process.ask({ do: "tidy", now: Date.now() + 8 * 86_400_000 });
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("a folder of the name that half made files have keeps the next process from nothing", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    await store.call(() => writeFileSync(store.path("a"), "agent"));
    mkdirSync(store.path(".metnos-gate-undo-0123456789ab"));
    writeFileSync(store.path(".metnos-gate-undo-fedcba987654"), "half");
    const tree = store.calls[0]?.before ?? "";
    const undo = { id: "half", agent: null, session: "", executor: "undo", at: Date.now(), of: ["call-1"] };
    await store.interrupted(undo, ["a"], tree);
    expect(store.calls.find((call) => call.id === "half")).toMatchObject({ missing: "interrupted" });
    expect(readdirSync(store.root).sort()).toEqual([".metnos-gate-undo-0123456789ab", "a"]);
  });

  it("folders 2,000 deep are kept as deep as they are read, and the rest is said", async () => {
    const store = new OwnStore();
    const deep = Array(1000).fill("d").join("/");
    execFileSync("sh", ["-c", `mkdir -p ${deep}; cd ${deep}; mkdir -p ${deep}`], { cwd: store.root });
    writeFileSync(store.path("a"), "a");
    const id = await store.call(() => execFileSync("rm", ["-r", store.path("d"), store.path("a")]));
    const states = Object.values(await store.states(id));
    expect(states.filter((state) => state === "unkept")).toHaveLength(1);
    expect(states.filter((state) => state === "ready").length).toBeGreaterThan(200);
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("a");
  });

  it("a file that is linked to one outside is put back beside that, not through it; a set-user-id bit comes back", async () => {
    const store = new OwnStore();
    const outside = join(tempFolder(), "outside");
    writeFileSync(outside, "both");
    linkSync(outside, store.path("a"));
    writeFileSync(store.path("s"), "s");
    chmodSync(store.path("s"), 0o4755);
    const id = await store.call(() => {
      writeFileSync(store.path("a"), "agent");
      rmSync(store.path("s"));
    });
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("both");
    expect(readFileSync(outside, "utf8")).toBe("agent");
    expect(lstatSync(store.path("s")).mode & 0o7777).toBe(0o4755);
  });

  it("what can't be replaced is said to have failed, and the rest is put back", async () => {
    const store = new OwnStore();
    for (const name of ["a", "b"]) writeFileSync(store.path(name), "before");
    const id = await store.call(() => {
      for (const name of ["a", "b"]) writeFileSync(store.path(name), "agent");
    });
    try {
      execFileSync("chattr", ["+i", store.path("a")], { stdio: "pipe" });
    } catch {
      return; // not on this disk, or not by this user
    }
    try {
      expect((await store.takeBack([id])).outcomes).toEqual({ a: "failed", b: "restored" });
    } finally {
      execFileSync("chattr", ["-i", store.path("a")]);
    }
    expect((await store.takeBack([id])).outcomes).toEqual({ a: "restored" });
    expect(readdirSync(store.root).sort()).toEqual(["a", "b"]);
  });

  it("a project within another: both see what is done, and each takes back its own", async () => {
    const outer = new OwnStore();
    const inner = new OwnStore({}, { project: outer.path("packages") });
    writeFileSync(inner.path("a"), "before");
    const own = await outer.begun();
    const id = await inner.call(() => writeFileSync(inner.path("a"), "agent"));
    await outer.process.ask({ do: "after", id: own.id });
    expect(await outer.states(own.id)).toEqual({ "packages/project/a": "ready" });
    await inner.takeBack([id]);
    expect(await outer.states(own.id)).toEqual({ "packages/project/a": "done" });
    expect(readFileSync(inner.path("a"), "utf8")).toBe("before");
  });

  it("one that holds the store itself isn't kept: taking it back would remove what is kept", async () => {
    const base = tempFolder();
    mkdirSync(join(base, "project/state"), { recursive: true });
    const store = new OwnStore({}, { project: base, store: join(base, "project/state") });
    writeFileSync(store.path("a"), "before");
    await expect(store.begun()).rejects.toThrow("ended");
    expect(readdirSync(store.folder)).toEqual([]);
    // Nor where a link leads to it.
    const linked = join(tempFolder(), "state");
    symlinkSync(store.path("state"), linked);
    const other = new OwnStore({}, { project: base, store: linked });
    await expect(other.begun()).rejects.toThrow("ended");
    expect(readdirSync(store.folder)).toEqual([]);
  });

  it("worktrees, submodules and bare repositories are walked as files", async () => {
    const store = new OwnStore();
    const git = (...words: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...words], {
        cwd: store.root,
        env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
        stdio: "pipe",
      });
    git("init", "-q", "--bare", "bare.git");
    git("init", "-q", "main");
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "one");
    git("-C", "main", "worktree", "add", "-q", "../tree");
    git("-C", "main", "push", "-q", "../bare.git", "HEAD");
    git("-C", "main", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", store.path("bare.git"), "sub");
    writeFileSync(store.path("tree/a"), "before");
    git("-C", "main", "worktree", "add", "-q", "../other");
    mkdirSync(store.path("main/.git/reftable"));
    writeFileSync(store.path("main/.git/reftable/tables.list"), "one");
    writeFileSync(store.path("main/sub/a"), "before");
    const id = await store.call(() => {
      for (const name of ["tree", "main/sub", "bare.git/refs", "main/.git/reftable"])
        rmSync(store.path(name), { recursive: true });
      git("-C", "main", "worktree", "remove", "../other");
    });
    await store.takeBack([id]);
    expect(git("-C", "other", "status", "--porcelain").toString()).toBe("");
    expect(readFileSync(store.path("main/.git/reftable/tables.list"), "utf8")).toBe("one");
    for (const name of ["tree/a", "main/sub/a"]) expect(readFileSync(store.path(name), "utf8")).toBe("before");
    expect(readFileSync(store.path("tree/.git"), "utf8")).toContain("worktrees/tree");
    expect(git("-C", "bare.git", "rev-parse", "--is-bare-repository").toString()).toBe("true\n");
  });

  it("one that can't be stored within the bounds is said, and takes no more room than that", async () => {
    const store = new OwnStore({ max_bytes: 50 * 1024 * 1024 });
    const bytes = execFileSync("head", ["-c", String(20 * 1024 * 1024), "/dev/urandom"], { maxBuffer: 2 ** 26 });
    for (let i = 0; i < 6; i++) {
      bytes[0] = i;
      writeFileSync(store.path(`${i}`), bytes);
    }
    expect((await store.begun()).missing).toBe("store-full");
    const sizes = readdirSync(join(store.folder, "objects/pack")).map(
      (name) => statSync(join(store.folder, "objects/pack", name)).size,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(50 * 1024 * 1024);
  });
});
