import { statSync } from "node:fs";
import { dirname } from "node:path";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { MARKS, type Mark } from "../../../ipc/contract/flow.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { since } from "./since.ts";

/** Files that marked sessions wrote: whoever reads one is marked as they were (docs/flow.md). */

/**
 * In grants.db. A path with a slash behind it is a folder with all below it; with two, what was changed below it from `since` on, while
 * programs ran there that nobody knows the writes of.
 */
export function writtenFilesTable(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE flow_files (
    path    TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    marks   TEXT NOT NULL,
    writer  TEXT NOT NULL,
    since   TEXT NOT NULL,
    at      TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX idx_flow_files_project ON flow_files(project);
  CREATE INDEX idx_flow_files_at ON flow_files(at);`);
}

/** Of one project, in paths: beyond it the whole project is marked. */
export const MAX_PATHS = 10_000;
/** For how long a file is, in milliseconds. */
const KEPT_MS = 7 * 86_400_000;
/** What a program changes that was begun so long ago, in milliseconds, is its. */
const RUN_MS = 30 * 60_000;
/** What is written again within that, in milliseconds, isn't noted again. */
const FRESH_MS = 60_000;
/** So many new ones later it is looked whether there are too many. */
const ROWS_BETWEEN_LOOKS = 256;

/** Paths whose rows are kept in memory. */
const MAX_RECENT = 4096;

interface Row {
  path: string;
  project: string;
  marks: string;
  /** The session that wrote it, to which it says nothing new; "" where there were more. */
  writer: string;
  since: string;
  at: string;
}

export class WrittenFiles {
  readonly #db: PreparedStatements;
  readonly #clock: Pick<Clock, "now">;
  readonly #since: () => string;
  readonly #failed: (what: string, error: unknown) => void;
  /** By path, what couldn't be written down yet. */
  readonly #unwritten = new Map<string, Row>();
  /** The rows of paths that were asked about last, null where there is none. */
  readonly #recent = new Map<string, Row | null>();
  /** Those of the rows that are about folders. */
  readonly #folders = new Map<string, Row>();
  #isEmpty: boolean;
  #written = 0;

  /** `db` was opened with `grantsSchema`. @param failed where what was noted can't be written down: it is tried again with the next */
  constructor(
    db: SqliteDatabase,
    clock: Pick<Clock, "now">,
    failed: (what: string, error: unknown) => void = () => undefined,
  ) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#since = since(clock, KEPT_MS);
    this.#failed = failed;
    this.#isEmpty = this.#db.prepare("SELECT 1 FROM flow_files LIMIT 1").get() === undefined;
    this.#readFolders();
  }

  /** A session with these marks writes there, or runs what may: it is written down before this returns. @param project absolute */
  note(path: string, project: string, writer: string, marks: readonly Mark[]): void {
    if (marks.length === 0) return;
    this.#isEmpty = false;
    const now = this.#clock.now();
    const before = this.#row(path, this.#since());
    const isKnown = before?.writer === writer || before?.writer === "";
    const isSame = isKnown && marks.every((mark) => before.marks.includes(mark));
    if (isSame && Date.parse(before.at) > now - FRESH_MS) return;
    const all = MARKS.filter((mark) => marks.includes(mark) || before?.marks.includes(mark) === true);
    const at = isoSeconds(now);
    const by = before === undefined || before.writer === writer ? writer : "";
    // A project that is marked as a whole says nothing of what lies elsewhere.
    const within = isAtOrBelow(path, project) ? project : dirname(path);
    // A folder that is renamed keeps the times of what was written in it before.
    const from = before?.since ?? (path.endsWith("//") ? this.#firstIn(within) : undefined) ?? at;
    const row = { path, project: within, marks: all.join(" "), writer: by, since: from, at };
    if (path.endsWith("/")) this.#folders.set(path, row);
    keepLatest(this.#recent, path, row, MAX_RECENT);
    // Whoever can't write it down knows it all the same; the disk is full then.
    if (this.#unwritten.size < MAX_PATHS) this.#unwritten.set(path, row);
    this.flush();
  }

  /** A session with these marks runs a program in this folder, which may write anything there. @param folder absolute */
  noteRun(folder: string, writer: string, marks: readonly Mark[]): void {
    this.note(`${folder}//`, folder, writer, marks);
  }

  /**
   * A file that programs of marked sessions may have written is changed now, by whomever: it stays known by its path, as its time won't say so any
   * more. @param isOld what is put there is as it was at any time before
   */
  keep(path: string, isOld = false): void {
    if (this.#isEmpty) return;
    for (const { path: folder, project, writer, marks } of this.#around(path, isOld, this.#since())) {
      const held = MARKS.filter((mark) => marks.includes(mark));
      if (folder.endsWith("//")) this.note(path, project, writer, held);
    }
  }

  /** A marked session's call named it within so many milliseconds, or shortly before. */
  isNamedWithin(path: string, ms: number): boolean {
    return Date.parse(this.#row(path, this.#since())?.at ?? "") >= this.#clock.now() - ms - FRESH_MS;
  }

  /** With which marks others than the reader wrote a file, or one below a folder. @param isTree a folder with all below it */
  marksOf(path: string, isTree: boolean, reader: string): Mark[] {
    if (this.#isEmpty) return [];
    const since = this.#since();
    const below = isTree ? this.#below(path, since, true) : [];
    return ofOthers([this.#row(path, since), ...this.#around(path, isTree, since), ...below], reader);
  }

  /** The same of all that is known by its path below a folder, which a program may read: not of what others ran there, which may have left it. */
  writtenIn(folder: string, reader: string): Mark[] {
    return ofOthers(this.#below(folder, this.#since(), false), reader);
  }

  /** When the first of the files that are known there was written. */
  #firstIn(project: string): string | undefined {
    const sql = "SELECT min(since) AS since FROM flow_files WHERE project = ? AND at >= ?";
    return this.#db.prepare<{ since: string | null }>(sql).get(project, this.#since())?.since ?? undefined;
  }

  #below(folder: string, since: string, withRuns: boolean): Pick<Row, "marks" | "writer">[] {
    const below = folder === "/" ? "/" : `${folder}/`;
    const isMeant = ({ path }: Row) => path.startsWith(below) && (withRuns || !path.endsWith("//"));
    const sql = `SELECT DISTINCT marks, writer FROM flow_files WHERE path > ? AND path < ? AND at >= ? AND (? OR path NOT LIKE '%//')`;
    const stored = this.#db.prepare<Row>(sql).all(below, `${below.slice(0, -1)}0`, since, withRuns ? 1 : 0);
    return [...[...this.#unwritten.values()].filter(isMeant), ...stored];
  }

  /** What is known of the folders around it. */
  #around(path: string, isTree: boolean, since: string): Row[] {
    const found: Row[] = [];
    if (this.#folders.size === 0) return found;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      for (const row of [this.#folders.get(`${folder}/`), this.#folders.get(`${folder}//`)])
        if (row !== undefined && row.at >= since && (isTree || !row.path.endsWith("//") || isChangedIn(path, row)))
          found.push(row);
    }
    return found;
  }

  #row(path: string, since: string): Row | undefined {
    let row = this.#unwritten.get(path) ?? this.#recent.get(path);
    if (row === undefined) {
      row = this.#db.prepare<Row>("SELECT * FROM flow_files WHERE path = ?").get(path) ?? null;
      keepLatest(this.#recent, path, row, MAX_RECENT);
    }
    return row === null || row.at < since ? undefined : row;
  }

  /** Writes down what was noted: all of it, or it is tried again. */
  flush(): void {
    if (this.#unwritten.size === 0) return;
    try {
      this.#db.begin();
      for (const row of this.#unwritten.values()) this.#write(row);
      if (++this.#written % ROWS_BETWEEN_LOOKS === 0) this.#forget();
      this.#db.commit();
      this.#unwritten.clear();
    } catch (error) {
      this.#db.rollback();
      this.#failed("keeping what marked sessions wrote", error);
    }
  }

  #write({ path, project, marks, writer, since, at }: Row): void {
    this.#db
      .prepare("INSERT OR REPLACE INTO flow_files (path, project, marks, writer, since, at) VALUES (?, ?, ?, ?, ?, ?)")
      .run(path, project, marks, writer, since, at);
  }

  /** What is too old, and of too many paths in a project which they are. */
  #forget(): void {
    this.#recent.clear();
    this.#db.prepare("DELETE FROM flow_files WHERE at < ?").run(this.#since());
    const full = "SELECT project FROM flow_files GROUP BY project HAVING count(*) > ?";
    for (const { project } of this.#db.prepare<{ project: string }>(full).all(MAX_PATHS)) {
      this.#db.prepare("DELETE FROM flow_files WHERE project = ? AND path NOT LIKE '%//'").run(project);
      const at = isoSeconds(this.#clock.now());
      this.#write({ path: `${project}/`, project, marks: MARKS.join(" "), writer: "", since: at, at });
    }
    this.#readFolders();
  }

  #readFolders(): void {
    this.#folders.clear();
    const sql = "SELECT * FROM flow_files WHERE path LIKE '%/'";
    for (const row of this.#db.prepare<Row>(sql).all()) this.#folders.set(row.path, row);
  }

  /** Nothing was written by a marked session. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }
}

function ofOthers(rows: readonly (Pick<Row, "marks" | "writer"> | undefined)[], reader: string): Mark[] {
  const others = rows.filter((row) => row !== undefined && row.writer !== reader);
  return others.length === 0 ? [] : MARKS.filter((mark) => others.some((row) => row?.marks.includes(mark)));
}

/** Whether a file was changed while what is meant ran: by the time that no program can set. */
function isChangedIn(path: string, { since, at }: Row): boolean {
  try {
    const changed = statSync(path, { throwIfNoEntry: false })?.ctimeMs;
    return changed !== undefined && changed >= Date.parse(since) && changed <= Date.parse(at) + RUN_MS;
  } catch {
    return true; // it can't be looked at
  }
}
