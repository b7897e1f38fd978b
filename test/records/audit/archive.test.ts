import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptProblems } from "../../../main/records/audit/accept-problems.ts";
import { archivedNotes, archiveMonths } from "../../../main/records/audit/archive.ts";
import { notesIn, verdictOn } from "../../../main/records/audit/checkpoint.ts";
import { tailAudit } from "../../../main/records/audit/last-lines.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type SignedTrail, signedTrail } from "../../support/signed-trail.ts";

const DAY = 86_400;
const ARCHIVE = "2026-05_2026-06.archive.gz";

type Gate = ReturnType<SignedTrail["start"]>;

/** A trail of three months, May to July, and the gate that writes it; it is July. */
function threeMonths() {
  const trail = signedTrail(new ManualClock("2026-05-20T12:00:00Z"));
  const gate = trail.start();
  for (let month = 0; month < 3; month++) {
    if (month > 0) trail.clock.advance(30 * DAY);
    gate.write(100);
  }
  return { trail, gate };
}

function archived({ trail, gate }: { trail: SignedTrail; gate: Gate }, before = "2026-07", isOpen = () => true) {
  const { folder, headFile } = trail;
  const claims = () => claimsOf(trail, gate);
  const parts = { audit: gate.audit, checkpoints: gate.checkpoints, trail: { folder, headFile }, claims };
  return archiveMonths({ ...parts, now: trail.clock.now, isOpen }, before);
}

function claimsOf({ folder }: SignedTrail, gate: Gate, against?: string) {
  const claims = gate.claims(against);
  return { ...claims, stored: [...claims.stored, ...archivedNotes(folder)] };
}

async function verified(trail: SignedTrail, gate: Gate, against?: string) {
  const { folder, headFile, clock } = trail;
  return verifyAudit(folder, headFile, gate.audit.end, clock.now(), claimsOf(trail, gate, against));
}

const filesOf = ({ folder }: SignedTrail) => readdirSync(folder).sort();

