import { CHANGE_OUTSIDE, CODE, commands, section } from "../row.ts";

/** C7 and N5: GNU's sed takes what follows -i as a suffix, BSD's takes the next word. */

export const SED = section("C7", CODE, [
  ...commands("letters after -i are a suffix, so the next word is the script", [
    "sed -iep 's/.*/touch pwned/e' a.txt",
    "sed -ine 's/.*/touch pwned/e' a.txt",
    "sed -nie 's/.*/touch pwned/e' a.txt",
    "sed -Eie 's/.*/touch pwned/e' a.txt",
    "sed -ifp 'w pwned' a.txt",
  ]),
  ...commands("BSD's -i takes the next word as the suffix", [
    "sed -i '' 'w {home}/.zshenv' a.txt",
    "sed -i p 'w {home}/.zshenv' a.txt",
    "sed -i s/a/b/ a.txt",
  ]),
]);

const exact = (...files: string[]) => files.flatMap((file) => [`fs:read ${file}`, `fs:write ${file}`]);

export const SED_SUFFIX = section("N5", CODE, [
  ...commands(
    "the suffix makes the name of another file, which direnv runs",
    ["sed -i'c' -e p .envr", "sed -ic -e p .envr"],
    {
      grants: exact("{home}/proj/.envr"),
    },
  ),
  ...commands("the suffix makes the name of another file", ["sed -i.bak p a.txt"], {
    grants: exact("{home}/proj/a.txt"),
    expected: CHANGE_OUTSIDE,
  }),
  ...commands("a suffix with a slash or a * leads elsewhere", ["sed -i../other/ p a.txt", "sed -i'bak/*' p a.txt"]),
]);
