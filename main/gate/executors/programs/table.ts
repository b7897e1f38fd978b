/**
 * What plain programs do with their arguments: the table behind what a shell call really needs. Only what is sure stands here.
 * A program, an option or a form that isn't in it counts as running code. Each entry has an example and a counter-example.
 */
export interface Program {
  names: readonly string[];
  /** What its operands are. `none`: words that name no file. */
  operands:
    | "none"
    | "read"
    | "folders"
    | "trees"
    | "written"
    | "copied"
    | "moved"
    | "deleted"
    | "pattern_read"
    | "read_then_written"
    | "special";
  /** Short options whose value follows, as one text. */
  short?: string;
  /** Long options whose value may be the next word. */
  long?: readonly string[];
  /** Options whose value is a file that is read, or written. */
  reads?: readonly string[];
  writes?: readonly string[];
  /** Options that make it reach everything below its operands. */
  tree?: readonly string[];
  /** Options that it must not have: with one of these it does more than reading or writing what it names. */
  never?: RegExp;
  /** Options that stand in the pattern's place. */
  no_pattern?: readonly string[];
  /** Without operands it looks at the working directory. */
  or_here?: true;
  /** A bare `*` may become an option by a file's name; this program has none that harms. */
  bare_globs?: true;
  example: string;
  counter: string;
}

const GREP_LONG = [
  "--regexp",
  "--file",
  "--max-count",
  "--context",
  "--after-context",
  "--before-context",
  "--include",
  "--exclude",
  "--exclude-dir",
  "--label",
];

