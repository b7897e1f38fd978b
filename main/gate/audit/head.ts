import { closeSync, fdatasyncSync, fstatSync, lstatSync, mkdirSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { GateError } from "../../../ipc/gate-error.ts";
import { ownCommand } from "../../../ipc/own-command.ts";
import { errorCode } from "../errors.ts";
import { openOwnFile } from "../own-files.ts";
import { MONTH_FILE } from "./chain.ts";

/** The record beside the trail: where it ends, and how many lines could not be written. */

const lossSchema = z.object({
  lines: z.number().int().positive(),
  /** Unix seconds of the first one. */
  since: z.number(),
  /** The system's code, such as ENOSPC. */
  error: z.string(),
});
export type Loss = z.infer<typeof lossSchema>;

const positionSchema = z.object({
  /** The month's file with the last line, and the byte after that line; empty and 0 before the first line. */
  file: z.string().regex(MONTH_FILE).or(z.literal("")),
  offset: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
  /** When this was written, in Unix seconds: a running gate rewrites it soon after it has written lines beyond the end. */
  at: z.number(),
  /** True: the gate ended in order, and has written no line beyond the end. */
  is_clean: z.boolean(),
  lost: lossSchema.nullable(),
});
export type EndPosition = z.infer<typeof positionSchema>;

export interface Head {
  /** Of the last line. */
  hash: string;
  /** Null in the format of earlier versions, which had the hash only. */
  position: EndPosition | null;
}

/** The file's fixed size: overwriting it needs no disk space, and is one block. */
const HEAD_BYTES = 512;

/** `HASH\nJSON`, padded with blanks. */
function encodeHead(hash: string, position: EndPosition): Buffer {
  const text = `${hash}\n${JSON.stringify(position)}`;
  return Buffer.from(`${text.padEnd(HEAD_BYTES - 1)}\n`);
}

/**
 * The recorded end; undefined where there is none.
 * @throws GateError `head_unusable`, with the file's name
 */
export function readHead(head_file: string): Head | undefined {
  const bytes = Buffer.alloc(2 * HEAD_BYTES);
  let length: number;
  try {
    const descriptor = openOwnFile(head_file, "read");
    try {
      length = readSync(descriptor, bytes, 0, bytes.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw unusable(
      error instanceof GateError ? error.message : `${head_file} can't be read (${errorCode(error)})`,
      error,
    );
  }
  const [hash = "", rest = ""] = bytes.toString("utf8", 0, length).split("\n");
  if (hash.trim() === "" && rest.trim() === "") return undefined;
  if (!/^[0-9a-f]{64}$/.test(hash)) throw unusable(`${head_file} is no record of a trail's end`);
  return { hash, position: positionIn(rest) };
}

function positionIn(text: string): EndPosition | null {
  if (text.trim() === "") return null;
  try {
    return positionSchema.parse(JSON.parse(text));
  } catch {
    return null; // the comparison with the lines reports that it isn't theirs
  }
}

function unusable(message: string, cause?: unknown): GateError {
  return new GateError("head_unusable", message, `see: ${ownCommand("audit verify")}`, { cause });
}

/** Writes the recorded end, over the previous one. */
export class HeadWriter {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(head_file: string) {
    this.#file = head_file;
  }

  /** `is_durable`: synced, to survive a crash of the machine. @throws the system's error, or GateError `not_a_file` */
  write(hash: string, position: EndPosition, is_durable = false): void {
    if (this.#descriptor !== undefined && !this.#isInPlace(this.#descriptor)) this.close();
    if (this.#descriptor === undefined) {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      this.#descriptor = openOwnFile(this.#file, "overwrite");
    }
    writeSync(this.#descriptor, encodeHead(hash, position), 0, HEAD_BYTES, 0);
    if (is_durable) fdatasyncSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** False where the file was removed, or another one was put in its place. */
  #isInPlace(descriptor: number): boolean {
    const there = lstatSync(this.#file, { throwIfNoEntry: false });
    return there !== undefined && there.ino === fstatSync(descriptor).ino;
  }
}
