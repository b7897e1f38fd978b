import type { Column } from "./files.ts";
import type { Kind } from "./kinds.ts";
import type { AllowedOutcome, Moment } from "./outcomes.ts";

/** The required outcomes, for each file, each kind of damage and each moment. Where two are right, either is. */

export type Expected = readonly AllowedOutcome[];
type Row = Readonly<Record<Kind, Expected>>;

function row(most: AllowedOutcome | Expected, others: Partial<Record<Kind, AllowedOutcome | Expected>> = {}): Row {
  const list = (given: AllowedOutcome | Expected): Expected => (typeof given === "string" ? [given] : given);
  const of = (kind: Kind) => list(others[kind] ?? most);
  return {
    missing: of("missing"),
    empty: of("empty"),
    "cut to half": of("cut to half"),
    "first byte changed": of("first byte changed"),
    "middle byte changed": of("middle byte changed"),
    "random bytes": of("random bytes"),
    "a folder": of("a folder"),
    "a named pipe": of("a named pipe"),
    "a link to another file": of("a link to another file"),
    "a dangling link": of("a dangling link"),
    "no permissions": of("no permissions"),
    "another user's": of("another user's"),
    "a foreign one": of("a foreign one"),
    "an older copy": of("an older copy"),
  };
}

/** In the file's place is something that isn't a regular file which this user may read and write. */
function notAFile(expected: AllowedOutcome | Expected): Partial<Record<Kind, AllowedOutcome | Expected>> {
  return {
    "a folder": expected,
    "a named pipe": expected,
    "a link to another file": expected,
    "a dangling link": expected,
    "no permissions": expected,
    "another user's": expected,
  };
}

const EITHER: Expected = ["refused", "noticed"];
/** Noticed as soon as a line is to be written; before that, by a reader. */
const SAID: Expected = [...EITHER, "verify"];
/** The file isn't the gate's any more: the gate reports it, or ends. */
const LOST: Expected = ["noticed", "ends"];
/** Whether SQLite, which has pages in memory, ever reads the damage is chance; it must not go unnoticed in the end. */
const READ_LATER: Expected = ["harmless", "noticed", "refused", "ends"];

const RENEWED: Expected = ["harmless", "noticed", "refused"];
/** A file that is mapped into memory: a process that reads beyond its end is killed. */
const MAPPED: Expected = [...READ_LATER, "killed"];

/** A file of the user's that a gate reads at its start: one that isn't valid keeps it from starting. */
const CONFIGURED = row("refused", {
  missing: "unseen",
  empty: "unseen",
  "cut to half": ["refused", "unseen"],
  "first byte changed": ["refused", "harmless"],
  "middle byte changed": ["refused", "unseen"],
  "a foreign one": ["harmless", "unseen"],
  "an older copy": ["harmless", "unseen"],
});

const AT_REST: Readonly<Record<Column, Row>> = {
  // Of safety.db the pause is an older one then, and still a pause.
  database: row("refused", { "an older copy": ["unseen", "harmless"] }),
  // Of safety.db's the trail knows whether the gate was paused.
  "database-wal": row(["unseen", "harmless"], {
    missing: ["noticed", "unseen"],
    empty: ["noticed", "unseen", "harmless"],
    ...notAFile("refused"),
  }),
  "database-shm": row("harmless", {
    ...notAFile(["harmless", "refused"]),
  }),
  "activity.db": row("noticed", { missing: "harmless", empty: "harmless", "an older copy": "harmless" }),
  // With a lock that was created anew the gate waits, and the log reports it.
  "gate.lock": row("refused", {
    missing: ["harmless", "noticed"],
    empty: ["harmless", "noticed"],
    "cut to half": RENEWED,
    "middle byte changed": RENEWED,
    "an older copy": ["harmless", "noticed"],
  }),
  "audit-head": row("verify", {
    // Half of it, and its middle, are blanks that keep its size.
    "cut to half": ["verify", "harmless"],
    "middle byte changed": ["verify", "harmless"],
    ...notAFile(SAID),
  }),
  // One that can't be read counts as a pause. Half of it, and its middle, are blanks.
  "kept-pauses": row("noticed", {
    missing: "harmless",
    empty: "harmless",
    "cut to half": "harmless",
    "middle byte changed": ["noticed", "harmless"],
    "a foreign one": "harmless",
    "an older copy": "harmless",
  }),
  "month of the trail": row("verify", {
    ...notAFile(SAID),
  }),
  "operator.token": row("refused", {
    missing: "harmless",
    empty: "harmless",
    "cut to half": "harmless",
    "first byte changed": "harmless",
    "middle byte changed": "harmless",
    "random bytes": "harmless",
    "a link to another file": ["harmless", "refused"],
    "a dangling link": ["harmless", "refused"],
    "a foreign one": "harmless",
    "an older copy": "harmless",
  }),
  "agent's token": row("noticed", { "an older copy": "harmless" }),
  "chosen.json": row("refused", {
    missing: "unseen",
    empty: EITHER,
    "middle byte changed": ["refused", "unseen"],
    "a foreign one": "unseen",
    "an older copy": "unseen",
  }),
  // It says how good a judge was, and is measured again.
  "judge-results.json": row("harmless"),
  "gate.toml": CONFIGURED,
  "policy_overrides.toml": CONFIGURED,
  // Without its key it decides and signs nothing; another one is made only by the user.
  "receipts.key": row("noticed", { "an older copy": "harmless" }),
  "receipts/keys.jsonl": row("noticed", { "an older copy": "harmless" }),
  "month of receipts": row("verify", { ...notAFile(["noticed", "verify"]) }),
  // The newest that is there says whether any is missing; a changed one before it is found by whoever verifies them.
  "month of checkpoints": row("noticed", {
    "first byte changed": ["noticed", "verify"],
    "middle byte changed": ["noticed", "verify"],
  }),
  // It is made again from the stored checkpoints.
  "audit-tree": row("harmless", { ...notAFile(["harmless", "noticed"]) }),
  // At worst a day's digest comes again.
  "evening-digest.json": row("harmless", { ...notAFile(["harmless", "noticed"]) }),
  executor: row("refused", {
    missing: ["harmless", "unseen"],
    "middle byte changed": ["refused", "harmless"],
    "a foreign one": "harmless",
    "an older copy": "harmless",
  }),
  socket: row("refused", { missing: "harmless", "no permissions": "harmless" }),
  other: row(["harmless", "refused", "noticed", "verify"]),
};

