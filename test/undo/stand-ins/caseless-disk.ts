import fs, { type PathLike } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: names in its working directory are found whatever their case, and none has a second link, as on an exFAT disk. */

type Named = (name: PathLike, ...rest: never[]) => unknown;

/** As it is there; a path, and what isn't there, as it is. */
function found(name: PathLike): PathLike {
  if (typeof name !== "string" || name.includes("/") || name === ".") return name;
  const names = fs.readdirSync(".");
  return names.find((one) => one === name) ?? names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
}

const one =
  (act: Named): Named =>
  (name, ...rest) =>
    act(found(name), ...rest);
const two = (act: (from: PathLike, to: PathLike) => void) => (from: PathLike, to: PathLike) =>
  act(found(from), found(to));

Object.assign(fs, {
  lstatSync: one(fs.lstatSync as Named),
  openSync: one(fs.openSync as Named),
  readlinkSync: one(fs.readlinkSync as Named),
  unlinkSync: one(fs.unlinkSync as Named),
  rmdirSync: one(fs.rmdirSync as Named),
  mkdirSync: one(fs.mkdirSync as Named),
  renameSync: two(fs.renameSync),
  linkSync: () => {
    throw Object.assign(new Error("not permitted"), { code: "EPERM" });
  },
});
syncBuiltinESMExports();
