import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditProblem } from "../../../ipc/audit.ts";
import { isoSeconds } from "../../../ipc/iso-seconds.ts";
import { type NotePart, type ReadNote, type RestartReason, readNote, verdictOn } from "./checkpoint.ts";
import type { StoredNote } from "./checkpoint-files.ts";
import { CompactRange, leafHash } from "./merkle-tree.ts";
import type { Report, WalkedLine } from "./walk.ts";

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
  /** The tree that the gate continues now. */
  epoch: number;
}

/** A checkpoint whose signature is valid, of this trail. */
interface Claim {
  note: ReadNote;
  /** Where a problem with it is. */
  at: { file: string; line: number };
}

/** What the trail is at a checkpoint's size. */
interface Reached {
  root: Buffer;
  file: string;
  number: number;
}

type Problem = Pick<AuditProblem, "kind" | "problem">;

/** Each takes about a tenth of a millisecond. */
const CHECKED_IN_A_TURN = 16;

/** The name that a report gives to what the user has passed. */
export const GIVEN = "checkpoint";

export class ClaimCheck {
  readonly #report: Report;
  readonly #claims: Claims;
  #given: Claim[] = [];
  #stored: Claim[] = [];
  #sizes: number[] = [];
  readonly #reached = new Map<number, Reached>();
  readonly #range = new CompactRange();
  #next = 0;

  private constructor(claims: Claims, report: Report) {
    this.#claims = claims;
    this.#report = report;
  }

  /** Reports each checkpoint that proves nothing. There may be thousands of signatures: others run in between. */
  static async of(claims: Claims, report: Report): Promise<ClaimCheck> {
    const check = new ClaimCheck(claims, report);
    if (claims.given?.length === 0)
      report({ file: GIVEN, line: 0, kind: "checkpoint_unreadable", problem: "there is no checkpoint in it" });
    const given = (claims.given ?? []).map(({ text }, index) => ({ text, file: GIVEN, line: index + 1 }));
    check.#given = await check.#valid(given);
    check.#stored = await check.#valid(claims.stored);
    const sizes = [...check.#given, ...check.#stored].map(({ note }) => note.size);
    check.#sizes = [...new Set(sizes)].sort((one, other) => one - other);
    check.#reach({ file: "", number: 0 });
    return check;
  }

  add({ line, file, number }: WalkedLine): void {
    // Beyond the last checkpoint there is nothing to compare.
    if (this.#next === this.#sizes.length) return;
    this.#range.add(leafHash(line.bytes));
    this.#reach({ file, number });
  }

  /** Once all lines were added. */
  finish(lines: number): void {
    const given = this.#firstWrong(this.#given);
    if (given !== undefined) return this.#reportWrong(given, lines, this.#given);
    const { epoch, origin } = this.#claims;
    const present = this.#stored.filter(({ note }) => note.epoch === epoch && note.origin === origin);
    const stored = this.#firstWrong(present);
    if (stored !== undefined) this.#reportWrong(stored, lines, present);
  }

  /** Those with a valid signature of this trail; the others are reported. */
  async #valid(parts: readonly StoredNote[]): Promise<Claim[]> {
    const claims: Claim[] = [];
    for (const [index, { file, line, text }] of parts.entries()) {
      if (index % CHECKED_IN_A_TURN === CHECKED_IN_A_TURN - 1) await nextTurn();
      const at = { file, line };
      const note = readNote(text);
      const problem = this.#problemOf(note);
      if (problem !== undefined) this.#report({ ...at, ...problem }, text);
      else if (note !== undefined) claims.push({ note, at });
    }
    return claims;
  }

  #problemOf(note: ReadNote | undefined): Problem | undefined {
    if (note === undefined)
      return { kind: "checkpoint_unreadable", problem: "not a signed checkpoint: it was changed, or cut short" };
    const { own, named } = this.#claims.keys;
    const { origin } = this.#claims;
    const by_own = verdictOn(note, own);
    const verdict = by_own === "unknown key" && named !== undefined ? verdictOn(note, [named]) : by_own;
    if (verdict === "wrong")
      return { kind: "checkpoint_signature", problem: "its signature is wrong: it was changed after it was signed" };
    if (note.origin !== origin && by_own === "valid") {
      const problem = `this gate signed it for ${note.origin}, and the trail is ${origin} now: it was begun anew`;
      return { kind: "restarted", problem };
    }
    if (note.origin !== origin)
      return { kind: "checkpoint_origin", problem: `it is of ${note.origin}; this trail is ${origin}` };
    if (verdict === "valid") return undefined;
    return { kind: "checkpoint_key", problem: "it is signed by a key that this gate never had" };
  }

