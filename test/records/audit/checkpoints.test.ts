import {
  appendFileSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acceptProblems } from "../../../main/records/audit/accept-problems.ts";
import { GENESIS, lineHash } from "../../../main/records/audit/chain.ts";
import { notesIn, signCheckpoint, verdictOn } from "../../../main/records/audit/checkpoint.ts";
import { examineTrail, verifyAudit } from "../../../main/records/audit/verify.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { testSigner } from "../../support/checkpoint-keys.ts";
import { allLines, linkAgain } from "../../support/linked-lines.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type SignedTrail, signedTrail } from "../../support/signed-trail.ts";

const MAY = "2026-05.jsonl";

const sizesOf = (text: string) => notesIn(text).map(({ note }) => note?.size);
const reasonsOf = (text: string) => notesIn(text).map(({ note }) => note?.restarted);

/** True if every stored checkpoint is signed, and says what line has its number. */
function isProven({ folder, keys, stored }: SignedTrail): boolean {
  const lines = linesIn(folder);
  return notesIn(stored()).every(({ note }) => {
    if (note === undefined || verdictOn(note, keys.known()) !== "valid") return false;
    return lineHash(lines[note.size - 1] ?? "") === note.end.hash;
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("checkpoints of the trail", () => {
  it("are signed after 64 lines, in a later turn, after ten minutes with a line, and at the end", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(63);
    await turn();
    expect(sizesOf(trail.stored())).toEqual([]);
    gate.write(1);
    expect(sizesOf(trail.stored())).toEqual([]);
    await turn();
    expect(sizesOf(trail.stored())).toEqual([64]);
    gate.write(1);
    gate.checkpoints.tend();
    trail.clock.advance(599);
    gate.checkpoints.tend();
    expect(sizesOf(trail.stored())).toEqual([64]);
    trail.clock.advance(1);
    gate.checkpoints.tend();
    expect(sizesOf(trail.stored())).toEqual([64, 65]);
    trail.clock.advance(3600);
    gate.checkpoints.tend();
    expect(sizesOf(trail.stored())).toEqual([64, 65]);
    gate.write(2);
    gate.end();
    expect(sizesOf(trail.stored())).toEqual([64, 65, 67]);
    expect(isProven(trail)).toBe(true);
    expect(gate.checkpoints.newest?.end).toMatchObject({ file: MAY, offset: statSync(join(trail.folder, MAY)).size });
    expect(trail.failures).toEqual([]);
  });

  it("the record of them is overwritten in place after each: another file would keep the call waiting that comes then", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    const files: [inode: number, signed: number][] = [];
    for (let signature = 0; signature < 3; signature++) {
      gate.write(64);
      await turn();
      const json = readFileSync(trail.recordFile, "utf8").split("\n")[1] ?? "";
      files.push([statSync(trail.recordFile).ino, JSON.parse(json).signed]);
    }
    const [[inode] = [0]] = files;
    expect(files).toEqual([
      [inode, 64],
      [inode, 128],
      [inode, 192],
    ]);
    // What is put in its place is overwritten next, and what can't be opened is replaced.
    rmSync(trail.recordFile);
    symlinkSync("/dev/null", trail.recordFile);
    gate.write(64);
    await turn();
    expect(lstatSync(trail.recordFile).isFile()).toBe(true);
    expect(gate.alarms.list()).toEqual([]);
    gate.kill();
  });

  it("are the owner's files alone, and nothing is written where no line is", async () => {
    const trail = signedTrail();
    trail.start().end();
    expect(trail.stored()).toBe("");
    const gate = trail.start();
    gate.write(1);
    gate.end();
    for (const file of [trail.recordFile, join(trail.checkpointsDir, "2026-05.checkpoints")])
      expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("continue after an end, a kill and over a month's end", async () => {
    const trail = signedTrail(new ManualClock("2026-05-31T23:58:00Z"));
    const first = trail.start();
    first.write(100);
    first.end();
    const second = trail.start();
    second.write(70);
    await turn();
    second.write(5);
    second.kill();
    const third = trail.start();
    third.write(10);
    third.end();
    const { newest } = third.checkpoints;
    const lines = linesIn(trail.folder);
    expect([newest?.size, newest?.epoch]).toEqual([lines.length, 1]);
    expect(newest?.end.hash).toBe(lineHash(lines.at(-1) ?? ""));
    expect(newest?.end.file).toBe("2026-06.jsonl");
    expect((await trail.verified(newest?.text)).problems).toEqual([]);
  });

  it("continue where the clock was set to another month and back between two looks", async () => {
    const trail = signedTrail();
    const first = trail.start();
    first.write(3);
    first.checkpoints.tend();
    trail.clock.advance(40 * 86_400);
    first.write(3);
    trail.clock.advance(-40 * 86_400);
    first.write(3);
    first.end();
    const second = trail.start();
    second.write(1);
    second.write(1);
    second.end();
    const { newest, epoch } = second.checkpoints;
    expect([newest?.size, epoch]).toEqual([linesIn(trail.folder).length, 1]);
    expect((await trail.verified(newest?.text)).problems).toEqual([]);
    expect(trail.failures).toEqual([]);
  });

  it("a month that has ended is looked at by the next signature: that it was cut shows at a start", async () => {
    const trail = signedTrail(new ManualClock("2026-05-31T23:57:00Z"));
    const gate = trail.start();
    for (let signature = 0; signature < 3; signature++) {
      gate.write(64);
      await turn();
    }
    expect(gate.checkpoints.newest?.end.file).toBe("2026-06.jsonl");
    gate.kill();
    const may = join(trail.folder, MAY);
    truncateSync(may, readFileSync(may, "utf8").trimEnd().lastIndexOf("\n") + 1);
    const next = trail.start();
    expect(next.alarms.list().map(({ code }) => code)).toEqual(["trail_restarted"]);
    next.kill();
  });

  it("a start reads only the lines since: an edit before them isn't read then", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(200);
    gate.end();
    const file = join(trail.folder, MAY);
    writeFileSync(file, readFileSync(file, "utf8").replace("a line 7", "a lane 7"));
    const next = trail.start();
    next.write(3);
    next.end();
    expect([next.checkpoints.newest?.size, next.checkpoints.epoch]).toEqual([203, 1]);
  });

  it.each([
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["cut short", (file: string) => truncateSync(file, 100)],
    ["changed", (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace('"signed":1', '"signed":2'))],
    [
      "a folder",
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])("continue after those that are stored where the record of them is %s", async (_how, damage) => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(130);
    gate.end();
    damage(trail.recordFile);
    const next = trail.start();
    next.write(1);
    next.end();
    expect(next.checkpoints.newest).toMatchObject({ size: 131, epoch: 1, origin: gate.checkpoints.origin });
    expect(isProven(trail)).toBe(true);
    expect(next.alarms.list().filter(({ code }) => code === "trail_restarted")).toEqual([]);
  });

  it("continue where the record of them is an older copy", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(70);
    gate.end();
    copyFileSync(trail.recordFile, `${trail.recordFile}.old`);
    const second = trail.start();
    second.write(70);
    second.end();
    copyFileSync(`${trail.recordFile}.old`, trail.recordFile);
    const third = trail.start();
    third.write(1);
    third.end();
    expect(third.checkpoints.newest).toMatchObject({ size: 141, epoch: 1 });
    expect(isProven(trail)).toBe(true);
  });

  it("begin anew where the trail isn't the one that was signed: the trail, the checkpoint and an alarm say so", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    gate.end();
    const kept = gate.checkpoints.newest?.text;
    const file = join(trail.folder, MAY);
    writeFileSync(
      file,
      linesIn(trail.folder)
        .slice(0, 80)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const next = trail.start();
    next.checkpoints.tend();
    expect(next.alarms.list().map(({ code }) => code)).toEqual(["trail_restarted"]);
    expect(next.checkpoints.newest).toMatchObject({ epoch: 2, restarted: "cut" });
    next.end();
    const events = linesIn(trail.folder).map((line) => JSON.parse(line) as { event: string; reason?: string });
    expect(events.slice(80).map(({ event, reason }) => [event, reason])).toEqual([
      ["audit.gap", undefined],
      ["audit.tree", "cut"],
    ]);
    const report = await trail.verified(kept);
    expect(report.problems.map(({ kind }) => kind)).toEqual(["gap", "restarted", "restarted"]);
    // A later start continues after them; the 20 lines that are gone had numbers.
    const last = trail.start();
    last.write(1);
    last.end();
    expect(last.checkpoints.newest).toMatchObject({ epoch: 2, restarted: null, size: 103 });
  });

  it("what was accepted is a new beginning, and then no problem any more", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    gate.end();
    const kept = gate.checkpoints.newest?.text;
    const file = join(trail.folder, MAY);
    writeFileSync(file, readFileSync(file, "utf8").replace("a line 50", "a lane 50"));
    const next = trail.start();
    const { folder, headFile, clock } = trail;
    const report = await acceptProblems(next.audit, { folder, headFile }, "I know", clock.now(), () => next.claims());
    expect(report.problems.map(({ kind }) => kind).sort()).toEqual(["changed", "rewritten"]);
    next.checkpoints.restart("accepted");
    next.end();
    expect(reasonsOf(trail.stored())).toEqual([...reasonsOf(trail.stored()).slice(0, -1), "accepted"]);
    expect(await trail.verified()).toMatchObject({ ok: true });
    expect((await trail.verified(kept)).problems.filter(({ accepted }) => accepted === null)).toMatchObject([
      { kind: "restarted", problem: expect.stringContaining("as problems of the trail were accepted") },
    ]);
  });

  it("continue after what is accepted without a changed line", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    gate.end();
    writeFileSync(join(trail.folder, "notes.txt"), "x");
    const next = trail.start();
    const { folder, headFile, clock } = trail;
    const { isOther } = await acceptProblems(next.audit, { folder, headFile }, "mine", clock.now(), () =>
      next.claims(),
    );
    expect(isOther).toBe(false);
    next.checkpoints.signNow();
    next.end();
    expect(next.checkpoints.newest).toMatchObject({ epoch: 1, restarted: null });
    expect(next.alarms.list()).toEqual([]);
  });

  it("over a trail from before there were any: the trail says that they were begun", async () => {
    const trail = signedTrail();
    const log = trail.opened();
    for (let line = 0; line < 70; line++) log.append({ event: "test", ts: trail.clock.ms / 1000 });
    log.close();
    const gate = trail.start();
    gate.end();
    expect(JSON.parse(linesIn(trail.folder)[70] ?? "")).toMatchObject({
      event: "audit.tree",
      reason: "begun",
      lines: 70,
    });
    expect(gate.checkpoints.newest).toMatchObject({ size: 71, epoch: 1 });
    expect(isProven(trail)).toBe(true);
  });

  it("nothing is signed without a key, and what was written meanwhile is covered by the next", async () => {
    const trail = signedTrail();
    const { keys } = trail;
    const present = keys.current;
    keys.current = () => undefined;
    const gate = trail.start();
    gate.write(200);
    await turn();
    gate.checkpoints.tend();
    expect(trail.stored()).toBe("");
    keys.current = present;
    gate.checkpoints.tend();
    expect(sizesOf(trail.stored())).toEqual([200]);
    gate.kill();
  });

  it("that can't be written are an alarm until they can", async () => {
    const trail = signedTrail();
    writeFileSync(trail.checkpointsDir, "");
    const gate = trail.start();
    gate.write(64);
    await turn();
    expect(gate.alarms.list()).toMatchObject([{ code: "checkpoint_unwritable", subject: trail.checkpointsDir }]);
    rmSync(trail.checkpointsDir);
    gate.checkpoints.tend();
    expect(gate.alarms.list()).toEqual([]);
    expect(sizesOf(trail.stored())).toEqual([64]);
    gate.kill();
  });
});

