import { createPublicKey } from "node:crypto";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Alarms } from "../../../main/base/alarms.ts";
import { archivedNotes, archiveMonths } from "../../../main/records/audit/archive.ts";
import { notesIn } from "../../../main/records/audit/checkpoint.ts";
import { Checkpoints } from "../../../main/records/audit/checkpoints.ts";
import { AuditLog } from "../../../main/records/audit/log.ts";
import { verifyAudit } from "../../../main/records/audit/verify.ts";
import { testSigner } from "../../support/checkpoint-keys.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/**
 * A trail that the version before wrote, which signed the root of a Merkle tree: 70 lines of May, archived; 20 of June, half a line that a crash
 * of the machine left, and, after it was accepted, some more. `kept.txt`: five of its checkpoints, the first ones from before the crash, one from before
 * half a line was accepted.
 */
const MATERIAL = new URL("material/earlier-checkpoints/", import.meta.url);
const JUNE = "2026-06.jsonl";

/** A copy of it, and a gate of this version that continues it. Its key was replaced meanwhile. */
function continued() {
  const top = tempFolder();
  cpSync(MATERIAL, top, { recursive: true });
  const [folder, headFile] = [join(top, "trail"), join(top, "audit-head")];
  const kept = readFileSync(join(top, "kept.txt"), "utf8");
  const { x = "" } = createPublicKey(readFileSync(join(top, "key.pem"))).export({ format: "jwk" });
  const present = testSigner();
  const clock = new ManualClock("2026-06-19T13:00:00Z");
  const alarms = new Alarms(clock.now, () => undefined);
  const own = [Buffer.from(x, "base64url"), present.publicBytes];
  const start = () => {
    const audit = new AuditLog(folder, headFile, clock.now);
    const checkpoints = new Checkpoints({
      audit,
      keys: { current: () => present, known: () => own },
      folder,
      recordFile: join(top, "audit-tree"),
      checkpointsDir: join(top, "checkpoints"),
      checkpoint_file: undefined,
      now: clock.now,
      alarms,
      failed: (_what, error) => {
        throw error;
      },
    });
    checkpoints.begin();
    const write = (lines: number) => {
      for (let line = 0; line < lines; line++) audit.append({ event: "test", ts: clock.ms / 1000 });
      audit.flush();
    };
    const claims = (against = "") => ({
      given: against === "" ? undefined : notesIn(against),
      stored: [...checkpoints.files.all(), ...archivedNotes(folder)],
      keys: { own, named: undefined },
      origin: checkpoints.origin,
      epoch: checkpoints.epoch,
    });
    const verified = (against?: string) => verifyAudit(folder, headFile, audit.end, clock.now(), claims(against));
    const end = () => {
      checkpoints.close();
      audit.close();
    };
    return { audit, checkpoints, write, claims, verified, end };
  };
  return { top, folder, headFile, kept, clock, alarms, start };
}

const notesOf = (kept: string) => notesIn(kept).flatMap(({ note }) => note ?? []);

it("checkpoints of the version before are proven as before, also with its archive and what was accepted then", async () => {
  const { kept, alarms, start } = continued();
  const gate = start();
  expect(notesOf(kept).map(({ root }) => root?.length)).toEqual([32, 32, 32, 32, 32]);
  expect(await gate.verified(kept)).toMatchObject({
    ok: true,
    lines: 113,
    problems: [{ kind: "torn", accepted: "a crash of the machine" }],
  });
  expect(gate.checkpoints.newest).toMatchObject({ size: 113, epoch: 1, end: { file: JUNE } });
  expect(alarms.list()).toEqual([]);
});

it("the gate continues after them: both kinds are proven then, and months are archived under the new ones", async () => {
  const { kept, alarms, folder, headFile, clock, start } = continued();
  const first = start();
  first.write(70);
  first.checkpoints.signNow();
  const both = `${kept}\n${first.checkpoints.newest?.text}`;
  // Half a line has no number.
  expect(first.checkpoints.newest).toMatchObject({ size: 182, epoch: 1, root: null, restarted: null });
  expect(await first.verified(both)).toMatchObject({ ok: true, lines: 183 });
  clock.advance(30 * 86_400);
  first.write(5);
  const { audit, checkpoints } = first;
  const parts = {
    audit,
    checkpoints,
    trail: { folder, headFile },
    claims: first.claims,
    now: clock.now,
    isOpen: () => true,
  };
  expect(await archiveMonths(parts, "2026-07")).toMatchObject({ months: ["2026-06"] });
  expect(await first.verified(both)).toMatchObject({ ok: true });
  first.end();
  const second = start();
  second.write(1);
  expect(await second.verified(both)).toMatchObject({ ok: true, lines: 190 });
  second.end();
  expect(second.checkpoints.epoch).toBe(1);
  expect(readdirSync(folder).sort()).toEqual([
    "2026-05_2026-05.archive.gz",
    "2026-06_2026-06.archive.gz",
    "2026-07.jsonl",
  ]);
  expect(alarms.list()).toEqual([]);
});

it.each([
  ["a changed line", (lines: string[]) => lines.map((line) => line.replace("a line 75", "a lane 75")), "rewritten"],
  ["a removed line", (lines: string[]) => lines.filter((line) => !line.includes("a line 75")), "cut_off"],
  [
    "the other half of the half line",
    (lines: string[]) => lines.map((line) => line.replace("1781", "1782")),
    "rewritten",
  ],
  ["a missing end", (lines: string[]) => lines.slice(0, 30), "cut_off"],
])("%s is found against them", async (_what, edit, kind) => {
  const { folder, kept, start } = continued();
  const file = join(folder, JUNE);
  writeFileSync(file, `${edit(readFileSync(file, "utf8").split("\n").slice(0, -1)).join("\n")}\n`);
  const newest = notesOf(kept).at(-1)?.text ?? "";
  const report = await start().verified(newest);
  expect(report.ok).toBe(false);
  expect(report.problems.filter(({ accepted }) => accepted === null).map((problem) => problem.kind)).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^(?:${kind}|restarted)$`))]),
  );
});

it("one of them that another key signed, or with another root, is refused", async () => {
  const { kept, start } = continued();
  const gate = start();
  const [note] = notesOf(kept);
  const root = note?.root?.toString("base64") ?? "";
  const other = note?.text.replace(root, Buffer.alloc(32, 7).toString("base64"));
  expect((await gate.verified(other)).problems.map(({ kind }) => kind).sort()).toEqual([
    "checkpoint_signature",
    "torn",
  ]);
  const unknown = { ...gate.claims(note?.text), keys: { own: [testSigner().publicBytes], named: undefined } };
  const { folder, headFile, clock } = continued();
  const { problems } = await verifyAudit(folder, headFile, undefined, clock.now(), { ...unknown, stored: [] });
  expect(problems.map(({ kind }) => kind).sort()).toEqual(["checkpoint_key", "torn"]);
});
