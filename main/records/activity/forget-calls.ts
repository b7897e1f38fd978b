import { setImmediate as piece } from "node:timers/promises";
import { emptyLog } from "../../base/sqlite/database.ts";
import { namesIn } from "./call-facts.ts";
import type { KeptCalls } from "./kept-calls.ts";

/** Which calls are to be forgotten: those of which all that is given is true. */
export interface Forgotten {
  agent?: string | undefined;
  project?: string | undefined;
  /** Unix milliseconds, exclusive. */
  before?: number | undefined;
}

const REMOVED_AT_ONCE = 2000;
const LOOKED_AT_ONCE = 20_000;
/** A database of so few bytes is written anew in a moment, which gives its room back. */
const SMALL_BYTES = 20_000_000;

/** Removes what is kept of calls, in pieces. What is removed isn't in the file's bytes any more. @returns how many. @throws SQLite's error */
export async function forgetCalls(kept: KeptCalls, forgotten: Forgotten): Promise<number> {
  kept.flush();
  const { agent, project, before } = forgotten;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const [column, name] of [["agent", agent] as const, ["project", project] as const]) {
    if (name === undefined) continue;
    conditions.push(`${column} = (SELECT id FROM names WHERE name = ?)`);
    values.push(name);
  }
  if (before !== undefined) {
    conditions.push("at < ?");
    values.push(Math.ceil(before));
  }
  const where = conditions.length === 0 ? "1" : conditions.join(" AND ");
  const [from, until] = kept.db
    .prepare(`SELECT min(at), max(at) FROM calls WHERE ${where}`)
    .raw()
    .get(...values) as [number | null, number | null];
  let count = 0;
  for (;;) {
    const removed = kept.removeSome(where, values, REMOVED_AT_ONCE);
    count += removed;
    if (removed < REMOVED_AT_ONCE) break;
    await piece();
  }
  kept.forgetWaiting(
    (row) =>
      (agent === undefined || row.agent === agent) &&
      (project === undefined || row.project === project) &&
      (before === undefined || row.at < before),
  );
  await removeUnusedNames(kept);
  if (count > 0) kept.noteGap({ from: from ?? 0, until: until ?? 0, why: "forgotten", calls: count });
  if (kept.usedBytes() < SMALL_BYTES) kept.db.exec("VACUUM");
  // What was overwritten there is still in the log until it is moved and cut.
  emptyLog(kept.db);
  return count;
}

/** Names that no call, and no fact of one, has any more. */
async function removeUnusedNames(kept: KeptCalls): Promise<void> {
  const { db } = kept;
  const used = new Set<number>();
  const facts = db.prepare(`SELECT id, fact FROM facts WHERE id > ? ORDER BY id LIMIT ${LOOKED_AT_ONCE}`);
  /** Facts get their numbers in order: those that came meanwhile are behind. */
  let last = 0;
  const lookAtFacts = (): boolean => {
    const found = facts.all(last) as { id: number; fact: string }[];
    for (const { id, fact } of found) {
      last = id;
      for (const name of namesIn(fact)) used.add(name);
    }
    return found.length === LOOKED_AT_ONCE;
  };
  while (lookAtFacts()) await piece();
  const some = db
    .prepare("SELECT DISTINCT agent, project, tool, rule, currency FROM calls WHERE id BETWEEN ? AND ?")
    .raw();
  const lastOf = db.prepare("SELECT max(id) FROM calls").pluck();
  const look = (from: number, until: number) => {
    for (const ids of some.all(from, until) as number[][]) for (const id of ids) used.add(id);
  };
  let done = (db.prepare("SELECT min(id) - 1 FROM calls").pluck().get() as number | null) ?? 0;
  for (let end = lastOf.get() as number | null; end !== null && done + LOOKED_AT_ONCE < end; ) {
    look(done + 1, done + LOOKED_AT_ONCE);
    done += LOOKED_AT_ONCE;
    await piece();
    end = lastOf.get() as number | null;
  }
  // The rest, and what came meanwhile, in the same turn in which the others go.
  kept.flush();
  look(done + 1, Number.MAX_SAFE_INTEGER);
  while (lookAtFacts());
  kept.removeNames((id) => !used.has(id));
}
