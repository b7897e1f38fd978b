import type { Wrapper } from "../programs/wrappers.ts";
import { piecesAfter } from "./builtins.ts";
import type { SimpleCommand, Word } from "./reading.ts";
import { wordOf } from "./reading.ts";

/** What stands behind a wrapper's own options. */
export interface AfterWrapper {
  rest: readonly Word[];
  /** Texts that it gives to a shell. */
  code: readonly Word[];
  assignments: readonly { name: string; value: Word }[];
  folder?: Word | undefined;
  /** `env -S`. */
  split?: Word | undefined;
  /** `watch -x`: the words are run as they are. */
  is_exec: boolean;
}

/** Null where it runs nothing. */
export function afterWrapper(wrapper: Wrapper, argv: readonly Word[]): AfterWrapper | null {
  const code: Word[] = [];
  const assignments: { name: string; value: Word }[] = [];
  let folder: Word | undefined;
  let split: Word | undefined;
  let is_exec = false;
  let skips = wrapper.skips ?? 0;
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at] as Word;
    const { text } = word;
    if (wrapper.never?.includes(text)) return null;
    const assignment = wrapper.assigns ? /^([A-Za-z_]\w*)=/.exec(text) : null;
    if (assignment !== null) {
      assignments.push({ name: assignment[1] ?? "", value: wordOf(piecesAfter(word, assignment[0].length), word) });
      continue;
    }
    if (text === "--") {
      at++;
      break;
    }
    if (!/^-./.test(text) || /^-\d+$/.test(text)) {
      if (/^-\d+$/.test(text)) continue;
      if (text === "-" && skips === 0) continue;
      if (skips-- > 0 || wrapper.only_code) continue;
      break;
    }
    const name = text.startsWith("--") ? (text.split("=")[0] ?? text) : text.slice(0, 2);
    const has_value = text.startsWith("--") ? text.includes("=") : text.length > 2;
    const value = has_value
      ? wordOf(piecesAfter(word, text.startsWith("--") ? name.length + 1 : 2), word)
      : argv[at + 1];
    if (wrapper.code?.includes(name) && value !== undefined) {
      code.push(value);
      if (!has_value) at++;
      continue;
    }
    const cluster =
      /^-[A-Za-z]*c$/.test(text) && wrapper.code?.includes("-c") && !wrapper.short?.includes(text.at(1) ?? "");
    if (cluster && argv[at + 1] !== undefined) {
      code.push(argv[at + 1] as Word);
      at++;
      continue;
    }
    if (wrapper.moves?.includes(name)) folder = value;
    if (wrapper.moves?.includes("-C") && /^-[A-Za-z]+S$/.test(text)) {
      split = argv[++at];
      continue;
    }
    if (name === "-S" || name === "--split-string") {
      split = value;
      if (!has_value) at++;
      continue;
    }
    if (name === "-x" || name === "--exec") is_exec = true;
    if (takesNext(wrapper, text)) at++;
  }
  // Words that had to be skipped may stand behind `--` as well.
  at += Math.max(0, Math.min(skips, argv[at - 1]?.text === "--" ? skips : 0));
  return { rest: argv.slice(at), code, assignments, folder, split, is_exec };
}

/** `-u root`, `-nu root`: the last letter of a cluster takes the next word. */
function takesNext({ short = "", long = [] }: Wrapper, text: string): boolean {
  if (text.startsWith("--")) return long.includes(text);
  const letters = text.slice(1);
  const first = [...letters].findIndex((letter) => short.includes(letter));
  return first === letters.length - 1 && first !== -1;
}

/** Options of plain programs whose value a shell runs: `git rebase --exec`, `tar --checkpoint-action=exec=`. */
export function codeValues({ name, argv }: SimpleCommand): Word[] {
  const found: Word[] = [];
  const cut = (word: Word, length: number) => wordOf(piecesAfter(word, length), word);
  const texts = argv.map(({ text }) => text);
  if (name === "git") {
    for (const [index, text] of texts.entries()) {
      const next = argv[index + 1];
      if ((text === "-x" || text === "--exec") && texts.includes("rebase") && next !== undefined) found.push(next);
      if (text === "foreach" && texts.includes("submodule"))
        found.push(
          ...argv
            .slice(index + 1)
            .filter((word) => word.text !== "--recursive")
            .slice(0, 1),
        );
      if (text === "--tree-filter" || text === "--index-filter" || text === "--msg-filter")
        if (next !== undefined) found.push(next);
      const alias =
        /^(?:alias\.[^=]+|core\.(?:pager|editor|sshCommand|fsmonitor)|sequence\.editor|diff\.external)=!?/i.exec(text);
      if (alias !== null && texts[index - 1] === "-c") found.push(cut(argv[index] as Word, alias[0].length));
      const exec = /^--exec=/.exec(text);
      if (exec !== null) found.push(cut(argv[index] as Word, exec[0].length));
    }
    const at = texts.indexOf("run");
    if (at > 0 && texts[at - 1] === "bisect")
      found.push(
        wordOf(
          argv
            .slice(at + 1)
            .flatMap(({ pieces }, index) => (index === 0 ? pieces : [{ text: " ", kind: "text" } as const, ...pieces])),
          argv[at] as Word,
        ),
      );
  }
  if (name === "tar" || name === "bsdtar" || name === "gtar") {
    for (const [index, text] of texts.entries()) {
      const action =
        /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command|info-script|new-volume-script)=/.exec(
          text,
        );
      if (action !== null) found.push(cut(argv[index] as Word, action[0].length));
      if (text === "-I" || text === "--to-command") found.push(...argv.slice(index + 1, index + 2));
    }
  }
  if (name === "vim" || name === "vi" || name === "nvim" || name === "ex" || name === "emacs") {
    for (const word of argv) {
      const bang = /^\+?:?!/.exec(word.text);
      if (bang !== null) found.push(cut(word, bang[0].length));
    }
  }
  if (name === "sed" || name === "gsed") {
    for (const word of argv.slice(1)) {
      for (const match of word.text.matchAll(/(?:^|[;{}\n\d$/])\s*e\s+([^\n]+)/g))
        found.push(wordOf([{ text: match[1] ?? "", kind: "text" }], word));
    }
  }
  if (name === "make" || name === "gmake")
    found.push(...argv.filter(({ text }) => /^SHELL=/.test(text)).map((word) => cut(word, 6)));
  return found;
}
