import { hash } from "node:crypto";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import type Database from "better-sqlite3";
import { z } from "zod";
import { GATE_SESSIONS } from "../../../ipc/base/gate-session.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { type Capability, capabilitySchema } from "../../../ipc/contract/decision.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { type Refuse, refuseSchema } from "../../../ipc/contract/operator-api.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { earlierEnd, endAt, moment } from "../../base/clocks/two-clock-end.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { callHash } from "../../decide/executors/canonical.ts";
import { type ActiveUntil, activeUntil, isActive } from "../../decide/grants/active.ts";
import { type CallTarget, pathName, type ResolvedRequirement, targetText } from "../../targets/target.ts";
import type { AskedNeed, StoredRequest } from "./stored-request.ts";

/**
 * What the user refused for a session: the answer *no*, remembered. It is looked at before every grant and can only deny. It ends with
 * the session, and at the latest when a grant for the session would.
 */

const rowSchema = z.object({
  id: z.number().int(),
  agent_id: z.string(),
  session: z.string(),
  refuse: refuseSchema,
  executor: z.string(),
  capability: capabilitySchema.nullable(),
  target: z.string(),
  refused_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  boot_expires_at: z.string().nullable(),
  /** `repeated`: the call itself, which came again and again until the user stopped it. */
  kind: z.enum(["call", "repeated", "path", "tree", "host", "other"]),
  names: z.string(),
});
type Row = z.infer<typeof rowSchema>;

const namesSchema = z.array(z.string()).min(1);

/** As it is listed. */
export type Refusal = Omit<Row, "boot_expires_at" | "kind" | "names">;

interface KeptRefusal extends Row, ActiveUntil {
  /** The call's hash, or the target's names. */
  matches: readonly string[];
}

/** What a call is compared by. */
export interface RefusableCall {
  call: Pick<ProposedCall, "executor" | "args">;
  needs: readonly ResolvedRequirement[];
}

export class SessionRefusals {
  readonly #db: PreparedStatements;
  readonly #clock: Clock;
  readonly #report: DamagedRowReport;
  /** By agent and session. Kept in memory and written through: only the process that holds the gate's lock writes them. */
  readonly #kept = new Map<string, KeptRefusal[]>();

  /** `db` was opened with `APPROVALS_SCHEMA`. */
  constructor(db: Database.Database, clock: Clock, report: DamagedRowReport = NO_REPORT) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#report = report;
    for (const row of this.#db.prepare<Row>("SELECT * FROM refusals ORDER BY id").all()) this.#take(row);
  }

