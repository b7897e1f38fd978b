import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortenHome } from "../../../ipc/base/visible-text.ts";
import { expandHome, realForm, resolvePath } from "../../../packages/shell-reading/targets/path.ts";
import { tempFolder } from "../../support/temp-folder.ts";

describe("home", () => {
  it("~ means the home folder only at the beginning and only alone", () => {
    expect(["~", "~/x", "~root/x", "a/~", "/~"].map((path) => expandHome(path, "/home/r"))).toEqual([
      "/home/r",
      "/home/r/x",
      "~root/x",
      "a/~",
      "/~",
    ]);
    expect(["/home/r", "/home/r/x", "/home/rx", "/home"].map((path) => shortenHome(path, "/home/r"))).toEqual([
      "~",
      "~/x",
      "/home/rx",
      "/home",
    ]);
  });
});

describe("the lexical form", () => {
  it("is what POSIX says about . and .. and slashes, for any path", () => {
    const part = fc.constantFrom("a", "b", "..", ".", "", "...", "..a", "c d");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        const resolved = resolvePath(`/${parts.join("/")}`, "/home/r");
        const naive: string[] = [];
        for (const name of parts) {
          if (name === "..") naive.pop();
          else if (name !== "" && name !== ".") naive.push(name);
        }
        expect(resolved?.lexical).toBe(`/${naive.join("/")}`);
      }),
    );
  });

  it("a relative path is in the caller's working directory, and without one it can't be placed", () => {
    expect(resolvePath("a/../b", "/home/r", "/srv/x")?.lexical).toBe("/srv/x/b");
    expect(resolvePath("~/a", "/home/r", "/srv/x")?.lexical).toBe("/home/r/a");
    for (const [raw, cwd] of [
      ["a", undefined],
      ["a", "relative"],
      ["a", "/srv\0/x"],
      ["", "/srv"],
      ["/a\0b", "/srv"],
    ] as const) {
      expect(resolvePath(raw, "/home/r", cwd)).toBeNull();
    }
  });
});

describe("the real form", () => {
  type Entry = { kind: "folder" | "file" } | { kind: "link"; to: string };

  /** What the kernel does, in a model of the tree: one name after the other, links put in place of themselves. */
  function naiveReal(tree: ReadonlyMap<string, Entry>, absolute: string): string | null {
    let done: string[] = [];
    const todo = absolute.split("/").reverse();
    let links = 0;
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        done.pop();
        continue;
      }
      const entry = tree.get(`/${[...done, name].join("/")}`);
      if (entry?.kind !== "link") {
        done.push(name);
        continue;
      }
      if (++links > 40) return null;
      if (entry.to.startsWith("/")) done = [];
      todo.push(...entry.to.split("/").reverse());
    }
    return `/${done.join("/")}`;
  }

  const name = fc.constantFrom("a", "b", "c");
  const where = fc.array(name, { minLength: 1, maxLength: 3 });
  const steps = fc.array(fc.constantFrom("a", "b", "c", "..", "..", ".", "", "new"), { minLength: 1, maxLength: 7 });
  const entry = fc.oneof(
    fc.record({ at: where, what: fc.constant("folder" as const), to: steps, isAbsolute: fc.boolean() }),
    fc.record({ at: where, what: fc.constant("link" as const), to: steps, isAbsolute: fc.boolean() }),
    fc.record({ at: where, what: fc.constant("file" as const), to: steps, isAbsolute: fc.boolean() }),
  );

  it("agrees with a naive walk on random trees with links, dangling ones, loops and ..", () => {
    const top = tempFolder();
    let round = 0;
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 8 }),
        fc.array(steps, { minLength: 1, maxLength: 6 }),
        (entries, paths) => {
          const root = join(top, `t${round++}`);
          mkdirSync(root);
          const tree = new Map<string, Entry>();
          for (const { at, what, to, isAbsolute } of entries) {
            const parents = at.slice(0, -1).map((_, index) => [root, ...at.slice(0, index + 1)].join("/"));
            const path = [root, ...at].join("/");
            if (tree.has(path) || parents.some((parent) => (tree.get(parent)?.kind ?? "folder") !== "folder")) continue;
            for (const parent of parents) {
              mkdirSync(parent, { recursive: true });
              tree.set(parent, { kind: "folder" });
            }
            // Links stay inside the tree's own model: the folders above it hold none.
            const text = isAbsolute ? `${root}/${to.join("/")}` : to.join("/") || ".";
            if (what === "folder") mkdirSync(path);
            else if (what === "file") writeFileSync(path, "");
            else symlinkSync(text, path);
            tree.set(path, what === "link" ? { kind: "link", to: text } : { kind: what });
          }
          for (const parts of paths) {
            const path = `${root}/${parts.join("/")}`;
            expect([path, realForm(path)]).toEqual([path, naiveReal(tree, path)]);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it("is what the kernel opens, wherever it opens something", () => {
    const root = tempFolder();
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    symlinkSync("a/b", join(root, "in"));
    symlinkSync("../..", join(root, "a/b/up"));
    symlinkSync("/", join(root, "top"));
    for (const path of ["in/c", "in/../b", "a/b/up/in", "in/up/a", "top/etc", "in/c/../up", "a/./b//c/"]) {
      const absolute = `${root}/${path}`;
      expect([path, realForm(absolute)]).toEqual([path, realpathSync.native(absolute)]);
    }
  });

  it("a dangling link counts as where it points, and what isn't there yet is below what is", () => {
    const root = tempFolder();
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    symlinkSync("/nowhere/at/all", join(root, "gone"));
    symlinkSync("gone", join(root, "twice"));
    expect(realForm(join(root, "link/new/file"))).toBe(join(root, "real/new/file"));
    expect(realForm(join(root, "gone"))).toBe("/nowhere/at/all");
    expect(realForm(join(root, "twice/x"))).toBe("/nowhere/at/all/x");
    expect(realForm(`${root}/link/../new`)).toBe(join(root, "new"));
    expect(realForm(`${root}/twice/../x`)).toBe("/nowhere/at/x");
  });

  it("what isn't absolute has none, and ends at once", () => {
    for (const path of ["", "bin", "node_modules/.bin", "~/bin", "../bin", "."])
      expect([path, realForm(path)]).toEqual([path, null]);
  });

  it("a loop of links, or a name that is too long, can't be resolved", () => {
    const root = tempFolder();
    symlinkSync("b", join(root, "a"));
    symlinkSync("a", join(root, "b"));
    expect(realForm(join(root, "a"))).toBeNull();
    expect(realForm(join(root, "a/x"))).toBeNull();
    expect(realForm(`${root}/a/../x`)).toBeNull();
    expect(realForm(join(root, "n".repeat(300)))).toBeNull();
  });
});
