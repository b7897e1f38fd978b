import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Seeded } from "../../../fuzz/seeded.ts";
import { GENESIS, lineHash } from "../../../main/records/audit/chain.ts";
import {
  type CheckpointSigner,
  notesIn,
  type ReadNote,
  signCheckpoint,
} from "../../../main/records/audit/checkpoint.ts";
import type { Claims } from "../../../main/records/audit/compare-checkpoints.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { testSigner } from "../../support/checkpoint-keys.ts";
import { allLines, linkAgain, type Months } from "../../support/linked-lines.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { signedTrail } from "../../support/signed-trail.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";

const EDITS = IS_WHOLE_RUN ? 10_000 : 600;
const SEED = Number(process.env.EDIT_SEED ?? Date.now() % 1_000_000);

/** What is compared, and what was done to it. */
interface Edited {
  months: Months;
  given: string;
  stored: string;
  own: readonly Uint8Array[];
  origin: string;
  epoch: number;
  /** The record of the end is made to fit, as whoever edits the trail can do. */
  fitsHead: boolean;
}

/** A trail over two months, with checkpoints of two keys, each of which the user has kept. */
async function original() {
  const trail = signedTrail(new ManualClock("2026-05-31T23:58:30Z"));
  const first = trail.start();
  first.write(64);
  first.end();
  const earlierKey = trail.keys.all[0] ?? testSigner();
  trail.keys.rotate();
  const second = trail.start();
  for (const lines of [70, 64]) {
    second.write(lines);
    await new Promise((resolve) => setImmediate(resolve));
  }
  second.write(20);
  second.end();
  const stored = readdirSync(trail.checkpointsDir)
    .sort()
    .map((file) => readFileSync(join(trail.checkpointsDir, file), "utf8"))
    .join("");
  const notes = notesIn(stored).flatMap(({ note }) => note ?? []);
  const months: Months = new Map(
    readdirSync(trail.folder)
      .sort()
      .map((file) => [file, readFileSync(join(trail.folder, file), "utf8").split("\n").slice(0, -1)]),
  );
  return { ...trail, months, notes, stored, earlierKey, presentKey: trail.keys.all.at(-1) ?? testSigner() };
}
type Original = Awaited<ReturnType<typeof original>>;

/** One line in the order of the trail: its file and index there. */
function placeOf(months: Months, line: number): { lines: string[]; index: number } {
  let index = line;
  for (const lines of months.values()) {
    if (index < lines.length) return { lines, index };
    index -= lines.length;
  }
  throw new Error("no such line");
}

function signAgain(months: Months, notes: readonly ReadNote[], key: CheckpointSigner): string {
  const lines = allLines(months);
  return notes
    .filter(({ size }) => size <= lines.length)
    .map((note) => {
      const hash = lineHash(lines[note.size - 1] ?? "");
      return signCheckpoint({ ...note, end: { ...note.end, hash } }, key);
    })
    .join("\n");
}

function changedByte(text: string, random: Seeded): string {
  const bytes = Buffer.from(text);
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255));
  return bytes.toString("utf8");
}

type Edit = (edited: Edited, random: Seeded, size: number, from: Original) => readonly string[];

const changeLine: Edit = ({ months }, random, size) => {
  const { lines, index } = placeOf(months, random.below(size));
  // Within the event's name: the line stays a line.
  const at = 10 + random.below(4);
  const line = lines[index] ?? "";
  const other = String.fromCharCode(97 + ((line.charCodeAt(at) + 1 + random.below(24)) % 26));
  lines[index] = line.slice(0, at) + (other === line[at] ? "~" : other) + line.slice(at + 1);
  return ["rewritten"];
};

const removeLine: Edit = ({ months }, random, size) => {
  const { lines, index } = placeOf(months, random.below(size));
  lines.splice(index, 1);
  return ["rewritten", "cut_off"];
};

const repeatLine: Edit = ({ months }, random, size) => {
  const { lines, index } = placeOf(months, random.below(size - 1));
  lines.splice(index, 0, (lines[index] ?? "").replace("a line", "another line"));
  return ["rewritten"];
};

const swapLines: Edit = ({ months }, random, size) => {
  const one = placeOf(months, random.below(size - 1));
  const other = one.index + 1 < one.lines.length ? one.index + 1 : one.index - 1;
  const [first = "", second = ""] = [one.lines[one.index], one.lines[other]];
  one.lines[one.index] = second;
  one.lines[other] = first;
  return ["rewritten"];
};

const cutTail: Edit = ({ months }, random, size) => {
  let left = random.below(size);
  for (const lines of months.values()) {
    lines.length = Math.min(lines.length, left);
    left -= lines.length;
  }
  return ["cut_off"];
};

const linked =
  (edit: Edit): Edit =>
  (edited, random, size, from) => {
    const kinds = edit(edited, random, size, from);
    linkAgain(edited.months);
    edited.fitsHead = true;
    return kinds;
  };

const resigned =
  (edit: Edit): Edit =>
  (edited, random, size, from) => {
    const kinds = linked(edit)(edited, random, size, from);
    edited.stored = signAgain(edited.months, from.notes, from.presentKey);
    return kinds;
  };

