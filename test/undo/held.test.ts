import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { heldNow } from "../../main/undo/held.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { OwnStore } from "./own-store.ts";

/** What is read of an edit's own files before its store has begun. */

it("a file, a link, what isn't there, and the folders above are held; what can keep its reader waiting, is too large or leads outside isn't", async () => {
  const root = tempFolder();
  const outside = tempFolder();
  writeFileSync(join(outside, "secret"), "secret");
  mkdirSync(join(root, "src"), { mode: 0o755 });
  writeFileSync(join(root, "src/a"), Buffer.from([0, 255]), { mode: 0o640 });
  symlinkSync("../elsewhere", join(root, "src/link"));
  symlinkSync(outside, join(root, "out"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  writeFileSync(join(root, "large"), Buffer.alloc(5 * 1024 * 1024));
  expect(await heldNow(root, ["src/a", "src/link", "none/b", "src/a/c"])).toEqual([
    ["src", { mode: 0o40755, content: "" }],
    ["src/a", { mode: 0o100640, content: "\0\xff" }],
    ["src/link", { mode: 0o120777, content: "../elsewhere" }],
    ["none", null],
  ]);
  for (const path of ["pipe", "large"]) expect(await heldNow(root, [path])).toBeUndefined();
  // Nor is anything where a link leads to the project itself by now.
  symlinkSync(root, join(outside, "project"));
  expect(await heldNow(join(outside, "project/src"), ["a"])).toBeUndefined();
  // A link above a file is kept as the link that it is.
  expect(await heldNow(root, ["out/secret"])).toEqual([["out", { mode: 0o120777, content: outside }]]);
});

it("a tree of what is held is the one that the store itself makes", async () => {
  const store = new OwnStore();
  mkdirSync(join(store.root, "a/b"), { recursive: true });
  writeFileSync(join(store.root, "a/b/c"), "x", { mode: 0o600 });
  symlinkSync("b", join(store.root, "a/l"));
  const paths = ["a/b/c", "a/l", "a/none", "none"];
  const call = (id: string) => ({ id, agent: "tester", session: "s", executor: "Write", at: Date.now() });
  const held = await heldNow(store.root, paths);
  const until = Date.now() + 60_000;
  await store.process.ask({ do: "before", call: call("one"), paths, until });
  await store.process.ask({ do: "before", call: call("two"), paths, until: 0, held: held ?? [] });
  const [one, two] = store.calls;
  expect([one?.missing, two?.missing, two?.before]).toEqual([null, null, one?.before]);
  // What came before the store got to it isn't the first call's.
  writeFileSync(join(store.root, "a/b/c"), "the next call's");
  await store.process.ask({ do: "after", id: "one", held: held ?? [] });
  expect(store.calls[0]?.after).toBe(one?.before);
});
