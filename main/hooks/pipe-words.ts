/**
 * What a hook's launcher says over its pipe: which processes it and the reader of its answer are, its words, the variables that it was
 * written with, and the payload that it got; each ended by a zero byte.
 */

export interface PipeWords {
  /** The launcher itself. */
  launcher: number;
  /** Who reads its answer. */
  reader: number;
  /** `hook claude-code ...`, `after codex`. */
  argv: readonly string[];
  /** `NAME=value`. */
  variables: readonly string[];
  payload: Buffer;
}

/** More than the launcher writes of words and variables. */
const MAX_WORDS = 64;
/** The processes, and the two counts. */
const HEAD = 3;

export function readPipeWords(bytes: Buffer): PipeWords | "incomplete" | "invalid" {
  const words: string[] = [];
  let at = 0;
  const next = (): string | undefined => {
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    const word = bytes.toString("utf8", at, end);
    at = end + 1;
    return word;
  };
  for (let count = 0; count < HEAD; count++) {
    const word = next();
    if (word === undefined) return "incomplete";
    words.push(word);
  }
  const [processes = "", argc = "", envc = ""] = words;
  const [, launcher, reader] = /^(\d{1,10}) (\d{1,10})$/.exec(processes) ?? [];
  if (reader === undefined || !isCount(argc) || !isCount(envc)) return "invalid";
  const rest: string[] = [];
  for (let count = 0; count < Number(argc) + Number(envc); count++) {
    const word = next();
    if (word === undefined) return "incomplete";
    rest.push(word);
  }
  const end = bytes.indexOf(0, at);
  if (end === -1) return "incomplete";
  if (end !== bytes.length - 1) return "invalid";
  return {
    launcher: Number(launcher),
    reader: Number(reader),
    argv: rest.slice(0, Number(argc)),
    variables: rest.slice(Number(argc)),
    payload: bytes.subarray(at, end),
  };
}

const isCount = (word: string): boolean => /^\d{1,2}$/.test(word) && Number(word) <= MAX_WORDS;
