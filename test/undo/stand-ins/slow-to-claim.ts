import fs, { type PathLike } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: it takes half a second until it writes that it has its store. */

const { appendFileSync, renameSync } = fs;
const wait = (path: PathLike) => {
  if (String(path).endsWith("/pid")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
};

Object.assign(fs, {
  appendFileSync: (path: PathLike, ...rest: [string]) => {
    wait(path);
    appendFileSync(path, ...rest);
  },
  renameSync: (from: PathLike, to: PathLike) => {
    wait(to);
    renameSync(from, to);
  },
});
syncBuiltinESMExports();
