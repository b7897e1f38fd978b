import type { Word } from "../reading.ts";
import { piecesAfter, wordOf } from "../word.ts";

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

// What is looked for where no record says that a program starts another one, or what a pattern or a substitution calls.

/** What is dangerous enough to be looked for behind a program that may start it. */
const DANGEROUS =
  /^(?:rm|dd|mkfs(?:\..+)?|shred|wipefs|blkdiscard|chmod|chown|chgrp|mv|kill|pkill|killall|sudo|doas|sh|bash|zsh|dash|find|xargs|eval|metnos-gate|rimraf|trash|trash-put|python[\d.]*|node|perl|ruby|php)$/;

/** The same at the beginning of a text that may be a command line; some programs mark it (`!rm`, `.shell rm`). */
const DANGEROUS_TEXT =
  /(?:^|[;&|(\n])\s*(?:(?:\\?!|:!|\.shell|shell|spawn|exec)\s*)?(?:(?:sudo|doas|env|nohup|exec|command)\s+)*(?:\/[^\s;&|(]*\/)?(?:rm|dd|mkfs[.\w]*|shred|wipefs|chmod|chown|mv|kill|pkill|killall|find|metnos-gate|(?:ba|z|da)?sh|python[\d.]*|node)\s/;

/** Programs for which a word is a word, whatever it is called. */
export const TAKES_WORDS: ReadonlySet<string> = new Set(
  `echo printf grep egrep fgrep rg ag man info whatis apropos which type whereis hash help git ls cat test [ tldr brew apt apt-get
  apt-cache dpkg npm pip pip3 yarn pnpm cargo jq sed cp ln file stat install touch mkdir wc head tail diff chmod chown rm mv kill
  gh pgrep command alias ps metnos-gate : true false expr logger notify-send say`.split(/\s+/),
);

/** Of those, the ones that start a program by a word of their own in front of it. */
const STARTS_BY_WORD: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn"]);

/** What a pattern in a program's place is looked at for. */
export const NAMES_BEHIND_PATTERNS: readonly string[] = [
  "rm",
  "dd",
  "mv",
  "chmod",
  "chown",
  "shred",
  "sh",
  "bash",
  "find",
  "metnos-gate",
];

/** True if a program of this name is looked for among the words of one that is given no record for it. */
export function isDangerous(name: string): boolean {
  return DANGEROUS.test(name);
}

/** True if a text looks like a command line that runs one of them. */
export function mayRunDangerous(text: string): boolean {
  return DANGEROUS_TEXT.test(text.replace(/\s{2,}/g, (blanks) => (blanks.includes("\n") ? "\n" : " ")));
}

/** True if none of the program's words is a program that it starts. */
export function takesWords(name: string, first: string): boolean {
  return TAKES_WORDS.has(name) && !(STARTS_BY_WORD.has(name) && /^(?:exec|x|dlx)$/.test(first));
}

/** The program that a substitution in a program's place asks for (`$(which rm)`). */
export function programAskedFor(text: string): string | undefined {
  return /^(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP])\s+([\w.+-]+)\s*[)`]$/.exec(text)?.[1];
}
