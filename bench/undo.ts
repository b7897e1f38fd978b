import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { StoreProcess } from "../main/undo/store-process.ts";
import { type Figure, figure, median } from "./figure.ts";

/** What keeping a project costs before a call, against what Git needs for the same, and taking back what a call deleted. */

const ROUNDS = 15;
const IN_FOLDER = 50;
const CHANGED = 20;
const BOUNDS = { max_files: 100_000, max_bytes: 2 * 1024 ** 3, days: 7 };
const GIT = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

interface Place {
  base: string;
  project: string;
  files: string[];
}

function projectOf(count: number): Place {
  const base = mkdtempSync(join(tmpdir(), "metnos-bench-undo-"));
  const project = join(base, "project");
  const files: string[] = [];
  for (let at = 0; at < count; at++) {
    const folder = join(project, `part${Math.floor(at / IN_FOLDER) % 20}`, `module${Math.floor(at / IN_FOLDER)}`);
    if (at % IN_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const file = join(folder, `file${at}.ts`);
    writeFileSync(file, `export const value${at} = ${at};\n`.repeat(1 + (at % 80)));
    files.push(file);
  }
  return { base, project, files };
}

/** Milliseconds. */
async function timed(act: () => unknown): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

function startedIn({ base, project }: Place): StoreProcess {
  const folder = join(base, "store");
  // As the gate does: a store makes no folder anew that was forgotten.
  mkdirSync(folder, { recursive: true });
  return new StoreProcess({ folder, root: project, bounds: BOUNDS, node: process.execPath });
}

function gitAdd({ base, project }: Place): () => void {
  const folder = join(base, "git");
  const env = {
    PATH: process.env.PATH,
    HOME: base,
    GIT_DIR: folder,
    GIT_WORK_TREE: project,
    GIT_INDEX_FILE: join(base, "index"),
  };
  execFileSync("git", ["init", "-q", "--bare", folder], { env: { PATH: process.env.PATH, HOME: base } });
  return () => execFileSync("git", [...GIT, "add", "-A"], { cwd: project, env });
}

let calls = 0;

function before(store: StoreProcess): Promise<string | null> {
  const call = { id: `call-${++calls}`, agent: "bench", session: "s", executor: "shell_exec", at: Date.now() };
  return store.ask({ do: "before", call, paths: null, until: Date.now() + 60_000 });
}

/** What is as old as this isn't looked at as if it had just been written. */
const SETTLED_MS = 60;

async function ofProject(count: number, limits: { unchanged: number; changed: number }): Promise<Figure[]> {
  const place = projectOf(count);
  const store = startedIn(place);
  try {
    await wait(SETTLED_MS);
    const add = gitAdd(place);
    const firstGit = await timed(add);
    const first = await timed(() => before(store));
    await before(store);
    const [unchanged, changed, changedGit]: number[][] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      unchanged?.push(await timed(() => before(store)));
      for (const file of place.files.slice(round * CHANGED, (round + 1) * CHANGED))
        appendFileSync(file, `// ${round}\n`);
      await wait(SETTLED_MS);
      changed?.push(await timed(() => before(store)));
      changedGit?.push(await timed(add));
    }
    const [same, some, git] = [unchanged, changed, changedGit].map((values) => median(values ?? []));
    const name = `undo: ${count.toLocaleString("en")} files`;
    return [
      figure(`${name}, nothing changed`, same ?? Number.NaN, "ms", limits.unchanged, `first ${first.toFixed(0)} ms`),
      figure(`${name}, ${CHANGED} changed`, some ?? Number.NaN, "ms", limits.changed, `git add ${git?.toFixed(0)} ms`),
      figure(
        `${name}, against git add -A`,
        (some ?? 0) / (git ?? 1),
        "x",
        1.15,
        `first ${(first / firstGit).toFixed(2)} x`,
      ),
    ];
  } finally {
    await store.stop();
    rmSync(place.base, { recursive: true });
  }
}

async function deletedFiles(): Promise<Figure[]> {
  const place = projectOf(2000);
  const store = startedIn(place);
  try {
    const took: number[] = [];
    for (let round = 0; round < 5; round++) {
      await before(store);
      const id = `call-${calls}`;
      for (const file of place.files.slice(0, 300)) rmSync(file);
      await store.ask({ do: "after", id });
      const files = await store.ask({ do: "files", ids: [id] });
      const wishes = files.map(({ path }) => ({ path, choice: "before" as const }));
      const undo = { id: `undo-${round}`, agent: null, session: "", executor: "undo", at: Date.now() };
      took.push(await timed(() => store.ask({ do: "takeBack", ids: [id], undo, wishes })));
      if (!place.files.every((file) => statSync(file).isFile())) throw new Error("not all files came back");
    }
    return [figure("undo: 300 deleted files come back", median(took), "ms", 250, "of 2,000")];
  } finally {
    await store.stop();
    rmSync(place.base, { recursive: true });
  }
}

async function manySnapshots(rounds: number): Promise<Figure[]> {
  const place = projectOf(2000);
  const store = startedIn(place);
  try {
    for (let round = 0; round < rounds; round++) {
      for (let at = 0; at < CHANGED; at++)
        appendFileSync(place.files[(round * CHANGED + at) % place.files.length] ?? "", `// ${round}\n`);
      await before(store);
      if (round % 100 === 99) await store.ask({ do: "tidy", now: Date.now() });
    }
    const packs = join(place.base, "store/objects/pack");
    const bytes = readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
    return [
      figure(`undo: store after ${rounds} snapshots`, bytes / 1024 ** 2, "MB", 100, "2,000 files, 20 changed each"),
    ];
  } finally {
    await store.stop();
    rmSync(place.base, { recursive: true });
  }
}

export async function undo(): Promise<Figure[]> {
  return [
    ...(await ofProject(2000, { unchanged: 25, changed: 60 })),
    ...(await ofProject(30_000, { unchanged: 150, changed: 250 })),
    ...(await deletedFiles()),
    ...(await manySnapshots(1000)),
  ];
}
