import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { GENESIS, lineHash, monthFile } from "../../../main/records/audit/chain.ts";
import { tailAudit } from "../../../main/records/audit/last-lines.ts";
import { AuditLog } from "../../../main/records/audit/log.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { freshTrail, linesIn, written } from "../../support/audit-trail.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** When the manual clock begins, in Unix seconds. */
const AT = new ManualClock().ms / 1000;

function eventsIn(folder: string, file: string): string[] {
  const lines = readFileSync(join(folder, file), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line).event);
}

describe("the trail", () => {
  // log_jsonl_viene_scritto
  it("is one JSON line an event in the month's file, each with the hash of the line before", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    const log = opened();
    const ts = clock.ms / 1000;
    log.append({ event: "decision", ts, intent: "a marker" });
    log.append(() => ({ event: "decision", ts: ts + 1, intent: "made later" }));
    expect(existsSync(folder)).toBe(false);
    log.flush();
    const lines = linesIn(folder);
    expect(readdirSync(folder)).toEqual(["2026-05.jsonl"]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { event: "decision", ts, intent: "a marker", seq: 1, prev: GENESIS },
      { event: "decision", ts: ts + 1, intent: "made later", seq: 2, prev: lineHash(lines[0] ?? "") },
    ]);
    log.close();
    expect(readFileSync(headFile, "utf8").split("\n")[0]).toBe(lineHash(lines[1] ?? ""));
    expect(statSync(headFile).size).toBe(512);
    expect(await verifyAudit(folder, headFile)).toEqual({ ok: true, files: 1, lines: 2, problems: [] });
    expect(clock.ms).toBe(new ManualClock().ms);
  });

  it("is only its owner's to read", () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["x"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "2026-05.jsonl")).mode & 0o777).toBe(0o600);
    expect(statSync(headFile).mode & 0o777).toBe(0o600);
  });

  it("continues in the next month's file with the chain unbroken, and back in an earlier one where the clock is set back, with a line that says so", async () => {
    const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-05-31T23:59:59Z"));
    written(opened(), clock, ["may", "june"]);
    expect(readdirSync(folder).sort()).toEqual(["2026-05.jsonl", "2026-06.jsonl"]);
    clock.advance(-86_400);
    written(opened(), clock, ["the clock went back"]);
    expect(eventsIn(folder, "2026-05.jsonl")).toEqual(["test", "audit.clock", "test"]);
    clock.advance(86_400);
    written(opened(), clock, ["the clock went forward"]);
    expect(eventsIn(folder, "2026-06.jsonl")).toEqual(["test", "test"]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, files: 2, lines: 5, problems: [] });
    expect(monthFile(Date.parse("2026-12-31T23:59:59.999Z"))).toBe("2026-12.jsonl");
  });

  it("says in a separate line where the clock was set back within a month; a small step is none", async () => {
    const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-05-15T12:00:00Z"));
    const log = opened();
    for (const step of [0, -9, -3600]) {
      clock.advance(step);
      log.append({ event: "test", ts: clock.ms / 1000 });
      log.flush();
    }
    log.close();
    expect(eventsIn(folder, "2026-05.jsonl")).toEqual(["test", "test", "audit.clock", "test"]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, lines: 4 });
  });

  it("is in separate lines also after what another program writes into it while the gate runs", async () => {
    const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-05-15T12:00:00Z"));
    const log = opened();
    const add = (text: string) => {
      log.append({ event: "test", ts: clock.ms / 1000, text });
      log.flush();
      clock.advance(1);
    };
    add("a");
    appendFileSync(join(folder, "2026-05.jsonl"), '{"half a line');
    add("b");
    log.close();
    expect(linesIn(folder).map((line) => /"text":"(.)"/.exec(line)?.[1])).toEqual(["a", undefined, "b"]);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([{ line: 2, kind: "torn" }, { line: 3 }]);
  });

  it("is written no more once it is abandoned: it may be another gate's", () => {
    const { folder, clock, opened } = freshTrail(new ManualClock("2026-05-15T12:00:00Z"));
    const log = opened();
    log.append({ event: "test", ts: clock.ms / 1000 });
    log.flush();
    const before = linesIn(folder);
    log.append({ event: "test", ts: clock.ms / 1000 });
    log.abandon();
    log.append({ event: "test", ts: clock.ms / 1000 });
    log.flush();
    log.tend();
    log.close();
    expect(linesIn(folder)).toEqual(before);
  });

  it("is written no more where another gate has begun since its line was made, as while the process was stopped", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    const [log, other] = [opened(), opened()];
    let isLost = false;
    log.begin(
      () => undefined,
      () => isLost && log.abandon(),
    );
    const ts = clock.ms / 1000;
    log.append({ event: "test", ts });
    log.flush();
    log.append(() => {
      isLost = true;
      written(other, clock, ["of the other one"]);
      return { event: "test", ts };
    });
    log.flush();
    log.close();
    expect(eventsIn(folder, "2026-05.jsonl")).toHaveLength(2);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, problems: [] });
  });

  it("a clock that steps over a month's end and back stays in the newer file", async () => {
    const { folder, headFile, clock, opened } = freshTrail(new ManualClock("2026-06-01T00:00:01Z"));
    const log = opened();
    written(log, clock, ["june"]);
    clock.advance(-4);
    written(opened(), clock, ["a little back"]);
    expect(eventsIn(folder, "2026-06.jsonl")).toEqual(["test", "test"]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, lines: 2 });
    // And a little more: back a file, and the line that records it, though it is less than a change of the clock.
    clock.advance(-10);
    written(opened(), clock, ["more back"]);
    expect(eventsIn(folder, "2026-05.jsonl")).toEqual(["audit.clock", "test"]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, lines: 4 });
  });

  it("a clock that was once far in the future doesn't capture the lines after it", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    const log = opened();
    const write = (text: string) => {
      log.append({ event: "test", ts: clock.ms / 1000, text });
      log.flush();
      clock.advance(1);
    };
    write("before");
    const wrongBy = 73 * 365 * 86_400;
    clock.advance(wrongBy);
    write("in 2099");
    clock.advance(-wrongBy);
    write("set right");
    log.close();
    written(opened(), clock, ["after a restart"]);
    expect(eventsIn(folder, "2026-05.jsonl")).toEqual(["test", "audit.clock", "test", "test"]);
    expect(eventsIn(folder, "2099-04.jsonl")).toEqual(["test"]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, files: 2, lines: 5, problems: [] });
  });

  it("is taken up by the next start where it ended", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["a", "b"]);
    written(opened(), clock, ["c"]);
    written(opened(), clock, []);
    written(opened(), clock, ["d"]);
    expect(await verifyAudit(folder, headFile)).toMatchObject({ ok: true, lines: 4 });
    expect(tailAudit(folder, 2).map((line) => line.text)).toEqual(["c", "d"]);
    expect(tailAudit(folder, 99).length).toBe(4);
  });

  it("gives its listeners each line as it is in the file, until they unsubscribe", () => {
    const { folder, clock, opened } = freshTrail();
    const log = opened();
    const received: string[] = [];
    const unsubscribe = log.subscribe((line) => received.push(line));
    log.append({ event: "a", ts: AT + 1 });
    log.append({ event: "b", ts: AT + 2 });
    log.flush();
    expect(received).toEqual(linesIn(folder));
    unsubscribe();
    written(log, clock, ["c"]);
    expect(received.length).toBe(2);
  });

  it("a text with line separators of any kind in it is still one line", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    const texts = ["a\u2028b", "a\u2029b", "a\rb", "a\nb", "a\r\nb", "\u0085", "\ud800"];
    written(opened(), clock, texts);
    expect(await verifyAudit(folder, headFile)).toEqual({ ok: true, files: 1, lines: texts.length, problems: [] });
    expect(tailAudit(folder, 10).map((line) => line.text)).toEqual(texts);
  });
});

