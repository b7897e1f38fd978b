import { describe, expect, it } from "vitest";
import { patchedFiles, pathsMentioned, pathsOfPatch } from "../../../packages/shell-reading/programs/patch-text.ts";

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const paths = (text: string) => {
  const files = patchedFiles(text);
  return files && pathsOfPatch(files).map(({ kind, path, from }) => `${kind} ${path}${from ? ` from ${from}` : ""}`);
};

describe("a patch", () => {
  it("names each file that it adds, changes, moves and deletes", () => {
    const text = patch(
      "*** Add File: new.txt",
      "+one",
      "+",
      "*** Update File: src/a b.ts",
      "@@ class A",
      " same",
      "-old",
      "+new",
      "",
      "*** End of File",
      "*** Update File: from.ts",
      "*** Move to: to.ts",
      "-old",
      "*** Add File: empty.txt",
      "*** Delete File: /srv/gone.txt",
    );
    expect(paths(text)).toEqual([
      "write new.txt",
      "write src/a b.ts",
      "move from.ts",
      "write to.ts from from.ts",
      "write empty.txt",
      "delete /srv/gone.txt",
    ]);
    expect(paths(`${text}\n\n`)).toEqual(paths(text));
    expect(patchedFiles(text)?.[1]?.hunks).toEqual([
      [
        { kind: "same", text: "same" },
        { kind: "removed", text: "old" },
        { kind: "added", text: "new" },
        { kind: "same", text: "" },
      ],
    ]);
  });

  it("may name files of the folders above", () => {
    expect(paths(patch("*** Delete File: ./../.././a..b/..c/d.."))).toEqual(["delete ./../.././a..b/..c/d.."]);
  });

  it("may contain in its lines what looks like a patch, where no reader takes it for one", () => {
    const lines = ["+*** Add File: b.txt", "-*** End Patch", "+ *** Delete File: b.txt"];
    expect(paths(patch("*** Update File: a.txt", "@@", ...lines))).toEqual(["write a.txt"]);
  });

  it.each<[string, string]>([
    ["no patch at all", "hello"],
    ["nothing in it", "*** Begin Patch\n*** End Patch"],
    ["a text before it", `x\n${patch("*** Delete File: a")}`],
    ["a blank before it", ` ${patch("*** Delete File: a")}`],
    ["a text behind it", `${patch("*** Delete File: a")}\nx`],
    ["a second one behind it", `${patch("*** Delete File: a")}\n${patch("*** Delete File: b")}`],
    ["no end", "*** Begin Patch\n*** Delete File: a"],
    ["a here-document around it", `<<'EOF'\n${patch("*** Delete File: a")}\nEOF`],
    ["a marker behind blanks", patch("*** Delete File: a", "  *** Delete File: b")],
    ["a marker behind a blank in context", patch("*** Update File: a", "@@", "-x", " *** Delete File: b")],
    ["an end behind a blank in context", patch("*** Update File: a", "@@", "-x", " *** End Patch", "-y")],
    ["a marker behind a no-break space", patch("*** Update File: a", "@@", "-x", "\u00a0*** Delete File: b")],
    ["a marker behind a next line", patch("*** Update File: a", "@@", "-x", " \u0085*** Delete File: b")],
    ["a marker in other letters", patch("*** delete file: a")],
    ["a marker that nobody knows", patch("*** Environment ID: x", "*** Delete File: a")],
    ["a line that belongs to nothing", patch("x", "*** Delete File: a")],
    ["a line behind a deleted file", patch("*** Delete File: a", "+x")],
    ["a line without its sign in an added file", patch("*** Add File: a", "+x", "y")],
    ["an empty line in an added file", patch("*** Add File: a", "+x", "", "*** Delete File: b")],
    ["a line without its sign in a changed file", patch("*** Update File: a", "@@", "-x", "y")],
    ["nothing changed", patch("*** Update File: a")],
    ["an empty stretch", patch("*** Update File: a", "@@", "@@", "-x")],
    ["only a move", patch("*** Update File: a", "*** Move to: b")],
    ["a move behind a change", patch("*** Update File: a", "-x", "*** Move to: b")],
    ["two moves", patch("*** Update File: a", "*** Move to: b", "*** Move to: c", "-x")],
    ["a move of an added file", patch("*** Add File: a", "*** Move to: b", "+x")],
    ["no path", patch("*** Delete File: ")],
    ["a path with blanks around it", patch("*** Delete File:  a")],
    ["a path with a blank at its end", patch("*** Delete File: a ")],
    ["a path with a return at its end", patch("*** Delete File: a\r")],
    ["a path with a line separator", patch("*** Delete File: a\u2028*** Delete File: b")],
    ["a path with a NUL", patch("*** Delete File: a\0b")],
    ["a path in the home folder, to some readers", patch("*** Delete File: ~/a")],
    ["a path that goes up behind a name", patch("*** Delete File: link/../a")],
    ["a path that goes up behind dots and slashes", patch("*** Delete File: ../link/.//./..")],
    ["a move to a path that goes up behind a name", patch("*** Update File: a", "*** Move to: /srv/link/../b", "-x")],
    ["a long path", patch(`*** Delete File: ${"a".repeat(5000)}`)],
    ["a very long patch", patch("*** Add File: a", `+${"a".repeat(5 * 1024 * 1024)}`)],
  ])("is none for sure with %s", (_what, text) => {
    expect(patchedFiles(text)).toBeNull();
  });

  it("mentions paths to the guard however it is written", () => {
    const text = " *** Add File: a\n***Delete file:b \r\n+*** Add File: c\n\t*** Move to:  d e\n*** Update File: a";
    expect(pathsMentioned(text)).toEqual(["a", "b", "d e"]);
  });

  it("mentions a path that goes up behind a name as the kernel takes it, and as readers do that take it for text", () => {
    expect(pathsMentioned("*** Add File: link/../a\n*** Add File: ../b")).toEqual(["link/../a", "a", "../b"]);
  });
});