describe("a checkpoint that another thread signs", () => {
  /** A trail whose key signs when it is asked to. */
  function signedBeside() {
    const waiting: (() => void)[] = [];
    const trail = signedTrail();
    const current = trail.keys.current() ?? testSigner();
    const key = {
      ...current,
      signBeside: (message: Uint8Array) =>
        new Promise<Uint8Array>((resolve) => waiting.push(() => resolve(current.sign(message)))),
    };
    Object.assign(trail.keys, { current: () => key });
    const signed = async () => {
      for (const sign of waiting.splice(0)) sign();
      await turn();
    };
    return { trail, signed, waiting };
  }

  it("is of the lines that were there, and those that came meanwhile are of the next one", async () => {
    const { trail, signed, waiting } = signedBeside();
    const gate = trail.start();
    gate.write(64);
    await turn();
    gate.write(63);
    await turn();
    expect([waiting.length, sizesOf(trail.stored())]).toEqual([1, []]);
    await signed();
    expect(sizesOf(trail.stored())).toEqual([64]);
    gate.write(1);
    await turn();
    await signed();
    expect(sizesOf(trail.stored())).toEqual([64, 128]);
    gate.write(1);
    gate.end();
    expect(sizesOf(trail.stored())).toEqual([64, 128, 129]);
    expect(isProven(trail)).toBe(true);
  });

  it("is none any more once a later one is signed, as the gate ends", async () => {
    const { trail, signed } = signedBeside();
    const gate = trail.start();
    gate.write(64);
    await turn();
    gate.write(1);
    gate.end();
    expect(sizesOf(trail.stored())).toEqual([65]);
    await signed();
    expect(sizesOf(trail.stored())).toEqual([65]);
  });

  it.each([
    [
      "the key is another one by then",
      (trail: SignedTrail) => Object.assign(trail.keys, { current: () => testSigner() }),
    ],
    [
      "the trail is another gate's by then",
      (_: SignedTrail, gate: ReturnType<SignedTrail["start"]>) => gate.audit.abandon(),
    ],
    [
      "checkpoints are begun anew by then",
      (_: SignedTrail, gate: ReturnType<SignedTrail["start"]>) => gate.checkpoints.restart("accepted"),
    ],
  ])("is not kept where %s", async (_which, changes) => {
    const { trail, signed } = signedBeside();
    const gate = trail.start();
    gate.write(64);
    await turn();
    changes(trail, gate);
    const before = trail.stored();
    await signed();
    expect(trail.stored()).toBe(before);
    gate.kill();
  });

  it("is an alarm where it can't be signed", async () => {
    const { trail } = signedBeside();
    const key = trail.keys.current();
    Object.assign(trail.keys, {
      current: () => ({ ...key, signBeside: () => Promise.reject(new Error("no thread")) }),
    });
    const gate = trail.start();
    gate.write(64);
    await turn();
    await turn();
    expect(gate.alarms.list()).toMatchObject([{ code: "checkpoint_unwritable" }]);
    gate.kill();
  });
});

