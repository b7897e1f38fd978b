import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: it is killed before it changes anything for the KILLED_AT-th time, or once half of that is written. */

let left = Number(process.env.KILLED_AT);

function step(half: () => void = () => undefined): void {
  if (--left > 0) return;
  half();
  process.kill(process.pid, "SIGKILL");
}

type Act = (...words: never[]) => unknown;

const NAMES = ["renameSync", "linkSync", "unlinkSync", "rmSync", "rmdirSync", "mkdirSync", "symlinkSync"] as const;
for (const name of [...NAMES, "fchmodSync", "chmodSync", "openSync"] as const) {
  const real = fs[name] as Act;
  const isChange = ([, flags]: unknown[]) => name !== "openSync" || (Number(flags) & fs.constants.O_CREAT) !== 0;
  Object.assign(fs, {
    [name]: (...words: never[]) => {
      if (isChange(words)) step();
      return real(...words);
    },
  });
}

const { writeFileSync, writeSync } = fs;
Object.assign(fs, {
  writeFileSync: (path: string, content: string | Buffer, options: fs.WriteFileOptions) => {
    step();
    step(() => writeFileSync(path, content.slice(0, content.length / 2), options));
    writeFileSync(path, content, options);
  },
  writeSync: (fd: number, content: Buffer | string, ...rest: never[]) => {
    step();
    step(() => writeSync(fd, Buffer.from(content).subarray(0, content.length / 2)));
    return (writeSync as Act)(fd as never, content as never, ...rest);
  },
});
syncBuiltinESMExports();
