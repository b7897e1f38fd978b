import { closeSync, ftruncateSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../base/files/durable-file.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
import { writeWhole } from "./append.ts";
import { lineHash, MONTH_FILE } from "./chain.ts";
import { ORIGIN } from "./checkpoint.ts";

/** The file beside the trail with what the gate knows of its checkpoints. Earlier versions kept a tree in it as well. */

const SIZE = z.number().int().nonnegative();
const DAY = z.iso.date().nullable();

const recordSchema = z.object({
  origin: z.string().regex(ORIGIN),
  epoch: z.number().int().positive(),
  /** What the newest checkpoint says how many lines there are; 0 before the first of this epoch. */
  signed: SIZE.default(0),
  /** How long the months' files were then, in bytes. */
  offsets: z.record(z.string().regex(MONTH_FILE), SIZE),
  /** The last days (UTC) on which a checkpoint was sent to the user, and was added to the file for it. */
  sent: DAY,
  filed: DAY,
});
export type CheckpointRecord = z.infer<typeof recordSchema>;

/** What the file says: `HASH\nJSON\n`, the hash being that of the JSON; undefined where there is none that can be used. */
export function readRecord(file: string): CheckpointRecord | undefined {
  try {
    const [hash = "", json = ""] = textOf(file).split("\n");
    return lineHash(json) === hash ? recordSchema.parse(JSON.parse(json)) : undefined;
  } catch {
    return undefined; // whatever is wrong with it, the stored checkpoints say nearly as much
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
export function writeRecord(file: string, record: CheckpointRecord, is_durable: boolean): void {
  const json = JSON.stringify(record);
  const text = `${lineHash(json)}\n${json}\n`;
  if (is_durable) return writeDurably(file, text, "the record of the trail's checkpoints");
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