describe("a line put at the end that accepts what the checkpoints prove", () => {
  it.each([
    ["a kept one", true],
    ["the stored ones", false],
  ])("counts for nothing: %s", async (_which, isKept) => {
    const trail = signedTrail();
    const { folder, headFile, clock } = trail;
    const gate = trail.start();
    gate.write(100);
    gate.end();
    const given = isKept ? gate.checkpoints.newest?.text : undefined;
    const months = new Map([[MAY, linesIn(folder).map((line) => line.replace("a line 50", "a lane 50"))]]);
    const write = () => {
      linkAgain(months);
      writeFileSync(
        join(folder, MAY),
        allLines(months)
          .map((line) => `${line}\n`)
          .join(""),
      );
      return { hash: lineHash(allLines(months).at(-1) ?? ""), recorded: undefined };
    };
    const found = await examineTrail({ folder, headFile }, write(), clock.now(), gate.claims(given));
    expect(found.problems.map(({ kind }) => kind)).toEqual(["rewritten"]);
    const forged = {
      event: "audit.accepted",
      ts: clock.ms / 1000,
      reason: "mine",
      problems: found.problems,
      seq: 1,
      prev: GENESIS,
    };
    months.get(MAY)?.push(JSON.stringify(forged));
    const report = await verifyAudit(folder, headFile, write(), clock.now(), gate.claims(given));
    expect(report).toMatchObject({ ok: false, problems: [{ kind: "rewritten", accepted: null }] });
  });
});

