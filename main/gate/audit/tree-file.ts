import { closeSync, ftruncateSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { writeDurably } from "../durable-file.ts";
import { errorCode } from "../errors.ts";
import { openOwnFile } from "../own-files.ts";
import { writeWhole } from "./append.ts";
import { lineHash, MONTH_FILE } from "./chain.ts";
import { ORIGIN, RESTART_REASONS, type RestartReason } from "./checkpoint.ts";
import { CompactRange } from "./merkle-tree.ts";
import { TrailTree } from "./trail-tree.ts";

/** The file beside the trail with what is needed to add to its tree, so that a start needn't read the whole trail. */

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const OFFSET = z.number().int().nonnegative();
const DAY = z.iso.date().nullable();

const contentSchema = z.object({
  origin: z.string().regex(ORIGIN),
  epoch: z.number().int().positive(),
  size: OFFSET,
  subtrees: z.array(HASH),
  file: z.string().regex(MONTH_FILE).or(z.literal("")),
  hash: HASH,
  offsets: z.record(z.string().regex(MONTH_FILE), OFFSET),
  /** How many lines the newest checkpoint of this tree is about; 0 before the first, and where an earlier version has written this. */
  signed: OFFSET.default(0),
  /** Why this tree was begun anew, until its first checkpoint has said so. */
  restarted: z.enum(RESTART_REASONS).nullable(),
  /** The last days (UTC) on which a checkpoint was sent to the user, and was added to the file for it. */
  sent: DAY,
  filed: DAY,
});

export interface StoredTree {
  origin: string;
  epoch: number;
  tree: TrailTree;
  signed: number;
  restarted: RestartReason | null;
  sent: string | null;
  filed: string | null;
}

/** What the file says: `HASH\nJSON\n`, the hash being that of the JSON; undefined where there is none that can be used. */
export function readTree(file: string): StoredTree | undefined {
  try {
    const [hash = "", json = ""] = textOf(file).split("\n");
    if (lineHash(json) !== hash) return undefined;
    const {
      size,
      subtrees,
      offsets,
      file: last_file,
      hash: last_hash,
      ...rest
    } = contentSchema.parse(JSON.parse(json));
    const range = new CompactRange(
      size,
      subtrees.map((subtree) => Buffer.from(subtree, "hex")),
    );
    return { ...rest, tree: new TrailTree(range, new Map(Object.entries(offsets)), last_file, last_hash) };
  } catch {
    return undefined; // whatever is wrong with it, the tree is built again from the trail
  }
}

/** Whether there is something at its place. */
export function isThere(file: string): boolean {
  try {
    textOf(file);
    return true;
  } catch (error) {
    return errorCode(error) !== "ENOENT";
  }
}

function textOf(file: string): string {
  const descriptor = openOwnFile(file, "read");
  try {
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

/** `is_durable`: synced, to survive a crash of the machine. @throws GateError `file_unusable`, or the system's error */
export function writeTree(file: string, stored: StoredTree, is_durable: boolean): void {
  const { tree, ...rest } = stored;
  const json = JSON.stringify({
    ...rest,
    size: tree.range.size,
    subtrees: tree.range.subtrees.map((subtree) => subtree.toString("hex")),
    file: tree.file,
    hash: tree.hash,
    offsets: Object.fromEntries(tree.offsets),
  } satisfies z.input<typeof contentSchema>);
  const text = `${lineHash(json)}\n${json}\n`;
  if (is_durable) return writeDurably(file, text, "the tree of the trail");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const made = `${file}.new`;
  const descriptor = openOwnFile(made, "overwrite");
  try {
    ftruncateSync(descriptor, 0);
    writeWhole(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  renameSync(made, file);
}
