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

/** Random acts of agent and user on a few names, then a random undo: what only the agent touched is as it was, what the user did is there. */

const RUNS = IS_WHOLE_RUN ? 10_000 : 60;
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
const NAMES = ["a", "A", "b\n", "\x01c", "\xff\xfe", "d", "d/e", "d/f", "d/g/h", "i/j", "i"];
const CONTENTS = ["", "one", "two", "one", "x".repeat(5000)];

/** Each path with what it is; folders, too. */
type Picture = Map<string, string>;

class Project {
  readonly root: string;
  constructor(root: string) {
    this.root = root;
  }

  path(name: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.root}/`), Buffer.from(name, "latin1")]);
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

  /** One random act; what can't be done isn't. */
  act(random: (below: number) => number): void {
    const name = NAMES[random(NAMES.length)] ?? "a";
    const other = NAMES[random(NAMES.length)] ?? "b";
    const [at, to] = [this.path(name), this.path(other)];
    const folder = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
    try {
      switch (random(10)) {
        case 0:
        case 1:
        case 2:
          if (folder !== "") mkdirSync(this.path(folder), { recursive: true });
          return writeFileSync(at, CONTENTS[random(CONTENTS.length)] ?? "");
        case 3:
          return rmSync(at, { recursive: true });
        case 4:
          return renameSync(at, to);
        case 5:
          rmSync(at, { force: true });
          return symlinkSync(other, at);
        case 6:
          return chmodSync(at, [0o644, 0o600, 0o755][random(3)] ?? 0o644);
        case 7:
          rmSync(at, { recursive: true, force: true });
          return mkdirSync(at);
        case 8:
          if (lstatSync(at).isDirectory()) rmSync(at, { recursive: true });
          return writeFileSync(at, "a file now");
        default:
          return linkSync(at, to);
      }
    } catch (error) {
      // Nothing there, or something else than the act needs.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }
}

const differing = (one: Picture, other: Picture): Set<string> =>
  new Set([...one.keys(), ...other.keys()].filter((path) => one.get(path) !== other.get(path)));

/** Of a path, and of what it lies in. */
const above = (path: string): string[] => path.split("/").map((_, at, names) => names.slice(0, at + 1).join("/"));

async function expectUndone(store: OwnStore, seed: number): Promise<void> {
  const random = randomOf(seed);
  const project = new Project(store.root);
  for (const name of readdirSync(store.root, { encoding: "latin1" })) rmSync(project.path(name), { recursive: true });
  for (let acts = random(8); acts >= 0; acts--) project.act(random);
  const begin = project.picture();
  const users = new Set<string>();
  const calls: string[] = [];
  for (let turns = 1 + random(5); turns > 0; turns--) {
    if (random(2) === 0) {
      const before = project.picture();
      for (let acts = random(3); acts >= 0; acts--) project.act(random);
      for (const path of differing(before, project.picture())) users.add(path);
    } else
      calls.push(
        await store.call(() => {
          for (let acts = random(4); acts >= 0; acts--) project.act(random);
        }),
      );
  }
  if (calls.length === 0) return;
  const end = project.picture();
  const undo = await store.takeBack(calls);
  const after = project.picture();
  const usersOwn = (path: string) =>
    above(path).some((part) => users.has(part)) || [...users].some((one) => one.startsWith(`${path}/`));
  for (const path of new Set([...begin.keys(), ...end.keys(), ...after.keys()]))
    if (!usersOwn(path)) expect([seed, path, after.get(path)]).toEqual([seed, path, begin.get(path)]);
  await store.takeBack([undo.id]);
  expect([seed, [...project.picture()].sort()]).toEqual([seed, [...end].sort()]);
}

it(`random acts of agent and user, ${RUNS} times: what only the agent touched comes back, and all of it can be put again`, async () => {
  const store = new OwnStore();
  for (let run = 0; run < RUNS; run++) await expectUndone(store, SEED + run);
});

it("a user's edits are never lost, whatever the agent did before and after", async () => {
  const store = new OwnStore();
  const project = new Project(store.root);
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(SEED + 7919 * run);
    for (const name of readdirSync(store.root, { encoding: "latin1" })) rmSync(project.path(name), { recursive: true });
    for (let acts = random(8); acts >= 0; acts--) project.act(random);
    const agent = () => {
      for (let acts = random(5); acts >= 0; acts--) project.act(random);
    };
    const ids = [await store.call(agent), await store.call(agent)];
    const before = project.picture();
    for (let acts = random(4); acts >= 0; acts--) project.act(random);
    const end = project.picture();
    await store.takeBack(ids);
    const after = project.picture();
    for (const path of differing(before, end)) {
      // What the user removed may come back as nothing of the user's is lost by it.
      if (!end.has(path)) continue;
      expect([run, path, after.get(path)]).toEqual([run, path, end.get(path)]);
    }
  }
});
