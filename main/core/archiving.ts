import { GateError } from "../../ipc/contract/gate-error.ts";
import { SettledClock } from "../base/clocks/settled-clock.ts";
import { type ArchivedTrail, archivedNotes, archiveMonths } from "../records/audit/archive.ts";
import { monthFile } from "../records/audit/chain.ts";
import { notesIn } from "../records/audit/checkpoint.ts";
import type { Checkpoints } from "../records/audit/checkpoints.ts";
import type { Claims } from "../records/audit/compare-checkpoints.ts";
import type { AuditLog } from "../records/audit/log.ts";
import { monthFiles } from "../records/audit/month-files.ts";
import type { Opened } from "./stores.ts";

/** Old months of the trail are put into archives: by the operator, and by themselves. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The start has other things to do. */
const FIRST_MS = 60_000;

type Parts = Pick<Opened, "audit" | "clock" | "paths" | "safety" | "storage"> & { checkpoints: Checkpoints };

/** What is said of the trail elsewhere: in the text of checkpoints that the user gives, by the gate's own and by those of archives. */
export function claimsAbout({ checkpoints, paths }: Parts, given?: string, named?: Uint8Array): Claims {
  return {
    given: given === undefined ? undefined : notesIn(given),
    stored: [...checkpoints.files.all(), ...archivedNotes(paths.auditDir)],
    keys: { own: checkpoints.keys.known(), named },
    origin: checkpoints.origin,
    epoch: checkpoints.epoch,
  };
}

/** What each trail is read or changed as a whole by, one after the other: no file is taken away under a reader. */
const turns = new WeakMap<AuditLog, Promise<unknown>>();

export function inTurn<T>(audit: AuditLog, act: () => Promise<T>): Promise<T> {
  const turn = (turns.get(audit) ?? Promise.resolve()).then(act);
  turns.set(
    audit,
    turn.catch(() => undefined),
  );
  return turn;
}

/** `before`: `YYYY-MM`. @throws GateError as `archiveMonths`, and `trail_not_whole` while the gate is paused */
export function archiveBefore(parts: Parts, before: string): Promise<ArchivedTrail> {
  const { audit, checkpoints, clock, paths, safety, storage } = parts;
  return inTurn(audit, async () => {
    if (safety.pause.reason !== undefined) {
      const message = "the gate is paused: where its database is lost, the months that say so are looked through";
      throw new GateError("trail_not_whole", message, "archive them once it isn't paused any more");
    }
    return archiveMonths(
      {
        audit,
        checkpoints,
        trail: { folder: paths.auditDir, headFile: paths.auditHead },
        claims: () => claimsAbout(parts),
        now: clock.now,
        isOpen: () => storage.opened.databases.safety.db.open,
      },
      before,
    );
  });
}

/** Archives the months that ended so many days ago (`[audit] keep`). Nothing is lost by it: each line can be read as before. */
export class AgedMonths {
  readonly #parts: Parts & Pick<Opened, "config"> & { log(line: string): void };
  readonly #settled: SettledClock;
  /** By the time since boot. */
  #nextMs: number;

  constructor(parts: Parts & Pick<Opened, "config"> & { log(line: string): void }) {
    this.#parts = parts;
    this.#settled = new SettledClock(parts.clock);
    this.#nextMs = parts.clock.boot().ms + FIRST_MS;
  }

  /** Called again and again: looks each hour. What fails is logged and tried again in a day. */
  flush(): void {
    const { clock, config, paths, log, safety } = this.#parts;
    const { keep } = config.audit;
    const now = this.#settled.now();
    const { ms } = clock.boot();
    if (keep === 0 || now === undefined || ms < this.#nextMs) return;
    this.#nextMs = ms + HOUR_MS;
    const firstKept = monthFile(now - keep * DAY_MS);
    const due = monthFiles(paths.auditDir).filter((name) => name < firstKept);
    if (due.length === 0 || safety.pause.reason !== undefined) return;
    archiveBefore(this.#parts, firstKept.slice(0, 7)).then(
      ({ file, months }) =>
        log(`archived ${months.join(", ")} of the audit trail${file === null ? "" : ` in ${file}`}`),
      (error: unknown) => {
        this.#nextMs = ms + DAY_MS;
        const why = error instanceof Error ? error.message : "unknown";
        log(`months of the audit trail before ${firstKept.slice(0, 7)} weren't archived: ${why}`);
      },
    );
  }
}
