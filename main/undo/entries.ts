import { constants } from "node:fs";
import type { Objects } from "./objects.ts";

/** What a store keeps of files and folders: Git's trees, with the whole mode of each, and folders that hold nothing. */

/** As a tree has it. Names and paths have one character for each byte. */
export interface Entry {
  /** With its kind, as the system has it. */
  mode: number;
  /** Of its content, in the store; of one that isn't kept, of how it looks. */
  sha: string;
}

const { S_IFMT, S_IFDIR, S_IFLNK } = constants;
/** Git's for what lies elsewhere: it is there, and its content isn't kept. */
export const UNKEPT = 0o160000;

export type Kind = "file" | "link" | "folder" | "unkept";

export function kindOf({ mode }: Pick<Entry, "mode">): Kind {
  const kind = mode & S_IFMT;
  if (kind === UNKEPT) return "unkept";
  if (kind === S_IFDIR) return "folder";
  return kind === S_IFLNK ? "link" : "file";
}

/** Of folders only the mode counts: what they hold are entries of their own. */
export const isSame = (one: Entry | null, other: Entry | null): boolean =>
  one === null || other === null
    ? one === other
    : one.mode === other.mode && (one.sha === other.sha || kindOf(one) === "folder");

/** @returns the tree's name in the store */
export function writeTree(objects: Objects, entries: Iterable<readonly [name: string, Entry]>): string {
  const sorted = [...entries]
    .map(([name, entry]) => ({ key: kindOf(entry) === "folder" ? `${name}/` : name, name, entry }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const text = sorted.map(
    ({ name, entry: { mode, sha } }) => `${mode.toString(8)} ${name}\0${Buffer.from(sha, "hex").toString("latin1")}`,
  );
  return objects.add("tree", Buffer.from(text.join(""), "latin1"));
}

/** @throws where it isn't in the store, or no tree */
async function readTree(objects: Objects, sha: string): Promise<Map<string, Entry>> {
  const bytes = await objects.read(sha);
  const entries = new Map<string, Entry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const zero = bytes.indexOf(0, space);
    if (space < 0 || zero < 0) throw new Error("it isn't a tree");
    const mode = Number.parseInt(bytes.toString("latin1", at, space), 8);
    at = zero + 21;
    entries.set(bytes.toString("latin1", space + 1, zero), { mode, sha: bytes.toString("hex", zero + 1, at) });
  }
  return entries;
}

/** What differs between two trees, by path, folders before what they hold. Of what wasn't kept before nothing below counts: it isn't known what was there. */
export interface Change {
  path: string;
  before: Entry | null;
  after: Entry | null;
}

/** @param before of a tree in the store; null for none */
export async function changesBetween(objects: Objects, before: string | null, after: string | null): Promise<Change[]> {
  const found: Change[] = [];
  const compare = async (one: string | null, other: string | null, prefix: string): Promise<void> => {
    if (one === other) return;
    const [a, b] = await Promise.all([one, other].map((sha) => (sha === null ? NONE : readTree(objects, sha))));
    for (const name of new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])) {
      const [x, y] = [a?.get(name) ?? null, b?.get(name) ?? null];
      const path = prefix + name;
      if (!isSame(x, y)) found.push({ path, before: x, after: y });
      if (x?.mode === UNKEPT) continue;
      const [xTree, yTree] = [x, y].map((entry) => (entry !== null && kindOf(entry) === "folder" ? entry.sha : null));
      if (xTree !== yTree) await compare(xTree ?? null, yTree ?? null, `${path}/`);
    }
  };
  await compare(before, after, "");
  return found;
}

const NONE: ReadonlyMap<string, Entry> = new Map();

/** A tree of these alone, with the folders that they lie in as they are given. */
export function treeOf(objects: Objects, entries: ReadonlyMap<string, Entry>): string {
  const folders = new Map<string, Map<string, Entry>>([["", new Map()]]);
  const sorted = [...entries.keys()].sort();
  for (const path of sorted) if (kindOf(entries.get(path) as Entry) === "folder") folders.set(path, new Map());
  // Those in folders come first, as a folder's name in the store is of what it holds.
  for (const path of sorted.reverse()) {
    const entry = entries.get(path) as Entry;
    const at = path.lastIndexOf("/");
    const own = folders.get(path);
    const whole = own === undefined ? entry : { mode: entry.mode, sha: writeTree(objects, own) };
    folders.get(path.slice(0, Math.max(at, 0)))?.set(path.slice(at + 1), whole);
  }
  return writeTree(objects, folders.get("") ?? []);
}
