import { MARKS, type Mark } from "../../../ipc/contract/flow.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";

/** Files that marked sessions wrote: whoever reads one is marked as they were (docs/flow.md). */

/** In grants.db. A path with a slash behind it is a folder with all below it. */
export function writtenFilesTable(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE flow_files (
    path    TEXT PRIMARY KEY,
    project TEXT NOT NULL,
    marks   TEXT NOT NULL,
    at      TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX idx_flow_files_project ON flow_files(project);
  CREATE INDEX idx_flow_files_at ON flow_files(at);`);
}

/** Of one project, in paths: beyond it the whole project is marked. */
export const MAX_PATHS = 10_000;
/** For how long a file is, in milliseconds. */
export const KEPT_MS = 7 * 86_400_000;
/** How long a file may wait until it is written down, with those that follow it, in milliseconds. */
const WRITE_DELAY_MS = 100;

interface Row {
  path: string;
  project: string;
  marks: string;
}

export class WrittenFiles {
  readonly #db: PreparedStatements;
  readonly #clock: Pick<Clock, "now">;
  readonly #failed: (error: unknown) => void;
  /** By path, what isn't written down yet. */
  readonly #unwritten = new Map<string, Row>();
  #isEmpty: boolean;
  #timer: NodeJS.Timeout | undefined;

  /** `db` was opened with `grantsSchema`. @param failed where what was noted can't be written down: it is tried again with the next */
  constructor(db: SqliteDatabase, clock: Pick<Clock, "now">, failed: (error: unknown) => void = () => undefined) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#failed = failed;
    this.#isEmpty = this.#db.prepare("SELECT 1 FROM flow_files LIMIT 1").get() === undefined;
  }

  /** A session with these marks writes there. @param project absolute */
  note(path: string, project: string, marks: readonly Mark[]): void {
    if (marks.length === 0) return;
    this.#isEmpty = false;
    this.#unwritten.set(path, { path, project, marks: marks.join(" ") });
    this.#timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS).unref();
  }

  /** With which marks a file was written, or one of those below a folder. @param isTree a folder with all below it, in the project or around it */
  marksOf(path: string, project: string, isTree: boolean): Mark[] {
    if (this.#isEmpty) return [];
    const below = path === "/" ? "/" : `${path}/`;
    const isMeant = (row: Row) =>
      row.path === path ||
      (row.path.endsWith("/") && path.startsWith(row.path)) ||
      (isTree && row.path.startsWith(below));
    const found = [...this.#unwritten.values()].filter(isMeant);
    const since = isoSeconds(this.#clock.now() - KEPT_MS);
    const named = this.#db.prepare<Row>("SELECT marks FROM flow_files WHERE path = ? AND at >= ?");
    const rows = [path, ...foldersOf(path, project)].flatMap((one) => named.get(one, since) ?? []);
    const inTree = isTree
      ? this.#db
          .prepare<Row>("SELECT DISTINCT marks FROM flow_files WHERE path > ? AND path < ? AND at >= ?")
          .all(below, `${below.slice(0, -1)}0`, since)
      : [];
    const all = new Set([...found, ...rows, ...inTree].flatMap(({ marks }) => marks.split(" ")));
    return MARKS.filter((mark) => all.has(mark));
  }

  /** Writes down what was noted: all of it, or it is tried again. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unwritten.size === 0) return;
    try {
      this.#db.begin();
      this.#writeAll(isoSeconds(this.#clock.now()));
      this.#db.commit();
      this.#unwritten.clear();
    } catch (error) {
      this.#db.rollback();
      this.#failed(error);
    }
  }

  #writeAll(at: string): void {
    this.#db.prepare("DELETE FROM flow_files WHERE at < ?").run(isoSeconds(this.#clock.now() - KEPT_MS));
    const add = this.#db.prepare(
      "INSERT INTO flow_files (path, project, marks, at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET marks = excluded.marks, at = excluded.at",
    );
    for (const { path, project, marks } of this.#unwritten.values()) add.run(path, project, marks, at);
    for (const project of new Set([...this.#unwritten.values()].map((row) => row.project))) {
      const kept = this.#db.count("SELECT count(*) AS count FROM flow_files WHERE project = ?", project);
      if (kept <= MAX_PATHS) continue;
      this.#db.prepare("DELETE FROM flow_files WHERE project = ?").run(project);
      add.run(`${project}/`, project, MARKS.join(" "), at);
    }
  }

  /** Nothing was written by a marked session. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }
}

/** Each folder around a path, up to its project's, as one that is marked as a whole is kept. */
function foldersOf(path: string, project: string): string[] {
  const folders: string[] = [];
  let end = path.lastIndexOf("/");
  for (; end >= project.length && end > 0; end = path.lastIndexOf("/", end - 1)) folders.push(path.slice(0, end + 1));
  return folders;
}
