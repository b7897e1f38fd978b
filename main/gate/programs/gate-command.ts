/** The gate's own command: what it is called, what runs it, how its process is found, and what an agent may ask it. */
export const GATE_COMMAND = "metnos-gate";

/** The interpreter that its process is. */
export const GATE_INTERPRETER = "node";

/** Texts that a search for processes would find the gate by. */
export const GATE_PROCESS_TEXTS: readonly string[] = [
  "metnos-gate",
  "metnos",
  "metnos-gate serve",
  "node bin/metnos-gate.js serve",
  "/usr/bin/node /opt/metnos-gate/bin/metnos-gate.js serve",
];

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
  ["policy", "table"],
  ["policy", "registry"],
  ["policy", "check"],
  ["policy", "grants"],
  ["agents", "list"],
  ["audit", "verify"],
  ["service", "status"],
];

/** True if a word is the command, by whatever path and version. */
export function isGateCommand(word: string): boolean {
  return /(?:^|\/)metnos-gate(?:\.js)?(?:@[\w.^~-]+)?$/.test(word);
}

/** True if the program runs the gate's command where that is one of its words. */
export function runsGateCommand(name: string): boolean {
  return RUN_BY.has(name);
}

/** True if these words only ask. */
export function onlyAsksGate(words: readonly string[]): boolean {
  // After an option it may be that option's value: `deny --message --help` denies.
  const asks_help = words.some((text, at) => /^(?:--help|-h)$/.test(text) && !words[at - 1]?.startsWith("-"));
  if (words.length === 0 || asks_help) return true;
  return READING.some((allowed) => allowed.every((text, index) => words[index] === text));
}

/** True if one of the commands of a line is asked to run outside the box. */
export function asksForOutside(commands: readonly { name: string; argv: readonly { text: string }[] }[]): boolean {
  return commands.some(
    ({ argv: [program, ...words] }) =>
      program !== undefined &&
      isGateCommand(program.text) &&
      words.find(({ text }) => text !== "--")?.text === "outside",
  );
}