  #reach(at: { file: string; number: number }): void {
    if (this.#sizes[this.#next] !== this.#range.size) return;
    this.#reached.set(this.#range.size, { root: this.#range.root(), ...at });
    this.#next++;
  }

  #isRight({ note }: Claim): boolean {
    return this.#reached.get(note.size)?.root.equals(note.root) === true;
  }

  #firstWrong(claims: readonly Claim[]): Claim | undefined {
    return claims
      .filter((claim) => !this.#isRight(claim))
      .reduce<Claim | undefined>((first, one) => (first && first.note.size <= one.note.size ? first : one), undefined);
  }

  #reportWrong({ note, at }: Claim, lines: number, among: readonly Claim[]): void {
    const what = note.size > lines ? this.#cutOff(note, lines) : this.#rewritten(note, among);
    const restart = note.epoch < this.#claims.epoch ? this.#restartAfter(note) : undefined;
    const { kind, problem } =
      restart === undefined ? what : { kind: restart.kind, problem: `${restart.problem}; ${what.problem}` };
    this.#report({ ...(at.file === GIVEN ? what.at : at), kind, problem }, note.text);
  }

  #cutOff(note: ReadNote, lines: number): Problem & { at: Claim["at"] } {
    const problem = `on ${isoSeconds(note.ms)} the trail had ${note.size} lines, now it has ${lines}: it was cut off, or lines were removed`;
    return { at: { file: GIVEN, line: 0 }, kind: "cut_off", problem };
  }

  /** Which lines were changed, as far as other checkpoints show it. */
  #rewritten(note: ReadNote, among: readonly Claim[]): Problem & { at: Claim["at"] } {
    const isOfTree = ({ note: other }: Claim) => other.epoch === note.epoch && other.origin === note.origin;
    const stored = this.#stored.filter(isOfTree);
    // Stored ones that fit a trail that a kept one doesn't were signed after the change: they prove nothing of the lines before.
    const is_signed_anew = stored.some((claim) => claim.note.size >= note.size && this.#isRight(claim));
    const shown = is_signed_anew ? among : [...among, ...stored];
    const right = shown.filter((claim) => claim.note.size < note.size && this.#isRight(claim));
    const wrong = shown.filter((claim) => claim.note.size <= note.size && !this.#isRight(claim) && isOfTree(claim));
    // Not as a call's arguments: there may be more of them than one can have.
    const from = right.reduce((most, claim) => Math.max(most, claim.note.size), 0) + 1;
    const to = wrong
      .map((claim) => claim.note.size)
      .filter((size) => size >= from)
      .reduce((least, size) => Math.min(least, size), note.size);
    const end = this.#reached.get(to);
    const begin = this.#reached.get(from - 1);
    const where = `lines ${from} to ${to} of the trail (up to ${end?.file ?? ""} line ${end?.number ?? 0})`;
    const anew = is_signed_anew ? "; the gate's own checkpoints fit the changed trail: they were signed anew" : "";
    const problem = `${where} aren't those of ${isoSeconds(note.ms)}: one was changed, put in, moved or removed${anew}`;
    return { at: { file: begin?.file || end?.file || GIVEN, line: begin?.number ?? 0 }, kind: "rewritten", problem };
  }

  /** What the gate said when it began the next tree. */
  #restartAfter(note: ReadNote): Problem {
    const next = this.#stored.find((claim) => claim.note.epoch > note.epoch && claim.note.restarted !== null)?.note;
    const why = next?.restarted == null ? "" : RESTARTS[next.restarted];
    const when = next === undefined ? "" : ` by ${isoSeconds(next.ms)}`;
    return { kind: "restarted", problem: `the gate has begun its tree of the trail anew since${when}${why}` };
  }
}

/** Why, by the word in the checkpoint. */
const RESTARTS: Readonly<Record<RestartReason, string>> = {
  accepted: ", as problems of the trail were accepted",
  changed: ", as the trail wasn't what the last checkpoint said",
  cut: ", as the trail had fewer lines than the last checkpoint said",
};
