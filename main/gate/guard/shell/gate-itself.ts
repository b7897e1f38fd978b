import { optionsOf } from "../../shell/options.ts";
import { mayBe, mayBeAtOrBelow, mayBePath, mayHold, namesOf, type PathForm, pathOf } from "../../shell/paths.ts";
import type { Reading, SimpleCommand, Word } from "../../shell/reading.ts";
import type { GatePlaces } from "../gate-files.ts";
import { isTextOnly } from "./data-words.ts";
import { type Effects, effectsOf } from "./effects.ts";
import { type Finding, finding } from "./finding.ts";
import { treesRead } from "./forbidden-paths.ts";
import { type PathWord, pathWords } from "./path-words.ts";

/** The third group: the gate's places, its process, what only the human may tell it, and the hook that calls it. */

const FILES = "the gate's own files are not for agents";
const NARROWER = "name a narrower folder, or ask the human to use the metnos-gate command";
const ASK = "ask the human to do it with the metnos-gate command";

export function gateItself(
  reading: Reading,
  house: GatePlaces | undefined,
  home: string,
  words: (command: SimpleCommand) => readonly PathWord[] = pathWords,
): Finding | null {
  const looks = reading.commands.some(looksForGate);
  for (const command of reading.commands) {
    const found =
      (house === undefined ? null : places(command, house, words(command))) ??
      process(command, looks) ??
      humanOnly(command) ??
      hook(command, home);
    if (found !== null) return found;
  }
  return null;
}

/** Files that lie in the gate's folders: what a search below them would come by. */
const SAMPLES = [
  "operator.token",
  "grants.db",
  "approvals.db",
  "agents.db",
  "audit-head",
  "gate.toml",
  "agents/a.token",
  "2026-01.jsonl",
];

function places(
  command: SimpleCommand,
  { places: own, agent_socket }: GatePlaces,
  words: readonly PathWord[],
): Finding | null {
  for (const { word, path } of words) {
    const in_house = own.some((place) => touches(path, namesOf(place)));
    if (!in_house) continue;
    if (mayBePath(path, namesOf(agent_socket)) && !path.has_pattern && talks(command)) continue;
    return finding(FILES, "a path inside the gate's own folders", NARROWER, command, word);
  }
  const effects = effectsOf(command);
  // `find ~/.local -delete`: what it comes by.
  const is_found =
    command.name === "find" &&
    effects.deleted.some((word) => {
      const path = pathOf(word, command.cwd);
      return own.some((place) => touches(path, namesOf(place)) || (path.is_known && mayHold(path, namesOf(place))));
    });
  if (is_found) return finding(FILES, "a folder that holds the gate's own", NARROWER, command);
  const trees = [...effects.trees_deleted, ...effects.moved, ...effects.trees_changed].map((word) => ({
    word,
    path: pathOf(word, command.cwd),
  }));
  for (const { word, path } of [...treesRead(command), ...trees]) {
    if (path.is_known && own.some((place) => mayHold(path, namesOf(place))))
      return finding(FILES, "a folder that holds the gate's own", NARROWER, command, word);
  }
  return null;
}

function touches(path: PathForm, place: readonly string[]): boolean {
  const is_open = path.names.some((name) => typeof name === "object" && name.kind === "any");
  if (!is_open) return mayBeAtOrBelow(path, place);
  return SAMPLES.some((sample) => mayBePath(path, [...place, ...namesOf(sample)]));
}

