import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { OwnStore } from "./own-store.ts";

const modeOf = (path: string) => lstatSync(path).mode & 0o7777;

describe("what a call did is taken back", () => {
  it("a file that it changed, one that it deleted, one that it made, each with its mode", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "one");
    writeFileSync(store.path(".env"), "SECRET=1");
    chmodSync(store.path(".env"), 0o640);
    const id = await store.call(() => {
      writeFileSync(store.path("a"), "two");
      rmSync(store.path(".env"));
      writeFileSync(store.path("new"), "new");
    });
    expect(await store.states(id)).toEqual({ a: "ready", ".env": "ready", new: "ready" });
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("one");
    expect(readFileSync(store.path(".env"), "utf8")).toBe("SECRET=1");
    expect(modeOf(store.path(".env"))).toBe(0o640);
    expect(readdirSync(store.root).sort()).toEqual([".env", "a"]);
    expect(await store.states(id)).toEqual({ a: "done", ".env": "done", new: "done" });
  });

  it("links, folders, modes, and what changed its kind", async () => {
    const store = new OwnStore();
    symlinkSync("../elsewhere", store.path("link"));
    mkdirSync(store.path("src/empty"), { recursive: true });
    chmodSync(store.path("src/empty"), 0o711);
    writeFileSync(store.path("src/run.sh"), "run");
    chmodSync(store.path("src/run.sh"), 0o755);
    writeFileSync(store.path("file"), "file");
    mkdirSync(store.path("folder/in"), { recursive: true });
    writeFileSync(store.path("folder/in/x"), "x");
    const id = await store.call(() => {
      rmSync(store.path("link"));
      rmSync(store.path("src/empty"), { recursive: true });
      chmodSync(store.path("src/run.sh"), 0o600);
      rmSync(store.path("file"));
      mkdirSync(store.path("file/deep"), { recursive: true });
      writeFileSync(store.path("file/deep/y"), "y");
      rmSync(store.path("folder"), { recursive: true });
      symlinkSync("/etc", store.path("folder"));
    });
    const { outcomes } = await store.takeBack([id]);
    expect(Object.values(outcomes).every((outcome) => outcome === "restored")).toBe(true);
    expect(readlinkSync(store.path("link"))).toBe("../elsewhere");
    expect(modeOf(store.path("src/empty"))).toBe(0o711);
    expect(modeOf(store.path("src/run.sh"))).toBe(0o755);
    expect(readFileSync(store.path("file"), "utf8")).toBe("file");
    expect(lstatSync(store.path("folder")).isDirectory()).toBe(true);
    expect(readFileSync(store.path("folder/in/x"), "utf8")).toBe("x");
  });

  it("and put again: the undo is taken back like a call", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "one");
    const id = await store.call(() => {
      rmSync(store.path("a"));
      writeFileSync(store.path("b"), "b");
    });
    const undo = await store.takeBack([id]);
    expect(readdirSync(store.root)).toEqual(["a"]);
    await store.takeBack([undo.id]);
    expect(readdirSync(store.root)).toEqual(["b"]);
  });

  it("also where names have newlines, control characters, or bytes that are no text", async () => {
    const store = new OwnStore();
    const names = [
      Buffer.from("new\nline"),
      Buffer.from([0x66, 0xff, 0xfe]),
      Buffer.from("\x01\x1b[31m"),
      Buffer.from("é"),
    ];
    const pathOf = (name: Buffer) => Buffer.concat([Buffer.from(`${store.root}/`), name]);
    for (const name of names) writeFileSync(pathOf(name), name);
    const id = await store.call(() => {
      for (const name of names) rmSync(pathOf(name));
    });
    expect(Object.values(await store.states(id))).toEqual(["ready", "ready", "ready", "ready"]);
    await store.takeBack([id]);
    for (const name of names) expect(readFileSync(pathOf(name)).equals(name)).toBe(true);
  });

  it("several calls together, and one in the middle alone where later ones don't overlap", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "1");
    writeFileSync(store.path("b"), "1");
    const first = await store.call(() => writeFileSync(store.path("a"), "22"));
    const second = await store.call(() => writeFileSync(store.path("b"), "22"));
    const third = await store.call(() => writeFileSync(store.path("a"), "333"));
    expect(await store.states(first)).toEqual({ a: "changed" });
    await store.takeBack([second]);
    expect(readFileSync(store.path("b"), "utf8")).toBe("1");
    await store.takeBack([first, third]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("1");
  });
});