describe("archived months", () => {
  it("are one compressed file with every byte of theirs, under a signed checkpoint, and verify proves them as before", async () => {
    const { trail, gate } = threeMonths();
    gate.checkpoints.signNow();
    const kept = gate.checkpoints.newest?.text ?? "";
    const months = ["2026-05.jsonl", "2026-06.jsonl"].map((name) => readFileSync(join(trail.folder, name), "utf8"));
    const before = await verified(trail, gate, kept);
    const made = await archived({ trail, gate });
    expect(made).toMatchObject({ file: ARCHIVE, months: ["2026-05", "2026-06"], lines: 200 });
    expect(made.archive_bytes).toBeLessThan(made.bytes / 2);
    expect(filesOf(trail)).toEqual([ARCHIVE, "2026-07.jsonl"].sort());
    expect(statSync(join(trail.folder, ARCHIVE)).mode & 0o777).toBe(0o600);
    const text = gunzipSync(readFileSync(join(trail.folder, ARCHIVE))).toString("utf8");
    expect(text.slice(text.indexOf("\n") + 1)).toBe(months.join(""));
    const [note] = notesIn(archivedNotes(trail.folder)[0]?.text ?? "");
    expect(note?.note && verdictOn(note.note, trail.keys.known())).toBe("valid");
    expect(note?.note).toMatchObject({ size: 200, end: { file: "2026-06.jsonl" } });
    // A line says that they were archived.
    expect(await verified(trail, gate, kept)).toEqual({ ...before, files: 2, lines: before.lines + 1 });
    expect(tailAudit(trail.folder, 1)).toMatchObject([{ event: "audit.archived", file: ARCHIVE, lines: 200 }]);
  });

  it("aren't made by a gate that ends meanwhile: another one may have the trail", async () => {
    for (const looks of [0, 1]) {
      const { trail, gate } = threeMonths();
      const files = filesOf(trail);
      let left = looks;
      const made = archived({ trail, gate }, "2026-07", () => left-- > 0);
      await expect(made).rejects.toMatchObject({ code: "not_available" });
      expect(filesOf(trail)).toEqual(files);
    }
  });

  it("leave the gate its chain and its checkpoints: beside it, after an end, after a kill, and without the record of them", async () => {
    const { trail, gate } = threeMonths();
    await archived({ trail, gate });
    gate.write(100);
    gate.checkpoints.signNow();
    const kept = gate.checkpoints.newest?.text ?? "";
    expect(await verified(trail, gate, kept)).toMatchObject({ ok: true, lines: 401, problems: [] });
    gate.end();
    const second = trail.start();
    second.write(10);
    expect(await verified(trail, second, kept)).toMatchObject({ ok: true, lines: 411, problems: [] });
    second.kill();
    const third = trail.start();
    third.write(1);
    expect(await verified(trail, third, kept)).toMatchObject({ ok: true, problems: [] });
    third.end();
    rmSync(trail.recordFile);
    const fourth = trail.start();
    expect(await verified(trail, fourth, kept)).toMatchObject({ ok: true, problems: [] });
    fourth.write(70);
    fourth.checkpoints.signNow();
    expect(fourth.checkpoints.newest?.epoch).toBe(1);
    expect(await verified(trail, fourth, kept)).toMatchObject({ ok: true, problems: [] });
    fourth.end();
    expect(trail.failures).toEqual([]);
  });

  it("that can't all be removed are no other program's change", async (context) => {
    const both = threeMonths();
    const { folder } = both.trail;
    const june = join(folder, "2026-06.jsonl");
    if (spawnSync("chattr", ["+i", june]).status !== 0)
      return context.skip("no file can be kept from being removed here");
    const free = () => spawnSync("chattr", ["-i", june]);
    onTestFinished(() => void free());
    const changes: (string | null)[] = [];
    both.gate.audit.begin(({ change }) => changes.push(change));
    await expect(archived(both)).rejects.toMatchObject({ code: "EPERM" });
    both.gate.audit.look();
    free();
    expect(filesOf(both.trail)).toEqual([ARCHIVE, "2026-06.jsonl", "2026-07.jsonl"]);
    expect(changes.join()).not.toContain("2026-05");
    expect(await archived(both)).toMatchObject({ months: ["2026-06"] });
    expect(await verified(both.trail, both.gate)).toMatchObject({ ok: true, problems: [] });
  });

  it("can follow earlier ones, each in a file of its own", async () => {
    const { trail, gate } = threeMonths();
    expect(await archived({ trail, gate }, "2026-06")).toMatchObject({ months: ["2026-05"] });
    expect(await archived({ trail, gate }, "2026-06")).toMatchObject({ file: null, months: [] });
    expect(await archived({ trail, gate }, "2026-07")).toMatchObject({ months: ["2026-06"], lines: 100 });
    expect(filesOf(trail)).toEqual(["2026-05_2026-05.archive.gz", "2026-06_2026-06.archive.gz", "2026-07.jsonl"]);
    expect(await verified(trail, gate)).toMatchObject({ ok: true, files: 3, lines: 302, problems: [] });
  });

  it("are never the present one, and none while the trail isn't as it was written", async () => {
    const { trail, gate } = threeMonths();
    await expect(archived({ trail, gate }, "2026-08")).rejects.toMatchObject({ code: "invalid_params" });
    const may = join(trail.folder, "2026-05.jsonl");
    const text = readFileSync(may, "utf8");
    writeFileSync(may, text.replace("a line 5", "a lime 5"));
    await expect(archived({ trail, gate })).rejects.toMatchObject({ code: "trail_not_whole" });
    writeFileSync(may, text);
    expect(filesOf(trail)).toEqual(["2026-05.jsonl", "2026-06.jsonl", "2026-07.jsonl"]);
    expect(await archived({ trail, gate }, "2026-07")).toMatchObject({ lines: 200 });
  });

  it("stay where one of them has lines that are later than those of the next, as after a clock that was ahead for a while", async () => {
    const trail = signedTrail(new ManualClock("2026-05-20T12:00:00Z"));
    const gate = trail.start();
    for (const days of [0, 30, -30, 61]) {
      trail.clock.advance(days * DAY);
      gate.write(10);
    }
    expect(await verified(trail, gate)).toMatchObject({ ok: true, problems: [] });
    await expect(archived({ trail, gate })).rejects.toMatchObject({
      code: "trail_not_whole",
      message: expect.stringContaining("2026-05.jsonl has lines that were written after later months"),
    });
    expect(filesOf(trail)).toEqual(["2026-05.jsonl", "2026-06.jsonl", "2026-07.jsonl"]);
    expect(await verified(trail, gate)).toMatchObject({ ok: true, problems: [] });
    gate.end();
  });

  it("stay where the gate has written its last line: it is in the month that stays before any file is removed", async () => {
    const { trail, gate } = threeMonths();
    trail.clock.advance(30 * DAY);
    expect(await archived({ trail, gate }, "2026-08")).toMatchObject({ months: ["2026-05", "2026-06", "2026-07"] });
    gate.end();
    const next = trail.start();
    expect(await verified(trail, next)).toMatchObject({ ok: true, lines: 301, problems: [] });
    next.end();
  });

  it("leave no room beside them: another file of such a month is a problem, and one with the same bytes is none", async () => {
    const { trail, gate } = threeMonths();
    const may = join(trail.folder, "2026-05.jsonl");
    const text = readFileSync(may, "utf8");
    await archived({ trail, gate });
    writeFileSync(may, text);
    expect(await verified(trail, gate)).toMatchObject({ ok: true, lines: 301 });
    for (const other of [text.replace("a line 5", "a lime 5"), `${text}${text.split("\n")[0]}\n`, text.slice(0, -50)]) {
      writeFileSync(may, other);
      const { ok, problems } = await verified(trail, gate);
      expect([ok, problems[0]?.file]).toEqual([false, "2026-05.jsonl"]);
    }
  });

  it.each([
    ["a byte in it was changed", (file: string) => flipByte(file)],
    ["its end is missing", (file: string) => writeFileSync(file, readFileSync(file).subarray(0, -20))],
    ["something was added behind its end", (file: string) => appendFileSync(file, "more")],
    ["it is gone", (file: string) => rmSync(file)],
    ["it is something else", (file: string) => writeFileSync(file, "notes")],
  ])("are proven wrong where %s", async (_what, harm) => {
    const { trail, gate } = threeMonths();
    await archived({ trail, gate });
    harm(join(trail.folder, ARCHIVE));
    const report = await verified(trail, gate);
    expect(report.ok).toBe(false);
    expect(report.problems.map(({ file }) => file)).toContain(ARCHIVE);
    gate.write(1);
  });

  it.each([
    ["damaged", flipByte],
    ["something else", (file: string) => writeFileSync(file, "notes")],
  ])("can follow one that is %s by now, once that was accepted", async (_what, harm) => {
    const { trail, gate } = threeMonths();
    await archived({ trail, gate });
    harm(join(trail.folder, ARCHIVE));
    const claims = () => claimsOf(trail, gate);
    const { isOther } = await acceptProblems(gate.audit, trail, "a broken disk", trail.clock.now(), claims);
    expect(isOther).toBe(true);
    gate.checkpoints.restart("accepted");
    expect(await verified(trail, gate)).toMatchObject({ ok: true });
    trail.clock.advance(30 * DAY);
    expect(await archived({ trail, gate }, "2026-08")).toMatchObject({ months: ["2026-07"] });
    expect(filesOf(trail)).toEqual([ARCHIVE, "2026-07_2026-07.archive.gz", "2026-08.jsonl"]);
    expect(await verified(trail, gate)).toMatchObject({ ok: true });
  });
});

