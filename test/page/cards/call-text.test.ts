import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callRows, isShort, unsaidArgs } from "../../../renderer/cards/call-text.ts";
import { approvalView } from "../../support/approval-view.ts";

const unsaid = (change: Parameters<typeof approvalView>[0]) => Object.keys(unsaidArgs(approvalView(change)));

describe("what the card's lines don't say", () => {
  it("a command, an address or a path that is the object of the second line is said", () => {
    expect(unsaid({ args: { command: "make all" }, target_summary: "make all  (in ~/project)" })).toEqual([]);
    expect(unsaid({ args: { url: "https://a.org/x" }, target_summary: "https://a.org/x (a.org)" })).toEqual([]);
    const capabilities = [{ capability: "fs:read" as const, target: "/home/me/project/a.ts" }];
    const args = { file_path: "/home/me/project/a.ts" };
    expect(unsaid({ args, capabilities, target_summary: "a.ts from ~/project/" })).toEqual([]);
    expect(unsaid({ args, capabilities, target_summary: "a.ts -> /home/me/project/ (~2 kB)" })).toEqual([]);
  });

  it("everything else must be shown: another argument, a value that is only within the line, what was cut or hides something", () => {
    expect(unsaid({ args: { command: "make all", mode: "make" }, target_summary: "make all  (in ~/x)" })).toEqual([
      "mode",
    ]);
    expect(unsaid({ args: { path: "/tmp/delete", mode: "delete" }, target_summary: "delete from /tmp/" })).toEqual([
      "path",
      "mode",
    ]);
    expect(unsaid({ args: { command: "make all; rm -rf ~" }, target_summary: "make all…" })).toEqual(["command"]);
    expect(unsaid({ args: { command: "make\u202eall" }, target_summary: "make\u202eall" })).toEqual(["command"]);
    expect(unsaid({ args: { n: 1, deep: { a: 1 }, no: null, empty: "" }, target_summary: "" })).toHaveLength(4);
  });
});

describe("the whole call", () => {
  it("loses no character, however long its lines are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 9000 }), (text) => {
        const [first, ...rows] = callRows({ text: `${text}\n` });
        expect(first).toEqual({ text: "text:", kind: "name" });
        const joined = rows.map(({ text: row, kind }) => (kind === "continues" ? row : `\n${row}`)).join("");
        expect(joined).toBe(`\n${text}\n`);
      }),
    );
  });

  it("is cut into rows that a browser can lay out", () => {
    const rows = callRows({ text: "x".repeat(1_000_000) });
    expect(Math.max(...rows.map(({ text }) => text.length))).toBeLessThanOrEqual(2000);
  });

  it("is short only where all of it fits, hidden characters counted as they are shown", () => {
    expect(isShort(callRows({ command: "ls" }), "short")).toBe(true);
    expect(isShort(callRows({ text: "a\nb\nc\nd\ne\nf" }), "full")).toBe(false);
    expect(isShort(callRows({ text: "\u202e".repeat(60) }), "full")).toBe(false);
  });
});
