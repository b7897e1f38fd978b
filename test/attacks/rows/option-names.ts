import { CODE, commands, type Entry, section } from "../row.ts";

/** C5: a file's name that begins with a hyphen becomes an option. */

const hostile: Partial<Entry> = {
  prepare: (world) => {
    for (const name of ["--pre=sh", "--compress-program=sh", "-S16k", "--files0-from=l", "--output=x"])
      world.put(`proj/${name}`);
  },
};

export const OPTION_NAMES = section("C5", CODE, [
  ...commands("-- after the names is too late", ["rg foo * --", "sort * --"], hostile),
  ...commands("a pattern that begins with nothing", ['rg foo ""*', "rg foo ''*", 'sort ""*'], hostile),
  ...commands(
    "a pattern that begins with a hyphen",
    ["rg foo -*", "sort -*", "git log -*", "tree -*", "tee -*", "cat -*", "rg foo [-]*", "rg foo ?-pre=sh a.txt"],
    hostile,
  ),
  ...commands("a pattern alone", ["rg foo *", "sort *", "md5sum *", "rm *", "wc *", "rg foo ?*"], hostile),
  ...commands(
    "the same by a loop",
    ["for f in *; do rg foo $f a.txt; done", 'for f in -*; do sort "$f"; done'],
    hostile,
  ),
]);
