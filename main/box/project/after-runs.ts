import { createHash, randomBytes } from "node:crypto";
import { closeSync, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import type { NotedFolder } from "@metnos-gate/shell-reading/git";
import { z } from "zod";
import { readRegularBytes } from "../../../ipc/base/regular-file.ts";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { Alarms } from "../../base/alarms.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { errorCode } from "../../base/errors.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import type { AuditLog } from "../../records/audit/log.ts";
import type { BoxFolder } from "../box-folder.ts";
import { looksThroughLinks } from "./git-named-files.ts";
import { isHarmless, isPlain } from "./harmless-git-files.ts";
import { changedSettings, type KeptSettings, keptSettings } from "./kept-settings.ts";
import { isSameFolder, openFolder } from "./pinned-folder.ts";
import { foundAt, gotNameSince, type Known, type Places, wasOpenRepository } from "./places.ts";
import { type Found, identityOf } from "./project-tree.ts";
import { openAgain, type SetAside, setAside } from "./set-aside.ts";
import { TimeSlice } from "./time-slice.ts";

/** What runs leave in the folders that they may write: looked at after each, and by the next gate after those that were going. */

export interface AfterRunsParts {
  folder: BoxFolder;
  places: Places;
  clock: Clock;
  alarms: Pick<Alarms, "raise">;
  audit: Pick<AuditLog, "append">;
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
}

/** Who a run was for. */
export interface RunOwner {
  agent_name: string;
}

interface Going {
  known: Known;
  /** Of its folder, which may be mounted at another path as well; empty where that isn't known. */
  identity: string;
  settings: readonly KeptSettings[];
  /** Its one run may change settings: the mounts that keep them from others would end with the file that git replaces. */
  isAlone: boolean;
  /** By which pipe it is seen whether that one has ended. */
  slot: string;
  agent_name: string;
  runs: Set<RunOwner>;
}

/** While another run changes the same folders, what was found may be elsewhere: looked again so many times. */
const MAX_LOOKS = 4;

/** Folders of which it is known when their last run ended: more than runs can be prepared within a minute. */
const MAX_REMEMBERED = 2048;

/** What is kept of runs, while it is written. */
const UNFINISHED = ".new";

/** In bytes: more than a folder with as many places as a box can be made for takes. */
const MAX_RECORD = 64 * 1024 * 1024;

const goingSchema = z.object({
  agent_name: z.string(),
  /** Of a run that may change settings, its pipe. */
  alone: z.string().optional(),
  folder: z.string(),
  project: z.string().optional(),
  searched: z.array(z.string()).optional(),
  at: z.number().optional(),
  settings: z
    .array(z.object({ path: z.string(), base64: z.base64() }))
    .transform((all) =>
      all.map(({ path, base64 }) => ({ path, before: Buffer.from(base64, "base64").toString("latin1") })),
    )
    .default([]),
  places: z.array(
    z.object({
      path: z.string(),
      parent: z.string(),
      own: z.string(),
      is_link: z.boolean(),
      changed_at: z.number(),
      leads_to: z.string().nullable(),
    }),
  ),
});

/** Why it isn't as it should be after a run. */
interface Problem {
  message(agentName: string, project: string): string;
  hint: string;
}

const UNSEEN: Problem = {
  message: (agentName, project) =>
    `what a confined command of ${agentName} left in ${project} could not be looked through`,
  hint: "look at what is new there before you work in it",
};

const UNRESTORED: Problem = {
  message: (agentName, project) =>
    `Git's settings in ${project}, which changed while a confined command of ${agentName} ran, could not be put back`,
  hint: "make room on the disk: they are put back after the next confined command there, or as the gate starts again",
};

/** After a crash of the machine, of a gate of another version, or where another program has changed it. */
const UNREAD: Problem = {
  message: () => "what confined commands left before the gate ended could not be looked through",
  hint: "look at what is new in your projects before you work in them",
};

export class AfterRuns {
  readonly #parts: AfterRunsParts;
  /** By folder. */
  readonly #going = new Map<string, Going>();
  /** Of the gate before: going, or not looked after yet. */
  #earlier: RunOwner | undefined;
  /** By folder, when its last run was looked after; in milliseconds since this process began. */
  readonly #ended = new Map<string, { identity: string; at: number }>();
  #isClosed = false;

  constructor(parts: AfterRunsParts) {
    this.#parts = parts;
  }

  /**
   * A run starts: what is in its folders now may stay. On disk before it starts, for the next gate.
   * @param changes settings that it may change @param slot its pipes' name @throws the system's error
   */
  started(run: RunOwner, known: readonly Known[], changes: readonly string[] = [], slot = ""): void {
    // What an earlier run has left in or around its folders may be known to it: it is looked for until both have ended.
    for (const going of this.#going.values())
      if (going.runs.size > 0 && known.some(({ folder }) => isOverlapping(folder, going.known.folder, going.identity)))
        going.runs.add(run);
    for (const each of known) {
      if (this.#going.get(each.folder)?.runs.has(run) === true) continue;
      const started: Going = {
        known: each,
        identity: identityAt(each.folder),
        settings: this.#settingsBefore(each, changes),
        isAlone: changes.length > 0,
        slot,
        agent_name: run.agent_name,
        runs: new Set([run]),
      };
      this.#keep(started);
      this.#going.set(each.folder, started);
    }
  }

  /** What other runs whose folders overlap with these have made of them since isn't what they may hold. @throws GateError `box_unavailable` */
  #settingsBefore(known: Known, changes: readonly string[]): KeptSettings[] {
    const others = [...this.#going.values()].flatMap(({ settings }) => settings);
    const earlier = others.filter(({ path }) => isAtOrBelow(path, known.folder));
    return [...new Map([...keptSettings(known, changes), ...earlier].map((kept) => [kept.path, kept])).values()];
  }

  /** For the next gate: all of it, or what was kept before. @throws the system's error */
  #keep({ known, settings, agent_name, isAlone, slot }: Going): void {
    const file = this.#file(known.folder);
    const made = file + UNFINISHED;
    rmSync(made, { force: true });
    try {
      const alone = isAlone ? slot : undefined;
      // Characters of control would take six times as much.
      const held = settings.map(({ path, before }) => ({
        path,
        base64: Buffer.from(before, "latin1").toString("base64"),
      }));
      writeFileSync(made, JSON.stringify({ agent_name, alone, ...known, settings: held }), { mode: 0o600, flag: "wx" });
      renameSync(made, file);
    } catch (error) {
      rmSync(made, { force: true });
      throw error;
    }
  }

  /** Whether a run in these folders would start beside one that changes settings there, or `isAlone`, beside any. */
  isOccupied(known: readonly Known[], isAlone: boolean): boolean {
    return [...this.#going.values()].some(
      (going) =>
        going.runs.size > 0 &&
        (isAlone || going.isAlone) &&
        known.some(({ folder }) => isOverlapping(folder, going.known.folder, going.identity)),
    );
  }

  /** Whether in, above or below one of these folders the last of the runs has ended since then: what was there may be what it had left. */
  hasEndedSince(folders: readonly string[], since: number): boolean {
    return [...this.#ended].some(
      ([ended, { at, identity }]) => at >= since && folders.some((folder) => isOverlapping(folder, ended, identity)),
    );
  }

  /** A run has ended: what it left is moved aside. Until that is done it counts as going. */
  async ended(run: RunOwner): Promise<void> {
    for (const [folder, going] of [...this.#going]) {
      if (!going.runs.has(run)) continue;
      const isPutBack = await this.#lookAfter(going, run);
      if (this.#isClosed) return;
      going.runs.delete(run);
      // Else they are put back after the next run there, or by the next gate.
      if (going.runs.size > 0 || !isPutBack) continue;
      this.#going.delete(folder);
      keepLatest(this.#ended, folder, { identity: going.identity, at: performance.now() }, MAX_REMEMBERED);
      try {
        rmSync(this.#file(folder), { force: true });
      } catch (error) {
        this.#parts.failed("removing what was kept of a confined command", error);
      }
    }
    if (run === this.#earlier) this.#earlier = undefined;
  }

  /** What it left is moved aside, and settings are put back: `ended` once nothing of it is left. @returns whether they are */
  async #lookAfter({ known, settings, agent_name }: Going, run: RunOwner): Promise<boolean> {
    const by = run === this.#earlier ? agent_name : run.agent_name;
    await this.#look(known, by);
    return !this.#isClosed && (await this.#putBack(known.folder, by, changedSettings(settings)));
  }

  /** Of the runs of the gate before some have ended: what they left is moved aside already. @param held the pipes of the others */
  async someEarlierEnded(held: readonly string[]): Promise<void> {
    const earlier = this.#earlier;
    if (earlier === undefined) return;
    const theirs = [...this.#going.values()].filter(({ runs }) => runs.has(earlier));
    for (const going of theirs) if (!held.includes(going.slot)) going.isAlone = false;
    for (const going of theirs) {
      if (this.#isClosed) return;
      await this.#lookAfter(going, earlier);
    }
  }

  /** What runs of the gate before may still be changing. */
  canEarlierChange(path: string): boolean {
    const earlier = this.#earlier;
    if (earlier === undefined) return false;
    return [...this.#going].some(([folder, { runs }]) => runs.has(earlier) && isAtOrBelow(path, folder));
  }

  /** Settings hold more than they may: that is moved aside, and what they held is put back. Never throws. @returns whether that is done */
  async #putBack(project: string, agentName: string, changed: readonly KeptSettings[]): Promise<boolean> {
    if (changed.length === 0) return true;
    const moved: SetAside[] = [];
    const found = changed.flatMap(({ path }) => foundAt(path, Buffer.from(path).toString("latin1")));
    let isComplete = await this.#moveAll(found, moved, { agent_name: agentName, turns: new TimeSlice() });
    if (this.#isClosed) return false;
    let isPutBack = true;
    for (const each of changed) {
      try {
        isComplete = putBack(each) && isComplete;
      } catch (error) {
        if (isPutBack) this.#parts.failed("putting back a repository's settings", error);
        isPutBack = false;
      }
    }
    this.#report(project, agentName, moved, isPutBack ? (isComplete ? undefined : UNSEEN) : UNRESTORED);
    return isPutBack;
  }

  /** Nothing is moved any more: the next gate looks at what is left. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes over the runs that were going when a gate ended: they are looked after until `ended` is called for the result. */
  takeOver(): RunOwner {
    const owner = { agent_name: "" };
    let isWhole = true;
    for (const name of readdirSync(this.#parts.folder.going)) {
      const file = join(this.#parts.folder.going, name);
      // By what wasn't finished no run had started.
      const isFinished = !name.endsWith(UNFINISHED);
      const read = isFinished ? readGoing(file) : undefined;
      if (read === undefined) {
        if (isFinished) isWhole = false;
        rmSync(file, { force: true, recursive: true });
        continue;
      }
      const { agent_name, settings, alone, ...known } = read;
      owner.agent_name = agent_name;
      const isAlone = alone !== undefined;
      const runs = new Set([owner]);
      const identity = identityAt(known.folder);
      this.#going.set(known.folder, { known, identity, settings, isAlone, slot: alone ?? "", agent_name, runs });
    }
    if (!isWhole) this.#report("what ran before", owner.agent_name, [], UNREAD);
    this.#earlier = owner;
    return owner;
  }

  /** Moves aside what has appeared in a folder. */
  async #look(known: Known, agentName: string): Promise<void> {
    const moved: SetAside[] = [];
    let isComplete = true;
    try {
      const turns = new TimeSlice();
      const own = Buffer.from(known.folder).toString("latin1");
      openAgain(own, "");
      for (const { path, own } of known.places.filter(wasOpenRepository)) openIfReached(path, own);
      for (let looks = 0; looks < MAX_LOOKS && isComplete; looks++) {
        const { found, isWhole } = await this.#parts.places.appeared(known, turns);
        isComplete = isWhole;
        const appeared: Found[] = [];
        for (const each of found) {
          const noted: NotedFolder[] = [];
          // What wasn't there before, and has another name by now, may have got that earlier.
          const isShared = each.is_shared === true && (gotNameSince(each, known.at) || !isPlain(each.path, own));
          const mayBe = each.carries === undefined && !isShared;
          const harmless = mayBe && isHarmless(each.path, known.folder, noted);
          if (!harmless || (await looksThroughLinks(each.path, noted, turns))) appeared.push(each);
          await turns.shared();
        }
        if (appeared.length === 0) break;
        isComplete = (await this.#moveAll(appeared, moved, { agent_name: agentName, turns })) && isWhole;
        if (this.#isClosed) return;
        await this.#forget(known, appeared, turns);
      }
    } catch (error) {
      this.#parts.failed("looking at what a confined command left", error);
      isComplete = false;
    }
    if (!this.#isClosed && (moved.length > 0 || !isComplete))
      this.#report(known.folder, agentName, moved, isComplete ? undefined : UNSEEN);
  }

  /** Runs whose folders overlap with these may have found it there as they started: left there again, it is new. */
  async #forget(known: Known, appeared: readonly Found[], turns: TimeSlice): Promise<void> {
    const moved = new Set<string>();
    for (const { path } of appeared) {
      moved.add(path);
      await turns.shared();
    }
    const isMoved = ({ path }: Pick<Found, "path">) => {
      for (let here = path; here !== ""; here = here.slice(0, here.lastIndexOf("/"))) if (moved.has(here)) return true;
      return false;
    };
    const identity = identityAt(known.folder);
    const own = Buffer.from(known.folder).toString("latin1");
    for (const going of this.#going.values()) {
      const { folder, places } = going.known;
      // At another path it is the same folder.
      const other = identity !== "" && going.identity === identity ? Buffer.from(folder).toString("latin1") : own;
      const isGone = ({ path }: Found) =>
        isMoved({ path: path.startsWith(`${other}/`) ? own + path.slice(other.length) : path });
      if (going.known === known || !places.some(isGone)) continue;
      going.known = { ...going.known, places: places.filter((place) => !isGone(place)) };
      this.#keep(going);
    }
  }

  /** False where one of them is still there: that keeps none of the others. */
  async #moveAll(
    appeared: Found[],
    moved: SetAside[],
    { agent_name, turns }: { agent_name: string; turns: TimeSlice },
  ): Promise<boolean> {
    const { folder, clock, failed } = this.#parts;
    let isComplete = true;
    for (const found of await innerFirst(appeared, turns)) {
      try {
        const entry = setAside(found, folder.set_aside, agent_name, clock.now());
        if (entry !== undefined) moved.push(entry);
      } catch (error) {
        if (isComplete) failed("moving aside what a confined command left", error);
        isComplete = false;
      }
      await turns.shared();
      if (this.#isClosed) return false;
    }
    return isComplete;
  }

  #report(project: string, agentName: string, moved: readonly SetAside[], problem?: Problem): void {
    const { alarms, audit, clock, folder } = this.#parts;
    audit.append({
      event: "box.set_aside",
      ts: clock.now() / 1000,
      agent: agentName,
      files: moved.length,
      ...(problem === undefined ? {} : { is_incomplete: true }),
    });
    const [first] = moved;
    const named =
      first === undefined ? "" : `${visible(first.path)}${moved.length > 1 ? ` and ${moved.length - 1} more` : ""}`;
    const beside = moved.find(({ kept_at }) => !isAtOrBelow(kept_at, folder.set_aside));
    const elsewhere = beside === undefined ? undefined : visible(beside.kept_at);
    alarms.raise({
      code: "box_set_aside",
      subject: visible(project),
      message:
        problem?.message(agentName, visible(project)) ??
        `a confined command of ${agentName} left what is run later: ${named}`,
      hint: problem?.hint ?? `moved to ${elsewhere ?? folder.set_aside}: put back what you know`,
    });
  }

  #file(folder: string): string {
    return join(this.#parts.folder.going, createHash("sha256").update(folder).digest("hex"));
  }
}

/** Inner ones first: a folder that is moved takes them along. A command may leave 100,000: sorted in pieces. */
async function innerFirst(appeared: readonly Found[], turns: TimeSlice): Promise<Found[]> {
  const byLength = new Map<number, Found[]>();
  for (const found of appeared) {
    const alike = byLength.get(found.path.length);
    if (alike === undefined) byLength.set(found.path.length, [found]);
    else alike.push(found);
    await turns.shared();
  }
  const lengths = [...byLength.keys()].sort((one, other) => other - one);
  return lengths.flatMap((length) => byLength.get(length) ?? []);
}

/** A folder on its way may be closed, too: the look finds that one, as it can't be looked into. */
function openIfReached(path: string, own: string): void {
  try {
    openAgain(path, own);
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
  }
}

/** @param identity of the other, by which it is known at another path */
const isOverlapping = (one: string, other: string, identity: string): boolean =>
  isAtOrBelow(one, other) || isAtOrBelow(other, one) || (identity !== "" && identityAt(one) === identity);

function identityAt(folder: string): string {
  try {
    return identityOf(lstatSync(folder));
  } catch {
    return ""; // not there, or it can't be reached: of the others all is looked after as before
  }
}

/** False where its folder isn't there any more as it was. A lock that was left there keeps nobody from it. @throws the system's error */
function putBack({ path, before }: KeptSettings): boolean {
  const folder = Buffer.from(dirname(path)).toString("latin1");
  const fd = openFolder(folder);
  if (fd === undefined) return false;
  try {
    if (!isSameFolder(fd, folder, "")) return false;
    openAgain(folder, "", 0o700);
    const at = `/proc/self/fd/${fd}/${basename(path)}`;
    const written = `${at}.${randomBytes(4).toString("hex")}`;
    try {
      writeFileSync(written, before, { encoding: "latin1", flag: "wx", mode: 0o600 });
      renameSync(written, at);
    } catch (error) {
      rmSync(written, { force: true });
      throw error;
    }
    return true;
  } finally {
    closeSync(fd);
  }
}

function readGoing(file: string): z.output<typeof goingSchema> | undefined {
  try {
    return goingSchema.parse(JSON.parse(readRegularBytes(file, { maxBytes: MAX_RECORD, follows: false }).toString()));
  } catch {
    return undefined; // no file, or cut short by a crash of the machine, with which its runs ended, too: that is said
  }
}