describe("verify --against", () => {
  const months = ({ folder }: SignedTrail) => new Map([[MAY, linesIn(folder)]]);
  const put = ({ folder }: SignedTrail, lines: readonly string[]) =>
    writeFileSync(join(folder, MAY), lines.map((line) => `${line}\n`).join(""));
  const linked = (lines: string[]) => {
    const made = new Map([[MAY, lines]]);
    linkAgain(made);
    return allLines(made);
  };
  const at100 = /on \S+ the trail had 100 lines, now it has 90: it was cut off/;

  it.each([
    [
      "changed",
      (lines: string[]) => lines.map((line) => line.replace("a line 50", "a lane 50")),
      "rewritten",
      /lines \d+ to \d+ of the trail .* one was changed/,
    ],
    [
      "changed, the chain made again",
      (lines: string[]) => linked(lines.map((line) => line.replace("a line 50", "a lane 50"))),
      "rewritten",
      /lines 1 to 64 of the trail/,
    ],
    ["cut short", (lines: string[]) => lines.slice(0, 90), "cut_off", at100],
    [
      "reordered",
      (lines: string[]) => [...lines.slice(0, 9), lines[10] ?? "", lines[9] ?? "", ...lines.slice(11)],
      "rewritten",
      /lines \d+ to \d+ of the trail/,
    ],
    [
      "reordered, the chain made again",
      (lines: string[]) => linked([...lines.slice(0, 9), lines[10] ?? "", lines[9] ?? "", ...lines.slice(11)]),
      "rewritten",
      /lines 1 to 64 of the trail/,
    ],
    [
      "extended in its middle, the chain made again",
      (lines: string[]) =>
        linked([...lines.slice(0, 80), (lines[80] ?? "").replace("a line", "my line"), ...lines.slice(80)]),
      "rewritten",
      /lines 65 to 100 of the trail/,
    ],
  ])("finds a trail that was %s", async (_how, edit, kind, words) => {
    const trail = signedTrail();
    const { folder, headFile, clock } = trail;
    const gate = trail.start();
    gate.write(64);
    await turn();
    gate.write(36);
    gate.checkpoints.signNow();
    const kept = gate.checkpoints.newest?.text;
    const claims = gate.claims(kept);
    gate.end();
    put(trail, edit(allLines(months(trail))));
    const live = { hash: lineHash(linesIn(folder).at(-1) ?? ""), recorded: undefined };
    const { ok, problems } = await verifyAudit(folder, headFile, live, clock.now(), claims);
    expect([ok, problems.filter((problem) => problem.kind === kind)]).toMatchObject([
      false,
      [{ problem: expect.stringMatching(words) }],
    ]);
  });

  it("finds no fault with lines after it, and shows by a newer one that the trail, its end and its checkpoints are an older copy", async () => {
    const trail = signedTrail();
    const { folder, headFile, recordFile, checkpointsDir, top } = trail;
    const first = trail.start();
    first.write(100);
    first.end();
    const older = first.checkpoints.newest?.text;
    for (const path of [folder, headFile, recordFile, checkpointsDir])
      cpSync(path, join(top, "copy", path), { recursive: true });
    const second = trail.start();
    second.write(20);
    second.end();
    const newer = second.checkpoints.newest?.text;
    expect(await trail.verified(older)).toMatchObject({ ok: true });
    for (const path of [folder, headFile, recordFile, checkpointsDir]) {
      rmSync(path, { recursive: true });
      cpSync(join(top, "copy", path), path, { recursive: true });
    }
    expect(await trail.verified(older)).toMatchObject({ ok: true });
    expect(await trail.verified()).toMatchObject({ ok: true });
    const { ok, problems } = await trail.verified(newer);
    expect([ok, problems]).toMatchObject([
      false,
      [{ kind: "cut_off", problem: expect.stringContaining("had 120 lines, now it has 100") }],
    ]);
  });

  it("refuses one that another key signed, of this trail or of another", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    gate.checkpoints.signNow();
    const { newest } = gate.checkpoints;
    if (newest === undefined) throw new Error("none was signed");
    const forged = signCheckpoint({ ...newest, size: 99 }, testSigner());
    gate.end();
    expect((await trail.verified(forged)).problems).toMatchObject([{ kind: "checkpoint_key" }]);
    const other = signCheckpoint({ ...newest, origin: `metnos-gate/${"0f".repeat(16)}` }, testSigner());
    expect((await trail.verified(other)).problems).toMatchObject([{ kind: "checkpoint_origin" }]);
  });

  it("proves lines over a break that was accepted before it, and none before one that wasn't", async () => {
    const trail = signedTrail();
    const { folder, headFile, clock } = trail;
    const first = trail.start();
    first.write(10);
    first.end();
    appendFileSync(join(folder, MAY), '{"event":"te');
    const second = trail.start();
    second.write(10);
    second.checkpoints.signNow();
    const before = second.checkpoints.newest?.text;
    expect(
      (await verifyAudit(folder, headFile, second.audit.end, clock.now(), second.claims(before))).problems,
    ).toMatchObject([{ kind: "torn" }, { kind: "rewritten", problem: expect.stringContaining("lines 11 to 20") }]);
    const accepted = await acceptProblems(second.audit, { folder, headFile }, "a crash", clock.now(), () =>
      second.claims(),
    );
    expect(accepted.isOther).toBe(true);
    second.checkpoints.restart("accepted");
    const after = second.checkpoints.newest?.text;
    second.end();
    expect(await trail.verified(after)).toMatchObject({ ok: true, problems: [{ kind: "torn", accepted: "a crash" }] });
    expect(await trail.verified(before)).toMatchObject({
      ok: false,
      problems: [{ kind: "restarted", accepted: null }, { accepted: "a crash" }],
    });
    put(
      trail,
      linesIn(folder)
        .map((line) => line.replace('{"event":"te', '{"event":"to'))
        .filter((line) => line !== ""),
    );
    const found = await trail.verified(after);
    expect([found.ok, found.problems.map(({ kind }) => kind)]).toEqual([false, expect.arrayContaining(["rewritten"])]);
  });

  it("is not misled by a record beside the trail that says that checkpoints were begun anew", async () => {
    const trail = signedTrail();
    const { folder, headFile, clock, recordFile } = trail;
    const gate = trail.start();
    gate.write(100);
    gate.end();
    const json = (readFileSync(recordFile, "utf8").split("\n")[1] ?? "").replace('"epoch":1', '"epoch":2');
    writeFileSync(recordFile, `${lineHash(json)}\n${json}\n`);
    const unchanged = trail.start();
    expect(unchanged.checkpoints.epoch).toBe(1);
    unchanged.kill();
    put(trail, linked(linesIn(folder).map((line) => line.replace("a line 50", "a lane 50"))));
    const live = { hash: lineHash(linesIn(folder).at(-1) ?? ""), recorded: undefined };
    const report = await verifyAudit(folder, headFile, live, clock.now(), { ...gate.claims(), epoch: 2 });
    expect(report).toMatchObject({ ok: false, problems: [{ kind: "restarted", accepted: null }] });
    const next = trail.start();
    expect(next.alarms.list().map(({ code }) => code)).toContain("trail_restarted");
    next.kill();
  });

  it("a month's file that is gone is found at the next start", async () => {
    const trail = signedTrail(new ManualClock("2026-05-31T23:58:00Z"));
    const first = trail.start();
    first.write(200);
    first.end();
    rmSync(join(trail.folder, MAY));
    const next = trail.start();
    expect(next.alarms.list().map(({ code }) => code)).toEqual(["trail_restarted"]);
    expect(next.checkpoints.newest).toMatchObject({ epoch: 2, restarted: "cut" });
    next.end();
  });
});

