import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: the disk fails at the FAILS_AT-th thing that it is asked for; with LASTS from then on. */

let left = Number(process.env.FAILS_AT);
const lasts = process.env.LASTS === "true";

function step(): void {
  left -= 1;
  if (left === 0 || (left < 0 && lasts)) throw Object.assign(new Error("it fails"), { code: process.env.FAILS_WITH });
}

type Act = (...words: never[]) => unknown;

const READING = ["openSync", "readSync", "lstatSync", "readdirSync", "readlinkSync", "closeSync"] as const;
const WRITING = [
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmdirSync",
  "mkdirSync",
  "symlinkSync",
  "writeFileSync",
] as const;
for (const name of [...READING, ...WRITING, "writeSync", "fchmodSync", "chmodSync"] as const) {
  const real = fs[name] as Act;
  // Closing always closes.
  const failing = (...words: never[]) => {
    if (name === "closeSync") real(...words);
    step();
    return name === "closeSync" ? undefined : real(...words);
  };
  Object.assign(fs, { [name]: failing });
}
syncBuiltinESMExports();
