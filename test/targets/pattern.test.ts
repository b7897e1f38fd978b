import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { grantTarget, literalPattern, pathMatches } from "../../main/targets/pattern.ts";
import { refusalOf } from "../support/refusals.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** One name against one part of a pattern: `*` any run, `?` any one, `[...]` one of its characters or itself, else itself. */
function naiveName(pattern: string, name: string): boolean {
  const [first] = pattern;
  if (first === undefined) return name === "";
  const rest = pattern.slice(1);
  if (first === "*") return naiveName(rest, name) || (name !== "" && naiveName(pattern, name.slice(1)));
  if (name === "") return false;
  if (first === "?") return naiveName(rest, name.slice(1));
  const set = /^\[(.[^\]]*)\]/.exec(pattern);
  if (set?.[1] !== undefined) {
    const [from, dash, to] = set[1];
    const isRange = set[1].length === 3 && dash === "-" && from !== undefined && to !== undefined;
    const isIn = isRange ? name.charAt(0) >= from && name.charAt(0) <= to : set[1].includes(name.charAt(0));
    const oneOf = isIn && naiveName(pattern.slice(set[0].length), name.slice(1));
    return (
      oneOf ||
      (/^\w+$/.test(set[1]) &&
        name.startsWith(set[0]) &&
        naiveName(pattern.slice(set[0].length), name.slice(set[0].length)))
    );
  }
  return first === name.charAt(0) && naiveName(rest, name.slice(1));
}

/** A path against a pattern, part by part: `**` any number of parts. */
function naivePath(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === "**") return naivePath(rest, path) || (path.length > 0 && naivePath(pattern, path.slice(1)));
  const [name, ...deeper] = path;
  return name !== undefined && naiveName(first, name) && naivePath(rest, deeper);
}

