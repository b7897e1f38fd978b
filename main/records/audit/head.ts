import { z } from "zod";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { InPlaceFile } from "../../base/files/in-place-file.ts";
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

/** The file's fixed size, one block. It holds `HASH\nJSON`. */
const HEAD_BYTES = 512;

/**
 * The recorded end; undefined where there is none.
 * @throws GateError `head_unusable`, with the file's name
 */
export function readHead(headFile: string): Head | undefined {
  let text: string | undefined;
  try {
    text = new InPlaceFile(headFile, HEAD_BYTES).read();
  } catch (error) {
    throw unusable(
      error instanceof GateError ? error.message : `${headFile} can't be read (${errorCode(error)})`,
      error,
    );
  }
  if (text === undefined) return undefined;
  const [hash = "", rest = ""] = text.split("\n");
  if (hash.trim() === "" && rest.trim() === "") return undefined;
  if (!/^[0-9a-f]{64}$/.test(hash)) throw unusable(`${headFile} is no record of a trail's end`);
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
  readonly #file: InPlaceFile;

  constructor(headFile: string) {
    this.#file = new InPlaceFile(headFile, HEAD_BYTES);
  }

  /** `isDurable`: synced, to survive a crash of the machine. @throws the system's error, or GateError `not_a_file` */
  write(hash: string, position: EndPosition, isDurable = false): void {
    this.#file.write(`${hash}\n${JSON.stringify(position)}`, isDurable);
  }

  close(): void {
    this.#file.close();
  }
}
