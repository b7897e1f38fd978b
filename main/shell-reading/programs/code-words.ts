import type { Word } from "../shell/reading.ts";
import { piecesAfter, wordOf } from "../shell/word.ts";

/** Words of plain programs that a shell runs: `git rebase --exec`, `tar --checkpoint-action=exec=`. */

type CodeWords = (argv: readonly Word[]) => Word[];

/** The texts among a command's words (the program's name first) that a shell runs. */
export function codeWords(name: string, argv: readonly Word[]): Word[] {
  return Object.hasOwn(BY_NAME, name) ? (BY_NAME[name]?.(argv) ?? []) : [];
}

const cut = (word: Word, length: number): Word => wordOf(piecesAfter(word, length), word);

const ofGit: CodeWords = (argv) => {
  const found: Word[] = [];
  const texts = argv.map(({ text }) => text);
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
  return found;
};

const ofTar: CodeWords = (argv) =>
  argv.flatMap((word, index) => {
    const action =
      /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command|info-script|new-volume-script)=/.exec(
        word.text,
      );
    return [
      ...(action === null ? [] : [cut(word, action[0].length)]),
      ...(word.text === "-I" || word.text === "--to-command" ? argv.slice(index + 1, index + 2) : []),
    ];
  });

/** `vim +!COMMAND`, `vim -c :!COMMAND`. */
const ofEditor: CodeWords = (argv) =>
  argv.flatMap((word) => {
    const bang = /^\+?:?!/.exec(word.text);
    return bang === null ? [] : [cut(word, bang[0].length)];
  });

/** sed's own `e COMMAND`. */
const ofSed: CodeWords = (argv) =>
  argv
    .slice(1)
    .flatMap((word) =>
      [...word.text.matchAll(/(?:^|[;{}\n\d$/])\s*e\s+([^\n]+)/g)].map((match) =>
        wordOf([{ text: match[1] ?? "", kind: "text" }], word),
      ),
    );

const ofMake: CodeWords = (argv) => argv.filter(({ text }) => /^SHELL=/.test(text)).map((word) => cut(word, 6));

const BY_NAME: Readonly<Record<string, CodeWords>> = {
  git: ofGit,
  tar: ofTar,
  bsdtar: ofTar,
  gtar: ofTar,
  vim: ofEditor,
  vi: ofEditor,
  nvim: ofEditor,
  ex: ofEditor,
  emacs: ofEditor,
  sed: ofSed,
  gsed: ofSed,
  make: ofMake,
  gmake: ofMake,
};

/** The names of all programs with such words. */
export const CODE_WORD_NAMES: readonly string[] = Object.keys(BY_NAME);
