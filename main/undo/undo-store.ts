import { closeSync, fstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepLatest } from "../base/keep-latest.ts";
import type { Bounds } from "./bounds.ts";
import { appendLine, type Changer, type KnownCall, logSize, MAX_LOG, readCalls, writeCalls } from "./call-log.ts";
import { type Held, treeOfHeld } from "./held.ts";
import { enter, openRoot, tried } from "./in-folder.ts";
import { keepFile, NotStored, Objects } from "./objects.ts";
import { readProject, type Seen, seenOf, stored, TooMany } from "./project-tree.ts";
import {
  type CallTrees,
  type Choice,
  type FileChange,
  type Outcome,
  planned,
  putBack,
  removeHalfMade,
  treeOfPaths,
} from "./taken-back.ts";

/** The store of one project: what was there before calls, and what they left. One process at a time has it. */

/** Why a call can't be taken back as a whole. */
export type Missing = "late" | "too-many-files" | "store-full" | "disk" | "project-gone" | "interrupted";

/** In a call that takes longer it isn't known who changed a file. Milliseconds. */
const LONG_MS = 60_000;
const DAY_MS = 86_400_000;
const SEEN_FILE = "seen.json";
/** Trees that were made last are kept, also where no call names them yet. */
const MAX_RECENT = 200;

export interface Wish {
  path: string;
  /** Null: nobody was asked, as it comes back where it still is as the calls left it. */
  choice: Choice | null;
}

export class UndoStore {
  readonly #folder: string;
  readonly #root: string;
  readonly #bounds: Bounds;
  readonly #objects: Objects;
  readonly #recent: string[] = [];
  /** Of calls that run, what `after` asks for: the rest of the log needn't be read for it. */
  readonly #begun = new Map<string, Pick<KnownCall, "at" | "paths" | "before" | "after">>();
  #seen: Seen | undefined;
  #isSeenStored = true;

  /** @param folder of the store @param root of the project, real @throws the system's error */
  constructor(folder: string, root: string, bounds: Bounds) {
    this.#folder = folder;
    this.#root = root;
    this.#bounds = bounds;
    this.#objects = new Objects(folder, bounds.max_bytes);
    keepFile(join(folder, "project"), `${root}\n`);
    this.#seen = this.#storedSeen();
    this.#endInterrupted();
  }

  /** @param maker of the boxes that Git runs in from now on */
  boxedBy(maker: string | null): void {
    this.#objects.maker = maker;
  }

  /** What an undo had half made as its process was killed goes; what it had put back stays, and can be put again. */
  #endInterrupted(): void {
    for (const { id, agent, after, paths } of readCalls(this.#folder)) {
      if (agent !== null || after !== null || paths === null) continue;
      try {
        const tree = this.#inProject((fd) => {
          removeHalfMade(fd, paths);
          return treeOfPaths(this.#objects, fd, paths);
        });
        this.#objects.flush();
        appendLine(this.#folder, { line: "after", id, tree, missing: "interrupted" });
      } catch {
        // The project isn't there now: the next process looks again.
      }
    }
  }