describe("what somebody else did stays", () => {
  it("a file that was changed since: nothing happens to it without a choice, and all three versions are there", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    writeFileSync(store.path("a"), "mine");
    expect(await store.states(id)).toEqual({ a: "changed" });
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("mine");
    const contents = await store.process.ask({ do: "contents", ids: [id], path: "a", max: 100 });
    expect(contents).toEqual(["before", "agent", "mine"]);
    const undo = await store.takeBack([id], { a: "before" });
    expect(readFileSync(store.path("a"), "utf8")).toBe("before");
    await store.takeBack([undo.id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("mine");
  });

  it("one that was changed between two calls that are taken back together", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const first = await store.call(() => writeFileSync(store.path("a"), "agent"));
    writeFileSync(store.path("a"), "mine!");
    const second = await store.call(() => writeFileSync(store.path("a"), "agent again"));
    expect(await store.states(first, second)).toEqual({ a: "changed" });
    await store.takeBack([first, second]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("agent again");
  });

  it("a folder that holds something of somebody else's by now", async () => {
    const store = new OwnStore();
    const id = await store.call(() => {
      mkdirSync(store.path("made"));
      writeFileSync(store.path("made/a"), "agent");
    });
    writeFileSync(store.path("made/mine"), "mine");
    const { outcomes } = await store.takeBack([id]);
    expect(outcomes).toEqual({ made: "kept", "made/a": "restored" });
    expect(readdirSync(store.path("made"))).toEqual(["mine"]);
  });

  it("what a call did of which nobody said that it ended: that is to be chosen", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const { id } = await store.begun();
    writeFileSync(store.path("a"), "somebody");
    expect(await store.states(id)).toEqual({ a: "unsure" });
    await store.takeBack([id]);
    expect(readFileSync(store.path("a"), "utf8")).toBe("somebody");
  });

  it("what changed while a call ran for more than a minute, whoever did it", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const long = await store.begun(null, Date.now() - 61_000);
    writeFileSync(store.path("a"), "somebody");
    await store.process.ask({ do: "after", id: long.id });
    expect(await store.states(long.id)).toEqual({ a: "unsure" });
    const edit = await store.begun(["a"], Date.now() - 61_000);
    writeFileSync(store.path("a"), "somebody, and the agent");
    await store.process.ask({ do: "after", id: edit.id });
    expect(await store.states(edit.id)).toEqual({ a: "unsure" });
    const short = await store.call(() => writeFileSync(store.path("a"), "the agent"));
    expect(await store.states(short)).toEqual({ a: "ready" });
  });

  it("a file tool's call has its own files alone", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    writeFileSync(store.path("b"), "before");
    const id = await store.call(() => {
      writeFileSync(store.path("a"), "agent");
      writeFileSync(store.path("b"), "mine");
      mkdirSync(store.path("deep/er"), { recursive: true });
      writeFileSync(store.path("deep/er/c"), "agent");
    }, ["a", "deep/er/c"]);
    expect(await store.states(id)).toEqual({ a: "ready", deep: "ready", "deep/er": "ready", "deep/er/c": "ready" });
    await store.takeBack([id]);
    expect(readdirSync(store.root).sort()).toEqual(["a", "b"]);
    expect(readFileSync(store.path("b"), "utf8")).toBe("mine");
  });
});

describe("no link leads out of the project", () => {
  it("a folder that was replaced by a link since: nothing is written where it leads", async () => {
    const store = new OwnStore();
    mkdirSync(store.path("src"));
    writeFileSync(store.path("src/a"), "before");
    const outside = `${store.root}-outside`;
    mkdirSync(outside);
    const id = await store.call(() => rmSync(store.path("src/a")));
    renameSync(store.path("src"), store.path("moved"));
    symlinkSync(outside, store.path("src"));
    expect(await store.states(id)).toEqual({ "src/a": "ready" });
    const { outcomes } = await store.takeBack([id]);
    expect(outcomes).toEqual({ "src/a": "failed" });
    expect(readdirSync(outside)).toEqual([]);
  });

  it("a file that was replaced by a link isn't followed", async () => {
    const store = new OwnStore();
    writeFileSync(store.path("a"), "before");
    const outside = `${store.root}-outside`;
    writeFileSync(outside, "mine");
    const id = await store.call(() => writeFileSync(store.path("a"), "agent"));
    rmSync(store.path("a"));
    symlinkSync(outside, store.path("a"));
    await store.takeBack([id], { a: "before" });
    expect(readFileSync(outside, "utf8")).toBe("mine");
    expect(lstatSync(store.path("a")).isFile()).toBe(true);
  });

  it("a failure is said for its file, and what is left can be repeated", async () => {
    const store = new OwnStore();
    for (const name of ["a", "b"]) {
      mkdirSync(store.path(name));
      writeFileSync(store.path(`${name}/file`), name);
    }
    const id = await store.call(() => {
      for (const name of ["a", "b"]) rmSync(store.path(`${name}/file`));
    });
    const outside = store.path("b");
    renameSync(outside, store.path("away"));
    writeFileSync(outside, "in its place");
    expect((await store.takeBack([id])).outcomes).toEqual({ "a/file": "restored", "b/file": "failed" });
    rmSync(outside);
    renameSync(store.path("away"), outside);
    expect((await store.takeBack([id])).outcomes).toEqual({ "b/file": "restored" });
    expect(existsSync(store.path("b/file"))).toBe(true);
  });
});
