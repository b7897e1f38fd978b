import { basename } from "node:path";
import type { AuditReport } from "../../../ipc/contract/audit.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type AcceptedProblems, acceptedIn, keyOf } from "./accepted-problems.ts";
import { ArchivesCheck } from "./archives-check.ts";
import { GENESIS } from "./chain.ts";
import { ClaimCheck, type Claims } from "./compare-checkpoints.ts";
import { type Head, type Loss, readHead } from "./head.ts";
import type { LiveEnd } from "./health.ts";
import { latestBeyond } from "./resume.ts";
import { type FoundProblem, fingerprint, type Report, TrailWalk, type WalkedLine } from "./walk.ts";

/** How many open problems a report names, and how many accepted ones. */
const MAX_REPORTED = 100;
/** How many are collected; a trail with more can't be accepted. */
export const MAX_PROBLEMS = 1000;

export interface ExaminedTrail {
  files: number;
  lines: number;
  problems: FoundProblem[];
  /** What lines of the trail accept. */
  accepted: AcceptedProblems;
  /** Why a problem is accepted; null: it isn't. */
  reasonOf(problem: FoundProblem): string | null;
}

export interface TrailFiles {
  folder: string;
  headFile: string;
}

/**
 * Reads every line and reports each that doesn't follow from the one before, and whatever else isn't as the gate left it.
 * `live`: the end that the running gate knows; `claims`: the checkpoints to compare with; `lost`: what the running gate could not write,
 * which the record beside the trail may not say either. Doesn't block. @throws the system's error, where the folder can't be read
 */
export async function verifyAudit(
  folder: string,
  headFile: string,
  live?: LiveEnd,
  nowMs = Date.now(),
  claims?: Claims,
  lost: Loss | null = null,
): Promise<AuditReport> {
  return reportOf(await examineTrail({ folder, headFile }, live, nowMs, claims, lost));
}

export function reportOf({ files, lines, problems, reasonOf }: ExaminedTrail): AuditReport {
  const all = problems.map((foundOne) => {
    const { found: _, ...problem } = foundOne;
    return { ...problem, accepted: reasonOf(foundOne) };
  });
  const open = all.filter((problem) => problem.accepted === null);
  const acceptedOnes = all.filter((problem) => problem.accepted !== null);
  const named = [...open.slice(0, MAX_REPORTED), ...acceptedOnes.slice(0, MAX_REPORTED)];
  return { ok: open.length === 0, files, lines, problems: named };
}

export async function examineTrail(
  { folder, headFile }: TrailFiles,
  live: LiveEnd | undefined,
  nowMs: number,
  claims?: Claims,
  lost: Loss | null = null,
): Promise<ExaminedTrail> {
  const problems: FoundProblem[] = [];
  const given: FoundProblem[] = [];
  const stored: FoundProblem[] = [];
  const into =
    (list: FoundProblem[]): Report =>
    (problem, ...found) => {
      if (list.length < MAX_PROBLEMS) list.push({ ...problem, found: fingerprint(found) });
    };
  const report = into(problems);
  const accepted: AcceptedProblems = new Map();
  const head = recordedEnd(headFile, live, report);
  const unsaid = lost ?? head?.position?.lost;
  if (unsaid != null) {
    const problem = `${unsaid.lines} lines could not be written (${unsaid.error}); the trail doesn't say so yet`;
    report({ file: basename(headFile), line: 0, kind: "lost", problem }, unsaid.since);
  }
  const walk = new TrailWalk(folder, nowMs, report);
  const end = new EndCheck(live === undefined ? head : { hash: live.hash, position: null }, live !== undefined);
  const check = claims && (await ClaimCheck.of(claims, { given: into(given), stored: into(stored) }));
  let lines = 0;
  let known = problems.length;
  const archives = new ArchivesCheck();
  for await (const walked of walk.lines()) {
    const news = walked.isLinked ? [] : problems.slice(known);
    known = problems.length;
    if (walked.line.bytes.length === 0) continue;
    lines++;
    archives.add(walked.line);
    end.add(walked);
    for (const [key, reason] of acceptedIn(walked.line)) accepted.set(key, reason);
    check?.add(walked, news, accepted);
  }
  await archives.report(folder, report);
  check?.finish();
  if (head !== undefined || live !== undefined) end.report(report, problems.length > 0);
  else if (lines > 0 && !problems.some(({ kind }) => kind === "head_unreadable"))
    report({
      file: basename(headFile),
      line: 0,
      kind: "head_missing",
      problem: "the record of the last line is missing",
    });
  const signed = new Set([...accepted.keys()].slice(0, check?.signedAcceptances));
  // Whoever can write the trail can write a line that accepts: against what is signed only one that is signed counts, and none against the user's.
  const reasonOf = (problem: FoundProblem) => {
    const key = keyOf(problem);
    const isVoid = given.includes(problem) || (stored.includes(problem) && !signed.has(key));
    return isVoid ? null : (accepted.get(key) ?? null);
  };
  return { files: walk.files, lines, problems: [...problems, ...given, ...stored], accepted, reasonOf };
}

