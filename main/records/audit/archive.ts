import { existsSync, lstatSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { OperatorResult } from "../../../ipc/contract/operator-api.ts";
import { errorCode } from "../../base/errors.ts";
import { syncFolder } from "../../base/files/durable-file.ts";
import { fileError } from "../../base/files/file-errors.ts";
import {
  type ArchivedMonth,
  copiesAmong,
  hashOfFile,
  isWhole,
  readArchiveHeader,
  writeArchive,
} from "./archive-file.ts";
import { ARCHIVED_EVENT } from "./archives-check.ts";
import { monthFile } from "./chain.ts";
import type { StoredNote } from "./checkpoint-files.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Claims } from "./compare-checkpoints.ts";
import type { AuditLog } from "./log.ts";
import { filesIn, monthFiles, UNFINISHED_ARCHIVE } from "./month-files.ts";
import { examineTrail, reportOf, type TrailFiles } from "./verify.ts";
import { TrailWalk } from "./walk.ts";

/**
 * Puts the months before one into one compressed file, which is read as they were. Each step leaves all lines where a reader finds
 * them: the file is written and synced, read again, named in the trail; the months' files are removed last.
 */

export interface ArchiveParts {
  audit: AuditLog;
  checkpoints: Checkpoints;
  trail: TrailFiles;
  claims(): Claims;
  /** Milliseconds. */
  now(): number;
  /** False: the gate ends, and another one may have the trail. */
  isOpen(): boolean;
}

export type ArchivedTrail = OperatorResult<"audit.archive">;

/**
 * `before`: `YYYY-MM`; this month and later ones stay.
 * @throws GateError `invalid_params`, `trail_not_whole`, `trail_unwritable`, `not_available`, `file_unusable`: no line is lost then
 */
export async function archiveMonths(parts: ArchiveParts, before: string): Promise<ArchivedTrail> {
  const { audit, trail, now } = parts;
  const { folder } = trail;
  if (`${before}.jsonl` > monthFile(now()))
    throw new GateError(
      "invalid_params",
      `${before} is to come: the present month stays as it is`,
      "name it or an earlier one",
    );
  audit.open();
  audit.rememberHead();
  await requireWhole(parts);
  const copies = await copiesIn(folder);
  const left = new Set(copies.map(({ name }) => name));
  const names = monthFiles(folder).filter((name) => name < `${before}.jsonl` && !left.has(name));
  const made = names.length === 0 ? undefined : await makeArchive(parts, names);
  const months = removeMonths(parts, [...copies, ...(made?.held ?? [])]);
  const { file = null, lines = 0, archive_bytes = 0 } = made ?? {};
  return { file, months, lines, bytes: made?.held.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0, archive_bytes };
}

/** The checkpoints that the archives were closed with. What can't be read is reported with the archive. */
export function archivedNotes(folder: string): StoredNote[] {
  const archives = filesIn(folder).filter(({ role, not_a_file }) => role === "archive" && not_a_file === null);
  return archives.flatMap(({ name }) => {
    try {
      return [{ text: readArchiveHeader(join(folder, name)).checkpoint, file: name, line: 1 }];
    } catch {
      return [];
    }
  });
}

async function requireWhole({ audit, trail, claims, now }: ArchiveParts): Promise<void> {
  const report = reportOf(await examineTrail(trail, audit.end, now(), claims()));
  if (report.ok) return;
  throw new GateError(
    "trail_not_whole",
    "the trail isn't as it was written: nothing was archived",
    `see: ${ownCommand("audit verify")}`,
  );
}

function requireOpen({ isOpen }: ArchiveParts): void {
  if (!isOpen()) throw new GateError("not_available", "the gate ends: nothing was archived", "try again once one runs");
}

/** What an earlier archiving that didn't get to its end has left beside its archive, which was read just now. */
async function copiesIn(folder: string): Promise<ArchivedMonth[]> {
  const archives = filesIn(folder).filter(({ role }) => role === "archive");
  const held: ArchivedMonth[] = [];
  for (const { name } of archives) {
    try {
      const header = readArchiveHeader(join(folder, name));
      if (await isWhole(join(folder, name), header)) held.push(...header.months);
    } catch {
      // Damaged or unreadable, which the user has accepted: it has no month's place.
    }
  }
  return copiesAmong(folder, held);
}

/** The archive under its name, beside the months' files. */
async function makeArchive(parts: ArchiveParts, names: readonly string[]) {
  const { trail, checkpoints } = parts;
  const { folder } = trail;
  const { lines, ...closed } = await endOf(parts, names);
  const checkpoint = checkpoints.signed(closed);
  if (checkpoint === undefined)
    throw new GateError("not_available", "there is no key to sign the archive with", `see: ${ownCommand("doctor")}`);
  const held: ArchivedMonth[] = [];
  for (const name of names) held.push({ name, ...(await hashOfFile(join(folder, name))) });
  const file = `${names[0]?.slice(0, 7)}_${names.at(-1)?.slice(0, 7)}.archive.gz`;
  const path = join(folder, file);
  const unfinished = join(folder, UNFINISHED_ARCHIVE);
  try {
    // The clock was set back to those months since, and there are others of their names by now.
    if (existsSync(path)) throw Object.assign(new Error("it is there already"), { code: "EEXIST" });
    rmSync(unfinished, { force: true });
    const header = { format: "metnos-gate-archive-v1", months: held, checkpoint } as const;
    await writeArchive(unfinished, header, folder);
    const whole = await isWhole(unfinished, readArchiveHeader(unfinished));
    const { sha256, bytes: archiveBytes } = await hashOfFile(unfinished);
    requireOpen(parts);
    note(parts, { file, months: names, lines, sha256 });
    // From here on in one turn: the gate writes nothing in between.
    requireOpen(parts);
    if (!whole || !held.every((month) => isAsLong(folder, month)))
      throw new GateError("trail_not_whole", "the months were changed while they were archived", "try again");
    renameSync(unfinished, path);
    parts.audit.noteArchived([file]);
    syncFolder(folder);
    return { file, held, lines, archive_bytes: archiveBytes };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw fileError(error, "the archive", path);
  }
}

/** How many lines these months have, and the trail up to the last of them, which must be its beginning. */
async function endOf({ trail: { folder }, now }: ArchiveParts, names: readonly string[]) {
  let size = 0;
  const end = { file: "", offset: 0, hash: "" };
  let lines = 0;
  let isPast = false;
  // An archive has its months one after the other, and its lines are read in that order.
  let last = "";
  for await (const { line, file, isArchived } of new TrailWalk(folder, now(), () => undefined).lines()) {
    const isIn = isArchived || names.includes(file);
    if (isIn && (isPast || (!isArchived && file < last)))
      throw new GateError(
        "trail_not_whole",
        `${file} has lines that were written after later months: the clock was set back`,
        "name an earlier month",
      );
    isPast ||= !isIn;
    if (!isArchived) last = file;
    if (isPast || line.bytes.length === 0) continue;
    size = line.seq ?? size + 1;
    Object.assign(end, { file, offset: line.end, hash: line.hash });
    if (!isArchived) lines++;
  }
  return { size, end, lines };
}

/** The line of the trail that names the archive, which is the last one from now on, in the month that stays. */
function note(
  { audit }: ArchiveParts,
  { months, ...fields }: { file: string; months: readonly string[]; lines: number; sha256: string },
): void {
  let failure: unknown;
  audit.append({ event: ARCHIVED_EVENT, ts: audit.time(), months, ...fields }, (error) => {
    failure = error;
  });
  audit.flush();
  audit.rememberHead();
  const end = audit.position?.file ?? "";
  if (failure === undefined && end !== "" && !months.includes(end)) return;
  const why = failure === undefined ? "its end is in a month to archive" : errorCode(failure);
  throw new GateError(
    "trail_unwritable",
    `the audit trail can't be written (${why})`,
    `nothing was archived; see: ${ownCommand("doctor")}`,
  );
}

/** What the archives hold by now. Another file of that name by now is part of the trail. Returns which months were removed. */
function removeMonths({ audit, trail: { folder } }: ArchiveParts, held: readonly ArchivedMonth[]): string[] {
  const names = held.filter((month) => isAsLong(folder, month)).map(({ name }) => name);
  if (names.length === 0) return [];
  for (const name of names) {
    unlinkSync(join(folder, name));
    // One that follows may not be removable.
    audit.noteArchived([name]);
  }
  syncFolder(folder);
  return names.map((name) => name.slice(0, 7));
}

function isAsLong(folder: string, { name, bytes }: ArchivedMonth): boolean {
  return lstatSync(join(folder, name), { throwIfNoEntry: false })?.size === bytes;
}