describe("path matching", () => {
  const plain = fc.constantFrom(
    "a",
    "b",
    "ab",
    "a.txt",
    ".hidden",
    "x y",
    "(a)",
    "{a,b}",
    "!a",
    "+(a)",
    "@(a|b)",
    "a|b",
    "$a",
    "^a",
    "a+",
    "é",
  );
  const wild = fc.constantFrom(
    "*",
    "?",
    "a*",
    "*.txt",
    "*a*",
    "a?",
    "[ab]",
    "[ab]*",
    "[a-z]",
    "x[!a]",
    ".*",
    "??",
    "(*)",
    "{a,*}",
    "!*",
    "@(*)",
  );
  const fixed = fc.array(plain, { minLength: 1, maxLength: 3 });
  const glob = fc.array(
    fc.oneof(
      { weight: 2, arbitrary: plain },
      { weight: 2, arbitrary: wild },
      { weight: 1, arbitrary: fc.constant("**") },
    ),
    { maxLength: 4 },
  );
  const patternOf = fc.tuple(fixed, glob).map(([base, rest]) => [...base, ...rest]);

  /** A path that is likely to match: wildcards filled in, parts sometimes dropped or added. */
  const filled = (pattern: readonly string[]) =>
    fc
      .tuple(
        ...pattern.map((part) => {
          if (part === "**") return fc.array(plain, { maxLength: 2 });
          if (part === "?") return fc.constantFrom(["a"], ["b"], ["ab"]);
          if (part === "[ab]") return fc.constantFrom(["a"], ["b"], ["c"], ["[ab]"]);
          return fc.oneof(
            fc.constant([part.replaceAll("*", "").replaceAll("?", "b") || "a"]),
            fc.constant([part]),
            plain.map((name) => [name]),
          );
        }),
      )
      .map((all) => all.flat().filter((part) => part !== "." && part !== ".."));

  it("agrees with a naive matcher on random paths and globs", () => {
    let matches = 0;
    fc.assert(
      fc.property(
        patternOf.chain((pattern) =>
          fc.tuple(fc.constant(pattern), fc.oneof(filled(pattern), fc.array(plain, { minLength: 1, maxLength: 6 }))),
        ),
        ([pattern, path]) => {
          const text = `/${pattern.join("/")}`;
          const candidate = `/${path.join("/")}`;
          const naive = naivePath(pattern, path);
          if (naive) matches++;
          expect([text, candidate, pathMatches(text, candidate, false)]).toEqual([text, candidate, naive]);
        },
      ),
      { numRuns: 5000 },
    );
    expect(matches).toBeGreaterThan(500); // else the property above proves little
  });

  it("a tree is covered only where every path below it is", () => {
    fc.assert(
      fc.property(
        patternOf,
        fc.array(plain, { minLength: 1, maxLength: 4 }),
        fc.array(plain, { maxLength: 3 }),
        (pattern, path, below) => {
          const text = `/${pattern.join("/")}`;
          const tree = `/${path.join("/")}`;
          if (!pathMatches(text, tree, true)) return;
          expect([text, tree, naivePath(pattern, [...path, ...below])]).toEqual([text, tree, true]);
        },
      ),
      { numRuns: 3000 },
    );
    expect(pathMatches("/a/**", "/a", true)).toBe(true);
    expect(pathMatches("/a/**", "/a/b", true)).toBe(true);
    expect(pathMatches("/a/**", "/", true)).toBe(false);
    expect(pathMatches("/a/*", "/a/b", true)).toBe(false);
    expect(pathMatches("/a/b", "/a/b", true)).toBe(false);
    expect(pathMatches("/a/*/src/**", "/a/x/src", true)).toBe(true);
    expect(pathMatches("/a/*/src/**", "/a/x", true)).toBe(false);
  });

  it("a folder's files are those directly in it; a folder and below is all of it", () => {
    expect(pathMatches("/a/*", "/a/b", false)).toBe(true);
    expect(pathMatches("/a/*", "/a/.b", false)).toBe(true);
    expect(pathMatches("/a/*", "/a", false)).toBe(false);
    expect(pathMatches("/a/*", "/a/b/c", false)).toBe(false);
    expect(pathMatches("/a/*", "/ab/c", false)).toBe(false);
    expect(pathMatches("/a/**", "/a", false)).toBe(true);
    expect(pathMatches("/a/**", "/a/b/c", false)).toBe(true);
    expect(pathMatches("/a/**", "/ab", false)).toBe(false);
    expect(isAtOrBelow("/ab", "/a")).toBe(false);
    expect(isAtOrBelow("/a", "/")).toBe(true);
  });
});

