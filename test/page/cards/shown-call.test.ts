import { describe, expect, it } from "vitest";
import type { DescribedChange } from "../../../ipc/contract/description.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { reasonOf, shownCall } from "../../../ipc/words/shown-call.ts";
import { cardKind, readOf, runs } from "../../support/card-views.ts";

const beside = (view: ApprovalView) => Object.keys(shownCall(view).beside);

function changed(change: Partial<DescribedChange>, args: Record<string, unknown>): ApprovalView {
  const edit = cardKind("edit");
  const { description } = edit;
  const [first] = description?.changes ?? [];
  if (description === null || first === undefined) throw new Error("the edit changes nothing");
  return { ...edit, args, description: { ...description, changes: [{ ...first, ...change }] } };
}

const hunk = (start: number | null, ...lines: string[]): DescribedChange["hunks"][number] => ({
  old_start: start,
  new_start: start,
  lines: lines.map((line) => ({
    kind: line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same",
    text: line.slice(1),
  })),
});

describe("what a card need not show a second time", () => {
  it("is the command, the difference, the path that is read, the address, and the reason", () => {
    for (const kind of ["command with a hazard", "edit", "new file", "file that is replaced", "read"]) {
      expect([kind, beside(cardKind(kind))]).toEqual([kind, []]);
    }
    expect(beside(cardKind("fetch"))).toEqual(["prompt"]);
    expect(beside(cardKind("MCP"))).toEqual(["title", "body", "draft", "labels"]);
    expect(beside(cardKind("of an earlier version"))).toEqual(["file_path", "content"]);
  });

  it("every other argument is beside it, and the agent's reason where it isn't one of a command", () => {
    const args = { command: "make", description: "build it", timeout: 9 };
    expect(beside(runs("make", { args }))).toEqual(["timeout"]);
    expect(reasonOf(runs("make", { args }))).toBe("build it");
    expect(beside(runs("make", { args, intent: "another reason" }))).toEqual(["description", "timeout"]);
    expect(beside(runs("make", { args: { command: "make", description: "x".repeat(301) } }))).toEqual(["description"]);
    expect(beside(readOf("/srv/a", { args: { file_path: "/srv/a", description: "d" } }))).toEqual(["description"]);
  });

  it("a command counts only where its argument is this very text; words only where none holds a blank", () => {
    expect(beside(runs("make all", { args: { command: "make all; rm x" } }))).toEqual(["command"]);
    expect(beside(runs("make all", { args: { command: ["make", "all"] } }))).toEqual([]);
    expect(beside(runs("make all", { args: { command: ["make all"] } }))).toEqual(["command"]);
    expect(beside(runs("make", { args: { command: "make", other: "make" } }))).toEqual(["other"]);
  });

  it("an address counts only with its own host, as a browser reads it", () => {
    const shown = (url: string) => {
      const { object } = shownCall({ ...cardKind("fetch"), args: { url } });
      return object?.kind === "url" ? object.text.slice(...object.host) : null;
    };
    expect(shown("https://rates.example.net/x")).toBe("rates.example.net");
    expect(shown("https://good.example@rates.example.net/x")).toBe("rates.example.net");
    expect(shown("https://other.example/?rates.example.net")).toBe("rates.example.net"); // the request's own, not the text's
    expect(beside({ ...cardKind("fetch"), args: { url: "https://other.example/" } })).toEqual(["url"]);
  });
});

describe("text that a difference shows", () => {
  const args = (oldString: string, newString: string) => ({ old_string: oldString, new_string: newString });

  it("may have lines between two hunks that it doesn't repeat, and begin and end within a line", () => {
    const hunks = [hunk(1, " a", "-b", "+B", " c"), hunk(20, " s", "-t", "+T", " u")];
    const middle = Array.from({ length: 16 }, (_, index) => `line ${index}`);
    const text = (b: string, t: string) => ["a", b, "c", ...middle, "s", t, "u"].join("\n");
    expect(beside(changed({ hunks }, args(text("b", "t"), text("B", "T"))))).toEqual([]);
    expect(beside(changed({ hunks }, args("b", "B")))).toEqual([]);
    expect(beside(changed({ hunks: [hunk(1, "-let sum = 0;", "+let sum = 1;")] }, args("sum = 0", "sum = 1")))).toEqual(
      [],
    );
  });

  it("is not shown where a line differs, where lines were left out, or where no position is known", () => {
    const hunks = [hunk(1, " a", "-b", "+B", " c")];
    expect(beside(changed({ hunks }, args("a\nb\nc", "a\nevil\nc")))).toEqual(["new_string"]);
    expect(beside(changed({ hunks, left_out: 1 }, args("b", "B")))).toEqual(["old_string", "new_string"]);
    const unplaced = [hunk(null, "-b", "+B"), hunk(null, "-t", "+T")];
    expect(beside(changed({ hunks: unplaced }, args("b", "B\nbetween\nT")))).toEqual(["new_string"]);
    expect(beside(changed({ hunks, status: "new" }, args("", "a\nB\nc\nd")))).toEqual(["new_string"]);
  });

  it("of several edits each must be shown; what isn't text is beside them", () => {
    const hunks = [hunk(1, "-a", "+A"), hunk(9, "-b", "+B")];
    const edits = [args("a", "A"), args("b", "B")];
    expect(beside(changed({ hunks }, { edits }))).toEqual([]);
    expect(beside(changed({ hunks }, { edits: [...edits, args("c", "C")] }))).toEqual(["edits"]);
    expect(beside(changed({ hunks }, { edits: [{ ...args("a", "A"), replace_all: true }] }))).toEqual(["edits"]);
  });

  it("of a patch every line that is added or removed, and every file", () => {
    const hunks = [hunk(1, " a", "-b", "+B")];
    const patch = (lines: string) => `*** Begin Patch\n*** Update File: src/ledger.ts\n${lines}\n*** End Patch`;
    expect(beside(changed({ hunks }, { patch: patch("@@\n a\n-b\n+B") }))).toEqual([]);
    expect(beside(changed({ hunks }, { patch: patch("@@\n a\n-b\n+B\n+more") }))).toEqual(["patch"]);
    expect(beside(changed({ hunks }, { patch: patch("*** Add File: other.ts\n+B") }))).toEqual(["patch"]);
    expect(beside(changed({ hunks }, { patch: patch("*** Move to: other.ts\n-b\n+B") }))).toEqual(["patch"]);
  });
});
