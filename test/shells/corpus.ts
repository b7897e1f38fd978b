// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell
import type { Kind } from "./check.ts";
import type { Line } from "./session.ts";

/** Lines that a gate once allowed, or may be tempted to allow, by what they do beyond a grant on the whole project. */

export interface HarmfulLine extends Line {
  /** The harm, in one of the shells at least. */
  harm: Kind;
}

const of = (harm: Kind, texts: readonly string[], cwd?: string): HarmfulLine[] =>
  texts.map((text) => ({ text, harm, cwd }));

const ARITHMETIC = of("code ran", [
  "test -v 'a[b[0]+$(touch pwned)]'",
  "[ -v 'a[b[0]+$(touch pwned)]' ]",
  "[[ -v 'a[b[0]+$(touch pwned)]' ]]",
  "[[ 'a[b[0]+$(touch pwned)]' -eq 1 ]]",
  "true & wait -n -p 'a[b[0]+$(touch pwned)]'",
  "RANDOM='a[b[0]+$(touch pwned)]'",
  "OPTIND='a[b[0]+$(touch pwned)]'",
  "y='a[b[0]+$(touch pwned)]'; a[y]=1",
  "y='a[b[0]+$(touch pwned)]'; [[ \"y+0\" -eq 0 ]]",
  "y='a[b[0]+$(touch pwned)]'; for i in ${!y}; do :; done",
  "x=abc; y='a[b[0]+$(touch pwned)]'; for i in ${x:y}; do :; done",
  "z='a[b[0]+$(touch pwned)]'; y=z; ((y))",
  "z='a[b[0]+$(touch pwned)]'; y=z; for i in $((y)); do :; done",
  "z='a[b[0]+$(touch pwned)]'; y=z; case $((y)) in *) ;; esac",
  "z='a[b[0]+$(touch pwned)]'; y=z; cat <<EOF\n$((y))\nEOF",
  'for y in "$(cat x2)"; do a[y]=1; done',
]);

const PARAMETERS = of("code ran", [
  "x=abc; for i in ${x:$(touch pwned)}; do true; done",
  "x=abc; cat <<< ${x:$(touch pwned)}",
  "x=abc; case ${x:$(touch pwned)} in *) ;; esac",
  'set -- a b; for i in "${@:$(touch pwned)}"; do true; done',
  "x=abc; for i in ${x^$(touch pwned)}; do true; done",
  "x=abc; for i in ${x^^$(touch pwned)}; do true; done",
  "x=abc; for i in ${x,$(touch pwned)}; do true; done",
  "x=abc; for i in ${x//${x:$(touch pwned)}/}; do true; done",
  "x=abc; for i in ${x:`touch pwned`}; do true; done",
  "for x in *; do for i in ${x@P}; do true; done; done",
  'for x in "$(cat x3)"; do for i in ${x@P}; do true; done; done',
]);

const CONTROL_FLOW = of("code ran", [
  "a=echo; for i in a; do a=bash; break; done; $a x.sh",
  "a=echo; while true; do a=bash; break; done; $a x.sh",
  "a=echo; for ((i=0;i<3;i++)); do $a x.sh; a=bash; done",
  "a=echo b=echo c=echo; while sleep .1; do $a x.sh; a=$b; b=$c; c=bash; [ -f pwned ] && break; done",
  "a=echo; case a in a) a=bash;& b) $a x.sh;; esac",
  "a=; for i in ${a:=bash}; do :; done; $a echo",
  "a=; case ${a:=bash} in *) ;; esac; $a echo",
  "a=echo; a[0]=bash; $a x.sh",
  "a=(x echo); a[01]=bash; ${a[1]} x.sh",
  "a=echo; a+=([0]=bash); $a x.sh",
  "a=(x echo); i=1; a[i]=bash; ${a[1]} x.sh",
  "a=(x echo); a[-1]=bash; ${a[1]} x.sh",
  "a=(x echo); a[1+0]=bash; ${a[1]} x.sh",
]);

