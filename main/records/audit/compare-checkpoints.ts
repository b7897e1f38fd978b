import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditProblem } from "../../../ipc/contract/audit.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { ACCEPTED_EVENT, type AcceptedProblems, keyOf } from "./accepted-problems.ts";
import { type NotePart, type ReadNote, type RestartReason, readNote, verdictOn } from "./checkpoint.ts";
import type { StoredNote } from "./checkpoint-files.ts";
import type { FoundProblem, Report, WalkedLine } from "./walk.ts";

/** Compares a trail with signed checkpoints: those that the user has kept, and those that the gate has stored. */

/** What a trail is compared with. */
export interface Claims {
  /** The user's, kept elsewhere; undefined: none. */
  given: readonly NotePart[] | undefined;
  stored: readonly StoredNote[];
  /** Raw public keys: of this gate, and one that the user names. */
  keys: { own: readonly Uint8Array[]; named: Uint8Array | undefined };
  /** This gate's. */
  origin: string;
  /** The present one. */
  epoch: number;
}

/** A checkpoint whose signature is valid, of this trail. */
interface Claim {
  note: ReadNote;
  /** Where a problem with it is. */
  at: { file: string; line: number };
}

type Problem = Pick<AuditProblem, "kind" | "problem">;

/** Each takes about a tenth of a millisecond. */
const CHECKED_IN_A_TURN = 16;

/** The name that a report gives to what the user has passed. */
const GIVEN = "checkpoint";

/** Where what a checkpoint proves wrong is reported: one of the user's, or one that the gate has stored. */
export interface ClaimReports {
  given: Report;
  stored: Report;
}

export class ClaimCheck {
  readonly #reports: ClaimReports;
  readonly #claims: Claims;
  #given: Claim[] = [];
  #stored: Claim[] = [];
  /** By the last line's hash; those of earlier versions by their size. */
  readonly #heads = new Map<string, Claim[]>();
  readonly #roots = new Map<number, Claim[]>();
  readonly #tree = new MerkleTree();
  #mostRoots = 0;
  /** Those that the trail is as they say. */
  readonly #right = new Set<Claim>();
  readonly #places = new Map<number, { file: string; number: number } | undefined>();
  #lines = 0;
  /** The highest number that a line has. */
  #number = 0;
  /** Where a line doesn't have the hash of the one before in it, and no line since accepts that: before it nothing is proven by those behind. */
  #breaks: (string | null)[] = [];
  #signedAcceptances = 0;

  private constructor(claims: Claims, reports: ClaimReports) {
    this.#claims = claims;
    this.#reports = reports;
  }

