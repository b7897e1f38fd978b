import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Bounds } from "../../main/undo/bounds.ts";
import { appendLine, type Changer, type KnownCall, readCalls } from "../../main/undo/call-log.ts";
import { StoreProcess } from "../../main/undo/store-process.ts";
import type { Choice } from "../../main/undo/taken-back.ts";
import { tempFolder } from "../support/temp-folder.ts";

const BOUNDS: Bounds = { max_files: 100_000, max_bytes: 2 * 1024 ** 3, days: 7 };

/** Node, with a file of `stand-ins/` imported first. */
export function nodeImporting(file: string, variables = ""): string {
  const program = join(tempFolder(), "node");
  const imported = fileURLToPath(new URL(`stand-ins/${file}`, import.meta.url));
  writeFileSync(program, `#!/bin/sh\n${variables} exec ${process.execPath} --import ${imported} "$@"\n`, {
    mode: 0o755,
  });
  return program;
}

/** A store of its own, with a project beside it, and its process. */
export class OwnStore {
  readonly folder: string;
  readonly root: string;
  readonly #bounds: Bounds;
  readonly #maker: string | null;
  #node: string;
  process: StoreProcess;
  #calls = 0;

  constructor(
    bounds: Partial<Bounds> = {},
    places: { store?: string; project?: string; node?: string; maker?: string } = {},
  ) {
    const base = tempFolder();
    this.folder = join(places.store ?? base, "store");
    this.root = join(places.project ?? base, "project");
    for (const made of [this.folder, this.root]) mkdirSync(made, { recursive: true, mode: 0o700 });
    this.#node = places.node ?? process.execPath;
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#maker = places.maker ?? null;
    this.process = this.#started();
    onTestFinished(() => this.end());
  }

  #started(): StoreProcess {
    return new StoreProcess({
      folder: this.folder,
      root: this.root,
      bounds: this.#bounds,
      node: this.#node,
      boxMaker: () => this.#maker,
    });
  }

  end(): void {
    const { pid } = this.process;
    if (!this.process.hasEnded && pid !== undefined) process.kill(pid, "SIGKILL");
  }

  /** Another process has the store from now on. @param node of which Node */
  restart(node = this.#node): void {
    this.end();
    this.#node = node;
    this.process = this.#started();
  }

  path(name: string): string {
    return join(this.root, name);
  }

  get calls(): KnownCall[] {
    return readCalls(this.folder);
  }

  async begun(
    paths: readonly string[] | null = null,
    at = Date.now(),
  ): Promise<{ id: string; missing: string | null }> {
    const id = `call-${++this.#calls}`;
    const call = { id, agent: "agent", session: "s", executor: "shell_exec", at };
    return { id, missing: await this.process.ask({ do: "before", call, paths, until: Date.now() + 10_000 }) };
  }

  /** A call that does this. @returns its id */
  async call(act: () => unknown, paths: readonly string[] | null = null): Promise<string> {
    const { id } = await this.begun(paths);
    await act();
    await this.process.ask({ do: "after", id });
    return id;
  }

  /** An undo of whose end nothing is known: its process was killed, and the next one has begun. */
  async interrupted(undo: Changer, paths: readonly string[], tree: string): Promise<void> {
    this.end();
    appendLine(this.folder, { line: "before", ...undo, paths, tree, missing: null });
    this.restart();
    await this.begun();
  }

  /** What would become of each file, by path. */
  async states(...ids: string[]): Promise<Record<string, string>> {
    const files = await this.process.ask({ do: "files", ids });
    return Object.fromEntries(files.map(({ path, state }) => [path, state]));
  }

  /** Takes back what can be, and what was chosen. @returns what became of each file, and the undo's own id */
  async takeBack(ids: readonly string[], choices: Record<string, Choice> = {}) {
    const files = await this.process.ask({ do: "files", ids });
    const wishes = files.map(({ path }) => ({ path, choice: choices[path] ?? null }));
    const id = `undo-${++this.#calls}`;
    const undo = { id, agent: null, session: "", executor: "undo", at: Date.now() };
    const outcomes = Object.fromEntries(await this.process.ask({ do: "takeBack", ids, undo, wishes }));
    return { id, outcomes };
  }
}
