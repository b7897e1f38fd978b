import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { visible } from "../../../ipc/visible-text.ts";
import type { Alarms } from "../../gate/alarms.ts";
import type { AuditLog } from "../../gate/audit/log.ts";
import type { Clock } from "../../gate/clock.ts";
import type { BoxFolder } from "../box-folder.ts";
import { isHarmless } from "./harmless.ts";
import type { Known, Places } from "./places.ts";
import type { Found } from "./project-tree.ts";
import { type SetAside, setAside } from "./set-aside.ts";
import { Turns } from "./turns.ts";

/** What runs leave in the folders that they may write: looked at after each, and by the next gate after those that were going. */

export interface AfterRunsParts {
  folder: BoxFolder;
  places: Places;
  clock: Clock;
  alarms: Pick<Alarms, "raise">;
  audit: Pick<AuditLog, "append">;
  failed(what: string, error: unknown): void;
}

/** Who a run was for. */
export interface RunOwner {
  agent_name: string;
}

interface Going {
  known: Known;
  agent_name: string;
  runs: Set<RunOwner>;
}

/** While another run changes the same folders, what was found may be elsewhere: looked again so many times. */
const MAX_LOOKS = 4;

/** Folders of which it is known when their last run ended: more than runs can be prepared within a minute. */
const MAX_REMEMBERED = 2048;

const goingSchema = z.object({
  agent_name: z.string(),
  folder: z.string(),
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

export class AfterRuns {
  readonly #parts: AfterRunsParts;
  /** By folder. */
  readonly #going = new Map<string, Going>();
  /** By folder, when its last run was looked after; in milliseconds since this process began. */
  readonly #ended = new Map<string, number>();
  #is_closed = false;

  constructor(parts: AfterRunsParts) {
    this.#parts = parts;
  }

  /** A run starts: what is in its folders now may stay. On disk before it starts, for the next gate. @throws the system's error */
  started(run: RunOwner, known: readonly Known[]): void {
    for (const each of known) {
      const going = this.#going.get(each.folder);
      if (going !== undefined) {
        going.runs.add(run);
        continue;
      }
      const text = JSON.stringify({ agent_name: run.agent_name, ...each });
      writeFileSync(this.#file(each.folder), text, { mode: 0o600 });
      this.#going.set(each.folder, { known: each, agent_name: run.agent_name, runs: new Set([run]) });
    }
  }

  /** Whether in one of these folders the last of the runs has ended since then: what was there may be what it had left. */
  hasEndedSince(folders: readonly string[], since: number): boolean {
    return folders.some((folder) => (this.#ended.get(folder) ?? Number.NEGATIVE_INFINITY) >= since);
  }

  /** A run has ended: what it left is moved aside. Until that is done it counts as going. */
  async ended(run: RunOwner): Promise<void> {
    for (const [folder, going] of [...this.#going]) {
      if (!going.runs.has(run)) continue;
      await this.#look(going.known, run.agent_name);
      if (this.#is_closed) return;
      going.runs.delete(run);
      if (going.runs.size > 0) continue;
      this.#going.delete(folder);
      this.#ended.delete(folder);
      this.#ended.set(folder, performance.now());
      const [oldest] = this.#ended.keys();
      if (this.#ended.size > MAX_REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
      rmSync(this.#file(folder), { force: true });
    }
  }

  /** Nothing is moved any more: the next gate looks at what is left. */
  close(): void {
    this.#is_closed = true;
  }

  /** Takes over the runs that were going when a gate ended: they are looked after until `ended` is called for the result. */
  takeOver(): RunOwner {
    const owner = { agent_name: "" };
    for (const name of readdirSync(this.#parts.folder.going)) {
      const file = join(this.#parts.folder.going, name);
      const read = readGoing(file);
      if (read === undefined) {
        rmSync(file, { force: true, recursive: true });
        continue;
      }
      const { agent_name, ...known } = read;
      owner.agent_name = agent_name;
      this.#going.set(known.folder, { known, agent_name, runs: new Set([owner]) });
    }
    return owner;
  }

  /** Moves aside what has appeared in a folder. */
  async #look(known: Known, agent_name: string): Promise<void> {
    const moved: SetAside[] = [];
    let is_complete = true;
    try {
      const turns = new Turns();
      for (let looks = 0; looks < MAX_LOOKS && is_complete; looks++) {
        const { found, is_whole } = await this.#parts.places.appeared(known, turns);
        is_complete = is_whole;
        const appeared: Found[] = [];
        for (const each of found) {
          if (!isHarmless(each.path, known.folder)) appeared.push(each);
          await turns.shared();
        }
        if (appeared.length === 0) break;
        is_complete = (await this.#moveAll(appeared, moved, { agent_name, turns })) && is_whole;
        if (this.#is_closed) return;
      }
    } catch (error) {
      this.#parts.failed("looking at what a confined command left", error);
      is_complete = false;
    }
    if (!this.#is_closed && (moved.length > 0 || !is_complete))
      this.#report(known.folder, agent_name, moved, !is_complete);
  }

  /** False where one of them is still there: that keeps none of the others. */
  async #moveAll(
    appeared: Found[],
    moved: SetAside[],
    { agent_name, turns }: { agent_name: string; turns: Turns },
  ): Promise<boolean> {
    const { folder, clock, failed } = this.#parts;
    let is_complete = true;
    // Inner ones first: a folder that is moved takes them along.
    for (const found of appeared.sort((one, other) => other.path.length - one.path.length)) {
      try {
        const set_aside = setAside(found, folder.set_aside, agent_name, clock.now());
        if (set_aside !== undefined) moved.push(set_aside);
      } catch (error) {
        if (is_complete) failed("moving aside what a confined command left", error);
        is_complete = false;
      }
      await turns.shared();
      if (this.#is_closed) return false;
    }
    return is_complete;
  }

  #report(project: string, agent_name: string, moved: readonly SetAside[], is_incomplete: boolean): void {
    const { alarms, audit, clock, folder } = this.#parts;
    audit.append({
      event: "box.set_aside",
      ts: clock.now() / 1000,
      agent: agent_name,
      files: moved.length,
      ...(is_incomplete ? { is_incomplete } : {}),
    });
    const [first] = moved;
    const named =
      first === undefined ? "" : `${visible(first.path)}${moved.length > 1 ? ` and ${moved.length - 1} more` : ""}`;
    alarms.raise({
      code: "box_set_aside",
      subject: visible(project),
      message: is_incomplete
        ? `what a confined command of ${agent_name} left in ${visible(project)} could not be looked through`
        : `a confined command of ${agent_name} left what is run later: ${named}`,
      hint: is_incomplete
        ? "look at what is new there before you work in it"
        : `moved to ${folder.set_aside}: put back what you know`,
    });
  }

  #file(folder: string): string {
    return join(this.#parts.folder.going, createHash("sha256").update(folder).digest("hex"));
  }
}

function readGoing(file: string): z.output<typeof goingSchema> | undefined {
  try {
    return goingSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined; // cut short by a crash of the machine, with which its runs ended, too
  }
}
