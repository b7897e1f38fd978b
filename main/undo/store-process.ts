import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Bounds } from "./bounds.ts";
import { GIT_PATH } from "./git-program.ts";
import type { Asked } from "./store-program.ts";
import type { FileChange, Outcome } from "./taken-back.ts";
import type { Missing } from "./undo-store.ts";

/** The gate's end of a store's process. */

/** What is asked, and what answers it. */
interface Answers {
  before: Missing | null;
  after: Missing | null;
  prepare: Missing | null;
  files: FileChange[];
  contents: [before: string | null, agent: string | null, now: string | null];
  takeBack: [path: string, Outcome][];
  /** How many calls are kept on. */
  tidy: number;
}

/** From its sources, or built. */
const PROGRAM = ["store-program.ts", "../undo/store-program.js", "../../undo/store-program.js"].map((path) =>
  // Node can't look into the desktop app's archive.
  join(import.meta.dirname, path).replace("/app.asar/", "/app.asar.unpacked/"),
);
/** Of what it keeps in memory, in MiB. */
const MAX_MEMORY = 512;

/** Characters that were put to it and that it hasn't answered: what is beyond would be late anyway. */
const MAX_WAITING = 64 * 1024 * 1024;

/** So long it may take to end, in milliseconds. */
const STOP_MS = 5000;

export interface StorePlace {
  folder: string;
  root: string;
  bounds: Bounds;
  /** Node. */
  node: string;
  /** What makes the boxes that Git runs in; left out: there are none. */
  boxMaker?(): string | null;
}

interface Waiting {
  /** Of what is asked, in characters. */
  length: number;
  /** What has been said of a long answer. */
  parts: unknown[][];
  resolve(answer: never): void;
  reject(error: Error): void;
}

export class StoreProcess {
  readonly #child: ChildProcess;
  readonly #boxMaker: () => string | null;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #waitingLength = 0;
  #saidAt = 0;
  hasEnded = false;
  readonly #ended: Promise<void>;

  constructor({ folder, root, bounds, node, boxMaker = () => null }: StorePlace) {
    this.#boxMaker = boxMaker;
    const program = PROGRAM.find((path) => existsSync(path)) ?? "";
    const flags = [`--max-old-space-size=${MAX_MEMORY}`, "--disable-warning=ExperimentalWarning"];
    this.#child = spawn(node, [...flags, program, folder, root, JSON.stringify(bounds)], {
      cwd: "/",
      // Nothing of the gate's environment gets to Git, nor to Node.
      env: { PATH: GIT_PATH, LANG: "C.UTF-8" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.unref();
    const { promise, resolve: ended } = Promise.withResolvers<void>();
    this.#ended = promise;
    const end = () => {
      this.hasEnded = true;
      ended();
      for (const { reject } of this.#waiting.values())
        reject(new Error("the process that keeps what can be undone ended"));
      this.#waiting.clear();
    };
    this.#child.once("error", end).once("close", end);
    this.#child.stdin?.on("error", () => undefined);
    // Where no more files can be opened, there is none.
    const { stdout } = this.#child;
    if (stdout) createInterface({ input: stdout }).on("line", (line) => this.#answered(line));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How many answers are waited for. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** So much waits that nothing should be added to it. */
  get isCrowded(): boolean {
    return this.#waitingLength > MAX_WAITING;
  }

  /** For so long it has said nothing, in milliseconds, while it is waited for. */
  get silentMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#saidAt;
  }

  /** @throws Error where the process ended, or the store lacks something */
  ask<A extends Asked>(asked: A): Promise<Answers[A["do"]]> {
    const n = ++this.#count;
    return new Promise((resolve, reject) => {
      if (this.hasEnded) return reject(new Error("the process that keeps what can be undone ended"));
      if (this.#waiting.size === 0) this.#saidAt = performance.now();
      const line = `${JSON.stringify({ n, maker: this.#boxMaker(), ...asked })}\n`;
      this.#waiting.set(n, { length: line.length, parts: [], resolve, reject });
      this.#waitingLength += line.length;
      this.#child.stdin?.write(line);
    });
  }

  #answered(line: string): void {
    let said: { n: number; part?: unknown[]; answer?: unknown; failed?: string };
    try {
      said = JSON.parse(line);
    } catch {
      return; // killed while it wrote this one: who waits for it gets an error
    }
    this.#saidAt = performance.now();
    const one = this.#waiting.get(said.n);
    if (said.part !== undefined) return void one?.parts.push(said.part);
    this.#waiting.delete(said.n);
    this.#waitingLength -= one?.length ?? 0;
    if (said.failed === undefined)
      one?.resolve((one.parts.length === 0 ? said.answer : [...one.parts, said.answer].flat()) as never);
    else one?.reject(new Error(said.failed));
  }

  /** It ends once it has answered; nobody waits for that. */
  end(): void {
    this.#child.stdin?.end();
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Ends it, and kills it where that takes too long. Whatever is asked from now on fails. */
  stop(): Promise<void> {
    this.#child.ref();
    this.end();
    const timer = setTimeout(() => this.kill(), STOP_MS);
    return this.#ended.finally(() => clearTimeout(timer));
  }
}
