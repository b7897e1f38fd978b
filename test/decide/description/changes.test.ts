import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { DescribedChange } from "../../../ipc/contract/description.ts";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { examinationOf } from "../../support/examinations.ts";
import { tempFolder } from "../../support/temp-folder.ts";

let cwd: string;
beforeEach(() => {
  cwd = tempFolder();
});

const put = (name: string, text: string | Buffer) => writeFileSync(`${cwd}/${name}`, text);
function changesOf(executor: string, args: Record<string, unknown>): DescribedChange[] {
  return describeCall(examinationOf({ executor, args, context: { cwd }, settings: { home: `${cwd}/home` } })).changes;
}

const SIGN = { same: " ", added: "+", removed: "-" };
/** As a unified diff. */
const diffOf = ({ hunks }: DescribedChange): string[] =>
  hunks.flatMap(({ old_start, new_start, lines }) => [
    `@@ ${old_start} ${new_start}`,
    ...lines.map(({ kind, text }) => SIGN[kind] + text),
  ]);
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

describe("a change of a file that is there", () => {
  it("is an edit with three lines around it, numbered in both files", () => {
    put("a.txt", `${numbered(20).join("\n")}\n`);
    const [change] = changesOf("Edit", { file_path: "a.txt", old_string: "line 9\n", new_string: "nine\nand more\n" });
    expect(change).toMatchObject({ path: `${cwd}/a.txt`, status: "edits", old_lines: 20, added: 2, removed: 1 });
    expect(change === undefined ? [] : diffOf(change)).toEqual([
      "@@ 6 6",
      " line 6",
      " line 7",
      " line 8",
      "-line 9",
      "+nine",
      "+and more",
      " line 10",
      " line 11",
      " line 12",
    ]);
  });

  it("of an ordinary length is compared line by line however slow the machine is", () => {
    put("a.txt", `${numbered(240).join("\n")}\n`);
    const content = numbered(240).map((line, at) => (at % 2 === 0 ? line : `${line}, changed`));
    // Each look at the clock is a minute after the one before.
    let now = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => {
      now += 60_000;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    const [change] = changesOf("Write", { file_path: "a.txt", content: `${content.join("\n")}\n` });
    expect([change?.added, change?.removed]).toEqual([120, 120]);
  });

  it("replace_all changes every place, else the first alone", () => {
    put("a.txt", "x\ny\nx\n");
    const edit = (replaceAll: boolean) =>
      changesOf("Edit", { file_path: "a.txt", old_string: "x", new_string: "z", replace_all: replaceAll })[0];
    expect([edit(true)?.added, edit(false)?.added]).toEqual([2, 1]);
  });

  it("several edits are one difference, each made on what the one before left", () => {
    put("a.txt", `${numbered(20).join("\n")}\n`);
    const edits = [
      { old_string: "line 2\n", new_string: "" },
      { old_string: "line 18", new_string: "eighteen" },
      { old_string: "eighteen", new_string: "18" },
    ];
    const [change] = changesOf("MultiEdit", { file_path: "a.txt", edits });
    expect(change).toMatchObject({ status: "edits", added: 1, removed: 2 });
    expect(change?.hunks.map(({ old_start, new_start }) => [old_start, new_start])).toEqual([
      [1, 1],
      [15, 14],
    ]);
  });

  it("is compared with what a write would put there; a new file is all new", () => {
    put("a.txt", "one\ntwo\n");
    const [write] = changesOf("Write", { file_path: "a.txt", content: "one\n2\n" });
    expect(write).toMatchObject({ status: "replaces", old_lines: 2, added: 1, removed: 1 });
    const [made] = changesOf("fs_write", { path: "b.txt", content: "one\n2" });
    expect(made).toMatchObject({ status: "new", old_lines: null, added: 2, removed: 0 });
    const [created] = changesOf("Edit", { file_path: "c.txt", old_string: "", new_string: "one\n" });
    expect(created).toMatchObject({ status: "new", added: 1 });
  });

  it("is a deletion with its lines", () => {
    put("a.txt", "one\ntwo\n");
    expect(changesOf("fs_delete", { path: "a.txt" })).toMatchObject([{ status: "deletes", old_lines: 2, removed: 2 }]);
    mkdirSync(`${cwd}/folder`);
    expect(changesOf("fs_delete", { path: "folder" })).toMatchObject([{ status: "deletes", old_lines: null }]);
  });

  it("is a cell of a notebook", () => {
    put("a.ipynb", JSON.stringify({ cells: [{ id: "first", source: ["x = 1\n", "y = 2"] }] }));
    const edit = (more: object) =>
      changesOf("NotebookEdit", { notebook_path: "a.ipynb", new_source: "x = 1\ny = 3", ...more })[0];
    expect(edit({ cell_id: "first" })).toMatchObject({ status: "edits", added: 1, removed: 1 });
    expect(edit({ cell_id: "other" })).toMatchObject({ status: "unknown", added: 2, removed: 0 });
    expect(edit({ cell_number: 0 })).toMatchObject({ status: "edits", added: 1, removed: 1 });
    expect(edit({ cell_id: "first", edit_mode: "insert" })).toMatchObject({ status: "edits", added: 2, removed: 0 });
    expect(edit({ cell_id: "first", edit_mode: "delete" })).toMatchObject({ status: "edits", added: 0, removed: 2 });
  });

  const PATCH = `*** Begin Patch
*** Add File: new.txt
+hello
*** Update File: a.txt
*** Move to: moved.txt
@@
 line 9
-line 10
+ten
*** Delete File: b.txt
*** End Patch`;

  it.each([
    ["as a tool's argument", "apply_patch", { input: PATCH }],
    ["on a command's input", "Bash", { command: `apply_patch <<'EOF'\n${PATCH}\nEOF` }],
    ["as a command's word", "Bash", { command: `apply_patch '${PATCH}'` }],
  ])("is what a patch says, %s", (_where, executor, args) => {
    put("a.txt", `${numbered(20).join("\n")}\n`);
    put("b.txt", "gone\n");
    const found = changesOf(executor, args);
    expect(found.map(({ path, status, added, removed }) => [path.slice(cwd.length), status, added, removed])).toEqual([
      ["/new.txt", "new", 1, 0],
      ["/a.txt", "edits", 1, 1],
      ["/moved.txt", "new", 0, 0],
      ["/b.txt", "deletes", 0, 1],
    ]);
    expect(found[1]?.hunks[0]?.old_start).toBe(7);
  });

  it("applied to the old lines, is the new text: for any texts", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "", "d d"), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        put("a.txt", before.map((line) => `${line}\n`).join(""));
        const [change] = changesOf("Write", { file_path: "a.txt", content: after.map((line) => `${line}\n`).join("") });
        const result: string[] = [];
        let done = 0;
        for (const { old_start, lines } of change?.hunks ?? []) {
          const start = (old_start ?? 1) - 1;
          result.push(...before.slice(done, start));
          const old = lines.filter(({ kind }) => kind !== "added").map((line) => line.text);
          expect(before.slice(start, start + old.length)).toEqual(old);
          result.push(...lines.filter(({ kind }) => kind !== "removed").map((line) => line.text));
          done = start + old.length;
        }
        expect([...result, ...before.slice(done)]).toEqual(after);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a file that can't be compared", () => {
  const edit = (filePath: string) =>
    changesOf("Edit", { file_path: filePath, old_string: "root", new_string: "toor" }).flatMap(diffOf);
  const LISTED = ["@@ null null", "-root", "+toor"];

  it.each([
    ["doesn't hold the text", () => put("a.txt", "other\n")],
    ["is too long", () => put("a.txt", `root\n${"x".repeat(1024 * 1024)}`)],
    ["is no text", () => put("a.txt", Buffer.from([0x72, 0x6f, 0x6f, 0x74, 0, 1]))],
    ["isn't UTF-8", () => put("a.txt", Buffer.from([0x72, 0x6f, 0x6f, 0x74, 0xff]))],
    ["is a folder", () => mkdirSync(`${cwd}/a.txt`)],
    ["is a pipe, which nobody writes to", () => execFileSync("mkfifo", [`${cwd}/a.txt`])],
    ["is a link that leads elsewhere", () => symlinkSync("/etc/passwd", `${cwd}/a.txt`)],
  ])("as it %s: only the call's own lines are shown", (_why, prepare) => {
    prepare();
    expect(edit("a.txt")).toEqual(LISTED);
  });

  it("as a folder on its way is a link that leads elsewhere", () => {
    symlinkSync("/etc", `${cwd}/folder`);
    expect(edit("folder/passwd")).toEqual(LISTED);
  });
});

describe("a long difference", () => {
  const shownOf = (change: DescribedChange | undefined) => change?.hunks.flatMap(({ lines }) => lines) ?? [];

  it("is cut at 400 lines, and the rest is counted", () => {
    const [change] = changesOf("Write", { file_path: "a.txt", content: `${numbered(10_000).join("\n")}\n` });
    expect([shownOf(change).length, change?.added, change?.left_out]).toEqual([400, 10_000, 9_600]);
  });

  it("of a whole file shows the new lines as well as the old ones", () => {
    put("a.txt", `${numbered(10_000).join("\n")}\n`);
    const [change] = changesOf("Write", { file_path: "a.txt", content: numbered(10_000).join("x\n") });
    const kinds = new Set(shownOf(change).map(({ kind }) => kind));
    expect([...kinds]).toEqual(expect.arrayContaining(["removed", "added"]));
    expect(shownOf(change).length + (change?.left_out ?? 0)).toBeGreaterThanOrEqual(19_999);
  });

  it("is cut at 64 kB, a single line at 2,000 characters", () => {
    const [one] = changesOf("Write", { file_path: "a.txt", content: "x".repeat(64 * 1024) });
    expect(shownOf(one).map(({ text }) => text.length)).toEqual([2001]);
    const [many] = changesOf("Write", { file_path: "a.txt", content: `${"y".repeat(1999)}\n`.repeat(300) });
    const characters = shownOf(many).reduce((sum, { text }) => sum + text.length, 0);
    expect(characters).toBeLessThanOrEqual(64 * 1024 + 10);
    expect(shownOf(many).length + (many?.left_out ?? 0)).toBe(300);
  });
});