describe("names that look like globs", () => {
  const special = fc
    .array(fc.constantFrom(..."()[]{}!+@|*?^$.,-~#&;'\"` =%:<>ab\n"), { minLength: 1, maxLength: 8 })
    .map((all) => all.join(""));
  const name = special.filter((text) => text !== "." && text !== "..");

  it("go through literalPattern and match themselves, as a file, a folder and a tree", () => {
    fc.assert(
      fc.property(name, name, (folder, file) => {
        const path = `/top/${folder}/${file}`;
        const written = literalPattern(path) ?? "";
        const { target } = grantTarget("fs:write", written, "/home/r");
        expect([path, target, pathMatches(target, path, false)]).toEqual([path, target, true]);
        const above = grantTarget("fs:write", `${literalPattern(`/top/${folder}`)}/*`, "/home/r").target;
        expect([path, above, pathMatches(above, path, false)]).toEqual([path, above, true]);
        const below = grantTarget("fs:write", `${literalPattern(`/top/${folder}`)}/**`, "/home/r").target;
        expect([path, below, pathMatches(below, `${path}/deep`, false)]).toEqual([path, below, true]);
        expect([path, below, pathMatches(below, `/top/${folder}`, true)]).toEqual([path, below, true]);
      }),
      { numRuns: 3000 },
    );
  });

  it("match nothing but themselves", () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        const pattern = grantTarget("fs:write", literalPattern(`/top/${one}`) ?? "", "/home/r").target;
        expect([pattern, other, pathMatches(pattern, `/top/${other}`, false)]).toEqual([pattern, other, one === other]);
        // near misses: what the name would match if it were a pattern
        for (const near of [
          one.replace(/\[.*\]/, "a"),
          one.replace(/[*?]/, "x"),
          one.replace(/["'\\]/g, ""),
          `${one}x`,
          one.slice(1),
        ]) {
          if (near !== one && near !== "")
            expect([pattern, near, pathMatches(pattern, `/top/${near}`, false)]).toEqual([pattern, near, false]);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it("known ones: a Next.js route, a copy, an exclamation, a brace", () => {
    for (const file of [
      "[id].tsx",
      "[...slug].tsx",
      "[[...slug]]",
      "a (1).pdf",
      "!important",
      "{a,b}",
      "@(x|y)",
      "+page.svelte",
      'say "hi" [1]',
      "a[",
      "]b",
      "[]",
      "[!a]",
      "[a-z]",
    ]) {
      const target = grantTarget("fs:write", literalPattern(`/top/${file}`) ?? "", "/home/r").target;
      expect([file, pathMatches(target, `/top/${file}`, false)]).toEqual([file, true]);
      for (const other of ["i.tsx", "a", "b", "x", "page.svelte", "say hi [1]", "important", "m"]) {
        expect([file, other, pathMatches(target, `/top/${other}`, false)]).toEqual([file, other, false]);
      }
    }
  });

  it("a backslash can't be written as a pattern", () => {
    expect(literalPattern("/a\\b")).toBeNull();
  });
});

describe("what a grant may be given on", () => {
  it("a path in its normal form, looked up by its fixed part", () => {
    expect(grantTarget("fs:write", "~/Documents//invoices-2026/./*", "/home/nobody-here")).toEqual({
      target: "/home/nobody-here/Documents/invoices-2026/*",
      target_real: "/home/nobody-here/Documents/invoices-2026/*",
      target_base: "/home/nobody-here/Documents/invoices-2026",
    });
    expect(grantTarget("fs:read", "/srv/*/logs/**", "/home/r")).toMatchObject({
      target: "/srv/*/logs/**",
      target_base: "/srv",
    });
    expect(grantTarget("fs:read", "/srv/a/", "/home/r")).toMatchObject({ target: "/srv/a", target_base: "/srv/a" });
  });

  it("whole-disk globs are refused, however they are written", () => {
    const rootLink = join(tempFolder(), "disk");
    symlinkSync("/", rootLink);
    for (const raw of [
      "/",
      "/*",
      "/**",
      "//**",
      "/./**",
      "/*/x",
      "/?*",
      "/[a-z]*/**",
      "/**/x",
      "//",
      `${rootLink}/**`,
      `${rootLink}/*`,
      rootLink,
    ]) {
      expect([raw, refusalOf(() => grantTarget("fs:write", raw, "/home/r")).code]).toEqual([raw, "invalid_target"]);
    }
  });

  it("what can't be placed is refused", () => {
    const loop = join(tempFolder(), "loop");
    symlinkSync("loop", loop);
    for (const raw of [
      "",
      "relative/*",
      "*",
      "**",
      "~root/x",
      "/a/../b",
      "/a/*/../b",
      "/a\0b",
      "/a\\b",
      "/a/**b",
      "/a/b**/c",
      "/a/***",
      `${loop}/*`,
    ]) {
      expect([raw, refusalOf(() => grantTarget("fs:read", raw, "/home/r")).code]).toEqual([raw, "invalid_target"]);
    }
  });

  it("hosts, exact names and the one target for all each in their own form", () => {
    expect(grantTarget("network:http", "API.example.com", "/h").target).toBe("api.example.com");
    expect(grantTarget("mail:read", "inbox", "/h").target).toBe("inbox");
    expect(grantTarget("llm:online", "*", "/h").target).toBe("*");
    for (const [capability, raw] of [
      ["network:http", "*"],
      ["network:http", "*.com"],
      ["network:http", "https://example.com/"],
      ["mail:read", "*"],
      ["mail:read", "in*"],
      ["mail:read", "  "],
      ["channel:out", ""],
      ["llm:online", "claude"],
    ] as const) {
      expect([raw, refusalOf(() => grantTarget(capability, raw, "/h")).code]).toEqual([raw, "invalid_target"]);
    }
  });
});
