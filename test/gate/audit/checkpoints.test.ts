import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acceptProblems } from "../../../main/gate/audit/accept.ts";
import { notesIn, verdictOn } from "../../../main/gate/audit/checkpoint.ts";
import { CompactRange, leafHash } from "../../../main/gate/audit/merkle-tree.ts";
import { linesIn } from "../../support/audit-trail.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type SignedTrail, signedTrail } from "../../support/signed-trail.ts";

const MAY = "2026-05.jsonl";

const sizesOf = (text: string) => notesIn(text).map(({ note }) => note?.size);
const reasonsOf = (text: string) => notesIn(text).map(({ note }) => note?.restarted);

/** True if every stored checkpoint is signed, and says what the trail is at its size. */
function isProven({ folder, keys, stored }: SignedTrail): boolean {
  const lines = linesIn(folder);
  return notesIn(stored()).every(({ note }) => {
    if (note === undefined || verdictOn(note, keys.known()) !== "valid") return false;
    const range = new CompactRange();
    for (const line of lines.slice(0, note.size)) range.add(leafHash(line));
    return range.root().equals(note.root);
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
    await gate.end();
    expect(sizesOf(trail.stored())).toEqual([64, 65, 67]);
    expect(isProven(trail)).toBe(true);
    expect(gate.checkpoints.newest?.end).toMatchObject({ file: MAY, offset: statSync(join(trail.folder, MAY)).size });
    expect(trail.failures).toEqual([]);
  });

  it("are the owner's files alone, and nothing is written where no line is", async () => {
    const trail = signedTrail();
    await trail.start().end();
    expect(trail.stored()).toBe("");
    const gate = trail.start();
    gate.write(1);
    await gate.end();
    for (const file of [trail.tree_file, join(trail.checkpoints_dir, "2026-05.checkpoints")])
      expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("continue after an end, a kill and over a month's end, with one tree", async () => {
    const trail = signedTrail(new ManualClock("2026-05-31T23:58:00Z"));
    const first = trail.start();
    first.write(100);
    await first.end();
    const second = trail.start();
    second.write(70);
    await turn();
    second.write(5);
    second.kill();
    const third = trail.start();
    await third.checkpoints.settled();
    third.write(10);
    await third.end();
    const { newest } = third.checkpoints;
    const lines = linesIn(trail.folder);
    const range = new CompactRange();
    for (const line of lines) range.add(leafHash(line));
    expect([newest?.size, newest?.epoch]).toEqual([lines.length, 1]);
    expect(newest?.root).toEqual(range.root());
    expect(newest?.end.file).toBe("2026-06.jsonl");
    expect((await trail.verified(newest?.text)).problems).toEqual([]);
  });

  it("continue with one tree where the clock was set to another month and back between two looks", async () => {
    const trail = signedTrail();
    const first = trail.start();
    first.write(3);
    first.checkpoints.tend();
    trail.clock.advance(40 * 86_400);
    first.write(3);
    trail.clock.advance(-40 * 86_400);
    first.write(3);
    await first.end();
    const second = trail.start();
    await second.checkpoints.settled();
    second.write(1);
    await second.checkpoints.settled();
    second.write(1);
    await second.end();
    const { newest, epoch } = second.checkpoints;
    expect([newest?.size, epoch]).toEqual([linesIn(trail.folder).length, 1]);
    expect((await trail.verified(newest?.text)).problems).toEqual([]);
    expect(trail.failures).toEqual([]);
  });

  it("a start reads only the lines since: an edit before them isn't read then", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(200);
    await gate.end();
    const file = join(trail.folder, MAY);
    writeFileSync(file, readFileSync(file, "utf8").replace("a line 7", "a lane 7"));
    const next = trail.start();
    next.write(3);
    await next.end();
    expect([next.checkpoints.newest?.size, next.checkpoints.epoch]).toEqual([203, 1]);
  });

  it.each([
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["cut short", (file: string) => truncateSync(file, 100)],
    ["changed", (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace('"size":1', '"size":2'))],
    [
      "a folder",
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])("the tree is built again from the trail where its file is %s, and is the same one", async (_how, damage) => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(130);
    await gate.end();
    damage(trail.tree_file);
    const next = trail.start();
    await next.checkpoints.settled();
    next.write(1);
    await next.end();
    expect(next.checkpoints.newest).toMatchObject({ size: 131, epoch: 1, origin: gate.checkpoints.origin });
    expect(isProven(trail)).toBe(true);
    expect(next.alarms.list().filter(({ code }) => code === "trail_restarted")).toEqual([]);
  });

  it("an older copy of the tree's file is brought up to the trail", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(70);
    await gate.end();
    copyFileSync(trail.tree_file, `${trail.tree_file}.old`);
    const second = trail.start();
    second.write(70);
    await second.end();
    copyFileSync(`${trail.tree_file}.old`, trail.tree_file);
    const third = trail.start();
    third.write(1);
    await third.end();
    expect(third.checkpoints.newest).toMatchObject({ size: 141, epoch: 1 });
    expect(isProven(trail)).toBe(true);
  });

  it("begin anew where the trail isn't the one that was signed: the trail, the checkpoint and an alarm say so", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    await gate.end();
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
    await next.checkpoints.settled();
    next.checkpoints.tend();
    expect(next.alarms.list().map(({ code }) => code)).toEqual(["trail_restarted"]);
    expect(next.checkpoints.newest).toMatchObject({ epoch: 2, restarted: "cut" });
    await next.end();
    const events = linesIn(trail.folder).map((line) => JSON.parse(line) as { event: string; reason?: string });
    expect(events.slice(80).map(({ event, reason }) => [event, reason])).toEqual([
      ["audit.gap", undefined],
      ["audit.tree", "cut"],
    ]);
    const report = await trail.verified(kept);
    expect(report.problems.map(({ kind }) => kind)).toEqual(["gap", "restarted", "restarted"]);
    // A later start continues the new tree.
    const last = trail.start();
    last.write(1);
    await last.end();
    expect(last.checkpoints.newest).toMatchObject({ epoch: 2, restarted: null, size: 83 });
  });

  it("what was accepted is a new tree's beginning, and then no problem any more", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    await gate.end();
    const kept = gate.checkpoints.newest?.text;
    const file = join(trail.folder, MAY);
    writeFileSync(file, readFileSync(file, "utf8").replace("a line 50", "a lane 50"));
    const next = trail.start();
    await next.checkpoints.settled();
    const { folder, head_file, clock } = trail;
    const report = await acceptProblems(next.audit, { folder, head_file }, "I know", clock.now(), next.claims());
    expect(report.problems.map(({ kind }) => kind).sort()).toEqual(["changed", "rewritten"]);
    next.checkpoints.rebuild();
    await next.end();
    expect(reasonsOf(trail.stored())).toEqual([...reasonsOf(trail.stored()).slice(0, -1), "accepted"]);
    expect(await trail.verified()).toMatchObject({ ok: true });
    expect((await trail.verified(kept)).problems.filter(({ accepted }) => accepted === null)).toMatchObject([
      { kind: "restarted", problem: expect.stringContaining("as problems of the trail were accepted") },
    ]);
  });

  it("what is accepted without a changed line continues the tree", async () => {
    const trail = signedTrail();
    const gate = trail.start();
    gate.write(100);
    await gate.end();
    writeFileSync(join(trail.folder, "notes.txt"), "x");
    const next = trail.start();
    const { folder, head_file, clock } = trail;
    await acceptProblems(next.audit, { folder, head_file }, "mine", clock.now(), next.claims());
    next.checkpoints.rebuild();
    await next.end();
    expect(next.checkpoints.newest).toMatchObject({ epoch: 1, restarted: null });
    expect(next.alarms.list()).toEqual([]);
  });

  it("over a trail from before there were any: the trail says that its tree was begun", async () => {
    const trail = signedTrail();
    const log = trail.opened();
    for (let line = 0; line < 70; line++) log.append({ event: "test", ts: trail.clock.ms / 1000 });
    log.close();
    const gate = trail.start();
    await gate.checkpoints.settled();
    await gate.end();
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
    writeFileSync(trail.checkpoints_dir, "");
    const gate = trail.start();
    gate.write(64);
    await turn();
    expect(gate.alarms.list()).toMatchObject([{ code: "checkpoint_unwritable", subject: trail.checkpoints_dir }]);
    rmSync(trail.checkpoints_dir);
    gate.checkpoints.tend();
    expect(gate.alarms.list()).toEqual([]);
    expect(sizesOf(trail.stored())).toEqual([64]);
    gate.kill();
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
    await second.checkpoints.settled();
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
