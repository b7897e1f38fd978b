import fs, { type PathLike } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Imported before a program: folders keep their times whatever comes into them, as on some disks that a program serves (FUSE). */

const FUSE = 0x65735546;
const { lstatSync, statfsSync } = fs;

Object.assign(fs, {
  lstatSync: (path: PathLike, ...how: []) => {
    const stat = lstatSync(path, ...how) as fs.Stats | undefined;
    return stat?.isDirectory() ? Object.assign(stat, { size: 0, mtimeMs: 1000.5, ctimeMs: 1000.5 }) : stat;
  },
  statfsSync: (path: PathLike) => Object.assign(statfsSync(path), { type: FUSE }),
});
syncBuiltinESMExports();
