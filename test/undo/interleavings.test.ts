import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { expect, it } from "vitest";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";
import { OwnStore } from "./own-store.ts";

/**
 * Random acts of agent and user on a few names, then a random undo. What has to be there afterwards is said from pictures of the project
 * alone, by nothing of the product: what only the agent touched is as it was, whatever else is there stays.
 */

const RUNS = Number(process.env.UNDO_RUNS ?? (IS_WHOLE_RUN ? 10_000 : 60));
const SEED = Number(process.env.UNDO_SEED ?? 20_261);

/** xorshift32: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** Few enough that the two meet: one character for each byte. */
const NAMES = ["a", "A", "b\n", "\x01c", "\xff\xfe", "d", "d/e", "d/f", "d/g/h", "d/\xfe\n", "i/j", "i/J", "i"];
const CONTENTS = ["", "one", "two", "one", "x".repeat(5000), "\0\xff\r\n"];
const CASES = [
  ["a", "A"],
  ["i/j", "i/J"],
] as const;

/** Each path with what it is; folders, too. */
type Picture = Map<string, string>;

class Project {
  readonly root: string;
  /** How often each act was done. */
  readonly done = new Map<string, number>();
  constructor(root: string) {
    this.root = root;
  }

  path(name: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.root}/`), Buffer.from(name, "latin1")]);
  }

  empty(): void {
    for (const name of readdirSync(this.root, { encoding: "latin1" })) rmSync(this.path(name), { recursive: true });
  }

  picture(): Picture {
    const found: Picture = new Map();
    const look = (prefix: string) => {
      for (const name of readdirSync(this.path(prefix), { encoding: "latin1" })) {
        const path = prefix === "" ? name : `${prefix}/${name}`;
        const stat = lstatSync(this.path(path));
        const mode = stat.mode.toString(8);
        if (stat.isDirectory()) {
          found.set(path, mode);
          look(path);
        } else if (stat.isSymbolicLink()) found.set(path, `${mode} ${readlinkSync(this.path(path), "latin1")}`);
        else found.set(path, `${mode} ${readFileSync(this.path(path), "latin1")}`);
      }
    };
    look("");
    return found;
  }

  /** Some random acts; what can't be done isn't. */
  act(random: (below: number) => number, most: number): void {
    for (let acts = random(most); acts >= 0; acts--) {
      const names = Object.keys(ACTS);
      const name = names[random(names.length)] ?? "";
      try {
        ACTS[name]?.(this, random);
        this.done.set(name, (this.done.get(name) ?? 0) + 1);
      } catch (error) {
        // Nothing there, or something else than the act needs.
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      }
    }
  }
}

type Act = (project: Project, random: (below: number) => number) => void;

const oneOf = <T>(all: readonly T[], random: (below: number) => number): T => all[random(all.length)] as T;

function write(project: Project, random: (below: number) => number): void {
  const name = oneOf(NAMES, random);
  if (name.includes("/")) mkdirSync(project.path(name.slice(0, name.lastIndexOf("/"))), { recursive: true });
  writeFileSync(project.path(name), Buffer.from(oneOf(CONTENTS, random), "latin1"));
}

const ACTS: Readonly<Record<string, Act>> = {
  create: write,
  change: write,
  "change in place": (project, random) => {
    const path = project.path(oneOf(NAMES, random));
    writeFileSync(path, `${readFileSync(path, "latin1")}+`, { flag: "r+" });
  },
  "same content twice": (project, random) => {
    for (const name of ["a", "d/e"].slice(random(2))) writeFileSync(project.path(name), "the same");
  },
  delete: (project, random) => rmSync(project.path(oneOf(NAMES, random)), { recursive: true }),
  rename: (project, random) => renameSync(project.path(oneOf(NAMES, random)), project.path(oneOf(NAMES, random))),
  "rename by case alone": (project, random) => {
    const [one, other] = oneOf(CASES, random);
    const [from, to] = random(2) === 0 ? [one, other] : [other, one];
    renameSync(project.path(from), project.path(to));
  },
  link: (project, random) => {
    const path = project.path(oneOf(NAMES, random));
    rmSync(path, { force: true });
    symlinkSync(Buffer.from(oneOf(NAMES, random), "latin1"), path);
  },
  "hard link": (project, random) => linkSync(project.path(oneOf(NAMES, random)), project.path(oneOf(NAMES, random))),
  mode: (project, random) => {
    const path = project.path(oneOf(NAMES, random));
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, oneOf([0o644, 0o600, 0o755, 0o700, 0o444, 0o1777], random));
  },
  "file to folder": (project, random) => {
    const path = project.path(oneOf(NAMES, random));
    if (lstatSync(path).isDirectory()) return write(project, random);
    rmSync(path);
    mkdirSync(path);
    writeFileSync(Buffer.concat([path, Buffer.from("/e")]), "in it");
  },
  "folder to file": (project, random) => {
    const path = project.path(oneOf(["d", "i", "d/g"], random));
    if (!lstatSync(path).isDirectory()) return write(project, random);
    rmSync(path, { recursive: true });
    writeFileSync(path, "a file now");
  },
  "empty folder": (project, random) => mkdirSync(project.path(oneOf(NAMES, random))),
};

/** What a call did, from pictures. */
interface Call {
  id: string;
  before: Picture;
  after: Picture;
}

/** What has to be there after these calls were taken back: for each path what it is; undefined for nothing. */
function expected(calls: readonly Call[], end: Picture, path: string): string | undefined {
  const own = calls.filter(({ before, after }) => before.get(path) !== after.get(path));
  const [first, last] = [own[0], own.at(-1)];
  const now = end.get(path);
  if (first === undefined || last === undefined) return now;
  const isBroken = own.some((call, at) => at > 0 && own[at - 1]?.after.get(path) !== call.before.get(path));
  return isBroken || last.after.get(path) !== now ? now : first.before.get(path);
}

/** Paths that lie in each other can't all be as they should: a file of the user's in a folder that was made by the agent. */
function isAtOdds(path: string, wanted: (path: string) => string | undefined, all: ReadonlySet<string>): boolean {
  const isFolder = (one: string) => wanted(one)?.startsWith("4") === true;
  const isThere = (one: string) => wanted(one) !== undefined;
  const odd = (one: string) => {
    const above = one.slice(0, one.lastIndexOf("/"));
    return one.includes("/") && isThere(one) && !isFolder(above);
  };
  return [...all].some(
    (one) => (one === path || one.startsWith(`${path}/`) || path.startsWith(`${one}/`)) && oddAlong(one, odd),
  );
}

const oddAlong = (path: string, odd: (path: string) => boolean): boolean =>
  path.split("/").some((_, at, names) => odd(names.slice(0, at + 1).join("/")));

async function expectUndone(store: OwnStore, project: Project, seed: number): Promise<number> {
  const random = randomOf(seed);
  project.empty();
  project.act(random, 12);
  const calls: Call[] = [];
  for (let turns = 1 + random(6); turns > 0; turns--) {
    if (random(3) === 0) {
      project.act(random, 3);
      continue;
    }
    const before = project.picture();
    const id = await store.call(() => project.act(random, 5));
    calls.push({ id, before, after: project.picture() });
  }
  const chosen = calls.filter(() => random(4) > 0);
  if (chosen.length === 0) return 0;
  const end = project.picture();
  const undo = await store.takeBack(chosen.map(({ id }) => id));
  const after = project.picture();
  const all = new Set([...chosen.flatMap((call) => [...call.before.keys(), ...call.after.keys()]), ...end.keys()]);
  for (const path of after.keys()) all.add(path);
  const wanted = (path: string) => expected(chosen, end, path);
  let undone = 0;
  for (const path of all) {
    const should = wanted(path);
    // What is somebody else's is as it was, always; what is the agent's alone is as it was before it.
    if (should === end.get(path) || !isAtOdds(path, wanted, all))
      expect([seed, path, after.get(path)]).toEqual([seed, path, should]);
    if (should !== end.get(path) && after.get(path) === should) undone++;
  }
  if (undo.outcomes === undefined || Object.keys(undo.outcomes).length === 0) return undone;
  await store.takeBack([undo.id]);
  expect([seed, [...project.picture()].sort()]).toEqual([seed, [...end].sort()]);
  return undone;
}

it(`random acts of agent and user, ${RUNS} times: what only the agent touched comes back, the user's stays, and all can be put again`, async () => {
  const store = new OwnStore();
  const project = new Project(store.root);
  let undone = 0;
  for (let run = 0; run < RUNS; run++) {
    undone += await expectUndone(store, project, SEED + run);
    if (run % 500 === 499) await store.process.ask({ do: "tidy", now: Date.now() + 8 * 86_400_000 });
  }
  // Each of them, or it isn't what this says.
  for (const name of Object.keys(ACTS)) expect([name, (project.done.get(name) ?? 0) > 0]).toEqual([name, true]);
  expect(undone).toBeGreaterThan(RUNS);
});
