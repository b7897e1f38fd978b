import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../../ipc/base/json-object.ts";
import { isObject } from "../../../ipc/base/json-object.ts";

/** What is run in the place of a tested client's calls, and what came of them, in a folder of its own. */
export class TestFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** @param sub the folder that each call ends in */
  static create(path: string, sub: string): TestFolder {
    const folder = new TestFolder(path);
    for (const made of [sub, folder.#seen]) mkdirSync(made, { recursive: true });
    // In the launcher's place: notes its last word and where it runs, and names the folder to continue in.
    const program = `printf '%s\\n' "$2" "$(pwd -P)" >>'${folder.#ran}'
printf '%s\\n' '${sub}' >&9
[ "$2" = 0 ] || exit ${FAILS_WITH}
`;
    writeFileSync(folder.#program, program);
    return folder;
  }

  /** The words that are run in the place of a call. */
  argv(call: number): string[] {
    return ["/bin/sh", this.#program, "run", String(call)];
  }

  /** The calls and folders that these words were run with. */
  get ran(): string[] {
    return readLines(this.#ran);
  }

  /** Keeps what the hook was called with. */
  note(event: "before" | "after", call: number, value: object): void {
    writeFileSync(join(this.#seen, `${event}-${call}`), JSON.stringify(value));
  }

  /** What the hook was called with, or undefined where it wasn't. */
  noted(event: "before" | "after", call: number): Json | undefined {
    const [text] = readLines(join(this.#seen, `${event}-${call}`));
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isObject(value) ? value : undefined;
  }

  get #program(): string {
    return join(this.path, "program");
  }

  get #ran(): string {
    return join(this.path, "ran");
  }

  get #seen(): string {
    return join(this.path, "seen");
  }
}

/** The exit code of what is run in the second call's place. */
export const FAILS_WITH = 3;

/** What the calls that the test has the client make would leave, if they were run as they are. */
export const LEFT = ["made-0", "made-1"] as const;

export const lineOf = (left: string): string => `touch ${left}`;

/** Which of the calls a command line is, as it is or as what is run in its place; -1: neither. */
export function callIn(line: string): number {
  return LEFT.findIndex((left, at) => line === lineOf(left) || new RegExp(` run ${at}(?: |$)`).test(line));
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return []; // it was not written
  }
}
