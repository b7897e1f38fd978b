import { CHANGE_OUTSIDE, CODE, commands, READ_OUTSIDE, read, section, write } from "../row.ts";

/** C8 and N4: patterns and searches reach links that lead outside of the granted folder. */

const NO_PATH = "a pattern goes through a link";

export const PATTERNS_THROUGH_LINKS = section("C8", CODE, [
  ...commands(NO_PATH, [
    "cat l*/secret",
    "cat */secret",
    "head */*",
    "sort l*/s*",
    "for f in l*/*; do cat $f; done",
    "tac l*",
    "cat ls*",
    "cat lin[k]/secret",
    "cat ./l*/secret",
  ]),
  ...commands("an option follows links", [
    "grep -R s .",
    "rg -L s",
    "find -L . -name secret",
    "cp -rL . x",
    "find . -follow -name secret",
    "ls -LR .",
    "du -L .",
  ]),
  ...commands("a pattern is written through", [
    "sed -i s/s/OVERWRITTEN/ l*/secret",
    "rm l*/secret",
    "tee l*/secret",
    "cp a.txt l*/secret",
    "chmod 600 l*/secret",
    "mv a.txt l*/secret",
    "find -L . -delete",
    "touch l*/secret",
  ]),
  ...commands("a pattern may match ..", [
    "cat .*/other/secret",
    "cat .?/other/secret",
    "cat .[.]/other/secret",
    "cat src/.*/../other/secret",
  ]),
  ...commands(
    "a link by its name is named by where it leads",
    ["cat link/secret", "cat lsecret", "head -n 1 link/../other/secret"],
    {
      expected: READ_OUTSIDE,
    },
  ),
  ...commands(
    "a link by its name is written through",
    ["tee link/secret", "echo x > lsecret", "rm link/secret", "cp a.txt lsecret"],
    {
      expected: CHANGE_OUTSIDE,
    },
  ),
  { call: read("{home}/proj/lsecret"), why: "a link by its name", expected: READ_OUTSIDE },
  { call: write("{home}/proj/link/secret"), why: "a link by its name", expected: CHANGE_OUTSIDE },
]);

export const WALKS_TO_LINKS = section("N4", CODE, [
  ...commands("find hands links on, and the program follows them", [
    String.raw`find . -type l -exec cat {} \;`,
    String.raw`find . -name link -exec cat {}/secret \;`,
    "find . -name lsecret | xargs cat",
    String.raw`find . -name lsecret -exec cp a.txt {} \;`,
    String.raw`find . -name lsecret -exec tee {} \;`,
    String.raw`find . -name lsecret -exec chmod 600 {} \;`,
    "find . -name 'l*' -exec head {} +",
    String.raw`find . -type f -o -exec cat {} \;`,
    String.raw`find . -name lsecret -execdir cat {} \;`,
    "find . -name lsecret -print0 | xargs -0 cat",
  ]),
  ...commands("a comparison of folders follows links", ["diff -r . src", "nl l*"]),
]);