describe("the daily checkpoint", () => {
  it("is sent once a day, over restarts, and added to the file", async () => {
    const trail = signedTrail();
    const file = join(trail.top, "kept.txt");
    const sent: number[] = [];
    const started = () => {
      const gate = trail.start(file);
      gate.checkpoints.daily.subscribe(({ size }) => sent.push(size));
      gate.checkpoints.daily.start();
      return gate;
    };
    const first = started();
    first.checkpoints.tend();
    expect(sent).toEqual([]);
    first.write(64);
    await turn();
    first.checkpoints.tend();
    first.write(64);
    await turn();
    first.checkpoints.tend();
    await first.checkpoints.daily.settled();
    first.kill();
    const second = started();
    second.checkpoints.tend();
    await second.checkpoints.daily.settled();
    expect(sent).toEqual([64]);
    trail.clock.advance(86_400);
    second.checkpoints.tend();
    await second.checkpoints.daily.settled();
    expect(sent).toEqual([64, 128]);
    expect(sizesOf(readFileSync(file, "utf8"))).toEqual([64, 128]);
    second.kill();
  });

  it("a file that can't be added to is an alarm, and is tried again", async () => {
    const trail = signedTrail();
    const file = join(trail.top, "disk/kept.txt");
    const gate = trail.start(file);
    gate.checkpoints.daily.start();
    gate.write(64);
    await turn();
    gate.checkpoints.tend();
    await gate.checkpoints.daily.settled();
    expect(gate.alarms.list()).toMatchObject([{ code: "checkpoint_unwritable", subject: file }]);
    mkdirSync(join(trail.top, "disk"));
    gate.checkpoints.tend();
    await gate.checkpoints.daily.settled();
    expect(gate.alarms.list()).toEqual([]);
    expect(sizesOf(readFileSync(file, "utf8"))).toEqual([64]);
    gate.kill();
  });
});
