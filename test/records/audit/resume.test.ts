import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GENESIS, lineHash } from "../../../main/records/audit/chain.ts";
import { tailAudit } from "../../../main/records/audit/last-lines.ts";
import type { AuditLog } from "../../../main/records/audit/log.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { freshTrail, linesIn, written } from "../../support/audit-trail.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const MAY = "2026-05.jsonl";
const JUNE = "2026-06.jsonl";

function eventsIn(folder: string): string[] {
  return linesIn(folder).map((line) => JSON.parse(line).event);
}

/** Writes lines as a gate does that is killed then: nothing is closed. */
function killedAfter(log: AuditLog, clock: ManualClock, texts: readonly string[], stepSeconds = 0): void {
  for (const text of texts) {
    log.append({ event: "test", ts: clock.ms / 1000, text });
    log.flush();
    clock.advance(stepSeconds);
  }
}

describe("a killed gate", () => {
  it("leaves lines beyond the recorded end: they are no problem, and the next start says how many it took over", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    killedAfter(opened(), clock, ["a", "b", "c"]);
    expect(readFileSync(headFile, "utf8").slice(0, 64)).toBe(lineHash(linesIn(folder)[0] ?? ""));
    expect(await verifyAudit(folder, headFile)).toEqual({ ok: true, files: 1, lines: 3, problems: [] });
    written(opened(), clock, ["d"]);
    expect(linesIn(folder).map((line) => JSON.parse(line))).toMatchObject([
      { text: "a" },
      { text: "b" },
      { text: "c" },
      { event: "audit.resumed", lines: 2 },
      { text: "d" },
    ]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, lines: 5, problems: [] });
  });

  it("at any byte of a line: what was written of it is cut off and noted, and nothing counts as tampering", async () => {
    const explain = { level: { is: "Full" }, word: "\u00e9" };
    const whole = Buffer.from(`${JSON.stringify({ event: "test", ts: 1, seq: 4, explain, prev: "0".repeat(64) })}\n`);
    for (let writtenBytes = 1; writtenBytes < whole.length - 1; writtenBytes++) {
      const { folder, headFile, clock, opened } = freshTrail();
      killedAfter(opened(), clock, ["a", "b"]);
      appendFileSync(join(folder, MAY), whole.subarray(0, writtenBytes));
      // Killed again before its first line, and after it.
      opened().open();
      killedAfter(opened(), clock, ["c"]);
      killedAfter(opened(), clock, ["d"]);
      const [torn] = linesIn(folder)
        .map((line) => JSON.parse(line))
        .filter(({ torn_bytes }) => torn_bytes !== undefined);
      expect(torn, `${writtenBytes} bytes`).toMatchObject({
        event: "audit.resumed",
        lines: 1,
        torn_bytes: writtenBytes,
      });
      const report = await verifyAudit(folder, headFile);
      expect(report.problems, `${writtenBytes} bytes`).toEqual([]);
      expect(tailAudit(folder, 99).flatMap(({ text }) => text ?? [])).toEqual(["a", "b", "c", "d"]);
    }
  });

  it("what it can't have left at the end stays, and is reported", async () => {
    const whole = ['{"text":{}}', '{"a":1}{"b":{}}', '{"a":"}"} {"b":', '{"a":1}}', '{"a":"\\"{"} x'];
    for (const foreign of ["garbage", ...whole, "{\u0000", `{"text":"${"x".repeat(1_100_000)}`]) {
      const { folder, headFile, clock, opened } = freshTrail();
      killedAfter(opened(), clock, ["a"]);
      appendFileSync(join(folder, MAY), foreign);
      written(opened(), clock, ["b"]);
      expect((await verifyAudit(folder, headFile)).ok, foreign.slice(0, 20)).toBe(false);
    }
  });

  it("at any line, after any pause, leaves nothing that counts as tampering", async () => {
    for (const lines of [0, 1, 2, 5]) {
      for (const step of [0, 0.03, 0.2, 3600]) {
        const { folder, headFile, clock, opened } = freshTrail();
        written(opened(), clock, ["before"]);
        clock.advance(7 * 3600);
        killedAfter(opened(), clock, Array(lines).fill("x"), step);
        const report = await verifyAudit(folder, headFile);
        expect([lines, step, report.problems]).toEqual([lines, step, []]);
        killedAfter(opened(), clock, ["after"]);
        expect([lines, step, (await verifyAudit(folder, headFile)).problems]).toEqual([lines, step, []]);
      }
    }
  });

  it("lines later than it can have written them are not its own", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    killedAfter(opened(), clock, ["a"]);
    const [last = ""] = linesIn(folder);
    const forged = { event: "test", ts: clock.ms / 1000 + 3600, seq: 2, prev: lineHash(last) };
    appendFileSync(join(folder, MAY), `${JSON.stringify(forged)}\n`);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([{ line: 2, kind: "appended" }]);
    clock.advance(7200);
    written(opened(), clock, ["b"]);
    expect(eventsIn(folder)).toEqual(["test", "test", "audit.appended", "test"]);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([{ line: 3, kind: "appended" }]);
  });

  it("at the change of a month, before the new file has a line or right after: no break", async () => {
    for (const isWritten of [false, true]) {
      const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-05-31T23:59:59.950Z"));
      const log = opened();
      killedAfter(log, clock, ["may", "may"]);
      clock.advance(0.3);
      if (isWritten) killedAfter(log, clock, ["june", "june"]);
      else writeFileSync(join(folder, JUNE), "");
      expect((await verifyAudit(folder, headFile)).problems).toEqual([]);
      written(opened(), clock, ["after"]);
      expect(eventsIn(folder)).not.toContain("audit.gap");
      expect((await verifyAudit(folder, headFile)).problems).toEqual([]);
    }
  });

  it("whose record of the end is still of the old month: the lines of the new one are found", async () => {
    const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-05-31T23:59:59.950Z"));
    const log = opened();
    killedAfter(log, clock, ["may"]);
    const head = readFileSync(headFile);
    clock.advance(0.3);
    killedAfter(log, clock, ["june", "june"]);
    writeFileSync(headFile, head);
    expect(readdirSync(folder)).toHaveLength(2);
    expect((await verifyAudit(folder, headFile)).problems).toEqual([]);
    clock.advance(1);
    written(opened(), clock, ["after"]);
    expect(eventsIn(folder)).toEqual(["test", "test", "test", "audit.resumed", "test"]);
    expect((await verifyAudit(folder, headFile)).problems).toEqual([]);
  });
});

