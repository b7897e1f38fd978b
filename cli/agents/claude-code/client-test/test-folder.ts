import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../../json-object.ts";
import { isObject } from "../../../json-object.ts";

/** The folder of one test of a client: its home, its settings, a project, and what came of its calls. */
export class TestFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static create(): TestFolder {
    const folder = new TestFolder(realpathSync(mkdtempSync(join(tmpdir(), "metnos-client-"))));
    for (const path of [folder.home, folder.config, folder.sub, folder.#seen]) mkdirSync(path, { recursive: true });
    // In the launcher's place: notes its last word and where it runs, and names the folder to continue in.
    const program = `printf '%s\\n' "$2" "$(pwd -P)" >>'${folder.#ran}'
printf '%s\\n' '${folder.sub}' >&9
[ "$2" = ${CALLS[0].id} ] || exit 3
`;
    writeFileSync(folder.#program, program);
    return folder;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  get home(): string {
    return join(this.path, "home");
  }

  get config(): string {
    return join(this.path, "config");
  }

  get project(): string {
    return join(this.path, "project");
  }

  /** The folder of the project that the first call ends in. */
  get sub(): string {
    return join(this.project, "sub");
  }

  /** The words that are run in the place of a call. */
  argv(call_id: string): string[] {
    return ["/bin/sh", this.#program, "run", call_id];
  }

  /** The ids and folders that these words were run with. */
  get ran(): string[] {
    return readLines(this.#ran);
  }

  /** Keeps what the hook was called with. */
  note(event: string, call_id: string, value: object): void {
    writeFileSync(join(this.#seen, `${event}-${call_id}`), JSON.stringify(value));
  }

  /** What the hook was called with, or undefined where it wasn't. */
  noted(event: string, call_id: string): Json | undefined {
    const [text] = readLines(join(this.#seen, `${event}-${call_id}`));
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

/** The calls that the test has the client make. Each would leave a file, if it was run as it is. */
export const CALLS = [
  { id: "toolu_0", left: "made-0" },
  { id: "toolu_1", left: "made-1" },
] as const;

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return []; // it was not written
  }
}
