import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { freshTrail, written } from "../../support/audit-trail.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const MAY = "2026-05.jsonl";
const JUNE = "2026-06.jsonl";

/** A trail of four lines in May and three in June, and what becomes of it: the lines of each month, changed. */
function twoMonths() {
  const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-05-31T23:59:56Z"));
  written(opened(), clock, ["m1", "m2", "m3", "m4", "j1", "j2", "j3"]);
  const original = Object.fromEntries(
    [MAY, JUNE].map((name) => [name, readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1)]),
  );
  const months = (): { may: string[]; june: string[] } => ({
    may: [...(original[MAY] ?? [])],
    june: [...(original[JUNE] ?? [])],
  });
  const report = async (may: readonly string[] | null, june: readonly string[] | null) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    if (may !== null) writeFileSync(join(folder, MAY), may.map((line) => `${line}\n`).join(""));
    if (june !== null) writeFileSync(join(folder, JUNE), june.map((line) => `${line}\n`).join(""));
    return verifyAudit(folder, headFile);
  };
  return { folder, headFile, months, report };
}

describe("audit verify", () => {
  it("finds nothing in a trail as it was written, across month files, nor where there is none", async () => {
    const { folder, headFile, months, report } = twoMonths();
    expect(await verifyAudit(folder, headFile)).toEqual({ ok: true, files: 2, lines: 7, problems: [] });
    const { may, june } = months();
    expect([may.length, june.length]).toEqual([4, 3]);
    expect(await report(may, june)).toEqual({ ok: true, files: 2, lines: 7, problems: [] });
    const none = freshTrail();
    expect(await verifyAudit(none.folder, none.headFile)).toEqual({ ok: true, files: 0, lines: 0, problems: [] });
  });

  it("finds a changed line, wherever it is", async () => {
    const { months, report } = twoMonths();
    for (const [file, index, where, line] of [
      [MAY, 0, MAY, 2],
      [MAY, 2, MAY, 4],
      [MAY, 3, JUNE, 1],
      [JUNE, 0, JUNE, 2],
      [JUNE, 2, JUNE, 3],
    ] as const) {
      const { may, june } = months();
      const lines = file === MAY ? may : june;
      lines[index] = (lines[index] ?? "").replace(/"text":"\w/, '"text":"X');
      const found = await report(may, june);
      expect([file, index, found.problems.map((problem) => [problem.file, problem.line])]).toEqual([
        file,
        index,
        [[where, line]],
      ]);
    }
  });

  it("finds a removed line: the first, one in the middle, the last of a month, the last of all", async () => {
    const { months, report } = twoMonths();
    for (const [file, index] of [
      [MAY, 0],
      [MAY, 1],
      [MAY, 3],
      [JUNE, 0],
      [JUNE, 1],
      [JUNE, 2],
    ] as const) {
      const { may, june } = months();
      (file === MAY ? may : june).splice(index, 1);
      const found = await report(may, june);
      expect([file, index, found.ok, found.problems.length]).toEqual([file, index, false, 1]);
    }
  });

  it("finds reordered lines, also across the months", async () => {
    const { months, report } = twoMonths();
    const { may, june } = months();
    expect((await report([may[1], may[0], may[2], may[3]].map(String), june)).ok).toBe(false);
    expect((await report(may, [june[0], june[2], june[1]].map(String))).ok).toBe(false);
    expect((await report([...may.slice(0, 3), String(june[0])], [String(may[3]), ...june.slice(1)])).ok).toBe(false);
    expect((await report(june, may)).ok).toBe(false);
  });

  it("finds a removed file: the first, the last, all of them", async () => {
    const { months, report } = twoMonths();
    const { may, june } = months();
    expect((await report(null, june)).ok).toBe(false);
    const last = await report(may, null);
    expect(last.problems.map(({ problem }) => problem)).toEqual([
      "the last line that was written is missing or changed",
    ]);
    expect((await report(null, null)).ok).toBe(false);
  });

  it("finds a file that was emptied, and lines that were added", async () => {
    const { months, report } = twoMonths();
    const { may, june } = months();
    expect((await report([], june)).ok).toBe(false);
    expect((await report(may, [])).ok).toBe(false);
    expect((await report([...may, String(may[3])], june)).ok).toBe(false);
    expect((await report(may, [...june, "not json"])).ok).toBe(false);
  });

  it("says so when the record of the last line is missing", async () => {
    const { folder, headFile } = twoMonths();
    rmSync(headFile);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([
      { problem: "the record of the last line is missing" },
    ]);
  });

  it("no change of a byte, removal, swap or repetition of lines goes unnoticed", async () => {
    const { folder, headFile, months } = twoMonths();
    const { may, june } = months();
    const all = [...may, ...june];
    const index = fc.nat(all.length - 1);
    const tampering = fc.oneof(
      fc.record({
        how: fc.constant("byte" as const),
        index,
        at: fc.nat(400),
        other: index,
        by: fc.constantFrom("x", "0", " ", "é", '"', "\r"),
      }),
      fc.record({
        how: fc.constantFrom("insert" as const, "remove" as const, "swap" as const, "repeat" as const),
        index,
        at: fc.nat(400),
        other: index,
        by: fc.constantFrom("x", " ", "\r"),
      }),
    );
    await fc.assert(
      fc.asyncProperty(tampering, fc.nat(all.length), async ({ how, index: i, at, other, by }, split) => {
        const lines = [...all];
        const line = String(lines[i]);
        const position = at % line.length;
        if (how === "byte") lines[i] = line.slice(0, position) + by + line.slice(position + 1);
        if (how === "insert") lines[i] = line.slice(0, position) + by + line.slice(position);
        if (how === "remove") lines.splice(i, 1);
        if (how === "swap") [lines[i], lines[other]] = [String(lines[other]), line];
        if (how === "repeat") lines.splice(i, 0, line);
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        const put = (name: string, some: readonly string[]) =>
          writeFileSync(join(folder, name), some.map((text) => `${text}\n`).join(""));
        put(MAY, lines.slice(0, split));
        put(JUNE, lines.slice(split));
        const isSame = split === may.length && lines.join("\n") === all.join("\n");
        expect([how, i, position, by, (await verifyAudit(folder, headFile)).ok]).toEqual([
          how,
          i,
          position,
          by,
          isSame,
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
