import { CODE, commands, NEVER_ALLOWED, section } from "../row.ts";

/** C1: bash evaluates array indexes wherever it expects a number or a variable's name. */

const INDEX = "a[b[0]+$(touch pwned)]";

export const INDEXES = section("C1", CODE, [
  ...commands("a variable's name may hold an index, and an index a command", [
    `test -v '${INDEX}'`,
    `[ -v '${INDEX}' ]`,
    `[[ -v '${INDEX}' ]]`,
    `[[ '${INDEX}' -eq 1 ]]`,
    `wait -n -p '${INDEX}'`,
  ]),
  ...commands("an integer variable's value is arithmetic", [`RANDOM='${INDEX}'`, `OPTIND='${INDEX}'`]),
  ...commands("a variable's text is arithmetic where a number is expected", [
    `y='${INDEX}'; a[y]=1`,
    `y='${INDEX}'; [[ "y+0" -eq 0 ]]`,
    `y='${INDEX}'; for i in \${!y}; do true; done`,
    `x=abc y='${INDEX}'; for i in \${x:y}; do true; done`,
    `z='${INDEX}'; y=z; ((y))`,
    `z='${INDEX}'; y=z; for i in $((y)); do true; done`,
    `z='${INDEX}'; y=z; case $((y)) in *) ;; esac`,
    `z='${INDEX}'; y=z; cat <<EOF\n$((y))\nEOF`,
    'for y in "$(cat x2)"; do a[y]=1; done',
  ]),
  ...commands(
    "the same, past the guard",
    [
      "test -v 'a[b[0]+$(cat ~/.local/state/metnos/operator.token > stolen)]'",
      "test -v 'a[b[0]+$(rm -rf ~)]'",
      "test -v 'a[b[0]+$(rm -r -f $HOME)]'",
    ],
    { expected: NEVER_ALLOWED },
  ),
  ...commands("other paths that take a number or a name", [
    `test -R '${INDEX}'`,
    `printf -v '${INDEX}' x`,
    `declare -i n='${INDEX}'`,
    `let 'n=${INDEX}'`,
    `(( ${INDEX} ))`,
    `x=abc; echo \${x:${INDEX}}`,
    `echo \${a[${INDEX}]}`,
    `unset '${INDEX}'`,
    `read '${INDEX}' < a.txt`,
    `test 1 -eq '${INDEX}'`,
  ]),
]);
