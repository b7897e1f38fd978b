import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** The paths that something looks at (`lstat`), each as often as it does. */
export function looksOf(act: () => unknown): string[] {
  const { lstatSync } = fs;
  const paths: string[] = [];
  const put = (look: unknown) => {
    Object.assign(fs, { lstatSync: look });
    syncBuiltinESMExports();
  };
  put((path: fs.PathLike, ...how: []) => {
    paths.push(String(path));
    return lstatSync(path, ...how);
  });
  try {
    act();
  } finally {
    put(lstatSync);
  }
  return paths;
}