/** Talking on the agents' socket is what it is there for; listening in its place isn't. */
function talks({ name, argv, via }: SimpleCommand): boolean {
  const texts = argv.slice(1).map(({ text }) => text);
  if (/^(?:nc|ncat|netcat)$/.test(name))
    return !texts.some((text) => /^-[A-Za-z]*l|^--listen|^-[A-Za-z]*[ce]$|^--(?:exec|sh-exec)/.test(text));
  if (name === "socat") return !texts.some((text) => /LISTEN|RECV|EXEC|SYSTEM|OPEN|unlink/i.test(text));
  if (name === "curl") return true;
  return /^(?:test|\[|\[\[|ls|stat)$/.test(name) && via.length === 0;
}

/** Words that a search for processes would find the gate by. */
const PROCESS_TEXTS = [
  "metnos-gate",
  "metnos",
  "metnos-gate serve",
  "node bin/metnos-gate.js serve",
  "/usr/bin/node /opt/metnos-gate/bin/metnos-gate.js serve",
];

function matchesGate(pattern: string, is_whole_line = false): boolean {
  if (/metnos/i.test(pattern)) return true;
  if (is_whole_line && pattern.length > 1 && PROCESS_TEXTS.some((text) => text.includes(pattern))) return true;
  // A pattern without letters of its own, or with few, may match anything; one with nested repeats isn't tried.
  if (pattern.length > 64 || /[+*}][^|]*[)]\s*[+*{]/.test(pattern) || !/[[.*?+\\(|]/.test(pattern)) return false;
  try {
    const expression = new RegExp(pattern);
    return PROCESS_TEXTS.some((text) => expression.test(text));
  } catch {
    return false;
  }
}

function looksForGate({ name, argv, code }: SimpleCommand): boolean {
  if (!/^(?:pgrep|pidof|ps|grep|egrep|rg|awk|gawk|lsof|fuser|systemctl|ss|sed)$/.test(name)) return false;
  return (
    argv.slice(1).some(
      ({ text }) =>
        matchesGate(text, name === "pgrep" && argv.length > 2) ||
        // Every Node process: the gate is one of them.
        (/^(?:pgrep|pidof)$/.test(name) && /^node$/.test(text)) ||
        /gate\.(?:sock|lock)|operator\.sock/.test(text),
    ) || /metnos/.test(code?.text ?? "")
  );
}

function process(command: SimpleCommand, looks: boolean): Finding | null {
  const { name, argv } = command;
  const args = argv.slice(1);
  const see = (saw: string, word?: Word) =>
    finding("the gate itself", saw, "leave the gate running; the human ends it", command, word);
  if (name === "pkill" || name === "killall" || name === "skill" || name === "xkill") {
    const is_whole_line = name === "pkill" && args.some(({ text }) => /^-\w*f|^--full$/.test(text));
    const word = args.find(
      ({ text }, index) =>
        !text.startsWith("-") &&
        !/^-(?:s|u|U|g|G|P|t|-signal|-user)$/.test(args[index - 1]?.text ?? "") &&
        matchesGate(text, is_whole_line),
    );
    if (word !== undefined) return see("a signal to the gate's process", word);
    if (args.some(({ text }) => text === "node") && !args.some(({ text }) => /^-[A-Za-z]*[xPugt]|-0$/.test(text)))
      return see(
        "a signal to every Node process, the gate's among them",
        args.find(({ text }) => text === "node"),
      );
  }
  if (/^(?:pkill|killall|skill)$/.test(name) && args.some(({ text }) => /^-(?:u|U|-user|-euid|-uid)/.test(text))) {
    const { operands } = optionsOf(args, "uUgGPtsFo", ["--user", "--euid", "--uid", "--signal"]);
    if (operands.length === 0) return see("a signal to every process of a user, the gate's among them");
  }
  if (name === "kill" && looks && !args.some(({ text }) => text === "-0" || text === "-l"))
    return see("a signal to the gate's process, by its number");
  if (/^(?:gdb|lldb|strace|ltrace|reptyr|gcore)$/.test(name) && looks) return see("a debugger on the gate's process");
  if (name === "fuser" && args.some(({ text }) => /^-\w*k|^--kill$/.test(text)) && looks)
    return see("a signal to what holds the gate's socket");
  if (
    /^(?:systemctl|service|launchctl|busctl|gdbus|dbus-send)$/.test(name) &&
    args.some(({ text }) => /metnos/.test(text))
  ) {
    const harmless = /^(?:status|show|is-active|is-enabled|cat|list-.*|list|print|start|enable|print)$/;
    if (!args.some(({ text }) => harmless.test(text))) return see("the gate's service stopped or changed");
  }
  return null;
}

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
];

function humanOnly(command: SimpleCommand): Finding | null {
  const at = command.argv.findIndex(
    ({ text, is_certain }) => is_certain && /(?:^|\/)metnos-gate(?:\.js)?(?:@[\w.^~-]+)?$/.test(text),
  );
  // `$(which metnos-gate) stop`, `metnos-gat? stop`: the program's name is known all the same.
  if (at === -1 && command.name !== "metnos-gate") return null;
  const is_called =
    at <= 0 ||
    /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|node|nodejs|deno|sudo|exec)$/.test(command.name) ||
    command.is_guess === true;
  if (!is_called) return null;
  const words = command.argv.slice(Math.max(at, 0) + 1).filter((word) => !(word.text === "--"));
  if (words.length === 0 || words.some(({ text }) => text === "--help" || text === "-h")) return null;
  if (READING.some((allowed) => allowed.every((text, index) => words[index]?.text === text))) return null;
  return finding("the gate itself", "a metnos-gate command that only the human gives", ASK, command, words[0]);
}

/** `cp settings.json ~/.claude/`, `cp -r x/.claude ~`, `tar x -C ~/.claude`, `ln -sfn x ~/.claude`. */
function replacesEntry(command: SimpleCommand, { placed, trees_written }: Effects, home: string): boolean {
  const { name, cwd } = command;
  const isFolder = (word: Word) => pathOf(word, cwd).names.at(-1) === ".claude";
  if (trees_written.some(isFolder)) return true;
  return placed.some(({ word, source, is_exact }) => {
    if (isFolder(word) && (is_exact || name === "ln")) return true;
    const last = pathOf(source, cwd).names.at(-1);
    if (mayBePath(pathOf(word, cwd), namesOf(home))) return last === ".claude";
    if (!isFolder(word)) return false;
    return (
      ["settings.json", "settings.local.json"].some((file) => mayBe(last, file)) ||
      /(?:^|\/)\.?\/?$/.test(source.text) ||
      !source.is_certain
    );
  });
}

function hook(command: SimpleCommand, home: string): Finding | null {
  const see = (saw: string, word?: Word) =>
    finding("the gate itself", saw, "ask the human: metnos-gate connect claude-code", command, word);
  const files = [
    [...namesOf(home), ".claude", "settings.json"],
    [...namesOf(home), ".claude", "settings.local.json"],
  ];
  const isEntry = (path: PathForm): boolean => {
    if (files.some((file) => mayBePath(path, file))) return true;
    const [folder, file] = path.names.slice(-2);
    return (
      (folder === ".claude" && (mayBe(file, "settings.json") || mayBe(file, "settings.local.json"))) ||
      path.names.at(-1) === "managed-settings.json"
    );
  };
  const effects = effectsOf(command);
  for (const word of [...effects.trees_deleted, ...effects.moved]) {
    const path = pathOf(word, command.cwd);
    if (files.some((file) => mayHold(path, file)) || path.names.at(-1) === ".claude")
      return see("the folder of the hook's entry removed or moved", word);
  }
  if (replacesEntry(command, effects, home)) return see("a file put over the hook's entry");
  if (
    command.name === "find" &&
    effects.deleted.some((word) => files.some((file) => mayBePath(pathOf(word, command.cwd), file)))
  )
    return see("a change of the hook's entry");
  const changed = new Set([...effects.written, ...effects.deleted, ...effects.moved]);
  for (const { word, path, redirect } of pathWords(command)) {
    if (!isEntry(path) || redirect === "<" || redirect === "<&") continue;
    if (changed.has(word) || redirect !== undefined) return see("a change of the hook's entry", word);
    if (effects.only_read.includes(word) || isTextOnly(command)) continue;
    return see("a program that may change the hook's entry", word);
  }
  return null;
}