/** While it runs, then after a restart. */
const RUNNING: Readonly<Record<Column, Row>> = {
  database: row(LOST, {
    empty: READ_LATER,
    "cut to half": READ_LATER,
    "first byte changed": READ_LATER,
    "middle byte changed": READ_LATER,
    "random bytes": READ_LATER,
    "no permissions": ["noticed", "refused"],
  }),
  "database-wal": row(LOST, {
    empty: READ_LATER,
    "cut to half": READ_LATER,
    "first byte changed": READ_LATER,
    "middle byte changed": READ_LATER,
    "random bytes": READ_LATER,
    "no permissions": READ_LATER,
  }),
  "database-shm": row(["noticed", "ends", "harmless"], {
    empty: MAPPED,
    "cut to half": MAPPED,
    "first byte changed": READ_LATER,
    "middle byte changed": READ_LATER,
    "random bytes": READ_LATER,
    "no permissions": READ_LATER,
  }),
  "activity.db": row(["harmless", "noticed"]),
  "gate.lock": row("ends", {
    empty: READ_LATER,
    "cut to half": READ_LATER,
    "first byte changed": READ_LATER,
    "middle byte changed": READ_LATER,
    "random bytes": READ_LATER,
    "no permissions": READ_LATER,
  }),
  "audit-head": row(["harmless", "noticed", "verify"], {
    "a folder": EITHER,
    "a named pipe": EITHER,
    "a link to another file": EITHER,
    "a dangling link": EITHER,
    "no permissions": ["harmless", ...SAID],
    "another user's": EITHER,
  }),
  // It is written while a pause isn't stored, or read by the next gate.
  "kept-pauses": row(["noticed", "harmless"]),
  "month of the trail": row(["noticed", "verify"], {
    "a folder": EITHER,
    "a named pipe": EITHER,
    "a link to another file": EITHER,
    "a dangling link": EITHER,
    "no permissions": ["noticed", "verify", "refused"],
    "another user's": EITHER,
  }),
  "operator.token": AT_REST["operator.token"],
  "agent's token": AT_REST["agent's token"],
  "chosen.json": row("harmless", {
    "a folder": EITHER,
  }),
  "judge-results.json": AT_REST["judge-results.json"],
  "gate.toml": AT_REST["gate.toml"],
  "policy_overrides.toml": AT_REST["policy_overrides.toml"],
  "receipts.key": AT_REST["receipts.key"],
  "receipts/keys.jsonl": AT_REST["receipts/keys.jsonl"],
  "month of receipts": row(["noticed", "verify"]),
  // A foreign one, or other bytes, may be as long.
  "month of checkpoints": row(["noticed", "verify"]),
  "audit-tree": AT_REST["audit-tree"],
  "evening-digest.json": AT_REST["evening-digest.json"],
  executor: AT_REST.executor,
  socket: row("ends", { "no permissions": ["harmless", "ends"] }),
  other: row(["harmless", "refused", "noticed", "verify", "ends"]),
};

/** Why a loss can't be detected. */
export const WHY_UNSEEN: Partial<Record<Column, string>> = {
  database: "an older copy is a sound database: SQLite keeps no counter outside the file",
  "database-wal": "a write-ahead log ends where its checksums end: whether more had been in it, only its writer knows",
  "chosen.json": "what was never chosen looks the same, and so does another choice",
  "gate.toml": "a file that isn't there means the defaults, and a shorter one may be meant",
  "policy_overrides.toml": "a file that isn't there makes nothing stricter than the table; no agent may write it",
  executor: "a tool that nothing describes is asked about as running code: nothing is allowed by the loss",
};

export function expectedFor(column: Column, kind: Kind, moment: Moment): Expected {
  return (moment === "at rest" ? AT_REST : RUNNING)[column][kind];
}
