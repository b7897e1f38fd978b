import type { Outcome } from "./outcomes.ts";

/** What was seen of one gate, from its start to its end. */
export interface Life {
  state: "serving" | "ended" | "hangs";
  /** It ended before it was asked to. */
  ended_by_itself: boolean;
  /** Its exit code or signal. */
  end: number | NodeJS.Signals | null;
  /** What it printed, without the lines that name its paths. */
  output: string;
  /** Texts of alarms and refused acts. */
  messages: string[];
  raw: string[];
  verify_problems: string[];
  /** What it had acknowledged and has lost. */
  missing: string[];
}

export interface Observation {
  lives: Life[];
  /** Files that aren't the gate's and were changed. */
  written_elsewhere: string[];
  /** What was acknowledged after there was time to notice, and is lost all the same. */
  lost: string[];
}

const STACK = /^\s+at .+:\d+:\d+\)?$|FATAL ERROR|^node:internal/m;

/** @param names what the file may be called in a sentence; the first one is its own name */
export function outcomeOf({ lives, written_elsewhere, lost }: Observation, names: readonly string[]): Outcome {
  const mentions = (text: string) => names.some((name) => text.includes(name));
  if (written_elsewhere.length > 0) return "written elsewhere";
  if (lives.some(({ state }) => state === "hangs")) return "hang";
  if (lives.some(hasCrashed)) return wasKilledUnharmed(lives) ? "killed" : "crash";
  if (lives.some(({ raw }) => raw.length > 0)) return "raw";
  if (lost.length > 0) return "lost";
  for (const life of lives) {
    if (life.state === "ended") return mentionsWithHint(life.output, names) ? "refused" : "raw";
    if (life.ended_by_itself) return mentions(life.output) ? "ends" : "crash";
    if (mentions(life.output) || life.messages.some(mentions)) return "noticed";
    if (life.verify_problems.length > 0) return "verify";
  }
  return lives.some(({ missing }) => missing.length > 0) ? "unseen" : "harmless";
}

export function hasCrashed({ output, end }: Pick<Life, "output" | "end">): boolean {
  return STACK.test(output) || typeof end === "string";
}

/** A file that is mapped into memory and cut short ends the process that reads it. */
function wasKilledUnharmed(lives: readonly Life[]): boolean {
  const crashed = lives.filter(hasCrashed);
  return crashed.every(({ end }) => end === "SIGBUS") && lives.every(({ missing }) => missing.length === 0);
}

/** `metnos-gate: SENTENCE`, and what to do in the next line. */
function mentionsWithHint(output: string, names: readonly string[]): boolean {
  return [...output.matchAll(/^metnos-gate: (.+)\n {2}\S/gm)].some(([, sentence = ""]) =>
    names.some((name) => sentence.includes(name)),
  );
}
