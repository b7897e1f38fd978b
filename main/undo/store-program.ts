import { existsSync, realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Bounds } from "./bounds.ts";
import type { Changer } from "./call-log.ts";
import type { Held } from "./held.ts";
import { takeOver } from "./one-process.ts";
import { UndoStore, type Wish } from "./undo-store.ts";

/** The process that has one store: whatever a project has its reader wait for, the gate doesn't. A line of JSON asks, a line answers. */

export type Asked =
  | { do: "before"; call: Changer; paths: readonly string[] | null; until: number; held?: readonly Held[] }
  | { do: "after"; id: string; held?: readonly Held[] }
  | { do: "prepare" }
  | { do: "files"; ids: readonly string[] }
  | { do: "contents"; ids: readonly string[]; path: string; max: number }
  | { do: "takeBack"; ids: readonly string[]; undo: Changer; wishes: readonly Wish[] }
  | { do: "tidy"; now: number };

/** Once nobody has asked for so long, what was seen is stored; in milliseconds. */
const STORE_AFTER_MS = 1000;
/** Files in one line of an answer. */
const PIECE = 200;

function answerTo(store: UndoStore, asked: Asked): unknown {
  switch (asked.do) {
    case "before":
      return store.before(asked.call, asked.paths, asked.until, asked.held);
    case "after":
      return store.after(asked.id, asked.held);
    case "prepare":
      return store.prepare();
    case "files":
      return store.files(asked.ids);
    case "contents":
      return store.contents(asked.ids, asked.path, asked.max);
    case "takeBack":
      return store.takeBack(asked.ids, asked.undo, asked.wishes);
    case "tidy":
      return store.tidy(asked.now);
  }
}

function run(folder: string, root: string, bounds: string): void {
  process.umask(0o077);
  process.chdir("/");
  // In its project it would keep itself, and take itself back. What was forgotten meanwhile, or is gone with its gate's home, isn't made anew.
  const isNone = () => !existsSync(folder) || realpathSync(folder).startsWith(`${root}/`);
  if (!isNone()) takeOver(folder);
  if (isNone()) process.exit(1);
  const store = new UndoStore(folder, root, JSON.parse(bounds) as Bounds);
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const say = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const answer = async (line: string) => {
    const { n, maker, ...asked } = JSON.parse(line) as Asked & { n: number; maker: string | null };
    store.boxedBy(maker);
    try {
      let made = (await answerTo(store, asked)) ?? null;
      // Whoever takes a long line apart keeps others waiting.
      for (; Array.isArray(made) && made.length > PIECE; made = made.slice(PIECE))
        say({ n, part: made.slice(0, PIECE) });
      say({ n, answer: made });
    } catch (error) {
      say({ n, failed: error instanceof Error ? error.message : String(error) });
    }
    clearTimeout(timer);
    timer = setTimeout(() => store.storeSeen(), STORE_AFTER_MS);
  };
  createInterface({ input: process.stdin })
    .on("line", (line) => (last = last.then(() => answer(line))))
    .once("close", () => {
      void last.finally(() => {
        clearTimeout(timer);
        store.close();
        process.exit(0);
      });
    });
  // The gate was killed.
  process.stdout.on("error", () => process.exit(1));
}

const [folder, root, bounds] = process.argv.slice(2);
if (folder !== undefined && root !== undefined && bounds !== undefined) run(folder, root, bounds);
