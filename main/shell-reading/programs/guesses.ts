/** What is looked for where no record says that a program starts another one, or what a pattern or a substitution calls. */

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
