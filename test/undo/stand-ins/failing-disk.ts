import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: of its working directory `bad-file` can't be read, and what is mounted at `bad-mount` isn't there any more. */

type Act = (name: unknown, ...rest: never[]) => unknown;

const failing =
  (real: Act, bad: string, code: string): Act =>
  (name, ...rest) => {
    if (name === bad) throw Object.assign(new Error("it fails"), { code });
    return real(name, ...rest);
  };

Object.assign(fs, {
  openSync: failing(failing(fs.openSync as Act, "bad-file", "EIO"), "bad-mount", "ENOTCONN"),
  lstatSync: failing(fs.lstatSync as Act, "bad-mount", "ENOTCONN"),
});
syncBuiltinESMExports();
