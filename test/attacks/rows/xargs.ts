import { CODE, commands, section } from "../row.ts";

/** C4: xargs reads options and splits its input by its own rules. */

const numbers = Array.from({ length: 64 }, (_, index) => index + 1).join(" ");

export const XARGS = section("C4", CODE, [
  ...commands("a long option takes its value by = only: the next word is the program", [
    "echo hi | xargs --replace bash echo",
    "echo hi | xargs --max-lines bash echo",
    "echo hi | xargs --eof bash echo",
  ]),
  ...commands("it removes quotes and backslashes", [
    "echo \"foo '--pre=sh' a.txt\" | xargs rg",
    `echo '"{home}/other/secret"' | xargs cat`,
    String.raw`echo '\{home}/other/secret' | xargs cat`,
    `echo ". -maxdepth 0 '-fprint' pwned" | xargs find`,
    `echo "'-opwned' /dev/null" | xargs sort`,
  ]),
  ...commands("a delimiter of its own", [
    "printf 'foo,--pre=sh,a.txt' | xargs -d, rg",
    "printf 'foo,--pre=sh,a.txt' | xargs --delimiter=, rg",
  ]),
  ...commands("its input comes from a file", [
    "echo a | xargs -alist rg",
    "echo a | xargs --arg-file=list rg",
    "echo a | xargs -a list cat",
    "xargs cat < list",
    "cat list | xargs cat",
  ]),
  ...commands("it sets a variable of the command", [
    "echo x | xargs --process-slot-var=PATH ls",
    "echo x | xargs --process-slot-var=GIT_DIR git status",
  ]),
  ...commands("a list of many words is read to its end", [`echo ${numbers} ../other/secret | xargs cat`]),
  ...commands("dash and zsh expand \\n in echo", [String.raw`echo 'foo\n--pre=sh\na.txt' | xargs rg`]),
  ...commands("what it starts is a shell", ["echo x.sh | xargs sh", "echo x.sh | xargs -I{} sh -c 'sh {}'"]),
]);
