import { readlinkSync } from "node:fs";
import { linksOnWay, realForm } from "@metnos-gate/shell-reading/files";
import type { Link } from "./system-folders.ts";

/** Links that a box needs so that a path leads to the same place inside as outside. */

/** The links on the way to each of `paths`, which are as a user names them. */
export function linksTo(paths: readonly string[]): Link[] {
  return readLinks(paths.flatMap(linksOnWay));
}

/** Where each of `links` leads, as it is written; each once. */
export function readLinks(links: readonly string[]): Link[] {
  return [...new Set(links)].flatMap((path) => {
    try {
      const target = readlinkSync(path);
      // The folders that it goes back from may not be there.
      return [{ path, target: target.includes("..") ? (realForm(path) ?? target) : target }];
    } catch {
      return []; // replaced meanwhile: then it isn't there inside
    }
  });
}
