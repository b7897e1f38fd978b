import type { GateError } from "../../ipc/contract/gate-error.ts";

/** The little of tar (POSIX ustar) that a backup is: regular files, one after the other, that `tar -xzf` unpacks, too. */

const BLOCK = 512;
const MAGIC = "ustar\x0000";
const NAME_BYTES = 100;
/** Eleven octal digits. */
export const MAX_FILE_BYTES = 8 ** 11 - 1;

/** @param name of at most 100 ASCII characters */
export function tarHeader(name: string, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, "0")}\0`, at, "latin1");
  block.write(name, 0, NAME_BYTES, "latin1");
  octal(0o600, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(seconds, 136, 11);
  block.write("0", 156, "latin1");
  block.write(MAGIC, 257, "latin1");
  block.write(`${checksumOf(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** What fills a file's last block. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export const TAR_END = Buffer.alloc(2 * BLOCK);

/** With blanks in place of the checksum itself. */
function checksumOf(block: Buffer): number {
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum;
}

/** Reads such a file strictly, piece by piece: what is in it besides what is asked for is an error. */
export class TarReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #refuse: (problem: string) => GateError;
  #rest: Buffer = Buffer.alloc(0);

  /** `refuse` makes the error for what is wrong with the file. */
  constructor(source: AsyncIterable<Buffer>, refuse: (problem: string) => GateError) {
    this.#source = source[Symbol.asyncIterator]();
    this.#refuse = refuse;
  }

  /** The next file's name and size. @throws what `refuse` makes */
  async header(): Promise<{ name: string; size: number }> {
    const block = await this.#exactly(BLOCK);
    const sum = Number.parseInt(block.toString("latin1", 148, 154), 8);
    const isPlain = block.toString("latin1", 257, 265) === MAGIC && block[156] === 0x30 && block[345] === 0;
    const size = block.toString("latin1", 124, 135);
    if (!isPlain || sum !== checksumOf(block) || !/^[0-7]{11}$/.test(size))
      throw this.#refuse("it isn't a backup as metnos-gate writes it");
    const [name = ""] = block.toString("latin1", 0, NAME_BYTES).split("\0", 1);
    return { name, size: Number.parseInt(size, 8) };
  }

  /** A file's bytes, never more of them at once than the source gives. @throws what `refuse` makes */
  async *bytes(size: number): AsyncGenerator<Buffer> {
    let left = size;
    while (left > 0) {
      const piece = await this.#some(left);
      left -= piece.length;
      yield piece;
    }
    const filling = await this.#exactly(padding(size).length);
    if (filling.some((byte) => byte !== 0)) throw this.#refuse("there are bytes between its files");
  }

  /** Nothing comes any more. @throws what `refuse` makes */
  async end(): Promise<void> {
    const end = await this.#exactly(TAR_END.length);
    if (end.some((byte) => byte !== 0)) throw this.#refuse("it has more files than it names");
    const { done } = await this.#source.next();
    if (this.#rest.length > 0 || done !== true) throw this.#refuse("there are bytes after its end");
  }

  async #exactly(size: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = size; left > 0; ) {
      const piece = await this.#some(left);
      left -= piece.length;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async #some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) throw this.#refuse("it ends too early");
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
