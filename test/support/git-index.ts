/** Indexes of git (gitformat-index), version 2: of any names, as git itself would never write some. */

const HEAD_BYTES = 62;
const FILE = 0o100644;

/** What an entry takes, in bytes. */
export const entrySize = (name: string): number => (HEAD_BYTES + name.length + 8) & ~7;

function entryOf(name: string, mode: number): Buffer {
  const bytes = Buffer.alloc(entrySize(name));
  bytes.writeUInt32BE(mode, 24);
  bytes.writeUInt16BE(Math.min(name.length, 0xfff), 60);
  bytes.write(name, HEAD_BYTES, "latin1");
  return bytes;
}

/** @param names sorted */
export function indexOf(names: readonly string[], mode = FILE): Buffer {
  const head = Buffer.from("DIRC00000000");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(names.length, 8);
  return Buffer.concat([head, ...names.map((name) => entryOf(name, mode)), Buffer.alloc(20)]);
}