  /** Reports each checkpoint that proves nothing. There may be thousands of signatures: others run in between. */
  static async of(claims: Claims, reports: ClaimReports): Promise<ClaimCheck> {
    const check = new ClaimCheck(claims, reports);
    if (claims.given?.length === 0)
      reports.given({ file: GIVEN, line: 0, kind: "checkpoint_unreadable", problem: "there is no checkpoint in it" });
    const given = (claims.given ?? []).map(({ text }, index) => ({ text, file: GIVEN, line: index + 1 }));
    check.#given = await check.#valid(given, reports.given);
    check.#stored = await check.#valid(claims.stored, reports.stored);
    for (const claim of [...check.#given, ...check.#stored]) check.#expect(claim);
    return check;
  }

  /** How many of the accepted problems, in the order of their lines, a checkpoint that fits has signed. */
  get signedAcceptances(): number {
    return this.#signedAcceptances;
  }

  /** `found`: the problems of this line; `accepted`: those that this line and those before accept. */
  add({ line, file, number, isLinked }: WalkedLine, found: readonly FoundProblem[], accepted: AcceptedProblems): void {
    const count = ++this.#lines;
    this.#number = Math.max(this.#number, line.seq ?? count);
    for (const at of [count, line.seq ?? count]) if (this.#places.has(at)) this.#places.set(at, { file, number });
    if (!isLinked) this.#breaks.push(...(found.length === 0 ? [null] : found.map(keyOf)));
    if (line.event === ACCEPTED_EVENT) this.#breaks = this.#breaks.filter((key) => key === null || !accepted.has(key));
    const right = this.#breaks.length === 0 ? [...(this.#heads.get(line.hash) ?? [])] : [];
    if (count <= this.#mostRoots) {
      this.#tree.add(line.bytes);
      const roots = this.#roots.get(count);
      const root = roots && this.#tree.root();
      right.push(...(roots ?? []).filter(({ note }) => root !== undefined && note.root?.equals(root) === true));
    }
    if (right.length === 0) return;
    for (const claim of right) this.#right.add(claim);
    this.#signedAcceptances = accepted.size;
  }

  /** Once all lines were added. */
  finish(): void {
    const { given: toUser, stored: toGate } = this.#reports;
    const given = this.#firstWrong(this.#given);
    if (given !== undefined) return this.#reportWrong(given, this.#given, toUser);
    // Those that were accepted not to fit are of an earlier one: what is signed says so, not the gate's record of it.
    const epoch = this.#stored.reduce((most, { note }) => Math.max(most, note.epoch), 0);
    const present = this.#stored.filter(({ note }) => note.epoch === epoch);
    const stored = this.#firstWrong(present);
    if (stored !== undefined) this.#reportWrong(stored, present, toGate);
  }

  #expect(claim: Claim): void {
    const { root, size, end } = claim.note;
    this.#places.set(size, undefined);
    if (root === null) this.#heads.set(end.hash, [...(this.#heads.get(end.hash) ?? []), claim]);
    else {
      this.#roots.set(size, [...(this.#roots.get(size) ?? []), claim]);
      this.#mostRoots = Math.max(this.#mostRoots, size);
    }
  }

  /** Those with a valid signature of this trail; the others are reported. */
  async #valid(parts: readonly StoredNote[], report: Report): Promise<Claim[]> {
    const claims: Claim[] = [];
    for (const [index, { file, line, text }] of parts.entries()) {
      if (index % CHECKED_IN_A_TURN === CHECKED_IN_A_TURN - 1) await nextTurn();
      const at = { file, line };
      const note = readNote(text);
      const problem = this.#problemOf(note);
      if (problem !== undefined) report({ ...at, ...problem }, text);
      else if (note !== undefined) claims.push({ note, at });
    }
    return claims;
  }

  #problemOf(note: ReadNote | undefined): Problem | undefined {
    if (note === undefined)
      return { kind: "checkpoint_unreadable", problem: "not a signed checkpoint: it was changed, or cut short" };
    const { own, named } = this.#claims.keys;
    const { origin } = this.#claims;
    const byOwn = verdictOn(note, own);
    const verdict = byOwn === "unknown key" && named !== undefined ? verdictOn(note, [named]) : byOwn;
    if (verdict === "wrong")
      return { kind: "checkpoint_signature", problem: "its signature is wrong: it was changed after it was signed" };
    if (note.origin !== origin && byOwn === "valid") {
      const problem = `this gate signed it for ${note.origin}, and the trail is ${origin} now: it was begun anew`;
      return { kind: "restarted", problem };
    }
    if (note.origin !== origin)
      return { kind: "checkpoint_origin", problem: `it is of ${note.origin}; this trail is ${origin}` };
    if (verdict === "valid") return undefined;
    return { kind: "checkpoint_key", problem: "it is signed by a key that this gate never had" };
  }

