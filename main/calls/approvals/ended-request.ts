import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { shortenHome } from "../../../ipc/base/visible-text.ts";
import type { Requirement } from "../../../ipc/contract/decision.ts";
import type { Description } from "../../../ipc/contract/description.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { SettledClock } from "../../base/clocks/settled-clock.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { type Executor, loggedNameOf } from "../../decide/executors/catalog.ts";
import { pathName, type ResolvedRequirement, requirementOf } from "../../targets/target.ts";
import { isWhole, type Question, shellCommands } from "./question.ts";
import type { EndedRequest, RequestExtra } from "./stored-request.ts";

export function endedRequestOf(
  call: ProposedCall,
  executor: Executor,
  needs: readonly ResolvedRequirement[],
  { target_summary }: Pick<Question, "target_summary">,
  { home, project }: { home: string; project?: string | undefined },
): EndedRequest {
  const name = loggedNameOf(call.executor, executor.is_described);
  const isCommand = shellCommands(call, executor.manifest).length > 0;
  const capabilities = needs.flatMap((need) => keptNeed(need, isCommand && !isWhole(need, project)));
  if (isCommand) {
    const location = call.context?.cwd === undefined ? name : `(in ${shortenHome(call.context.cwd, home)})`;
    return { target_summary: location, capabilities, executor: name };
  }
  // The same need as the card is about.
  const target = (needs.find((need) => need.target.kind !== "none") ?? needs[0])?.target;
  if (target?.kind === "path") return { target_summary, capabilities, executor: name };
  return { target_summary: target?.kind === "host" ? target.host : name, capabilities, executor: name };
}

/** Paths and hosts only. Of a command line the folder alone, of a tree the folder that it is in: a name in it may be anything. */
function keptNeed(need: ResolvedRequirement, isCommand: boolean): Requirement[] {
  const { capability, target } = need;
  if (target.kind === "host") return [requirementOf(need)];
  if (target.kind !== "path") return [];
  if (!isCommand) return [requirementOf(need)];
  return [{ capability, target: `${dirname(pathName(target))}/${target.is_tree ? "**" : "*"}`.replace("//", "/") }];
}

/** What stays as it is: any other field is forgotten, or kept in part below. */
const KEPT_FIELDS = [
  "decision_id",
  "subagent",
  "verb",
  "cwd",
  "reversibility",
  "recurrence_count",
  "needed",
  "price",
  "repeated",
  "confined",
  "withdrawn",
] as const;

/** A request's extra once it has ended. */
export function endedExtra({ kept, ...extra }: RequestExtra): RequestExtra {
  const whole = Object.fromEntries(KEPT_FIELDS.map((field) => [field, extra[field]]));
  return {
    ...(whole as Pick<RequestExtra, (typeof KEPT_FIELDS)[number]>),
    executor: kept?.executor ?? extra.executor,
    intent: "",
    args: null,
    capabilities: kept?.capabilities ?? [],
    choices: [],
    ...(extra.description === undefined ? {} : { description: endedDescription(extra.description) }),
    judge: {
      score: extra.judge.score,
      reason: "",
      ...(extra.judge.degraded === undefined ? {} : { degraded: extra.judge.degraded }),
    },
    ...(extra.reviews === undefined ? {} : { reviews: extra.reviews.map((review) => ({ ...review, sentence: "" })) }),
  };
}

/** What stays of a description once its request has ended: no value of the call or of a file. */
export function endedDescription({ kind, effect, hazards }: Description): Description {
  return {
    kind,
    effect,
    hazards: hazards.map(({ id }) => ({ id, span: null })),
    commands: [],
    changes: [],
    stands_for: [],
    mcp: null,
    request: null,
    project: null,
  };
}

// Removes requests that ended long ago: their receipts and the trail's lines stay.

const DAY_MS = 86_400_000;
/** So many rows at once take a few milliseconds: whoever asks meanwhile waits no longer. */
export const REMOVED_AT_ONCE = 200;
/** Once none was left, they are looked for again after so long. */
const LOOKED_FOR_MS = 3_600_000;

/** What still waits is none, nor an answer whose grants or receipt aren't written yet. */
const AGED = `status <> 'pending' AND decision_at < ?
  AND NOT (status = 'approved' AND territory_concession <> 'none' AND grants_written_at IS NULL)
  AND token NOT IN (SELECT token FROM receipts_due)`;

export class AgedRequests {
  readonly #db: PreparedStatements;
  readonly #keepDays: number;
  readonly #clock: Clock;
  readonly #settled: SettledClock;
  /** By the time since boot, as all waits are. */
  #nextMs = Number.NEGATIVE_INFINITY;

  /** `db`: approvals.db. `keepDays`: 0 keeps them for good. */
  constructor(db: Database.Database, keepDays: number, clock: Clock) {
    this.#db = new PreparedStatements(db);
    this.#keepDays = keepDays;
    this.#clock = clock;
    this.#settled = new SettledClock(clock);
  }

  /** Removes some, the oldest first; called again and again. @throws SQLite's error: none was removed then */
  flush(): void {
    const now = this.#settled.now();
    const { ms } = this.#clock.boot();
    if (this.#keepDays === 0 || now === undefined || ms < this.#nextMs) return;
    const before = isoSeconds(now - this.#keepDays * DAY_MS);
    const { changes } = this.#db
      .prepare(
        `DELETE FROM pending WHERE rowid IN (SELECT rowid FROM pending WHERE ${AGED} ORDER BY decision_at LIMIT ${REMOVED_AT_ONCE})`,
      )
      .run(before);
    this.#nextMs = changes === REMOVED_AT_ONCE ? ms : ms + LOOKED_FOR_MS;
  }
}