describe("a trail that can't be written", () => {
  it("holds nothing up: what is lost is counted, and noted in the trail once it can be written again", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    writeFileSync(folder, "a file where the folder should be");
    const log = opened();
    log.append({ event: "decision", ts: AT + 1 });
    log.append({ event: "decision", ts: AT + 2 });
    log.flush();
    expect([log.writeFailures, log.last_failure]).toEqual([2, "EEXIST"]);
    clock.advance(1);
    log.append({ event: "decision", ts: AT + 3 });
    log.flush();
    expect(log.writeFailures).toBe(3);
    expect(readFileSync(folder, "utf8")).toBe("a file where the folder should be");
    rmSync(folder);
    clock.advance(1);
    log.append({ event: "decision", ts: AT + 4 });
    log.flush();
    log.append({ event: "decision", ts: AT + 5 });
    log.close();
    expect(linesIn(folder).map((line) => JSON.parse(line))).toMatchObject([
      { event: "audit.lost", lines: 3 },
      { event: "decision", ts: AT + 4 },
      { event: "decision", ts: AT + 5 },
    ]);
    expect(log.writeFailures).toBe(3);
    expect(await verifyAudit(folder, headFile)).toMatchObject({
      ok: false,
      lines: 3,
      problems: [{ file: "2026-05.jsonl", line: 1, kind: "lost", problem: "3 lines could not be written (EEXIST)" }],
    });
  });

  it("a line that can't be made is lost like one that can't be written: the next ones are written", () => {
    const { folder, opened } = freshTrail();
    const log = opened();
    log.append(() => {
      throw new RangeError("Invalid string length");
    });
    log.flush();
    log.append({ event: "decision", ts: AT + 2 });
    log.close();
    expect(log.writeFailures).toBe(1);
    expect(linesIn(folder).map((line) => JSON.parse(line))).toMatchObject([
      { event: "audit.lost", lines: 1 },
      { event: "decision", ts: AT + 2 },
    ]);
  });

  it("a month's file that is a folder is no different", () => {
    const { folder, clock, opened } = freshTrail();
    written(opened(), clock, ["a"]);
    rmSync(join(folder, "2026-05.jsonl"));
    const log = opened();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    log.append({ event: "x", ts: AT + 1 });
    expect(() => log.flush()).not.toThrow();
    expect(() => log.close()).not.toThrow();
    expect(log.writeFailures).toBe(1);
  });

  it("a write that ends halfway leaves no half a line: the trail ends with a whole one, and continues after it", async () => {
    const { top, folder } = freshTrail();
    const headFile = join(top, "head");
    const writer = fileURLToPath(new URL("../../support/limited-audit-writer.ts", import.meta.url));
    // No file of this process may grow beyond a few kilobytes: the kernel writes what still fits.
    const limited = ["-c", 'ulimit -f 8; exec "$0" "$@"', process.execPath, writer, folder, headFile];
    const report = JSON.parse(execFileSync("/bin/sh", limited, { encoding: "utf8" }));
    expect(report).toMatchObject({ failures: 1, last_failure: "EFBIG" });
    expect(report.written).toBeGreaterThan(10);
    const [file = ""] = readdirSync(folder);
    expect(readFileSync(join(folder, file), "utf8")).toMatch(/\}\n$/);
    expect(linesIn(folder).length).toBe(report.written);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([
      { file: "head", kind: "lost", problem: "1 lines could not be written (EFBIG); the trail doesn't say so yet" },
    ]);
    const log = new AuditLog(folder, headFile);
    log.append({ event: "test", ts: Date.now() / 1000 });
    log.close();
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([
      { file, line: report.written + 1, kind: "lost", problem: "1 lines could not be written (EFBIG)" },
    ]);
  });

  it("a head that can't be written is counted, and the line remains", () => {
    const { top, folder, opened } = freshTrail();
    writeFileSync(join(top, "state"), "a file where the head's folder should be");
    const log = opened();
    log.append({ event: "x", ts: AT + 1 });
    log.flush();
    expect(linesIn(folder).length).toBe(1);
    expect(log.writeFailures).toBeGreaterThan(0);
    expect(log.last_failure).not.toBeNull();
  });
});

