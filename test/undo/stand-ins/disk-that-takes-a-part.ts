import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: its disk has room for 40 bytes more as it writes that a call, or an undo, begins. */

const { writeSync } = fs;
let room = 40;
Object.assign(fs, {
  writeSync: (fd: number, content: string | Buffer, at = 0) => {
    const bytes = Buffer.from(content);
    if (!/"line":"before","id":"(?:undo|call-2)/.test(bytes.toString("latin1"))) return writeSync(fd, bytes, at);
    if (room === 0) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    const written = writeSync(fd, bytes, at, Math.min(room, bytes.length - at));
    room = 0;
    return written;
  },
});
syncBuiltinESMExports();
