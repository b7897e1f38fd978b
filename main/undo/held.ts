import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink } from "node:fs/promises";
import { type Entry, treeOf } from "./entries.ts";
import type { Objects } from "./objects.ts";

/**
 * The few files that a file tool's call names, read before the store's process has begun, or is done with the whole project: so an edit
 * can always be taken back. Nothing above a file is followed where it is a link, and nothing that is opened is waited for.
 */

/** A file, link or folder; null: nothing is there. `content`: one character for each byte. */
export type Held = readonly [path: string, found: { mode: number; content: string } | null];

/** Paths, and bytes of all of them together: more is the store's. */
const [MAX_PATHS, MAX_BYTES] = [50, 4 * 1024 * 1024];
/** Calls whose files are read at the same time. */
const MAX_READS = 16;
let reads = 0;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, S_IFMT, S_IFDIR, S_IFREG, S_IFLNK } = constants;

/** As they are now, with the folders that they lie in; undefined where that is too much, or can't be read. @param root real @param paths one character for each byte */
export async function heldNow(root: string, paths: readonly string[]): Promise<Held[] | undefined> {
  if (paths.length > MAX_PATHS || reads >= MAX_READS) return undefined;
  reads += 1;
  const held = new Map<string, Held[1]>();
  try {
    let left = MAX_BYTES;
    for (const path of paths) left -= await hold(held, root, path, left);
    return [...held];
  } catch {
    return undefined; // the store looks itself, and says why
  } finally {
    reads -= 1;
  }
}

/** @returns how many bytes it has read @throws the system's error, and where it is too large or none of these */
async function hold(held: Map<string, Held[1]>, root: string, path: string, left: number): Promise<number> {
  let folder = await open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let above = "";
  try {
    if ((await readlink(`/proc/self/fd/${folder.fd}`)) !== root) throw new Error("a link leads there");
    for (const name of path.split("/")) {
      const part = `${above}${name}`;
      const at = Buffer.concat([Buffer.from(`/proc/self/fd/${folder.fd}/`), Buffer.from(name, "latin1")]);
      const stat = await lstat(at).catch(orNull);
      const kind = stat === null ? 0 : stat.mode & S_IFMT;
      if (stat === null || kind !== S_IFDIR) {
        const content = stat === null ? "" : await contentOf(at, kind, left);
        held.set(part, stat === null ? null : { mode: stat.mode, content });
        return content.length;
      }
      held.set(part, { mode: stat.mode, content: "" });
      const next = await open(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await folder.close();
      [folder, above] = [next, `${part}/`];
    }
    return 0;
  } finally {
    await folder.close();
  }
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

async function contentOf(path: Buffer, kind: number, max: number): Promise<string> {
  if (kind === S_IFLNK) return (await readlink(path, "buffer")).toString("latin1");
  if (kind !== S_IFREG) throw new Error("it is no file");
  let file: FileHandle | undefined;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > max) throw new Error("it is no file, or too large");
    const bytes = Buffer.alloc(stat.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.toString("latin1", 0, bytesRead);
  } finally {
    await file?.close();
  }
}

/** @returns the tree of these in a store @throws the system's error */
export function treeOfHeld(objects: Objects, held: readonly Held[]): string {
  const entries = held.flatMap(([path, found]): [string, Entry][] => {
    if (found === null) return [];
    const { mode, content } = found;
    const isFolder = (mode & S_IFMT) === S_IFDIR;
    return [[path, { mode, sha: isFolder ? "" : objects.add("blob", Buffer.from(content, "latin1")) }]];
  });
  return treeOf(objects, new Map(entries));
}
