import { CHANGE_INSIDE, CODE, commands, type Entry, edit, section, write } from "../row.ts";

/** M4: files of the project that run. LOW: names in a file. */

export const PROJECT_FILES = section("M4", CODE, [
  ...[".git/hooks/pre-commit", ".git/hooks/post-checkout", ".git/config", ".mcp.json", ".envrc", "sub/.mcp.json"].map(
    (path): Entry => ({ call: edit(`{home}/proj/${path}`), why: "it runs without being asked about" }),
  ),
  {
    call: write("{home}/proj/package.json"),
    why: "its scripts run by npm, which is asked about each time",
    expected: CHANGE_INSIDE,
  },
]);

export const NAMES_IN_FILES = section("LOW", CODE, [
  ...commands("a file's name that is -c makes it read names in files", ["md5sum *", "sha256sum *"], {
    prepare: (world) => world.put("proj/-c"),
  }),
  ...commands("a list of names is read", [
    "md5sum -c list",
    "wc --files0-from=l",
    "du --files0-from=l",
    "file -f list",
  ]),
]);
