import { serverTargetOf } from "../../../ipc/contract/mcp-names.ts";
import { type DamagedRowReport, NO_REPORT } from "../../base/sqlite/damaged-row-report.ts";
import type { PreparedStatements } from "../../base/sqlite/prepared-statements.ts";
import { grantsCovering } from "../../targets/host.ts";
import { type PathMatcher, pathMatcher } from "../../targets/pattern.ts";
import { type CallTarget, pathName } from "../../targets/target.ts";
import { type ActiveUntil, activeUntil, type Duration } from "./active.ts";
import { wholeGrants } from "./rows.ts";

/** A grant as the lookup reads it. */
interface Row extends Duration {
  id: number;
  target_base: string;
  target: string;
  target_real: string;
  capability: string;
  channel: string;
  sender_id: string;
  agent: string | null;
  session: string | null;
}

export interface CachedGrant extends Row, ActiveUntil {
  /** Of a grant on a path: what it covers, as it is written and with its links followed. */
  covers: PathMatcher;
  coversReal: PathMatcher;
}

/** Places whose grants are kept in memory; beyond, all are forgotten and read again as they are needed. */
const MAX_CACHED_KEYS = 10_000;

/** More folders than this above a file is no path a user granted something on. */
const MAX_DEPTH = 128;

/** The smallest index has room for so many places. */
const MIN_ROOM = 1000;

const NOWHERE: readonly string[] = [];

/** A call is decided by what was read no longer ago, in milliseconds. */
export const MAX_AGE_MS = 1;

/** The grants that aren't revoked, by the place they are looked up at, as the file holds them: what was read is kept until it changes. */
export class GrantCache {
  readonly #db: PreparedStatements;
  readonly #bootId: string;
  readonly #kept = new Map<string, readonly CachedGrant[]>();
  readonly #report: DamagedRowReport;
  #filter = new GrantFilter(0);
  /** How many more places the index has room for. */
  #room = 0;
  /** The file as other connections had left it when it was read. */
  #version = -1;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `boot_id` names this boot of the machine. */
  constructor(db: PreparedStatements, bootId: string, report: DamagedRowReport = NO_REPORT) {
    this.#db = db;
    this.#bootId = bootId;
    this.#report = report;
    this.freshen(0);
  }

  /** Forgets what was read if another connection has written to the file since the last look, where that is `age` milliseconds ago. */
  freshen(age: number): void {
    const now = performance.now();
    if (now - this.#lookedAt < age) return;
    const version = this.#db.one<{ data_version: number }>("PRAGMA data_version").data_version;
    this.#lookedAt = now;
    if (version !== this.#version) this.#readAnew(version);
  }

  #readAnew(version: number): void {
    this.#version = -1;
    this.#kept.clear();
    const count = this.#db.count("SELECT count(*) AS count FROM grants WHERE revoked_at IS NULL");
    this.#filter = new GrantFilter(2 * count);
    const keys = this.#db.prepare<{ key: unknown }>(
      "SELECT target_base AS key FROM grants WHERE revoked_at IS NULL ORDER BY target_base",
    );
    for (const { key } of keys.iterate()) if (typeof key === "string") this.#filter.add(key);
    this.#room = count + MIN_ROOM;
    this.#version = version;
  }

  /**
   * The keys that a grant which covers `target` could have, nearest first: a path's folders, a host's domains. How many grants there are
   * elsewhere makes no difference.
   */
  keysFor(target: CallTarget): readonly string[] {
    this.freshen(MAX_AGE_MS);
    switch (target.kind) {
      case "path": {
        if (target.real === null) return NOWHERE;
        const name = pathName(target);
        const keys = this.#filter.along(target.lexical, MAX_DEPTH);
        return name === target.lexical ? keys : [...keys, ...this.#filter.along(name, MAX_DEPTH)];
      }
      case "host": {
        const keys = grantsCovering(target.host, target.sends === true);
        return keys.length > MAX_DEPTH ? NOWHERE : keys.filter((key) => this.#filter.canContain(key));
      }
      case "exact":
        return exactKeys(target.value).filter((key) => this.#filter.canContain(key));
      case "none":
        return ["*"];
      case "unknown":
        return NOWHERE;
    }
  }

  at(key: string): readonly CachedGrant[] {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const found = this.#db
      .prepare<Row>(
        `SELECT id, target_base, target, target_real, capability, channel, sender_id, agent, session, expires_at, boot_expires_at, revoked_at
         FROM grants WHERE target_base = ? AND revoked_at IS NULL`,
      )
      .all(key);
    const rows = wholeGrants(found, this.#report);
    const grants = rows.map((row) => cachedGrant(row, this.#bootId));
    const [first] = grants;
    // Only what the user wrote is kept: a place that an agent made up, of any length, leaves nothing behind.
    if (first !== undefined) {
      if (this.#kept.size >= MAX_CACHED_KEYS) this.#kept.clear();
      this.#kept.set(first.target_base, grants);
    }
    return grants;
  }

  /** This connection wrote a grant there. */
  added(key: string): void {
    this.#kept.delete(key);
    if (this.#room-- > 0) this.#filter.add(key);
    else this.#readAnew(this.#version);
  }

  /** This connection revoked some. */
  revoked(): void {
    this.#kept.clear();
  }
}

/** A server's tool is granted by its name, or with all of its server. */
function exactKeys(value: string): string[] {
  const server = serverTargetOf(value);
  return server === null ? [value] : [value, server];
}

function cachedGrant(row: Row, bootId: string): CachedGrant {
  const covers = pathMatcher(row.target);
  return {
    ...row,
    ...activeUntil(row, bootId),
    covers,
    coversReal: row.target_real === row.target ? covers : pathMatcher(row.target_real),
  };
}

/**
 * A Bloom filter of what grants are on: no false negatives. What it may contain is read from the database.
 */
export class GrantFilter {
  readonly #bits: Uint8Array;
  /** Of the bits' numbers: their count is a power of two. */
  readonly #mask: number;

  /** For about `count` keys: they set no more than one bit in eight. */
  constructor(count: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(MIN_BITS, BITS_PER_KEY * count)));
    this.#bits = new Uint8Array(bits / 8);
    this.#mask = bits - 1;
  }

  add(key: string): void {
    const bit = this.#bitOf(hashOf(key));
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  canContain(key: string): boolean {
    return this.#isSet(hashOf(key));
  }

  /**
   * Of an absolute, normal path and the folders above it those that may hold some, nearest first. None where more than
   * `maxDepth` names lie on the way. Reads the path once: the hash of a folder is a part of the hash of what lies in it.
   */
  along(path: string, maxDepth: number): string[] {
    const found: string[] = [];
    let depth = 0;
    let hash = OFFSET;
    for (let index = 0; index < path.length; index++) {
      const code = path.charCodeAt(index);
      if (code === SLASH && ++depth > maxDepth) return [];
      // Nothing is granted on the whole disk.
      if (code === SLASH && index > 0 && this.#isSet(hash)) found.push(path.slice(0, index));
      hash = Math.imul(hash ^ code, PRIME);
    }
    if (this.#isSet(hash)) found.push(path);
    return found.reverse();
  }

  #isSet(hash: number): boolean {
    const bit = this.#bitOf(hash);
    return ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  #bitOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#mask;
  }
}

const MIN_BITS = 2 ** 14;
const BITS_PER_KEY = 8;
const SLASH = "/".charCodeAt(0);

/** FNV-1a. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

function hashOf(key: string): number {
  let hash = OFFSET;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), PRIME);
  return hash;
}
