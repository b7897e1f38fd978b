import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { AuditProblem } from "../../../ipc/contract/audit.ts";
import { errorCode } from "../../base/errors.ts";
import { ArchiveCursor, type ArchivedMonth, copiesAmong, readArchiveHeader } from "./archive-file.ts";
import { GENESIS, isInOrder, lineHash, monthBounds, monthFile } from "./chain.ts";
import { type ChainLine, LineCursor, type LineSource } from "./lines.ts";
import { filesIn } from "./month-files.ts";

/** Reads a trail in the order of its chain, whatever files its lines are in, and reports what doesn't belong there. */

/** A problem, and what was found there: once it was accepted, anything else in its place is a new problem. */
export interface FoundProblem extends Omit<AuditProblem, "accepted"> {
  found: string;
}

export interface WalkedLine {
  line: ChainLine;
  file: string;
  number: number;
  /** The line is in an archive of that file's lines. */
  isArchived: boolean;
  /** It has the hash of the line before in it. */
  isLinked: boolean;
}

export type Report = (problem: Omit<FoundProblem, "found">, ...found: (string | number)[]) => void;

/** How many hashes of previous lines are kept, to detect that a line was separated from the one that it follows. */
const RECENT_LINES = 64;
/** The gate's own events that report a problem, with its text. */
const TROUBLE_EVENTS: Readonly<
  Record<string, { kind: "gap" | "appended" | "lost"; problem: (line: ChainLine) => string }>
> = {
  "audit.gap": { kind: "gap", problem: () => "the trail's end was missing when the gate started" },
  "audit.appended": {
    kind: "appended",
    problem: ({ record }) => `${Number(record?.lines)} lines were after the recorded end when the gate started`,
  },
  "audit.lost": {
    kind: "lost",
    problem: ({ record }) =>
      `${Number(record?.lines)} lines could not be written (${String(record?.error ?? "unknown")})`,
  },
};

/** Of the lines `audit.tree` those that say that the trail wasn't the one that was signed. */
const RESTARTS: Readonly<Record<string, string>> = {
  changed: "the trail wasn't what its last checkpoint said",
  cut: "the trail had fewer lines than its last checkpoint said",
};

/** How the times of a file's lines match its name. */
interface MonthFit {
  lines: number;
  wrong: number;
  firstWrong: { number: number; hash: string } | undefined;
  wrongMonths: Set<string>;
}

/** The line that a line is compared with. */
type Previous = Pick<ChainLine, "hash" | "seq" | "ms" | "event"> & { file: string };

