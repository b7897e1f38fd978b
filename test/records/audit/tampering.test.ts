import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GENESIS, lineHash } from "../../../main/records/audit/chain.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { freshTrail, linesIn, written } from "../../support/audit-trail.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const MAY = "2026-05.jsonl";
const JUNE = "2026-06.jsonl";

/** A trail of three lines in the middle of May and three in the middle of June, and what is done to it. */
function twoMonths() {
  const trail = freshTrail(new ManualClock("2026-05-15T10:00:00Z"));
  const { folder, headFile, clock, opened } = trail;
  written(opened(), clock, ["m1", "m2", "m3"]);
  clock.advance(31 * 86_400);
  written(opened(), clock, ["j1", "j2", "j3"]);
  const path = (file: string) => join(folder, file);
  const linesOf = (file: string) => readFileSync(path(file), "utf8").split("\n").slice(0, -1);
  const put = (file: string, lines: readonly string[]) =>
    writeFileSync(path(file), lines.map((line) => `${line}\n`).join(""));
  const edit = (file: string, change: (lines: string[]) => string[]) => put(file, change(linesOf(file)));
  /** A forged line, after the trail's last one. */
  const forged = (text: string, ts = clock.ms / 1000) => {
    const last = linesIn(folder).at(-1) ?? "";
    const { seq } = JSON.parse(last) as { seq: number };
    return JSON.stringify({ event: "test", ts, text, seq: seq + 1, prev: lineHash(last) });
  };
  const editHead = (change: (text: string) => string) =>
    writeFileSync(headFile, change(readFileSync(headFile, "utf8")));
  return { ...trail, path, linesOf, put, edit, forged, editHead };
}
type Trail = ReturnType<typeof twoMonths>;

const TAMPERINGS: readonly (readonly [string, string, (trail: Trail) => void])[] = [
  ["a changed line", "changed", ({ edit }) => edit(MAY, ([a = "", ...rest]) => [a.replace("m1", "x1"), ...rest])],
  [
    "a line that is no JSON any more",
    "changed",
    ({ edit }) => edit(MAY, ([a = "", ...rest]) => [a.replace('"m1"', "m1"), ...rest]),
  ],
  ["a removed line", "removed", ({ edit }) => edit(MAY, ([a = "", , c = ""]) => [a, c])],
  ["the first line removed", "removed", ({ edit }) => edit(MAY, ([, ...rest]) => rest)],
  ["the last line removed", "removed", ({ edit }) => edit(JUNE, (lines) => lines.slice(0, -1))],
  ["a removed month", "removed", ({ path }) => rmSync(path(MAY))],
  ["the last month removed", "removed", ({ path }) => rmSync(path(JUNE))],
  ["the whole trail removed", "removed", ({ folder }) => rmSync(folder, { recursive: true })],
  ["a repeated line", "inserted", ({ edit }) => edit(MAY, ([a = "", ...rest]) => [a, a, ...rest])],
  [
    "a forged line in the middle",
    "inserted",
    ({ edit }) =>
      edit(MAY, ([a = "", ...rest]) => [a, JSON.stringify({ event: "test", ts: 1, prev: lineHash(a) }), ...rest]),
  ],
  ["a line put further up", "moved", ({ edit }) => edit(JUNE, ([a = "", b = "", c = ""]) => [c, a, b])],
  ["a forged line after the end", "appended", ({ path, forged }) => appendFileSync(path(JUNE), `${forged("x")}\n`)],
  [
    "five forged lines after the end",
    "appended",
    ({ path, forged }) => {
      for (let line = 0; line < 5; line++) appendFileSync(path(JUNE), `${forged(`x${line}`)}\n`);
    },
  ],
  [
    "a forged line in a next month",
    "appended",
    ({ put, forged, clock }) => put("2026-07.jsonl", [forged("x", clock.ms / 1000 + 20 * 86_400)]),
  ],
  ["a blank line in the middle", "blank", ({ edit }) => edit(MAY, ([a = "", ...rest]) => [a, "", ...rest])],
  ["a blank line at the end", "blank", ({ path }) => appendFileSync(path(JUNE), "\n")],
  ["half a line at the end", "torn", ({ path }) => appendFileSync(path(JUNE), '{"event":"te')],
  ["the last newline taken", "torn", ({ path, linesOf }) => truncateSync(path(JUNE), linesOf(JUNE).join("\n").length)],
  ["a renamed month", "renamed", ({ path }) => renameSync(path(MAY), path("2026-04.jsonl"))],
  ["the last month renamed to one far away", "renamed", ({ path }) => renameSync(path(JUNE), path("2099-01.jsonl"))],
  [
    "two months merged into one",
    "merged",
    ({ path, linesOf, put }) => {
      put(JUNE, [...linesOf(MAY), ...linesOf(JUNE)]);
      rmSync(path(MAY));
    },
  ],
  [
    "a line moved into the next month's file",
    "wrong_month",
    ({ linesOf, put }) => {
      const [may, june] = [linesOf(MAY), linesOf(JUNE)];
      put(JUNE, [may.at(-1) ?? "", ...june]);
      put(MAY, may.slice(0, -1));
    },
  ],
  [
    "a line moved into the file of the month before",
    "wrong_month",
    ({ linesOf, put }) => {
      const [may, june] = [linesOf(MAY), linesOf(JUNE)];
      put(MAY, [...may, june[0] ?? ""]);
      put(JUNE, june.slice(1));
    },
  ],
  ["a file of an impossible month", "stray_file", ({ put }) => put("9999-99.jsonl", ["x"])],
  ["an empty file of a month to come", "stray_file", ({ put }) => put("2099-01.jsonl", [])],
  ["another file", "stray_file", ({ put }) => put("notes.txt", ["x"])],
  [
    "a month replaced by a link",
    "link",
    ({ path }) => {
      renameSync(path(MAY), path("../elsewhere"));
      symlinkSync("../elsewhere", path(MAY));
    },
  ],
  [
    "a month that is a folder",
    "unreadable",
    ({ path }) => {
      rmSync(path(MAY));
      mkdirSync(path(MAY));
    },
  ],
  ["no record of the end", "head_missing", ({ headFile }) => rmSync(headFile)],
  ["an empty record of the end", "head_missing", ({ headFile }) => writeFileSync(headFile, "")],
  ["a record of the end that is garbage", "head_unreadable", ({ headFile }) => writeFileSync(headFile, "garbage")],
  [
    "a record of the end that is a folder",
    "head_unreadable",
    ({ headFile }) => {
      rmSync(headFile);
      mkdirSync(headFile);
    },
  ],
  [
    "a record of the end that is a dangling link",
    "head_unreadable",
    ({ headFile }) => {
      rmSync(headFile);
      symlinkSync("nowhere", headFile);
    },
  ],
  ["a record of the end that is zeros", "head_zero", ({ headFile }) => writeFileSync(headFile, `${GENESIS}\n`)],
  ["zeros in the record of the end", "head_zero", ({ editHead }) => editHead((text) => GENESIS + text.slice(64))],
  [
    "a record of the end that is an earlier line's hash",
    "head_earlier",
    ({ headFile, linesOf }) => writeFileSync(headFile, `${lineHash(linesOf(JUNE)[0] ?? "")}\n`),
  ],
  [
    "an earlier line's hash in the record of the end",
    "head_earlier",
    ({ editHead, linesOf }) => editHead((text) => lineHash(linesOf(JUNE)[0] ?? "") + text.slice(64)),
  ],
];

