import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: its disk is full as it writes that an undo has ended. */

const { writeSync } = fs;
Object.assign(fs, {
  writeSync: (fd: number, content: string | Buffer, ...rest: []) => {
    if (/"line":"after","id":"undo/.test(content.toString("latin1")))
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    return writeSync(fd, content as string, ...rest);
  },
});
syncBuiltinESMExports();