export class TrailWalk {
  readonly #folder: string;
  readonly #report: Report;
  #cursors: LineSource[] = [];
  /** What archives hold. */
  readonly #archived: ArchivedMonth[] = [];
  readonly #fits = new Map<string, MonthFit>();
  readonly #recent: string[] = [];
  #previous: Previous = {
    file: "",
    hash: GENESIS,
    seq: undefined,
    ms: undefined,
    event: undefined,
  };
  #current: LineSource | undefined;

  /**
   * Lists the files as they are now: lines written later aren't read. @throws the system's error, of the folder
   */
  constructor(folder: string, nowMs: number, report: Report) {
    this.#folder = folder;
    this.#report = report;
    const archives: LineSource[] = [];
    for (const { name, role, not_a_file, is_link, size } of filesIn(folder)) {
      const path = join(folder, name);
      if (role === "stray") {
        report({ file: name, line: 0, kind: "stray_file", problem: "not a file of the trail: it is ignored" }, size);
      } else if (is_link) {
        report(
          { file: name, line: 0, kind: "link", problem: "a link, not a file: it is not read" },
          readlinkSync(path),
        );
      } else if (not_a_file !== null) {
        report({ file: name, line: 0, kind: "unreadable", problem: `${not_a_file}, not a file` }, not_a_file);
      } else if (role === "archive") {
        const cursor = this.#archiveIn(name);
        if (cursor !== undefined) archives.push(cursor);
      } else if (size > 0) {
        this.#cursors.push(new LineCursor(name, path, size));
      } else if (name > monthFile(nowMs)) {
        report({ file: name, line: 0, kind: "stray_file", problem: "an empty file of a month to come: it is ignored" });
      }
    }
    this.#cursors = [...archives, ...this.#cursors];
  }

  /** How many files hold lines. */
  get files(): number {
    return this.#cursors.length;
  }

  /** All lines, each after the one that it follows where that is known. */
  async *lines(): AsyncGenerator<WalkedLine> {
    await this.#leaveOutCopies();
    try {
      for (let next = await this.#next(); next !== undefined; next = this.#atHand ?? (await this.#next())) {
        const { cursor, line } = next;
        cursor.take();
        const { name: file, taken: number, isArchive: isArchived } = cursor;
        const walked = { line, file, number, isArchived, isLinked: line.prev === this.#previous.hash };
        this.#examine(walked);
        yield walked;
      }
    } finally {
      for (const cursor of this.#cursors) cursor.end();
    }
    this.#reportMonths();
  }

  #archiveIn(name: string): LineSource | undefined {
    const path = join(this.#folder, name);
    try {
      const header = readArchiveHeader(path);
      this.#archived.push(...header.months);
      return new ArchiveCursor(path, header);
    } catch (error) {
      const code = errorCode(error);
      this.#report({ file: name, line: 0, kind: "unreadable", problem: `it can't be read (${code})` }, code);
      return undefined;
    }
  }

  /** A month's file that is in an archive, too, was left by an archiving that didn't get to its end. */
  async #leaveOutCopies(): Promise<void> {
    if (this.#archived.length === 0) return;
    const copies = new Set((await copiesAmong(this.#folder, this.#archived)).map(({ name }) => name));
    this.#cursors = this.#cursors.filter(({ name, isArchive }) => isArchive || !copies.has(name));
  }

  /** The usual case, without a promise: the next line of the same file. */
  get #atHand(): { cursor: LineSource; line: ChainLine } | undefined {
    const line = this.#current?.atHand;
    if (this.#current === undefined || line?.prev !== this.#previous.hash) return undefined;
    return { cursor: this.#current, line };
  }

  /** The line that follows in the chain, in this file or another; else this file's next line, else the next file's first. */
  async #next(): Promise<{ cursor: LineSource; line: ChainLine } | undefined> {
    const order = this.#current === undefined ? this.#cursors : [this.#current, ...this.#cursors];
    let fallback: { cursor: LineSource; line: ChainLine } | undefined;
    for (const cursor of order) {
      const line = await this.#peek(cursor);
      if (line === undefined) continue;
      const found = { cursor, line };
      fallback ??= found;
      if (line.prev !== this.#previous.hash) continue;
      this.#current = cursor;
      return found;
    }
    this.#current = fallback?.cursor;
    return fallback;
  }

  async #peek(cursor: LineSource): Promise<ChainLine | undefined> {
    try {
      return await cursor.peek();
    } catch (error) {
      cursor.end();
      const code = errorCode(error);
      this.#report({ file: cursor.name, line: 0, kind: "unreadable", problem: `it can't be read (${code})` }, code);
      return undefined;
    }
  }

  #examine({ line, file, number }: WalkedLine): void {
    const at = { file, line: number };
    const previous = this.#previous;
    const found = [previous.hash, line.hash];
    if (line.bytes.length === 0) {
      // A blank line doesn't break the chain: the next line follows the one before the blank.
      return this.#report({ ...at, kind: "blank", problem: "a blank line: the gate didn't write it" }, ...found);
    }
    if (line.prev === undefined) this.#report({ ...at, ...unreadable(line) }, ...found);
    else if (line.prev !== previous.hash) this.#report({ ...at, ...this.#broken(line) }, ...found);
    else {
      const trouble = troubleIn(line);
      if (trouble !== undefined) this.#report({ ...at, ...trouble }, ...found);
      if (file < previous.file && line.event !== "audit.clock")
        this.#report({ ...at, kind: "moved", problem: "is in an earlier file than the line before" }, ...found);
      if (!line.isEnded)
        this.#report({ ...at, kind: "torn", problem: "the end of the last line is missing" }, ...found);
    }
    this.#checkTime(line, file, number);
    this.#recent.push(previous.hash);
    if (this.#recent.length > RECENT_LINES) this.#recent.shift();
    this.#previous = { file, hash: line.hash, seq: line.seq, ms: line.ms ?? previous.ms, event: line.event };
  }

  /** Why a line doesn't follow the one before. Unknown for lines of earlier versions, which weren't numbered. */
  #broken({ prev, seq }: ChainLine): Pick<AuditProblem, "kind" | "problem"> {
    const before = this.#previous.seq ?? (this.#previous.hash === GENESIS ? 0 : undefined);
    const moved = {
      kind: "moved",
      problem: "does not follow the line before: it is in the wrong position",
    } as const;
    if (seq !== undefined && before !== undefined && seq < before) return moved;
    if (prev !== undefined && this.#recent.includes(prev))
      return { kind: "inserted", problem: "does not follow the line before: that one was put in, or repeated" };
    if (seq === undefined || before === undefined)
      return { kind: "changed", problem: "does not follow the line before: one was changed, removed or moved" };
    if (seq === before + 1)
      return { kind: "changed", problem: "does not follow the line before: that one was changed" };
    if (seq > before)
      return {
        kind: "removed",
        problem: `does not follow the line before: ${seq - before - 1} in between are missing`,
      };
    return moved;
  }

  /** The gate records changes of its clock in a line: any other line whose time is out of order wasn't written there. */
  #checkTime(line: ChainLine, file: string, number: number): void {
    const { ms, seq, event } = line;
    if (ms === undefined || seq === undefined) return;
    const fit = this.#fitOf(file);
    fit.lines++;
    if (event === "audit.clock" || this.#previous.event === "audit.clock") return;
    const { ms: before, hash } = this.#previous;
    if (isInOrder(monthBounds(file), ms, undefined)) {
      const isLate = line.prev === hash && !isInOrder(monthBounds(file), ms, before);
      if (isLate)
        this.#report(
          { file, line: number, kind: "moved", problem: "its time is before the line's before it" },
          line.hash,
        );
      return;
    }
    fit.wrong++;
    fit.firstWrong ??= { number, hash: line.hash };
    fit.wrongMonths.add(Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? monthFile(ms) : "");
  }

  #fitOf(file: string): MonthFit {
    const known = this.#fits.get(file);
    if (known !== undefined) return known;
    const fit: MonthFit = { lines: 0, wrong: 0, firstWrong: undefined, wrongMonths: new Set() };
    this.#fits.set(file, fit);
    return fit;
  }

  #reportMonths(): void {
    for (const [file, { lines, wrong, firstWrong, wrongMonths }] of this.#fits) {
      if (firstWrong === undefined) continue;
      const at = { file, line: firstWrong.number };
      const months = [...wrongMonths].join(", ");
      const isAlone = ![...wrongMonths].some((name) => this.#fits.has(name));
      const problem =
        wrong === lines
          ? ({ kind: "renamed", problem: `its lines are of another month (${months}): the file was renamed` } as const)
          : isAlone
            ? ({ kind: "merged", problem: `lines of another month (${months}) were put into it` } as const)
            : ({ kind: "wrong_month", problem: `it has lines that belong into ${months}` } as const);
      this.#report({ ...at, ...problem }, firstWrong.hash, wrong);
    }
  }
}

/** What a line of the gate's own reports. */
function troubleIn(line: ChainLine): Pick<AuditProblem, "kind" | "problem"> | undefined {
  if (line.event === "audit.tree") {
    const problem = RESTARTS[String(line.record?.reason)];
    return problem === undefined ? undefined : { kind: "restarted", problem };
  }
  const trouble = TROUBLE_EVENTS[line.event ?? ""];
  return trouble && { kind: trouble.kind, problem: trouble.problem(line) };
}

/** The gate writes whole lines: a partial one is left by a crash or a full disk. */
function unreadable({ bytes, isEnded }: ChainLine): Pick<AuditProblem, "kind" | "problem"> {
  const isTorn = !isEnded || (bytes[0] === 0x7b && bytes.at(-1) !== 0x7d);
  const problem = "not a readable line: it was changed or torn";
  return { kind: isTorn ? "torn" : "changed", problem };
}

/** One text that identifies what was found. */
export function fingerprint(parts: readonly (string | number)[]): string {
  return lineHash(parts.join("\n"));
}
