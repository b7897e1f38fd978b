import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, isAbsolute, join } from "node:path";
import type { Language } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { spoken, spokenBundle } from "../../ipc/words/spoken.ts";
import { isProgram } from "../../main/base/files/is-program.ts";
import type { WatchState } from "./state.ts";

/** Says what waits by the system's speech program: one text at a time, and nothing of what has ended before its turn. */

type Env = Readonly<Record<string, string | undefined>>;

export interface SpeechProgram {
  file: string;
  /** The text is on its input: arguments can be read by the machine's other users. */
  args(language: Language): string[];
}

const PROGRAMS: Readonly<Record<string, SpeechProgram["args"]>> = {
  "spd-say": (language) => ["--wait", "--language", language, "--pipe-mode"],
  // Its voice is the one that the user chose for the system.
  say: () => ["-f", "-"],
  "espeak-ng": (language) => ["-v", language, "--stdin"],
};
const ORDER = ["spd-say", "say", "espeak-ng"];
const ORDER_DARWIN = ["say", "spd-say", "espeak-ng"];

/** More than these are said as one. */
const SAID_SINGLY = 3;
/** A program that says a text for longer doesn't work. In milliseconds. */
const LONGEST_MS = 60_000;

/** The first that is in a folder of PATH; undefined where there is none. */
export function findSpeech(env: Env, platform: NodeJS.Platform): SpeechProgram | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const name of platform === "darwin" ? ORDER_DARWIN : ORDER) {
    const file = folders.map((folder) => join(folder, name)).find(isProgram);
    const args = PROGRAMS[name];
    if (file !== undefined && args !== undefined) return { file, args };
  }
  return undefined;
}

export class Speech {
  readonly #program: SpeechProgram;
  readonly #now: () => number;
  #state: Pick<WatchState, "cards" | "language"> = { cards: [], language: "en" };
  #known: ReadonlySet<string> = new Set();
  /** Tokens of what is to be said, of those that wait. */
  #unsaid: string[] = [];
  #child: ChildProcess | undefined;
  #isOver = false;

  /** @param now Unix milliseconds */
  constructor(program: SpeechProgram, now: () => number) {
    this.#program = program;
    this.#now = now;
  }

  /** What waits now. */
  waits({ cards, isAway, isLoaded, language }: WatchState): void {
    const tokens = new Set(cards.map(({ token }) => token));
    const isNew = (token: string) => !this.#known.has(token);
    this.#unsaid = isAway ? [] : [...this.#unsaid.filter((token) => tokens.has(token)), ...[...tokens].filter(isNew)];
    // What waited before the gate went is nothing new.
    if (isLoaded) this.#known = tokens;
    this.#state = { cards, language };
    this.#sayNext();
  }

  /** Nothing is said any more. */
  end(): void {
    this.#isOver = true;
    this.#unsaid = [];
    this.#child?.kill();
  }

  #sayNext(): void {
    if (this.#isOver || this.#child !== undefined) return;
    const { cards, language } = this.#state;
    const unsaid = cards.filter(({ token }) => this.#unsaid.includes(token));
    const [first] = unsaid;
    if (first === undefined) return;
    const ofAgent = unsaid.filter(({ agent_id }) => agent_id === first.agent_id);
    const said: readonly ApprovalView[] = ofAgent.length > SAID_SINGLY ? ofAgent : [first];
    this.#unsaid = this.#unsaid.filter((token) => !said.some((view) => view.token === token));
    this.#say(
      said.length === 1 ? spoken(first, language, this.#now()) : spokenBundle(first.agent_name, said, language),
    );
  }

  #say(text: string): void {
    const { file, args } = this.#program;
    const child = spawn(file, args(this.#state.language), {
      stdio: ["pipe", "ignore", "ignore"],
      timeout: LONGEST_MS,
    });
    this.#child = child;
    const ended = () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#sayNext();
    };
    child.on("error", ended).on("close", ended);
    // It may end without having read it.
    child.stdin.on("error", () => undefined).end(`${text}\n`);
  }
}