const EDIT_KINDS: Readonly<Record<string, Edit>> = {
  "a line edited": changeLine,
  "a line removed": removeLine,
  "a line put in": repeatLine,
  "two lines swapped": swapLines,
  "the tail removed": cutTail,
  "a line edited, the chain made again": linked(changeLine),
  "a line removed, the chain made again": linked(removeLine),
  "two lines swapped, the chain made again": linked(swapLines),
  "the tail removed, the end made again": linked(cutTail),
  "a line edited, chain and checkpoints made again with the gate's key": resigned(changeLine),
  "the tail removed, end and checkpoints made again with the gate's key": resigned(cutTail),
  "the trail begun anew by the gate": (edited, random) => {
    edited.months.clear();
    edited.months.set("2026-06.jsonl", [`{"event":"test","ts":1780272100,"seq":1,"prev":"${GENESIS}"}`]);
    edited.stored = "";
    edited.origin = `metnos-gate/${random.below(0xffff_ffff).toString(16).padStart(32, "0")}`;
    return ["restarted"];
  },
  "a tree begun anew": (edited, random, size, from) => {
    linked(changeLine)(edited, random, size, from);
    edited.epoch = 2;
    return ["restarted"];
  },
  "another gate's checkpoint": (edited, random, _size, from) => {
    const origin = `metnos-gate/${random.below(0xffff_ffff).toString(16).padStart(32, "0")}`;
    const note = from.notes[random.below(from.notes.length)];
    if (note !== undefined) edited.given = signCheckpoint({ ...note, origin }, testSigner());
    return ["checkpoint_origin"];
  },
  "a byte of the checkpoint changed": (edited, random) => {
    edited.given = changedByte(edited.given, random);
    return ["checkpoint_unreadable", "checkpoint_signature", "checkpoint_key", "checkpoint_origin"];
  },
  "a checkpoint signed by another key": (edited, random, _size, from) => {
    const note = from.notes[random.below(from.notes.length)];
    if (note !== undefined) edited.given = signCheckpoint(note, testSigner());
    return ["checkpoint_key"];
  },
  "the earlier key is known no more": (edited, _random, _size, from) => {
    const note = from.notes[0];
    edited.own = [from.presentKey.publicBytes];
    edited.given = note?.text ?? "";
    return ["checkpoint_key"];
  },
  "a stored checkpoint's byte changed": (edited, random) => {
    edited.given = "";
    edited.stored = changedByte(edited.stored.trimEnd(), random);
    return ["checkpoint_unreadable", "checkpoint_signature", "checkpoint_key", "checkpoint_origin"];
  },
};

describe("audit verify --against", () => {
  console.info(`${EDITS} random edits of a trail: seed ${SEED} (EDIT_SEED)`);

  it("finds and names each random edit of a trail, of its checkpoints and of their keys", async () => {
    const from = await original();
    const { folder, headFile, months, notes, stored, keys, clock } = from;
    expect(notes.map(({ size }) => size).length).toBeGreaterThanOrEqual(4);
    const check = async (edited: Edited) => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      for (const [file, lines] of edited.months)
        if (lines.length > 0) writeFileSync(join(folder, file), lines.map((line) => `${line}\n`).join(""));
      const claims: Claims = {
        given: edited.given === "" ? undefined : notesIn(edited.given),
        stored: notesIn(edited.stored).map((part) => ({ ...part, file: "stored", line: 1 })),
        keys: { own: edited.own, named: undefined },
        origin: edited.origin,
        epoch: edited.epoch,
      };
      const hash = lineHash(allLines(edited.months).at(-1) ?? "");
      const live = edited.fitsHead
        ? { hash: allLines(edited.months).length === 0 ? GENESIS : hash, recorded: undefined }
        : undefined;
      return verifyAudit(folder, headFile, live, clock.now(), claims);
    };
    const unchanged = (note: ReadNote): Edited => ({
      months: new Map([...months].map(([file, lines]) => [file, [...lines]])),
      given: note.text,
      stored,
      own: keys.known(),
      origin: note.origin,
      epoch: 1,
      fitsHead: false,
    });
    for (const note of notes) expect((await check(unchanged(note))).problems).toEqual([]);
    const names = Object.keys(EDIT_KINDS);
    const random = new Seeded(SEED);
    const missed: string[] = [];
    for (let index = 0; index < EDITS; index++) {
      const name = names[index % names.length] ?? "";
      const note = notes[random.below(notes.length)];
      if (note === undefined) throw new Error("no checkpoint");
      const edited = unchanged(note);
      const expected = EDIT_KINDS[name]?.(edited, random, note.size, from) ?? [];
      const report = await check(edited);
      const found = report.problems.map(({ kind }) => kind);
      if (report.ok || !found.some((kind) => expected.includes(kind)))
        missed.push(`${name} (edit ${index}, seed ${SEED}): ${found.join(", ") || "nothing"}`);
      else if (edited.fitsHead && name.includes("chain made again") && found.some((kind) => !expected.includes(kind)))
        missed.push(`${name} (edit ${index}, seed ${SEED}): not by the chain: ${found.join(", ")}`);
    }
    expect(missed).toEqual([]);
  }, 300_000);
});