const XARGS = [
  ...of("code ran", [
    "echo hi | xargs --replace bash echo",
    "echo hi | xargs --max-lines bash echo",
    "echo \"foo '--pre=sh' a.txt\" | xargs rg",
    "printf 'foo,--pre=sh,a.txt' | xargs -d, rg",
    "echo a | xargs -alist rg",
    "echo a | xargs --arg-file=list rg",
    "echo x | xargs --process-slot-var=PATH ls",
    "echo \". -maxdepth 0 '-fprint' pwned\" | xargs find",
    "echo \"'-opwned' /dev/null\" | xargs sort",
    "echo 'foo\\n--pre=sh\\na.txt' | xargs rg",
  ]),
  ...of("secret shown", [
    "echo '\"../other/secret\"' | xargs cat",
    "echo '\\../other/secret' | xargs cat",
    `echo ${Array.from({ length: 64 }, () => "b.txt").join(" ")} ../other/secret | xargs cat`,
    "cat opts | xargs cat",
    "echo a | xargs -a opts cat",
  ]),
];

const FOUND_NAMES = of("secret shown", [
  "find @d -type f -exec strings {} +",
  "find @d -type f -exec strings {} ';'",
  "find src @d -type f -exec strings {} +",
  "find @d -type f -print0 | xargs -0 strings",
  "find @d -type f -print0 | xargs -0 -I'{}' strings '{}'",
]);

const OPTION_NAMES = [
  ...of("code ran", ["rg foo * --", 'rg foo ""*', "rg foo ''*", "rg foo -*", "rg foo *"], "o-rg"),
  ...of("code ran", ["sort -*", 'sort ""-*'], "o-sort"),
];

const GIT = [
  ...of("code ran", ["git diff"], "g-diff"),
  ...of("code ran", ["git show 1111111111111111111111111111111111111111"], "g-promisor"),
  ...of("code ran", ["git log --alternate-refs"], "g-refs"),
  ...of("code ran", ["git status"], "g-worktree"),
  ...of("code ran", ["git status"], "g-commondir"),
  ...of("code ran", ["git status"], "sub"),
  ...of("code ran", ["git status", "git diff"], "mod"),
  ...of("code ran", ["git status"], "evil"),
  ...of("code ran", ["git log -p", "git show", "git diff HEAD~1 HEAD", "git blame HEAD -- docs/api.md"], "c-evil"),
  ...of("code ran", ["git -C c-evil log -p", "cd c-evil && git show", "git -C node_modules/p log -p"]),
  ...of("code ran", ["git status", "git diff"], "g-outer/in"),
  ...of("code ran", ["cd g-outer/in && git status", "git -C g-outer/in status"]),
  ...of("code ran", ["cd evil && git status", "git -C evil status", "cd g-diff && git diff", "git -C mod status"]),
];

const SHELL_WORDS = of("code ran", ["time cd evil && git status"]);

const SED_AND_FILES = [
  ...of("code ran", ["sed -iep 's/.*/touch ..\\/canary/e' b.txt"]),
  ...of("secret shown", ["strings @opts", "jq -n -f p.jq", "jq -n env", "jq -n '$ENV'"]),
  ...of("secret shown", ["cat l*/secret", "cat */secret", "head */*", "sort l*/s*"]),
  ...of("secret shown", ["for f in l*/*; do cat $f; done", "grep -R secret .", "rg -L secret", "cat .*/other/secret"]),
  ...of("read", ["find -L . -name secret -exec cat {} \\;", "cp -rL lib build"]),
  ...of("wrote", ["sed -i s/s/O/ l*/secret", "tee l*/secret < b.txt", "cp a.txt l*/secret", "chmod 600 l*/secret"]),
  ...of("deleted", ["rm l*/secret", "mv l*/secret docs", "find -L . -name secret -delete"]),
];

const OTHER_SHELLS = [
  ...of("code ran", [
    "for i in a.tx?(e:'touch ~/canary':); do true; done",
    "x='$(touch ~/canary)'; for i in ${(e)x}; do true; done",
    "a=echo; true | a=bash; $a x.sh",
    "READNULLCMD=sh; < x.sh",
    "echo $'a\\'; touch ~/canary #'",
    "cat <<$'A'\n$A\ntouch ~/canary\nA",
  ]),
  ...of("read", ["cat =hello"]),
];