  #isRight(claim: Claim): boolean {
    return this.#right.has(claim);
  }

  #firstWrong(claims: readonly Claim[]): Claim | undefined {
    return claims
      .filter((claim) => !this.#isRight(claim))
      .reduce<Claim | undefined>((first, one) => (first && first.note.size <= one.note.size ? first : one), undefined);
  }

  #reportWrong({ note, at }: Claim, among: readonly Claim[], report: Report): void {
    const lines = note.root === null ? this.#number : this.#lines;
    const what = note.size > lines ? this.#cutOff(note, lines) : this.#rewritten(note, among);
    const restart = note.epoch < this.#claims.epoch ? this.#restartAfter(note) : undefined;
    const { kind, problem } =
      restart === undefined ? what : { kind: restart.kind, problem: `${restart.problem}; ${what.problem}` };
    report({ ...(at.file === GIVEN ? what.at : at), kind, problem }, note.text);
  }

  #cutOff(note: ReadNote, lines: number): Problem & { at: Claim["at"] } {
    const problem = `on ${isoSeconds(note.ms)} the trail had ${note.size} lines, now it has ${lines}: it was cut off, or lines were removed`;
    return { at: { file: GIVEN, line: 0 }, kind: "cut_off", problem };
  }

  /** Which lines were changed, as far as other checkpoints show it. */
  #rewritten(note: ReadNote, among: readonly Claim[]): Problem & { at: Claim["at"] } {
    const isOfEpoch = ({ note: other }: Claim) => other.epoch === note.epoch && other.origin === note.origin;
    const stored = this.#stored.filter(isOfEpoch);
    // Stored ones that fit a trail that a kept one doesn't were signed after the change: they prove nothing of the lines before.
    const isSignedAnew = stored.some((claim) => claim.note.size >= note.size && this.#isRight(claim));
    const shown = isSignedAnew ? among : [...among, ...stored];
    const right = shown.filter((claim) => claim.note.size < note.size && this.#isRight(claim));
    const wrong = shown.filter((claim) => claim.note.size <= note.size && !this.#isRight(claim) && isOfEpoch(claim));
    // Not as a call's arguments: there may be more of them than one can have.
    const from = right.reduce((most, claim) => Math.max(most, claim.note.size), 0) + 1;
    const to = wrong
      .map((claim) => claim.note.size)
      .filter((size) => size >= from)
      .reduce((least, size) => Math.min(least, size), note.size);
    const end = this.#places.get(to);
    const begin = this.#places.get(from - 1);
    const where = `lines ${from} to ${to} of the trail (up to ${end?.file ?? ""} line ${end?.number ?? 0})`;
    const anew = isSignedAnew ? "; the gate's own checkpoints fit the changed trail: they were signed anew" : "";
    const problem = `${where} aren't those of ${isoSeconds(note.ms)}: one was changed, put in, moved or removed${anew}`;
    return { at: { file: begin?.file || end?.file || GIVEN, line: begin?.number ?? 0 }, kind: "rewritten", problem };
  }

  /** What the gate said when it began the next epoch. */
  #restartAfter(note: ReadNote): Problem {
    const next = this.#stored.find((claim) => claim.note.epoch > note.epoch && claim.note.restarted !== null)?.note;
    const why = next?.restarted == null ? "" : RESTARTS[next.restarted];
    const when = next === undefined ? "" : ` by ${isoSeconds(next.ms)}`;
    return { kind: "restarted", problem: `the gate has begun its checkpoints of the trail anew since${when}${why}` };
  }
}

/** Why, by the word in the checkpoint. */
const RESTARTS: Readonly<Record<RestartReason, string>> = {
  accepted: ", as problems of the trail were accepted",
  changed: ", as the trail wasn't what the last checkpoint said",
  cut: ", as the trail had fewer lines than the last checkpoint said",
};

/** The Merkle tree of RFC 9162, section 2.1, with SHA-256: checkpoints of earlier versions hold its root over the trail's lines. */
export class MerkleTree {
  #size = 0;
  /** The roots of the complete subtrees, the largest first: one for each bit that is set in the size. */
  readonly #subtrees: Buffer[] = [];

  /** `line`: without its newline. */
  add(line: Uint8Array): void {
    let node = sha256(0, line);
    // Not bit operations: a size may be above 2^32.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      node = sha256(1, this.#subtrees.pop() ?? node, node);
    this.#subtrees.push(node);
    this.#size++;
  }

  /** Of the empty tree: the hash of nothing. */
  root(): Buffer {
    if (this.#size === 0) return hash("sha256", "", "buffer");
    return this.#subtrees.reduceRight((root, left) => sha256(1, left, root));
  }
}

function sha256(prefix: number, ...parts: Uint8Array[]): Buffer {
  return hash("sha256", Buffer.concat([Buffer.of(prefix), ...parts]), "buffer");
}