describe("whatever others do to a trail", () => {
  it.each(TAMPERINGS)("is found, and by its kind: %s", async (_what, kind, tamper) => {
    const trail = twoMonths();
    const { folder, headFile, clock } = trail;
    expect(await verifyAudit(folder, headFile, undefined, clock.ms)).toEqual({
      ok: true,
      files: 2,
      lines: 6,
      problems: [],
    });
    tamper(trail);
    const { ok, problems } = await verifyAudit(folder, headFile, undefined, clock.ms);
    expect(ok).toBe(false);
    expect(problems.map((problem) => problem.kind)).toContain(kind);
  });

  it.each(TAMPERINGS)("is still found after the next start has written its lines: %s", async (what, _kind, tamper) => {
    const trail = twoMonths();
    const { folder, headFile, clock, opened } = trail;
    tamper(trail);
    if (what === "the last newline taken") return expect(linesIn(folder)).toHaveLength(5); // nothing of it is left to find
    written(opened(), clock, ["after"]);
    expect((await verifyAudit(folder, headFile, undefined, clock.ms)).ok).toBe(false);
  });

  it.each([
    ["an appended line", "appended"],
    ["a removed end", "removed"],
    ["zeros in the record", "head_zero"],
    ["another record", "head_changed"],
    ["no record", "head_missing"],
  ] as const)("is found beside a running gate, too: %s", async (what, kind) => {
    const { folder, headFile, clock, opened, path, forged, edit } = twoMonths();
    const log = opened();
    log.append({ event: "test", ts: clock.ms / 1000 });
    log.flush();
    log.rememberHead();
    expect((await verifyAudit(folder, headFile, log.end, clock.ms)).problems).toEqual([]);
    if (what === "an appended line") appendFileSync(path(JUNE), `${forged("x")}\n`);
    if (what === "a removed end") edit(JUNE, (lines) => lines.slice(0, -1));
    if (what === "zeros in the record") writeFileSync(headFile, `${GENESIS}\n`);
    if (what === "another record") writeFileSync(headFile, `${"1".repeat(64)}\n`);
    if (what === "no record") rmSync(headFile);
    const { problems } = await verifyAudit(folder, headFile, log.end, clock.ms);
    expect(problems.map((problem) => problem.kind)).toContain(kind);
    log.close();
  });

  it("lines that the gate writes while they are read are no problem", async () => {
    const { folder, headFile, clock, opened } = twoMonths();
    const log = opened();
    const write = () => {
      log.append({ event: "test", ts: clock.ms / 1000 });
      log.flush();
    };
    write();
    const report = verifyAudit(folder, headFile, log.end, clock.ms);
    for (let line = 0; line < 100; line++) write();
    expect(await report).toMatchObject({ ok: true, lines: 7 });
    log.close();
  });
});
