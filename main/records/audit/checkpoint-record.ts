import { closeSync, readFileSync } from "node:fs";
import { z } from "zod";
import { writeDurably } from "../../base/files/durable-file.ts";
import { InPlaceFile } from "../../base/files/in-place-file.ts";
import { openOwnFile } from "../../base/files/own-files.ts";
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

/** A usual one is shorter: it is overwritten in place, which costs the call that comes meanwhile less than another file does. */
const RECORD_BYTES = 4096;

/** Holds `HASH\nJSON\n`, the hash being that of the JSON, and blanks. */
export class CheckpointRecordFile {
  readonly #file: string;
  readonly #inPlace: InPlaceFile;

  constructor(file: string) {
    this.#file = file;
    this.#inPlace = new InPlaceFile(file, RECORD_BYTES);
  }

  /** Undefined where there is none that can be used. */
  read(): CheckpointRecord | undefined {
    try {
      const [hash = "", json = ""] = textOf(this.#file).split("\n");
      return lineHash(json) === hash ? recordSchema.parse(JSON.parse(json)) : undefined;
    } catch {
      return undefined; // whatever is wrong with it, the stored checkpoints say nearly as much
    }
  }

  /** `isDurable`: synced, to survive a crash of the machine. @throws GateError `file_unusable` */
  write(record: CheckpointRecord, isDurable: boolean): void {
    const json = JSON.stringify(record);
    const text = `${lineHash(json)}\n${json}\n`;
    if (isDurable || !this.#overwritten(text)) writeDurably(this.#file, text, "the record of the trail's checkpoints");
  }

  close(): void {
    this.#inPlace.close();
  }

  /** False where it is too long, or what is in its place can't be written into. */
  #overwritten(text: string): boolean {
    try {
      this.#inPlace.write(text);
      return true;
    } catch {
      return false; // another file is made then, which says what is wrong
    }
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
