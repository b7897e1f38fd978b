import { hash } from "node:crypto";
import { agentKindOf } from "../../../ipc/contract/agent-kind.ts";
import { type Flow, MARKS, type Mark, type Marks, type Seen } from "../../../ipc/contract/flow.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { UserWords } from "../../agents/index.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { keepLatest } from "../../base/keep-latest.ts";
import { PreparedStatements, type SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { since } from "./since.ts";

/**
 * The marks of each session, over restarts. A session has marks of its own where a client that is known here said that its user began
 * it; every other one has those of its whole agent: a program that names its own sessions gets rid of nothing by another name.
 */

/** In grants.db. */
export function sessionMarksTable(db: SqliteDatabase): void {
  db.exec(`CREATE TABLE flow_marks (
    agent       TEXT NOT NULL,
    session     TEXT NOT NULL,
    mark        TEXT NOT NULL,
    what        TEXT NOT NULL,
    decision_id TEXT NOT NULL,
    at          TEXT NOT NULL,
    is_own      INTEGER NOT NULL,
    PRIMARY KEY (agent, session, mark)
  ) WITHOUT ROWID;
  CREATE INDEX idx_flow_marks_at ON flow_marks(at);`);
}

/** Of all sessions of one agent; the oldest go first. Each has two at the most. */
const MAX_ROWS = 20_000;
/** So many new ones later it is looked whether there are more. */
const ROWS_BETWEEN_LOOKS = 1000;
/** In memory, of one agent; the others are read again. */
const MAX_SESSIONS = 500;
const MAX_AGENTS = 64;
/** Different things that a session has read, by which another one is known to be new. */
const MAX_SEEN = 256;
/** What the user has agreed to in one session. */
const MAX_AGREED = 64;
/** How long what another session of its agent did counts for one that isn't known to be the user's own, in milliseconds. */
const SHARED_MS = 7 * 86_400_000;
/** What sets a mark again so much later is its last time, in milliseconds. */
const RENEWED_MS = 3_600_000;
const MAX_WHAT = 300;
/** To how many it is kept what a session has said, and in which pieces. */
const MAX_RECEIVERS = 256;
const MAX_PIECES = 16;

/** On whose behalf a call is looked at. */
export interface Marked {
  agent: { agent_id: string; name: string } | null;
  session?: string | undefined;
}

export interface Session {
  /** By which it is known from others: those that share their marks are one. */
  name: string;
  marks: { private?: Seen; untrusted?: Seen };
  isOwn: boolean;
  seen: Set<string>;
  reads: number;
  /** Rules with destinations, and how much had been read when the user agreed. */
  agreed: Map<string, number>;
  /** Where its first call worked, absolute and real: whatever a later one says, that is where it does. */
  root?: string;
  /** Files that its client has read there as it began. */
  readAtStart?: ReadonlySet<string>;
  /** Where a program was begun last that may write anything there: its project, and a worktree's repository. */
  ranIn?: readonly string[];
  /** So many marks it had when that was noted. */
  held?: number;
  /** It has made a call: later ones work in a repository, or nowhere. */
  hasBegun?: true;
  /** What its requests have said since there was something to say, by whom they were sent to. */
  said: Map<string, Said>;
}

interface Said {
  bytes: number;
  pieces: Set<string>;
}

interface OfAgent {
  sessions: Map<string, Session>;
  /** What counts for all that have no marks of their own. */
  shared: Session;
}

const newSession = (...name: readonly string[]): Session => ({
  name: JSON.stringify(name),
  marks: {},
  isOwn: false,
  seen: new Set(),
  reads: 0,
  agreed: new Map(),
  said: new Map(),
});

interface Row extends Seen {
  agent: string;
  session: string;
  mark: string;
  is_own: number;
}

/** A session with its marks, as it is listed. */
export interface ListedSession extends Marks {
  agent_id: string;
  session: string;
  /** False where its agent's other sessions share them. */
  is_own: boolean;
}

export class SessionMarks {
  readonly #db: PreparedStatements;
  readonly #clock: Pick<Clock, "now">;
  readonly #since: () => string;
  readonly #words: Pick<UserWords, "hasSpoken">;
  readonly #agents = new Map<string, OfAgent>();
  readonly #changed: () => void;
  #isEmpty: boolean;
  #written = 0;

  /** `db` was opened with `grantsSchema`. @param changed once a mark is set */
  constructor(
    db: SqliteDatabase,
    clock: Pick<Clock, "now">,
    words: Pick<UserWords, "hasSpoken">,
    changed: () => void = () => undefined,
  ) {
    this.#db = new PreparedStatements(db);
    this.#clock = clock;
    this.#since = since(clock, SHARED_MS);
    this.#words = words;
    this.#changed = changed;
    this.#isEmpty = this.#db.prepare("SELECT 1 FROM flow_marks LIMIT 1").get() === undefined;
  }

  /** What counts for a session; null where nothing does. `reads`: grows with each other private thing that it reads. */
  of(marked: Marked): (Marks & { reads: number }) | null {
    if (this.#isEmpty || marked.agent === null) return null;
    const { marks, reads, isOwn } = this.#counting(marked.agent, marked.session);
    if (marks.private === undefined && marks.untrusted === undefined) return null;
    if (isOwn) return { reads, ...marks };
    const begun = this.#since();
    const lasting: Session["marks"] = {};
    for (const mark of MARKS) {
      const last = marks[mark];
      if (last !== undefined && last.at >= begun) lasting[mark] = last;
    }
    return lasting.private === undefined && lasting.untrusted === undefined ? null : { reads, ...lasting };
  }

  /** A call that is allowed sets a mark: in memory at once. @throws SQLite's error where it can't be stored */
  note({ agent, session = "" }: Marked, mark: Mark, what: string, decisionId: string): void {
    if (agent === null) return;
    this.#isEmpty = false;
    const own = this.#session(agent, session);
    const { shared } = this.#ofAgent(agent.agent_id);
    const by: Seen = { what: what.slice(0, MAX_WHAT), decision_id: decisionId, at: isoSeconds(this.#clock.now()) };
    const key = keyOf(mark, what);
    const isKnown = [own, shared].map((one) => isSeen(one, mark, by, key));
    if (isKnown[0] === true) return;
    this.#store(agent.agent_id, session, mark, by, own);
    this.#forgetOldest(agent.agent_id);
    this.#changed();
  }

  #store(agentId: string, session: string, mark: Mark, by: Seen, own: Session): void {
    // What can't be stored is stored with the next that sets it.
    const { seen } = own;
    own.seen = new Set();
    this.#db
      .prepare(
        `INSERT INTO flow_marks (agent, session, mark, what, decision_id, at, is_own) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET what = excluded.what, decision_id = excluded.decision_id, at = excluded.at, is_own = excluded.is_own`,
      )
      .run(agentId, session, mark, by.what, by.decision_id, by.at, own.isOwn ? 1 : 0);
    own.seen = seen;
  }

  /** The user has agreed to this in this session, knowing what was shown. */
  agree(marked: Marked, { rule, to, reads }: Pick<Flow, "rule" | "to" | "reads">): void {
    const agreed = this.counted(marked)?.agreed;
    if (agreed !== undefined) for (const place of to) keepLatest(agreed, `${rule} ${place}`, reads, MAX_AGREED);
  }

  /** Whether the user has agreed to it, and the session has read nothing else since. */
  isAgreed(marked: Marked, rule: Flow["rule"], place: string, reads: number): boolean {
    return this.counted(marked)?.agreed.get(`${rule} ${place}`) === reads;
  }

  /** How many of these private things its session hasn't read yet. */
  unread(marked: Marked, things: readonly string[]): number {
    const seen = this.counted(marked)?.seen;
    return new Set(things.filter((what) => seen?.has(keyOf("private", what)) !== true)).size;
  }

  /** What its marks are counted with; null of nobody's. */
  counted({ agent, session }: Marked): Session | null {
    return agent === null ? null : this.#counting(agent, session);
  }

  /** Those with marks, the last ones first. */
  list(most: number): ListedSession[] {
    const rows = this.#db.prepare<Row>("SELECT * FROM flow_marks ORDER BY at DESC LIMIT ?").all(most * MARKS.length);
    const listed = new Map<string, ListedSession>();
    for (const { agent, session, mark, what, decision_id, at, is_own } of rows) {
      const key = JSON.stringify([agent, session]);
      const before = listed.get(key) ?? { agent_id: agent, session, is_own: is_own === 1 };
      listed.set(key, { ...before, [mark]: { what, decision_id, at } });
    }
    return [...listed.values()].slice(0, most);
  }

  /** The user says that it counts no more: one session's, or all of an agent's. @returns how many sessions @throws SQLite's error */
  clear(agentId: string, session?: string): number {
    const [isMeant, ...values] = whose(agentId, session);
    const count = this.#db.count(`SELECT count(DISTINCT session) AS count FROM flow_marks WHERE ${isMeant}`, ...values);
    this.#db.prepare(`DELETE FROM flow_marks WHERE ${isMeant}`).run(...values);
    // Of the others what is shared is found again.
    this.#agents.delete(agentId);
    return count;
  }

  /** The marks that count for it: its own, or its agent's. */
  #counting(agent: NonNullable<Marked["agent"]>, session: string | undefined): Session {
    const own = this.#session(agent, session);
    return own.isOwn ? own : this.#ofAgent(agent.agent_id).shared;
  }

  #session({ agent_id, name }: NonNullable<Marked["agent"]>, session = ""): Session {
    const { sessions } = this.#ofAgent(agent_id);
    const found = sessions.get(session) ?? this.#stored(agent_id, session);
    if (!sessions.has(session)) keepLatest(sessions, session, found, MAX_SESSIONS);
    found.isOwn ||= agentKindOf(name) !== "generic" && session !== "" && this.#words.hasSpoken(agent_id, session);
    return found;
  }

  #ofAgent(agentId: string): OfAgent {
    const found = this.#agents.get(agentId);
    if (found !== undefined) return found;
    const shared = { ...this.#stored(agentId), isOwn: false };
    const made: OfAgent = { sessions: new Map(), shared };
    keepLatest(this.#agents, agentId, made, MAX_AGENTS);
    return made;
  }

  /** What a session has done last, or any of an agent. */
  #stored(agentId: string, session?: string): Session {
    const [isMeant, ...values] = whose(agentId, session);
    const rows = this.#db
      .prepare<Row>(`SELECT *, max(at) AS at FROM flow_marks WHERE ${isMeant} GROUP BY mark`)
      .all(...values);
    const found = newSession(agentId, ...(session === undefined ? [] : [session]));
    for (const { mark, what, decision_id, at, is_own } of rows) {
      found.isOwn ||= is_own === 1;
      const known = MARKS.find((one) => one === mark);
      if (known !== undefined) found.marks[known] = { what, decision_id, at };
    }
    return found;
  }

  /** An agent's own: no other one's sessions go for it. */
  #forgetOldest(agentId: string): void {
    if (++this.#written % ROWS_BETWEEN_LOOKS !== 0) return;
    const count = this.#db.count("SELECT count(*) AS count FROM flow_marks WHERE agent = ?", agentId);
    if (count <= MAX_ROWS) return;
    this.#db
      .prepare(
        `DELETE FROM flow_marks WHERE (agent, session, mark) IN
           (SELECT agent, session, mark FROM flow_marks WHERE agent = ? ORDER BY at LIMIT ?)`,
      )
      .run(agentId, count - MAX_ROWS);
  }
}

/** One session's rows, or all of an agent's: the condition, and its values. */
const whose = (agentId: string, session: string | undefined): [string, ...string[]] =>
  session === undefined ? ["agent = ?", agentId] : ["agent = ? AND session = ?", agentId, session];

/**
 * Bytes that a session's requests have said to somebody, this one's with them. The same again says little: that it was sent. Of
 * too many who got something, who got the least makes room for another one, who counts as one that got as much.
 */
export function saidWith({ said }: Pick<Session, "said">, to: string, text: string): number {
  const own = said.get(to);
  if (own?.pieces.has(text) === true) return own.bytes + 1;
  return ((own ?? gotLeast(said)?.[1])?.bytes ?? 0) + Buffer.byteLength(text);
}

/** Who makes room for another one; undefined where there is room. */
function gotLeast(said: Session["said"]): [string, Said] | undefined {
  if (said.size < MAX_RECEIVERS) return undefined;
  return [...said].reduce((least, one) => (one[1].bytes < least[1].bytes ? one : least));
}

/** A request of the session is sent, and says this. */
export function say({ said }: Pick<Session, "said">, to: string, text: string): void {
  const bytes = saidWith({ said }, to, text);
  const { pieces } = said.get(to) ?? { pieces: new Set() };
  if (pieces.size < MAX_PIECES) pieces.add(text);
  const [least] = said.has(to) ? [] : (gotLeast(said) ?? []);
  if (least !== undefined) said.delete(least);
  said.set(to, { bytes, pieces });
}

/** A few bytes of each: paths are long. */
const keyOf = (mark: Mark, what: string): string => hash("sha256", `${mark} ${what}`, "base64url").slice(0, 12);

/** Whether that had set this mark of the session lately; from now on it has. */
function isSeen(session: Session, mark: Mark, by: Seen, key: string): boolean {
  const before = session.marks[mark];
  const isNew = !session.seen.has(key);
  if (!isNew && before !== undefined && Date.parse(by.at) - Date.parse(before.at) < RENEWED_MS) return true;
  if (isNew && session.seen.size >= MAX_SEEN) session.seen.clear();
  session.seen.add(key);
  if (isNew && mark === "private") session.reads++;
  session.marks[mark] = by;
  return false;
}