export const PROGRAMS: readonly Program[] = [
  // Words in, words out.
  {
    names: [
      "echo",
      "printf",
      "true",
      "false",
      ":",
      "seq",
      "sleep",
      "basename",
      "dirname",
      "exit",
      "break",
      "continue",
      "return",
      "expr",
    ],
    operands: "none",
    never: /^-v$/,
    example: "echo hello",
    counter: "echo $(node x.js)",
  },
  { names: ["tr", "yes"], operands: "none", example: "tr a b", counter: "tr $(node x.js) b" },
  { names: ["cd", "pushd", "popd", "wait"], operands: "none", example: "cd src", counter: "cd $UNKNOWN" },
  {
    names: ["set"],
    operands: "none",
    never: /^(?!-[euxfo]+$|\+[euxfo]+$|pipefail$|errexit$|nounset$)/,
    example: "set -euo pipefail",
    counter: "set -a",
  },
  // Looking at the machine, or at where one is.
  {
    names: [
      "pwd",
      "which",
      "whoami",
      "id",
      "uname",
      "nproc",
      "free",
      "uptime",
      "groups",
      "tty",
      "arch",
      "getconf",
      "locale",
    ],
    operands: "none",
    or_here: true,
    example: "which node",
    counter: "which $(node x.js)",
  },
  { names: ["type", "command"], operands: "none", or_here: true, example: "command -v node", counter: "command ./x" },
  {
    names: ["hostname"],
    operands: "none",
    or_here: true,
    never: /^(?!-[fisdI]$)/,
    example: "hostname -f",
    counter: "hostname evil",
  },
  {
    names: ["date"],
    operands: "none",
    short: "dI",
    never: /^(?:-s|--set|-f|--file|-r|--reference|\d)/,
    example: "date +%s",
    counter: "date -s 12:00",
  },
  { names: ["df", "lsblk"], operands: "read", or_here: true, example: "df -h", counter: "df $(node x.js)" },
  {
    names: ["test", "[", "[["],
    operands: "special",
    example: "test -f package.json",
    counter: 'test -f "$(node x.js)"',
  },
  // Reading what is named.
  {
    names: ["cat", "tac", "nl", "rev"],
    operands: "read",
    short: "",
    bare_globs: true,
    example: "cat package.json",
    counter: "cat $(node x.js)",
  },
  {
    names: ["head", "tail"],
    operands: "read",
    short: "ncs",
    long: ["--lines", "--bytes", "--sleep-interval"],
    never: /^--pid/,
    bare_globs: true,
    example: "head -n 5 README.md",
    counter: "tail --pid=1 -f a",
  },
  {
    names: ["wc"],
    operands: "read",
    never: /^--files0/,
    bare_globs: true,
    example: "wc -l a.txt",
    counter: "wc --files0-from=list",
  },
  {
    names: ["cut", "paste", "fold", "expand", "unexpand", "comm", "cmp"],
    operands: "read",
    short: "dfcbwsto",
    long: ["--delimiter", "--fields", "--output-delimiter", "--separator", "--table-columns"],
    bare_globs: true,
    example: "cut -d, -f1 data.csv",
    counter: "cut -f1 $(node x.js)",
  },
  {
    names: ["od", "hexdump", "strings"],
    operands: "read",
    short: "jNAtnsew",
    example: "strings a.bin",
    counter: "od $(node x.js)",
  },
  {
    names: ["xxd"],
    operands: "read_then_written",
    short: "clsgo",
    example: "xxd -l 64 logo.png",
    counter: "xxd -r a.hex a.bin",
  },
  {
    names: ["stat"],
    operands: "read",
    short: "c",
    long: ["--format", "--printf"],
    never: /^-[A-Za-z]*f/,
    bare_globs: true,
    example: "stat package.json",
    counter: "stat -f a.txt",
  },
  {
    names: ["readlink", "realpath"],
    operands: "read",
    never: /^--relative/,
    example: "realpath src",
    counter: "realpath --relative-to=x a",
  },
  {
    names: ["file"],
    operands: "read",
    never: /^(?!-[biLhkNnprsv0]+$|--brief$|--mime$|--mime-type$|--mime-encoding$)/,
    example: "file logo.png",
    counter: "file -f list.txt",
  },
  {
    names: ["md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "b2sum"],
    operands: "read",
    short: "a",
    never: /^(?:-c|--check)/,
    bare_globs: true,
    example: "sha256sum a.txt",
    counter: "sha256sum -c sums",
  },
  {
    names: ["diff"],
    operands: "read",
    short: "UCIxWFS",
    long: ["--unified", "--context", "--exclude", "--ignore-matching-lines", "--width", "--label", "--color"],
    tree: ["-r", "--recursive"],
    never: /^(?:-l|--paginate|--from-file|--to-file|-X|--exclude-from)/,
    example: "diff -u a.txt b.txt",
    counter: "diff --paginate a b",
  },
  {
    names: ["uniq"],
    operands: "read_then_written",
    short: "fsw",
    long: ["--skip-fields", "--skip-chars", "--check-chars"],
    example: "uniq a.txt",
    counter: "uniq a.txt b.txt",
  },
  {
    names: ["sort"],
    operands: "read",
    short: "kto",
    long: ["--key", "--field-separator", "--output"],
    writes: ["-o", "--output"],
    never: /^(?:--comp|--files0|--random-source|-T|--temp|-S|--buffer|--parallel|--batch)/,
    example: "sort a.txt",
    counter: "sort --compress-program=./x a.txt",
  },
  {
    names: ["grep", "egrep", "fgrep"],
    operands: "pattern_read",
    short: "efmABCdD",
    long: GREP_LONG,
    reads: ["-f", "--file"],
    tree: ["-r", "-R", "--recursive", "--dereference-recursive"],
    no_pattern: ["-e", "-f", "--regexp", "--file"],
    never: /^(?:-P{2}|--exclude-from)/,
    bare_globs: true,
    example: "grep -n foo src/a.ts",
    counter: "grep foo $(node x.js)",
  },
  {
    names: ["rg"],
    operands: "pattern_read",
    short: "efgtTmMABCjrdE",
    long: [
      "--regexp",
      "--file",
      "--glob",
      "--iglob",
      "--type",
      "--type-not",
      "--max-count",
      "--max-columns",
      "--context",
      "--after-context",
      "--before-context",
      "--max-depth",
      "--replace",
      "--sort",
      "--sortr",
      "--color",
      "--colors",
      "--encoding",
    ],
    reads: ["-f", "--file"],
    no_pattern: ["-e", "-f", "--regexp", "--file", "--files", "--type-list"],
    never: /^(?:--pre|--hostname-bin|-z|--search-zip|--ignore-file|--hyperlink)/,
    example: "rg -n foo src",
    counter: "rg --pre ./x foo",
  },
  {
    names: ["jq"],
    operands: "pattern_read",
    short: "f",
    long: ["--from-file", "--indent"],
    reads: ["-f", "--from-file"],
    no_pattern: ["-f", "--from-file"],
    never: /^(?:--arg|--args|--jsonargs|--slurpfile|--rawfile|-L|--library|--run-tests|--seq|--stream)/,
    example: "jq .name package.json",
    counter: "jq -L lib 'import \"x\" as x; .' a.json",
  },
  { names: ["sed"], operands: "special", example: "sed -n 1,20p a.txt", counter: "sed 's/a/b/e' a.txt" },
  {
    names: ["ls", "dir"],
    operands: "folders",
    short: "ITw",
    long: ["--ignore", "--hide", "--color", "--sort", "--time", "--time-style", "--format", "--width"],
    tree: ["-R", "--recursive"],
    or_here: true,
    bare_globs: true,
    example: "ls -la src",
    counter: "ls $(node x.js)",
  },
  {
    names: ["tree"],
    operands: "trees",
    short: "LIPH",
    long: ["--charset", "--filelimit", "--sort", "--gitfile", "--infofile"],
    never: /^(?:-o|-R|--output|--fromfile|--gitfile|--infofile|-H)/,
    or_here: true,
    example: "tree -L 2",
    counter: "tree -o out.txt",
  },
  {
    names: ["du"],
    operands: "trees",
    short: "dBtX",
    long: ["--max-depth", "--block-size", "--threshold", "--exclude", "--time-style"],
    never: /^(?:--files0|-X|--exclude-from)/,
    or_here: true,
    bare_globs: true,
    example: "du -sh dist",
    counter: "du --files0-from=list",
  },
  {
    names: ["find"],
    operands: "special",
    example: "find src -name '*.ts'",
    counter: "find . -name '*.js' -exec node {} +",
  },
  // Changing what is named.
  {
    names: ["mkdir"],
    operands: "written",
    short: "m",
    long: ["--mode"],
    example: "mkdir -p src/cache",
    counter: "mkdir $(node x.js)",
  },
  {
    names: ["touch"],
    operands: "written",
    short: "dtr",
    long: ["--date", "--time", "--reference"],
    reads: ["-r", "--reference"],
    example: "touch a.txt",
    counter: "touch $UNKNOWN",
  },
  { names: ["tee"], operands: "written", never: /^--output-error/, example: "tee a.txt", counter: "tee $(node x.js)" },
  { names: ["rmdir"], operands: "deleted", example: "rmdir empty", counter: "rmdir $UNKNOWN" },
  {
    names: ["rm"],
    operands: "deleted",
    tree: ["-r", "-R", "--recursive"],
    never: /^--no-pres/,
    bare_globs: true,
    example: "rm a.txt",
    counter: "rm -rf /srv/other",
  },
  {
    names: ["cp"],
    operands: "copied",
    short: "tS",
    long: ["--target-directory", "--suffix"],
    tree: ["-r", "-R", "-a", "--recursive", "--archive"],
    never: /^(?:-[A-Za-z]*[lsS]|--link|--symbolic-link|--suffix|--backup|--parents)/,
    example: "cp a.txt b.txt",
    counter: "cp -s /etc b",
  },
  {
    names: ["mv"],
    operands: "moved",
    short: "tS",
    long: ["--target-directory", "--suffix"],
    never: /^(?:-[A-Za-z]*[bS]|--suffix|--backup)/,
    example: "mv a.txt b.txt",
    counter: "mv $UNKNOWN b",
  },
  { names: ["chmod"], operands: "special", example: "chmod 644 a.txt", counter: "chmod -R 644 ." },
  // Git, and the web: each in a file of its own.
  { names: ["git"], operands: "special", example: "git status", counter: "git push" },
  {
    names: ["curl"],
    operands: "special",
    example: "curl -s https://api.example.com/x",
    counter: "curl -K curl.conf https://a.example",
  },
  {
    names: ["wget"],
    operands: "special",
    example: "wget -qO- https://a.example/x",
    counter: "wget --use-askpass=./x https://a.example",
  },
];

const BY_NAME = new Map(PROGRAMS.flatMap((program) => program.names.map((name) => [name, program] as const)));

export function programCalled(name: string): Program | undefined {
  return BY_NAME.get(name);
}

/** Variables that change how a program prints, and nothing else. */
export const HARMLESS_VARIABLES = /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|TERM|CI|DEBUG)$/;
/** Variables that a shell or a program may take a program, a file or another place from. */
export const TELLING_VARIABLES =
  /^(?:PATH|IFS|ENV|HOME|SHELL|TMPDIR|CDPATH|PS\d|PROMPT.*|EDITOR|VISUAL|LANG|TZ|TERM|LS_COLORS|GREP_.*|RIPGREP_.*|LESS.*|.*PAGER|BASH.*|LD_.*|DYLD_.*|GIT_.*|TAR_.*|RSYNC_.*|CURL_.*|WGET.*|XDG_.*|NODE.*|NPM.*|PYTHON.*|PERL.*|RUBY.*|JAVA.*|SSL_.*|.*_proxy|.*_PROXY|LC_.*|LOC.*|MAGIC|POSIXLY.*|JQ_.*|GCONV.*|NLS.*|TERMINFO.*|MALLOC.*|GLIBC.*|METNOS.*)$/;