const RUNS_LATER = [
  ...of("runs later", [
    "echo x > ~/.zshenv",
    "cp b.txt ~/.gitconfig",
    "sed -i s/Ada/Eve/ ~/.gitconfig",
    "tee ~/.bashrc < b.txt",
    "cp x.sh ~/bin/ls",
    "mv fresh/metnos ~/.config/",
    "cp -r fresh/metnos ~/.config/",
    "cp b.txt .git/hooks",
    "echo x >> .git/config",
  ]),
  ...of("runs later", ["mv x .claude", "cp -r x .claude", "cp -r y/.claude .", "cp -r y/. ."], "fresh"),
  ...of("runs later", ["cd y && cp -r . ..", "cp -r y/.cl* .", "cp -r y/.claude -t ."], "fresh"),
  ...of(
    "runs later",
    [
      "cp -rT x .claude",
      "cp -r --no-target-directory x .claude",
      "sed -i.local.json -e p .claude/settings",
      "sed -i.json -e p .claude/settings",
      "find . -name settings.json -exec cp x/settings.local.json {} \\;",
      "rm -rf .c*",
      "rm -rf ./*/ .[!.]*",
      "find . -maxdepth 2 -name 'settings.js*' -delete",
    ],
    "agent",
  ),
];

const ENVIRONMENT = of("secret shown", [
  "set",
  "set | grep -i token",
  "command set",
  "\\set",
  "( set )",
  'echo "$(set)"',
  'cat <<< "$(set)"',
  "export",
  "export | grep -i token",
  "echo $(export)",
  'cat <<< "$SECRET_TOKEN"',
  "cat <<EOF\n$SECRET_TOKEN\nEOF",
  "cat <<EOF\n${SECRET_TOKEN}\nEOF",
  "cat <<EOF\n$SECRET_TOKEN",
  'grep -o . <<< "$SECRET_TOKEN"',
  'jq -R . <<< "$SECRET_TOKEN"',
  'echo "$SECRET_TOKEN"',
]);

const FIND = [
  ...of("secret shown", [
    "find . -type l -exec cat {} \\;",
    "find . -name link -exec cat {}/secret \\;",
    "find . -name lsecret | xargs cat",
  ]),
  ...of("wrote", [
    "find . -name lsecret -exec cp a.txt {} \\;",
    "find . -name lsecret -exec tee {} \\;",
    "find . -name lsecret -exec chmod 600 {} \\;",
  ]),
];

/** The gate decides before any of the line's commands has run. */
const CHANGES_ON_THE_WAY = [
  ...of("secret shown", [
    "ln -s ../other q && cat q/secret",
    "mv link q && cat q/secret",
    "mv lsecret q; head q",
    "mv asecret docs && cat docs/asecret",
    "mv asecret docs && cat docs/*",
    "mv -f lsecret b.txt && cat b.txt",
    "cp -Pf asecret src/util.ts; cat src/util.ts",
    "rm b.txt && cp -d lsecret b.txt && cat b.txt",
    "cp -a lib lib9 && cat lib9/up/secret",
    "mv alink src/l; cat src/l/secret",
    "cd src && mv ../alink . && cat alink/secret",
    "mkdir q && mv alink q && cat q/alink/secret",
    "mv src q; ln -s ../other src; cat src/secret",
    "for f in q w; do mv lsecret $f; cat $f; done",
  ]),
  ...of("wrote", [
    "mv -f lsecret b.txt && sed -i --follow-symlinks s/s/x/ b.txt",
    "mv -f lsecret b.txt && tee b.txt < c.json",
    "mv -f lsecret b.txt && echo x > b.txt",
    "cp -d lsecret q && echo x >> q",
  ]),
  ...of("code ran", [
    "mv .git g && mv sub/.git .git && git status",
    "cp -r sub/.git docs/.git && cd docs && git status",
    "cat sub/.git/config > .git/config && git status",
    "mkdir q && cp -r evil/. q && cd q && git status",
    "git add sub && git status",
  ]),
];

export const HARMFUL_LINES: readonly HarmfulLine[] = [
  ...ARITHMETIC,
  ...PARAMETERS,
  ...CONTROL_FLOW,
  ...XARGS,
  ...FOUND_NAMES,
  ...OPTION_NAMES,
  ...GIT,
  ...SHELL_WORDS,
  ...SED_AND_FILES,
  ...OTHER_SHELLS,
  ...RUNS_LATER,
  ...ENVIRONMENT,
  ...FIND,
  ...CHANGES_ON_THE_WAY,
];