  #take(row: Row): void {
    const parsed = rowSchema.safeParse(row);
    const matches = parsed.success ? matchesOf(parsed.data) : undefined;
    if (!parsed.success || matches === undefined) {
      const id = String(row.id);
      this.#report.damaged(
        refusalRow(id),
        `it refuses nothing; to be rid of it: ${ownCommand(`policy revoke-refusal ${id}`)}`,
      );
      return;
    }
    const { data } = parsed;
    const until = activeUntil({ ...data, revoked_at: null }, this.#clock.boot().id);
    const key = keyOf(data.agent_id, data.session);
    this.#kept.set(key, [...(this.#kept.get(key) ?? []), { ...data, ...until, matches }]);
  }

  /** What of this call was refused for its session. Costs nothing while nothing is refused. */
  find(agentId: string, session: string, { call, needs }: RefusableCall): Refusal | undefined {
    if (this.#kept.size === 0) return undefined;
    const refused = this.#kept.get(keyOf(agentId, session))?.filter((one) => isActive(one, this.#clock)) ?? [];
    if (refused.length === 0) return undefined;
    const hash = refused.some(({ kind }) => kind === "call") ? callHash(call.executor, call.args) : "";
    return refused.find(({ kind, capability, matches }) => {
      if (kind === "repeated") return false;
      if (kind === "call") return matches.includes(hash);
      if (capability === null) return false;
      const target = { capability, kind, names: [...matches] };
      return needs.some((need) => touches(need, target));
    });
  }

  /** Whether the user stopped this call in its session when it came again and again. Costs nothing while nothing is refused. */
  hasStopped(agentId: string, session: string, { executor, args }: Pick<ProposedCall, "executor" | "args">): boolean {
    if (this.#kept.size === 0) return false;
    const stopped = this.#kept
      .get(keyOf(agentId, session))
      ?.filter((one) => one.kind === "repeated" && isActive(one, this.#clock));
    if (stopped === undefined || stopped.length === 0) return false;
    const hash = callHash(executor, args);
    return stopped.some(({ matches }) => matches.includes(hash));
  }

  /**
   * Refuses what this request asked for, in its session, for so many seconds at the most. Called within the transaction that writes the
   * answer; what it returns is called once that is written, and makes it count. @throws SQLite's error
   */
  write(request: StoredRequest, refuse: Refuse, seconds: number): () => void {
    const { agent_id, session, call_hash, extra } = request;
    const now = this.#clock.now();
    const end = endAt(this.#clock, now + seconds * 1000);
    const summary = extra.kept?.target_summary ?? request.capability_class;
    const terms = {
      agent_id,
      session,
      refuse,
      executor: extra.kept?.executor ?? extra.executor,
      refused_at: isoSeconds(now),
      expires_at: end.at,
      boot_expires_at: end.boot_at,
    };
    const kind = extra.repeated === undefined ? "call" : "repeated";
    const asked = refuse === "call" ? [] : refusedNeeds(extra.asked ?? []);
    const targets = asked.map((need) => ({ need, refused: refusedTarget(need) }));
    const values =
      refuse === "call"
        ? [{ ...terms, capability: null, target: summary, kind, names: JSON.stringify([call_hash]) }]
        : targets.map(({ need, refused: { capability, kind, names } }) => ({
            ...terms,
            capability,
            target: kind === "other" ? summary : targetText(need.target),
            kind,
            names: JSON.stringify(names),
          }));
    const rows = values.map((row) => this.#db.one<Row>(INSERT, row));
    return () => {
      for (const row of rows) this.#take(row);
    };
  }

  /** Those that still count, newest first. */
  list(): Refusal[] {
    return [...this.#kept.values()]
      .flat()
      .filter((one) => isActive(one, this.#clock))
      .sort((a, b) => b.id - a.id)
      .map((one) => ({
        id: one.id,
        agent_id: one.agent_id,
        session: one.session,
        refuse: one.refuse,
        executor: one.executor,
        capability: one.capability,
        target: one.target,
        refused_at: one.refused_at,
        expires_at: earlierEnd(this.#clock, { at: one.expires_at, boot_at: one.boot_expires_at }),
      }));
  }

  /** The user's own: it is asked about again. False if there is none. @throws SQLite's error: it counts as before */
  revoke(id: number): boolean {
    const isGone = this.#delete("id = ?", [id]) > 0;
    if (isGone) this.#report.resolved(refusalRow(String(id)));
    this.#forget((one) => one.id === id);
    return isGone;
  }

  /**
   * A session that is over, or all of an agent's. Returns whether something was refused in it.
   * @throws SQLite's error: it counts no more all the same
   */
  end(agentId: string, session?: string): boolean {
    const isIn = (one: KeptRefusal) => one.agent_id === agentId && (session === undefined || one.session === session);
    if (!this.#forget(isIn)) return false;
    if (session === undefined) this.#delete("agent_id = ?", [agentId]);
    else this.#delete("agent_id = ? AND session = ?", [agentId, session]);
    return true;
  }

  /** No connection of an earlier gate is there any more: the sessions that it named are over. @throws SQLite's error */
  endGateSessions(): void {
    this.#delete("session GLOB ?", [GATE_SESSIONS]);
    const named = new Set(
      this.#db
        .prepare<{ id: number }>("SELECT id FROM refusals")
        .all()
        .map(({ id }) => id),
    );
    this.#forget(({ id }) => !named.has(id));
  }

  /** Removes what is over by either clock. @throws SQLite's error */
  flush(): void {
    if (!this.#forget((one) => !isActive(one, this.#clock))) return;
    this.#db
      .prepare(
        "DELETE FROM refusals WHERE expires_at <= $now OR coalesce(boot_expires_at, '') BETWEEN $boot_first AND $boot_now",
      )
      .run(moment(this.#clock));
  }

  #delete(where: string, values: unknown[]): number {
    return this.#db.prepare(`DELETE FROM refusals WHERE ${where}`).run(...values).changes;
  }

  /** Returns whether there was one. */
  #forget(isOver: (refusal: KeptRefusal) => boolean): boolean {
    let hasForgotten = false;
    for (const [key, refusals] of this.#kept) {
      const left = refusals.filter((one) => !isOver(one));
      if (left.length === refusals.length) continue;
      hasForgotten = true;
      if (left.length > 0) this.#kept.set(key, left);
      else this.#kept.delete(key);
    }
    return hasForgotten;
  }
}

const COLUMNS =
  "agent_id, session, refuse, executor, capability, target, refused_at, expires_at, boot_expires_at, kind, names";
const INSERT = `INSERT INTO refusals (${COLUMNS}) VALUES (${COLUMNS.replaceAll(/\w+/g, "$$$&")}) RETURNING *`;

function matchesOf({ names, kind, capability }: Row): string[] | undefined {
  if ((kind === "call" || kind === "repeated") !== (capability === null)) return undefined;
  try {
    const parsed = namesSchema.safeParse(JSON.parse(names));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // not JSON: reported by the caller
  }
}

function refusalRow(id: string): string {
  return `refusal ${id}`;
}

function keyOf(agentId: string, session: string): string {
  return `${agentId}\n${session}`;
}

/**
 * What a *no* for the session to its target refuses. Of what runs code the command alone: what it touches besides was not the
 * question.
 */
export function refusedNeeds(asked: readonly AskedNeed[]): readonly AskedNeed[] {
  const code = asked.filter(({ capability }) => capability === "code:exec");
  return code.length > 0 ? code : asked;
}

/** What a *no* is about, in the form that later calls are compared with. */
interface RefusedTarget {
  capability: Capability;
  kind: "path" | "tree" | "host" | "other";
  /**
   * A path's names: as the call wrote it, as it is called on the card, and where it led. A host. Of anything else a hash: it may hold a
   * value (a command line, a recipient), and none is kept once the request has ended.
   */
  names: string[];
}

function refusedTarget({ capability, target }: AskedNeed): RefusedTarget {
  switch (target.kind) {
    case "path":
      return { capability, kind: target.is_tree ? "tree" : "path", names: namesOf(target) };
    case "host":
      return { capability, kind: "host", names: [target.host] };
    default:
      return { capability, kind: "other", names: [hashOf(target)] };
  }
}

/**
 * True if a call's need touches what was refused, by whatever name: then no grant answers for it. A tree that holds a refused file is
 * touched with it, but not where only names are listed.
 */
function touches(
  { capability, target, access }: ResolvedRequirement,
  refused: Pick<RefusedTarget, "capability" | "kind" | "names">,
): boolean {
  if (capability !== refused.capability) return false;
  switch (target.kind) {
    case "path":
      if (refused.kind !== "path" && refused.kind !== "tree") return false;
      return namesOf(target).some((name) =>
        refused.names.some(
          (no) =>
            name === no ||
            (refused.kind === "tree" && isAtOrBelow(name, no)) ||
            (target.is_tree && access !== "list" && isAtOrBelow(no, name)),
        ),
      );
    case "host":
      return refused.kind === "host" && refused.names.includes(target.host);
    default:
      return refused.kind === "other" && refused.names.includes(hashOf(target));
  }
}

function namesOf(target: Extract<CallTarget, { kind: "path" }>): string[] {
  const { lexical, real } = target;
  return [...new Set([lexical, pathName(target), real ?? lexical])];
}

function hashOf(target: Exclude<CallTarget, { kind: "path" | "host" }>): string {
  const text = target.kind === "exact" ? target.value : target.kind === "unknown" ? target.shown : "*";
  return hash("sha256", JSON.stringify([target.kind, text]), "hex");
}