  /**
   * Keeps what is there before a call. @param until in Unix milliseconds: later it has begun, and what is there may be its own
   * @param held what was there already, so that it can't be late @returns why it can't be taken back as a whole; null where it can
   */
  before(call: Changer, paths: readonly string[] | null, until: number, held?: readonly Held[]): Missing | null {
    let [tree, missing] = this.#kept(paths, held);
    if (missing === null && held === undefined && Date.now() > until) [tree, missing] = [null, "late"];
    try {
      appendLine(this.#folder, { line: "before", ...call, paths, tree, missing });
    } catch {
      return "disk";
    }
    keepLatest(this.#begun, call.id, { at: call.at, paths, before: tree, after: null }, MAX_RECENT);
    return missing;
  }

  /** Keeps what a call has left. @param held what that was, where it was looked at already */
  after(id: string, held?: readonly Held[]): Missing | null {
    const call = this.#begun.get(id) ?? readCalls(this.#folder).find((one) => one.id === id);
    this.#begun.delete(id);
    if (call === undefined || call.before === null || call.after !== null) return null;
    const [tree, missing] = this.#kept(call.paths, held);
    try {
      appendLine(this.#folder, { line: "after", id, tree, missing, ms: Date.now() - call.at });
    } catch {
      return "disk";
    }
    return missing;
  }

  /** Reads the project ahead of a call that needs it. */
  prepare(): Missing | null {
    return this.#kept(null)[1];
  }

  #kept(paths: readonly string[] | null, held?: readonly Held[]): [tree: string | null, missing: Missing | null] {
    try {
      if (this.#objects.size() > this.#bounds.max_bytes || logSize(this.#folder) > MAX_LOG) return [null, "store-full"];
      const tree =
        held === undefined
          ? this.#inProject((fd) => (paths === null ? this.#whole(fd) : treeOfPaths(this.#objects, fd, paths)))
          : treeOfHeld(this.#objects, held);
      this.#objects.flush();
      this.#recent.push(tree);
      if (this.#recent.length > MAX_RECENT) this.#recent.shift();
      return [tree, null];
    } catch (error) {
      if (error instanceof TooMany) return [null, "too-many-files"];
      if (error instanceof NotStored) return [null, error.why];
      const { code = "" } = error as NodeJS.ErrnoException;
      return [null, ["ENOENT", "ENOTDIR", "ELOOP"].includes(code) ? "project-gone" : "disk"];
    }
  }

  #whole(fd: number): string {
    const seen = readProject(fd, fstatSync(fd), this.#seen, { ...this.#bounds, objects: this.#objects });
    this.#objects.flush();
    if (seen.sha !== this.#seen?.sha) this.#isSeenStored = false;
    this.#seen = seen;
    return seen.sha;
  }

  #inProject<T>(act: (fd: number) => T): T {
    const fd = openRoot(this.#root);
    const close = () => {
      // The project can be removed, or its disk unmounted, while nothing of it is looked at.
      process.chdir("/");
      // Whatever a disk that fails says to that, what was done is done.
      tried(() => closeSync(fd));
    };
    let made: T;
    try {
      enter(fd);
      made = act(fd);
    } catch (error) {
      close();
      throw error;
    }
    if (made instanceof Promise) return made.finally(close) as T;
    close();
    return made;
  }

  /** What would become of each file, were these calls taken back. @throws where the store lacks something, or the project is gone */
  files(ids: readonly string[]): Promise<FileChange[]> {
    return this.#inProject(async (fd) => {
      const files = await planned(this.#objects, fd, this.#treesOf(fd, ids));
      this.#objects.flush();
      return files;
    });
  }

  #treesOf(fd: number, ids: readonly string[]): CallTrees[] {
    const all = readCalls(this.#folder);
    const wanted = new Set(ids);
    return all.flatMap(({ id, at, before, after, missing, paths, ms = 0 }, place) => {
      if (!wanted.has(id) || before === null) return [];
      const isDuring = (one: KnownCall) => one.agent === null && (after === null || one.at <= at + ms);
      const unsurePaths = new Set(
        all
          .slice(place + 1)
          .filter(isDuring)
          .flatMap((undo) => undo.paths ?? []),
      );
      // While a long one ran somebody else may have written, too.
      const isUnsure = after === null || missing !== null || ms > LONG_MS;
      const now = () => (paths === null ? this.#whole(fd) : treeOfPaths(this.#objects, fd, paths));
      return [{ before, after: after ?? now(), isUnsure, unsurePaths }];
    });
  }

  /** The three contents of a file, as far as there are any and they aren't longer than `max` bytes. */
  async contents(ids: readonly string[], path: string, max: number): Promise<(string | null)[]> {
    const file = (await this.files(ids)).find((one) => one.path === path);
    const { before = null, agent = null, now = null } = file ?? {};
    return Promise.all(
      [before, agent, now].map(async (entry) => {
        const content = entry === null ? undefined : await this.#objects.read(entry.sha).catch(() => undefined);
        return content === undefined || content.length > max ? null : content.toString("latin1");
      }),
    );
  }

  /**
   * Takes these calls back, as far as `wishes` says. What was there before is kept first, as an entry of its own.
   * @returns what became of each file, by path @throws the system's error: nothing was changed then
   */
  takeBack(ids: readonly string[], undo: Changer, wishes: readonly Wish[]): Promise<[path: string, Outcome][]> {
    return this.#inProject(async (fd) => {
      const choices = new Map(wishes.map(({ path, choice }) => [path, choice]));
      const wanted = (await planned(this.#objects, fd, this.#treesOf(fd, ids))).flatMap((file) => {
        const { path, before, agent, now, state } = file;
        const choice = choices.get(path);
        if (choice === undefined || choice === "now" || (choice === null && state !== "ready")) return [];
        return [{ path, from: now, to: choice === "agent" ? agent : before }];
      });
      if (wanted.length === 0) return [];
      const paths = wanted.map(({ path }) => path);
      const tree = treeOfPaths(this.#objects, fd, paths);
      this.#objects.flush();
      appendLine(this.#folder, { line: "before", ...undo, of: ids, paths, tree, missing: null });
      const outcomes = await putBack(this.#objects, fd, wanted);
      try {
        const after = treeOfPaths(this.#objects, fd, paths);
        this.#objects.flush();
        const hasFailed = [...outcomes.values()].includes("failed") || undefined;
        appendLine(this.#folder, { line: "after", id: undo.id, tree: after, missing: null, has_failed: hasFailed });
      } catch {
        // A full disk: the next process finds what it left, as of one that was killed.
      }
      return [...outcomes];
    });
  }

  /** Forgets what is too old, and as much of the rest as there is no room for; packs what is left. @param now in Unix milliseconds @returns of how many calls */
  async tidy(now: number): Promise<number> {
    const { days, max_bytes } = this.#bounds;
    const all = readCalls(this.#folder);
    let kept = all.filter(({ at }) => at > now - days * DAY_MS);
    const isFull = () => this.#objects.size() > max_bytes * 0.9 || logSize(this.#folder) > MAX_LOG * 0.9;
    if (kept.length < all.length) writeCalls(this.#folder, kept);
    if (!isFull() && kept.length === all.length && !this.#objects.hasManyPacks) return kept.length;
    let isPacked = await this.#repack(kept);
    // Where nothing can be packed anew, forgetting calls makes no room.
    while (isPacked && isFull() && kept.length > 0) {
      kept = kept.slice(Math.ceil(kept.length / 2));
      writeCalls(this.#folder, kept);
      isPacked = await this.#repack(kept);
    }
    return kept.length;
  }

  #repack(kept: readonly KnownCall[]): Promise<boolean> {
    // What the next process takes for kept has to be.
    this.storeSeen();
    if (!this.#isSeenStored) rmSync(join(this.#folder, SEEN_FILE), { force: true });
    const trees = kept.flatMap(({ before, after }) => [before, after]).filter((tree) => tree !== null);
    const seen = this.#seen === undefined ? [] : [this.#seen.sha];
    return this.#objects.repack([...trees, ...seen, ...this.#recent]);
  }

  /** What the project's files looked like, so that the next process needn't read them all. */
  storeSeen(): void {
    if (this.#isSeenStored || this.#seen === undefined) return;
    const made = join(this.#folder, `${SEEN_FILE}.new`);
    try {
      rmSync(made, { force: true });
      writeFileSync(made, JSON.stringify({ boot: bootId(), seen: stored(this.#seen) }), { mode: 0o600, flag: "wx" });
      renameSync(made, join(this.#folder, SEEN_FILE));
      this.#isSeenStored = true;
    } catch {
      // A full disk: the next process reads the project anew.
    }
  }

  /** Of a machine that was switched off meanwhile it doesn't count: what was written last may be lost. */
  #storedSeen(): Seen | undefined {
    try {
      const { boot, seen } = JSON.parse(readFileSync(join(this.#folder, SEEN_FILE), "utf8")) as {
        boot: string;
        seen: Parameters<typeof seenOf>[0];
      };
      return boot === bootId() ? seenOf(seen) : undefined;
    } catch {
      return undefined; // there is none, or it isn't whole
    }
  }

  close(): void {
    this.storeSeen();
    this.#objects.close();
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}