describe("a trail that something happened to while no gate ran", () => {
  it("a torn last line is ended, reported, and the lines after it remain", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["a", "b"]);
    appendFileSync(join(folder, "2026-05.jsonl"), '{"event":"test","ts":17');
    expect(await verifyAudit(folder, headFile)).toMatchObject({
      ok: false,
      problems: [{ file: "2026-05.jsonl", line: 3, kind: "torn" }],
    });
    written(opened(), clock, ["c", "d"]);
    const report = await verifyAudit(folder, headFile);
    expect(report.problems).toMatchObject([
      { file: "2026-05.jsonl", line: 3, problem: "not a readable line: it was changed or torn" },
    ]);
    expect(tailAudit(folder, 9).map((line) => line.text)).toEqual(["a", "b", "c", "d"]);
  });

  it("an end that is missing is noted by the next start, and stays noted", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["a", "b", "c"]);
    const file = join(folder, "2026-05.jsonl");
    writeFileSync(file, `${linesIn(folder).slice(0, 2).join("\n")}\n`);
    expect((await verifyAudit(folder, headFile)).ok).toBe(false);
    written(opened(), clock, ["d"]);
    expect(linesIn(folder).map((line) => JSON.parse(line).event)).toEqual(["test", "test", "audit.gap", "test"]);
    expect((await verifyAudit(folder, headFile)).problems).toMatchObject([
      { line: 3, problem: "the trail's end was missing when the gate started" },
    ]);
  });

  it("a number that a missing line had is given to no other", () => {
    const { folder, clock, opened } = freshTrail();
    written(opened(), clock, ["a", "b", "c"]);
    const [file = ""] = readdirSync(folder);
    writeFileSync(join(folder, file), `${linesIn(folder)[0]}\n`);
    written(opened(), clock, ["d"]);
    const lines = linesIn(folder).map((line) => JSON.parse(line));
    expect(lines.map(({ event, seq }) => [event, seq])).toEqual([
      ["test", 1],
      ["audit.gap", 4],
      ["test", 5],
    ]);
    expect(lines[1]).toMatchObject({ missing: 2 });
  });

  it("a whole trail that is missing is noted, too", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    written(opened(), clock, ["a"]);
    rmSync(folder, { recursive: true });
    expect((await verifyAudit(folder, headFile)).ok).toBe(false);
    written(opened(), clock, ["b"]);
    expect(linesIn(folder).map((line) => JSON.parse(line).event)).toEqual(["audit.gap", "test"]);
    expect((await verifyAudit(folder, headFile)).ok).toBe(false);
  });

  it("a file that is taken away while the gate runs is written anew within a second, and shows", async () => {
    const { folder, headFile, clock, opened } = freshTrail();
    const log = opened();
    log.append({ event: "a", ts: AT + 1 });
    log.flush();
    rmSync(join(folder, "2026-05.jsonl"));
    clock.advance(1);
    log.append({ event: "b", ts: AT + 2 });
    log.close();
    expect(linesIn(folder).length).toBe(1);
    expect((await verifyAudit(folder, headFile)).ok).toBe(false);
  });
});
