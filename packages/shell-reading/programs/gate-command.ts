import type { Word } from "../reading.ts";

/** The gate's own command: what it is called, what runs it, how its process is found, and what an agent may ask it. */
export const GATE_COMMAND = "metnos-gate";

/** Its process: the interpreter that it is, and the texts that a search for processes would find it by. */
export const GATE_PROCESS: { readonly interpreter: string; readonly texts: readonly string[] } = {
  interpreter: "node",
  texts: [
    "metnos-gate",
    "metnos",
    "metnos-gate serve",
    "node bin/metnos-gate.js serve",
    "/usr/bin/node /opt/metnos-gate/bin/metnos-gate.js serve",
  ],
};

/** Programs that run it as a word of theirs. */
const RUN_BY: ReadonlySet<string> = new Set("npx npm pnpm pnpx yarn bunx bun node nodejs deno sudo exec".split(" "));

/** What an agent may ask the command: what is, never what should be. */
const READING: readonly (readonly string[])[] = [
  ["--help"],
  ["-h"],
  ["--version"],
  ["-V"],
  ["help"],
  ["status"],
  ["doctor"],
  ["vaglio"],
  ["explain"],
  ["guard"],
  ["hook"],
  // It runs what follows, which is looked at for itself.
  ["outside"],
  ["policy", "table"],
  ["policy", "registry"],
  ["policy", "check"],
  ["policy", "grants"],
  ["agents", "list"],
  ["audit", "verify"],
  ["service", "status"],
];

/** True if a word is the command, by whatever path and version. */
function isGateCommand(word: string): boolean {
  return /(?:^|\/)metnos-gate(?:\.js)?(?:@[\w.^~-]+)?$/.test(word);
}

/** An AppImage is the command behind a word of its own. */
const IMAGE = /(?:^|\/)metnos[ _-]?gate[^/]*\.AppImage$/i;
const IMAGE_MARK = "--cli";

/**
 * The words that the gate's command is given, where the program is it or runs it; undefined where neither is known.
 * @param byAny whatever the program is
 */
export function gateWords(name: string, argv: readonly Word[], byAny = false): readonly Word[] | undefined {
  const [first, second] = argv;
  if (first !== undefined && IMAGE.test(first.text)) return second?.text === IMAGE_MARK ? argv.slice(2) : undefined;
  const at = argv.findIndex(({ text, is_resolved }) => is_resolved && isGateCommand(text));
  // `$(which metnos-gate) stop`, `metnos-gat? stop`: the program's name is known all the same.
  if (at === -1 && name !== GATE_COMMAND) return undefined;
  if (at > 0 && !RUN_BY.has(name) && !byAny) return undefined;
  return argv.slice(Math.max(at, 0) + 1);
}

/** It has models look at a call: that costs money, and what they say of one try after the other says what passes them. */
const ASKS_JUDGES = "--review";

/** True if these words only ask. */
export function onlyAsksGate(words: readonly Pick<Word, "text" | "is_resolved" | "glob">[]): boolean {
  const all = words.map(({ text }) => text);
  const end = all.indexOf("--");
  // After an option it may be that option's value: `deny --message --help` denies. Behind `--` no word is an option.
  const options = end === -1 ? all : all.slice(0, end);
  const asksHelp = options.some((text, at) => /^(?:--help|-h)$/.test(text) && !options[at - 1]?.startsWith("-"));
  const texts = all.filter((text) => text !== "--");
  if (texts.length === 0 || asksHelp) return true;
  if (texts[0] === "explain" && words.some(mayAskJudges)) return false;
  return READING.some((allowed) => allowed.every((text, index) => texts[index] === text));
}

function mayAskJudges({ text, is_resolved, glob }: Pick<Word, "text" | "is_resolved" | "glob">): boolean {
  return !is_resolved || glob === true || text.startsWith(ASKS_JUDGES);
}

/** What `metnos-gate outside` is called as the wrapper of a command. */
export const OUTSIDE = "metnos-gate outside";

/** Where the command begins among the words behind `outside`, and where the reason is; null where that isn't known. */
export interface OutsideWords {
  reason: { at: number; from: number } | null;
  commandAt: number;
}

/** How `outside` reads its words: options first, then the command, whatever it looks like. */
export function outsideWords(words: readonly string[]): OutsideWords | null {
  let reason: OutsideWords["reason"] = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return { reason, commandAt: at + 1 };
    if (word === REASON && at + 1 < words.length) reason = { at: ++at, from: 0 };
    else if (word.startsWith(`${REASON}=`)) reason = { at, from: REASON.length + 1 };
    else if (word.startsWith("-")) return null;
    else return { reason, commandAt: at };
  }
  return { reason, commandAt: words.length };
}

const REASON = "--reason";

/** A command that is asked to run outside the box, with the reason in the words of who asks; null where there is none. */
export interface AskedOutside {
  reason: string | null;
  /** Empty where there is none, or it was taken off. */
  command: readonly Word[];
}

/** What a command asks to run outside the box; null where it doesn't. */
export function askedOutside(name: string, argv: readonly Word[]): AskedOutside | null {
  const words = gateWords(name, argv)?.filter((word, index) => index > 0 || word.text !== "--");
  if (words?.[0]?.text !== "outside") return null;
  const own = words.slice(1);
  // What isn't known may be the command, or an option with its value.
  const unknown = own.findIndex(({ is_resolved, glob }) => !is_resolved || glob === true);
  const read = outsideWords(own.map(({ text }) => text));
  if (read === null) return { reason: null, command: [] };
  if (unknown !== -1 && unknown < read.commandAt) return { reason: null, command: own.slice(unknown) };
  const { reason, commandAt } = read;
  return {
    reason: reason === null ? null : (own[reason.at]?.text.slice(reason.from) ?? null),
    command: own.slice(commandAt),
  };
}