/** The record beside the trail; while the gate runs it must be the one that this gate wrote. */
function recordedEnd(headFile: string, live: LiveEnd | undefined, report: Report): Head | undefined {
  const at = { file: basename(headFile), line: 0 };
  let head: Head | undefined;
  try {
    head = readHead(headFile);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    report({ ...at, kind: "head_unreadable", problem: error.message }, error.message);
    return undefined;
  }
  if (live?.recorded === undefined || head?.hash === live.recorded) return head;
  if (head === undefined) report({ ...at, kind: "head_missing", problem: "the record of the last line is missing" });
  else if (head.hash === GENESIS) report({ ...at, kind: "head_zero", problem: ZERO });
  else
    report(
      { ...at, kind: "head_changed", problem: "the record of the last line isn't the one the gate wrote" },
      head.hash,
    );
  return head;
}

const ZERO = "the record of the last line says that there is none";

/** Checks whether the recorded end is the trail's end. */
class EndCheck {
  readonly #head: Head | undefined;
  readonly #isLive: boolean;
  #isSeen: boolean;
  #isAtPosition = true;
  #last: WalkedLine | undefined;
  #beyond = 0;
  /** The first line beyond the recorded end that the gate didn't leave there. */
  #foreign: WalkedLine | undefined;

  constructor(head: Head | undefined, isLive: boolean) {
    this.#head = head;
    this.#isLive = isLive;
    this.#isSeen = head?.hash === GENESIS;
  }

  add(walked: WalkedLine): void {
    this.#last = walked;
    const { line, file } = walked;
    if (this.#isSeen) {
      // Torn by a crash: reported as such.
      if (line.prev === undefined && !line.isEnded) return;
      this.#beyond++;
      if (!this.#isOurs(line)) this.#foreign ??= walked;
      return;
    }
    if (line.hash !== this.#head?.hash) return;
    this.#isSeen = true;
    const { position } = this.#head;
    this.#isAtPosition = position === null || (position.file === file && position.offset === line.end);
  }

  /** True for a line that a killed gate can have written beyond the recorded end, at most a moment later. */
  #isOurs({ ms, seq }: WalkedLine["line"]): boolean {
    if (this.#isLive || this.#head === undefined) return false;
    const { position, hash } = this.#head;
    // A record without a position is from an earlier version, which didn't number its lines.
    if (position === null) return hash !== GENESIS && seq === undefined;
    return (ms ?? 0) <= latestBeyond(position);
  }

  report(report: Report, isBroken: boolean): void {
    const last = { file: this.#last?.file ?? "", line: this.#last?.number ?? 0 };
    if (!this.#isSeen) {
      const problem = "the last line that was written is missing or changed";
      return report({ ...last, kind: "removed", problem }, this.#head?.hash ?? "");
    }
    if (this.#foreign !== undefined) return this.#reportForeign(report, this.#foreign);
    if (this.#isAtPosition || isBroken) return;
    const problem = "the recorded end isn't where it was written";
    report(
      { ...last, kind: this.#beyond > 0 ? "head_earlier" : "moved", problem },
      this.#head?.hash ?? "",
      this.#beyond,
    );
  }

  #reportForeign(report: Report, { file, number, line }: WalkedLine): void {
    const at = { file, line: number };
    const found = [line.hash, this.#beyond];
    if (this.#head?.hash === GENESIS) report({ ...at, kind: "head_zero", problem: ZERO }, ...found);
    else if (!this.#isLive && (this.#head?.position === null || !this.#isAtPosition))
      report({ ...at, kind: "head_earlier", problem: "the recorded end is an earlier line" }, ...found);
    else report({ ...at, kind: "appended", problem: `${this.#beyond} lines are after the recorded end` }, ...found);
  }
}