describe("an archiving that ended before its end", () => {
  const interruptions: Record<string, (at: { folder: string; saved: string }) => void> = {
    "while the archive was written": ({ folder, saved }) => {
      rmSync(join(folder, ARCHIVE));
      restore(folder, saved, ["2026-05.jsonl", "2026-06.jsonl"]);
      writeFileSync(join(folder, "archive.new"), "half of it");
    },
    "before the archive had its name": ({ folder, saved }) => {
      restore(folder, saved, ["2026-05.jsonl", "2026-06.jsonl"]);
      copyFileSync(join(folder, ARCHIVE), join(folder, "archive.new"));
      rmSync(join(folder, ARCHIVE));
    },
    "before the first month was removed": ({ folder, saved }) =>
      restore(folder, saved, ["2026-05.jsonl", "2026-06.jsonl"]),
    "between two months": ({ folder, saved }) => restore(folder, saved, ["2026-06.jsonl"]),
    "before the next checkpoint": () => undefined,
  };

  it.each(Object.entries(interruptions))(
    "%s has lost nothing, and the next one completes it",
    async (_when, interrupt) => {
      const { trail, gate } = threeMonths();
      const { folder, recordFile, top } = trail;
      gate.checkpoints.signNow();
      const kept = gate.checkpoints.newest?.text ?? "";
      gate.checkpoints.tend();
      const saved = join(top, "saved");
      for (const name of ["2026-05.jsonl", "2026-06.jsonl"]) copyFileSync(join(folder, name), `${saved}-${name}`);
      copyFileSync(recordFile, `${saved}-record`);
      await archived({ trail, gate });
      gate.kill();
      copyFileSync(`${saved}-record`, recordFile);
      interrupt({ folder, saved });
      for (const more of [5, 90]) {
        const next = trail.start();
        expect(await verified(trail, next, kept)).toMatchObject({ ok: true, problems: [] });
        next.write(more);
        expect(await verified(trail, next, kept)).toMatchObject({ ok: true, problems: [] });
        expect(next.checkpoints.epoch).toBe(1);
        next.end();
      }
      const last = trail.start();
      await archived({ trail, gate: last });
      expect(filesOf(trail)).toEqual([ARCHIVE, "2026-07.jsonl"]);
      expect(await verified(trail, last, kept)).toMatchObject({ ok: true, problems: [] });
      last.end();
      expect(trail.failures).toEqual([]);
      expect(existsSync(join(folder, "archive.new"))).toBe(false);
    },
  );

  it("is no loss where another one, of fewer months, has them since", async () => {
    const { trail, gate } = threeMonths();
    const { folder } = trail;
    const saved = join(trail.top, "saved");
    for (const name of ["2026-05.jsonl", "2026-06.jsonl"]) copyFileSync(join(folder, name), `${saved}-${name}`);
    await archived({ trail, gate });
    interruptions["before the archive had its name"]?.({ folder, saved });
    expect(await archived({ trail, gate }, "2026-06")).toMatchObject({ months: ["2026-05"] });
    expect(await verified(trail, gate)).toMatchObject({ ok: true, problems: [] });
    rmSync(join(folder, "2026-05_2026-05.archive.gz"));
    const { problems } = await verified(trail, gate);
    expect(problems.map(({ file }) => file)).toEqual(expect.arrayContaining([ARCHIVE, "2026-05_2026-05.archive.gz"]));
    gate.end();
  });
});

function restore(folder: string, saved: string, names: readonly string[]): void {
  for (const name of names) copyFileSync(`${saved}-${name}`, join(folder, name));
}

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