describe("files that aren't the trail's", () => {
  it("of impossible and of future months are never written into, nor is the chain taken up in them", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["a"]);
    const planted = ["9999-99.jsonl", "2026-13.jsonl", "2099-01.jsonl", "2026-06.jsonl"];
    for (const name of planted) writeFileSync(join(folder, name), "");
    written(opened(), clock, ["b"]);
    for (const name of planted) expect(readFileSync(join(folder, name), "utf8")).toBe("");
    expect(linesIn(folder)).toHaveLength(2);
    expect((await verifyAudit(folder, headFile, undefined, clock.ms)).problems).toMatchObject(
      [...planted].sort().map((file) => ({ file, line: 0, kind: "stray_file" })),
    );
  });

  it("an empty month is skipped where the record of the end is missing, too: the chain continues after the last line", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["a"]);
    rmSync(headFile);
    clock.advance(31 * 86_400);
    writeFileSync(join(folder, JUNE), "");
    written(opened(), clock, ["b"]);
    const kinds = (await verifyAudit(folder, headFile, undefined, clock.ms)).problems.map(({ kind }) => kind);
    expect(kinds).toEqual(["gap"]);
  });

  it("a link in the position of the record, or of a month, is refused by name, and what it leads to stays as it is", () => {
    const { top, folder, headFile, clock, opened } = freshTrail();
    const precious = join(top, "precious.txt");
    writeFileSync(precious, "precious");
    for (const position of [headFile, join(folder, MAY)]) {
      mkdirSync(join(position, ".."), { recursive: true });
      rmSync(position, { force: true });
      symlinkSync(precious, position);
      const log = opened();
      const failures: unknown[] = [];
      log.begin(({ failure, headFailure }) => failures.push(failure ?? headFailure));
      log.append({ event: "test", ts: clock.ms / 1000 });
      log.flush();
      log.close();
      expect(readFileSync(precious, "utf8")).toBe("precious");
      expect(failures.map(String)).toContain(`GateError: ${position} is a link, not a file`);
      rmSync(position);
    }
  });

  it("a folder, or a pipe without a reader, in their position is refused by name, without waiting", () => {
    const { folder, clock, opened } = freshTrail();
    mkdirSync(join(folder, MAY), { recursive: true });
    const log = opened();
    let failure: unknown;
    log.append({ event: "test", ts: clock.ms / 1000 }, (error) => {
      failure = error;
    });
    log.flush();
    expect(String(failure)).toBe(`GateError: ${join(folder, MAY)} is a folder, not a file`);
  });
});

describe("a trail of an earlier version", () => {
  /** Lines without numbers, and a record that is the last line's hash. */
  function earlier(texts: readonly string[], recorded = texts.length) {
    const trail = freshTrail();
    const { folder, headFile, clock } = trail;
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(headFile, ".."), { recursive: true });
    let prev = GENESIS;
    const hashes: string[] = [];
    for (const text of texts) {
      const line = JSON.stringify({ event: "test", ts: clock.ms / 1000, text, prev });
      appendFileSync(join(folder, MAY), `${line}\n`);
      prev = lineHash(line);
      hashes.push(prev);
    }
    writeFileSync(headFile, `${hashes[recorded - 1]}\n`);
    return trail;
  }

  it("verifies as it is, also where it was killed, and is continued", async () => {
    for (const recorded of [3, 2]) {
      const { folder, headFile, clock, opened } = earlier(["a", "b", "c"], recorded);
      expect(await verifyAudit(folder, headFile)).toEqual({ ok: true, files: 1, lines: 3, problems: [] });
      written(opened(), clock, ["d"]);
      written(opened(), clock, ["e"]);
      expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, problems: [] });
      expect(eventsIn(folder).filter((event) => event !== "audit.resumed")).toHaveLength(5);
    }
  });

  it("its changes are found as before", async () => {
    const { folder, headFile } = earlier(["a", "b", "c"]);
    const lines = linesIn(folder);
    writeFileSync(join(folder, MAY), `${[lines[0]?.replace('"a"', '"x"'), lines[1], lines[2]].join("\n")}\n`);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([{ line: 2, kind: "changed" }]);
  });
});

it("the last lines are the last ones written, also where the clock was once in the future", () => {
  const { folder, clock, opened } = freshTrail();
  const wrongBy = 50 * 365 * 86_400;
  written(opened(), clock, ["a"]);
  clock.advance(wrongBy);
  written(opened(), clock, ["b"]);
  clock.advance(-wrongBy);
  written(opened(), clock, ["c"]);
  const texts = tailAudit(folder, 5, undefined, clock.ms).map(({ text, event }) => text ?? event);
  expect(texts.slice(-1)).toEqual(["c"]);
  expect(texts).toContain("b");
});
