import { type Word, wordOf } from "../shell/reading.ts";
import { byRoles } from "./accesses.ts";
import { argumentsOf, hasOption, valuesOf } from "./arguments.ts";
import { type GitWork, gitProblem } from "./git-repository.ts";
import type { Access, Accesses, CommandContext, Program } from "./program.ts";

/** `git`: a record for each subcommand. It is clear only where the repository's settings are (git-repository.ts). */

const FORMAT = "--format --pretty";
const DIFF_FLAGS = `--stat --shortstat --numstat --dirstat --summary --name-only --name-status --no-color --color-words --word-diff --minimal --patience
  --histogram --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol -w -b --check --raw --full-index --binary --abbrev
  --no-renames --find-renames --find-copies -M -C -R --exit-code --quiet -a --text --no-patch -s -p -u --patch --patch-with-stat --no-prefix --compact-summary --cc -c --no-ext-diff
  --no-textconv --function-context -W --pickaxe-regex --pickaxe-all --relative -z --cached --staged --merge-base`;
const DIFF_OPTIONAL =
  "--color --stat --abbrev --word-diff --color-moved --dirstat --relative --submodule --ignore-submodules --find-renames --ws-error-highlight --unified";
const DIFF_TEXT = "-U -S -G -l --diff-filter --diff-algorithm --inter-hunk-context --word-diff-regex";
const LOG_FLAGS = `${DIFF_FLAGS} --oneline --graph --all --branches --tags --remotes --decorate --no-decorate --merges --no-merges --first-parent --reverse --follow -i -E -F
  --regexp-ignore-case --extended-regexp --fixed-strings --invert-grep --all-match --left-right --cherry-pick --cherry-mark --boundary --topo-order --date-order --author-date-order --abbrev-commit
  --no-abbrev-commit --parents --children --show-pulls --full-history --simplify-by-decoration --count --objects --no-walk --not --relative-date --walk-reflogs -g --source --no-notes --no-expand-tabs --cherry --root -t -m --ancestry-path --name-only`;
const LOG_TEXT = `${DIFF_TEXT} -n -L --max-count --skip --since --after --until --before --author --committer --grep --date ${FORMAT}`;
const LOG_OPTIONAL = `${DIFF_OPTIONAL} --decorate --branches --tags --remotes --oneline --pretty --glob --exclude`;

/** What a subcommand does to the repository: which hooks git would run, and whether files' contents are shown. */
interface Subcommand extends Program {
  work: GitWork;
}

function subcommand(name: string, work: GitWork, more: Partial<Program>): Subcommand {
  return { names: [name], operands: ["object"], ...more, work };
}

const LOG: Partial<Program> = {
  options: { flags: LOG_FLAGS, optional: LOG_OPTIONAL, text: LOG_TEXT },
  takes_numbers: true,
  text_only: true,
};

const SUBCOMMANDS: readonly Subcommand[] = [
  subcommand("status", "read", {
    options: {
      flags:
        "-s -b -v -z --short --branch --long --show-stash --verbose --no-renames --ahead-behind --no-ahead-behind --renames",
      optional: "--porcelain --untracked-files -u --ignored --column --no-column --ignore-submodules --find-renames",
    },
    text_only: true,
  }),
  subcommand("log", "show", LOG),
  subcommand("shortlog", "show", {
    ...LOG,
    options: { ...LOG.options, flags: `${LOG_FLAGS} -s -n -e -c --summary --numbered --email` },
  }),
  subcommand("rev-list", "show", LOG),
  subcommand("show", "show", LOG),
  subcommand("whatchanged", "show", LOG),
  subcommand("reflog", "show", { ...LOG, operands: ["object"] }),
  subcommand("diff", "show", {
    options: { flags: DIFF_FLAGS, optional: DIFF_OPTIONAL, text: DIFF_TEXT },
    takes_numbers: true,
    text_only: true,
  }),
  subcommand("diff-tree", "show", {
    options: {
      flags: `${DIFF_FLAGS} -r -t --root --no-commit-id`,
      optional: DIFF_OPTIONAL,
      text: `${DIFF_TEXT} ${FORMAT}`,
    },
    text_only: true,
  }),
  subcommand("blame", "show", {
    options: {
      flags:
        "-b -c -e -f -l -M -C -n -p -s -t -w --root --show-stats --porcelain --line-porcelain --show-name --show-number --show-email",
      text: "-L --date",
      optional: "--abbrev",
    },
  }),
  subcommand("grep", "show", {
    options: {
      flags: `-a -c -E -F -G -h -H -i -I -l -L -n -o -P -p -q -v -w -W -z --cached --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case
        --files-with-matches --name-only --files-without-match --line-number --column --only-matching --invert-match --word-regexp --text --heading --break --show-function --all-match --and --or --not --no-color --full-name --null`,
      optional: "--color",
      text: "-A -B -C --after-context --before-context --context --max-depth -m --max-count --threads",
      pattern: "-e",
    },
    unclear: { flags: "--no-index --untracked", optional: "-O --open-files-in-pager", reads: "-f" },
    operands: ["pattern", "object"],
    takes_numbers: true,
    text_only: (args) => !args.some(({ text }) => /^--open-files-in-pager|^-O/.test(text)),
  }),
  subcommand("rev-parse", "read", {
    options: {
      flags: `--show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --verify
        --quiet -q --symbolic-full-name --symbolic --all --branches --tags --remotes --show-object-format --show-superproject-working-tree --abbrev-ref --short`,
      optional: "--short --abbrev-ref --default",
    },
  }),
  subcommand("ls-files", "read", {
    options: {
      flags:
        "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --full-name --error-unmatch --directory --deduplicate --eol",
      text: "-x --exclude",
      optional: "--abbrev",
    },
    unclear: { reads: "-X --exclude-from --exclude-per-directory" },
  }),
  subcommand("ls-tree", "read", {
    options: {
      flags: "-d -r -t -l -z --name-only --name-status --full-name --full-tree --long --object-only",
      optional: "--abbrev",
    },
  }),
  subcommand("describe", "read", {
    options: {
      flags: "--all --tags --long --always --exact-match --first-parent --contains",
      optional: "--dirty --abbrev --broken",
      text: "--match --exclude --candidates",
    },
  }),
  subcommand("cat-file", "show", { options: { flags: "-e -p -t -s" } }),
  subcommand("branch", "read", {
    options: {
      flags:
        "-a -v -r -l --list --all --remotes --show-current --verbose --no-color --ignore-case --merged --no-merged --contains --no-contains",
      optional: "--color --column --merged --no-merged --contains --abbrev --sort --format --points-at",
    },
  }),
  subcommand("tag", "read", {
    options: {
      flags: "-l --list --ignore-case --merged --no-merged --contains",
      optional: "-n --sort --format --column --merged --contains --points-at",
    },
    unclear: {
      text: "-m --message -u --local-user --cleanup",
      reads: "-F --file",
      flags: "-a -s -f -d -v -e --annotate --sign --force --delete --verify --edit --create-reflog",
    },
    text_only: true,
  }),
  subcommand("remote", "read", { options: { flags: "-v --verbose" } }),
  subcommand("stash", "show", {
    options: {
      flags: `${LOG_FLAGS} -k --keep-index -q`,
      optional: DIFF_OPTIONAL,
      text: `${DIFF_TEXT} ${FORMAT} -m --message`,
    },
    unclear: { flags: "-S --include-untracked" },
  }),
  subcommand("worktree", "read", { options: { flags: "--porcelain -v -z" } }),
  subcommand("merge-base", "read", {
    options: { flags: "-a --all --is-ancestor --octopus --independent --fork-point" },
  }),
  subcommand("name-rev", "read", { options: { flags: "--tags --all --name-only --always" } }),
  subcommand("for-each-ref", "read", {
    options: {
      flags: "--merged --no-merged --contains --ignore-case",
      optional: "--format --sort --count --points-at --merged --contains",
    },
  }),
  subcommand("show-ref", "read", {
    options: {
      flags: "--head --heads --tags --branches -d --dereference -s --hash --verify -q --quiet",
      optional: "--abbrev --hash",
    },
  }),
  subcommand("cherry", "read", { options: { flags: "-v" } }),
  subcommand("count-objects", "read", { options: { flags: "-v -H --verbose --human-readable" } }),
  subcommand("check-ignore", "read", { options: { flags: "-v -q -n --verbose --quiet --non-matching --no-index" } }),
  subcommand("config", "read", {
    options: {
      flags:
        "--get --get-all --get-regexp --list -l --global --local --system --show-origin --show-scope --name-only -z",
      optional: "--type --default",
    },
    unclear: { reads: "-f --file --blob" },
  }),
  subcommand("version", "read", {}),

  // What changes the repository.
  subcommand("add", "add", {
    options: { flags: "-A -u -v -n -N -f --all --update --verbose --dry-run --intent-to-add --force --ignore-errors" },
    unclear: { flags: "-i -p -e --interactive --patch --edit", reads: "--pathspec-from-file", text: "--chmod" },
    operands: ["reads"],
    text_only: true,
  }),
  subcommand("commit", "commit", {
    options: {
      flags:
        "-a -q -v -n -s --all --quiet --amend --no-edit --no-verify --allow-empty --allow-empty-message --signoff --reset-author",
      text: "-m --message --author --date --trailer",
    },
    unclear: {
      flags:
        "-e -p -i -o --edit --patch --interactive --include --only --dry-run --short --branch --porcelain --long --null --status",
      text: "-c -C -t -u --reedit-message --reuse-message --fixup --squash --template --cleanup",
      reads: "-F --file --pathspec-from-file",
      optional: "-S --gpg-sign --no-gpg-sign",
    },
    operands: ["reads"],
    text_only: true,
  }),
  subcommand("mv", "add", { options: { flags: "-v -n -f -k --verbose --dry-run --force" }, operands: ["moves"] }),
  subcommand("rm", "add", {
    options: { flags: "-f -q -n --force --quiet --dry-run --cached --ignore-unmatch" },
    unclear: { flags: "-r" },
    operands: ["deletes"],
  }),

  // Known for the guard alone.
  ...["merge", "notes", "revert", "cherry-pick", "rebase", "pull"].map((name) =>
    subcommand(name, "change", {
      guard_only: true,
      unclear: {
        text: "-m -s -X --message --author --date --trailer --strategy --onto -x --exec",
        flags: "-n -e -f -q -v --no-edit --edit --ff-only --no-ff --squash --abort --continue -i",
        reads: "-F --file",
      },
    }),
  ),
  subcommand("clean", "change", {
    guard_only: true,
    accesses: cleaned,
    unclear: { flags: "-d -f -i -n -q -x -X --force --dry-run --interactive --quiet", text: "-e --exclude" },
  }),
  subcommand("checkout", "change", {
    guard_only: true,
    accesses: restored,
    unclear: {
      flags: "-f -q -p -m --force --quiet --patch --ours --theirs --detach --track --guess",
      text: "-b -B --orphan --conflict",
    },
  }),
  subcommand("restore", "change", {
    guard_only: true,
    accesses: restored,
    unclear: { flags: "-S -W -q -p --staged --worktree --quiet --patch --ours --theirs", text: "-s --source" },
  }),
];

const BY_NAME = new Map(SUBCOMMANDS.map((one) => [one.names[0] ?? "", one]));

export const GIT: Program = {
  names: ["git"],
  accesses: gitAccesses,
  data: gitData,
  folder_options: "-C",
  text_only: (args) => {
    const { sub, rest } = split(args);
    if (rest.some(({ text }) => /^--(?:ext-diff|open-files-in-pager)|^-O/.test(text))) return false;
    return sub?.text_only === true ? true : typeof sub?.text_only === "function" && sub.text_only(rest);
  },
  example: "git status",
  counter: "git push",
};

/** Every subcommand's record: for the tests that look at all options. */
export const GIT_SUBCOMMANDS: readonly Program[] = SUBCOMMANDS;

interface Split {
  sub: Subcommand | undefined;
  name: string;
  rest: readonly Word[];
  /** Where it is told to work; `here` if nowhere else. */
  folder: Word | "here";
  /** `--work-tree`, where it is given. */
  work_tree?: Word;
  unclear: string | null;
}

/** git's own options, the subcommand and what stands behind it. */
function split(args: readonly Word[]): Split {
  let folder: Word | "here" = "here";
  let work_tree: Word | undefined;
  let unclear: string | null = null;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] as Word;
    const { text } = word;
    if (text === "-C" && args[at + 1] !== undefined) {
      if (folder !== "here") unclear ??= "more than one folder";
      folder = args[++at] as Word;
    } else if (text === "--no-pager" || text === "-P" || text === "--no-optional-locks") continue;
    else if (/^-./.test(text)) {
      if (text === "--version") break;
      unclear ??= "an option of git itself that may do more";
      const value = /^--(?:git-dir|work-tree|exec-path|namespace|super-prefix)=/.exec(text);
      if (text === "--work-tree") work_tree = args[at + 1];
      else if (value?.[0] === "--work-tree=")
        work_tree = wordOf([{ text: text.slice(value[0].length), kind: "text" }], word);
      if (/^(?:-c|--git-dir|--work-tree|--namespace|--config-env|--super-prefix)$/.test(text)) at++;
    } else break;
  }
  const name = args[at]?.text ?? "";
  return {
    sub: BY_NAME.get(name),
    name,
    rest: args.slice(at + 1),
    folder,
    unclear,
    ...(work_tree === undefined ? {} : { work_tree }),
  };
}

function gitAccesses(args: readonly Word[], context: CommandContext): Accesses {
  const { sub, name, rest, folder, work_tree, unclear } = split(args);
  const place = work_tree ?? folder;
  const at = place === "here" ? context.cwd : absolute(place, context.cwd);
  const inner: CommandContext = { ...context, cwd: at };
  if (name === "--version" && rest.length === 0)
    return { accesses: [{ kind: "list", word: folder }], unclear, data: [] };
  if (sub === undefined) return { accesses: [], unclear: "a subcommand that may run code", data: [] };
  const own = sub.accesses?.(rest, inner) ?? byRoles(sub, rest, inner);
  // What a subcommand names is named from the folder that it works in.
  const accesses = place === "here" ? own.accesses : own.accesses.map((access) => placedBelow(access, place));
  const form = formOf(sub, name, rest);
  const why =
    unclear ??
    own.unclear ??
    form.unclear ??
    (sub.guard_only ? "a subcommand that may run code" : null) ??
    oddWords(rest, form.work);
  if (why !== null || !context.looks_at_disk) return { accesses, unclear: why, data: own.data };
  const repository = gitProblem(at, context.home, form.work, form.shows_contents);
  if ("problem" in repository) return { accesses, unclear: repository.problem, data: own.data };
  const root = wordOf([{ text: repository.root, kind: "text" }], args[0] as Word);
  const whole: Access =
    form.work === "read" || form.work === "show"
      ? { kind: "list", word: root, is_tree: true }
      : { kind: "write", word: root };
  const reads_all: Access[] =
    (name === "add" && accesses.length === 0) || (name === "commit" && hasOption(argumentsOf(sub, rest), "-a --all"))
      ? [{ kind: "read", word: root, is_tree: true }]
      : [];
  const put_away: Access[] = repository.written.map((path) => ({
    kind: "write",
    word: wordOf([{ text: `${repository.root}/${path}`, kind: "text" }], args[0] as Word),
  }));
  return { accesses: [...accesses.map(asTree), ...reads_all, ...put_away, whole], unclear: null, data: own.data };
}

/** `git add src` reads all of it. */
const asTree = (access: Access): Access => (access.kind === "read" ? { ...access, is_tree: true } : access);

function placedBelow(access: Access, place: Word): Access {
  const { word } = access;
  if (word === "here") return { ...access, word: place };
  if (word.text.startsWith("/")) return access;
  return { ...access, word: wordOf([...place.pieces, { text: "/", kind: "text" }, ...word.pieces], word) };
}

interface Form {
  work: GitWork;
  shows_contents: boolean;
  unclear: string | null;
}

/** Which of its forms a subcommand is used in: several list, and change with other words. */
function formOf(sub: Subcommand, name: string, rest: readonly Word[]): Form {
  const given = argumentsOf(sub, rest);
  const [first, second] = given.operands;
  const form = (work: GitWork, unclear: string | null = null): Form => ({
    work,
    shows_contents: work === "show",
    unclear,
  });
  const count = given.operands.length;
  switch (name) {
    case "branch":
      if (count === 0 || hasOption(given, "-l --list --contains --no-contains --merged --no-merged"))
        return form("read");
      return count <= 2 && given.options.length === 0 ? form("ref") : form("read", "a branch changed");
    case "tag":
      if (count === 0 || hasOption(given, "-l --list --contains --merged --no-merged")) return form("read");
      return count <= 2 && given.options.length === 0 ? form("ref") : form("read", "a tag changed");
    case "remote":
      return count === 0 || (first?.text === "get-url" && count === 2) ? form("read") : form("read", "remotes changed");
    case "stash":
      if (first?.text === "list" && count === 1) return form("show");
      if (first?.text === "show") return form("show");
      return first === undefined || first.text === "push"
        ? {
            ...form("stash"),
            unclear:
              given.options.every(({ name: one }) => /^(?:-m|--message|-k|--keep-index|-q)$/.test(one)) && count <= 1
                ? null
                : "only a part of the work is put away",
          }
        : form("show", "the stash changed");
    case "reflog":
      return first === undefined || first.text === "show" || !/^(?:expire|delete|drop|write)$/.test(first.text)
        ? form("show")
        : form("show", "the reflog changed");
    case "worktree":
      return first?.text === "list" && second === undefined ? form("read") : form("read", "worktrees changed");
    case "config":
      return hasOption(given, "--get --get-all --get-regexp --list -l")
        ? form("read")
        : form("read", "settings changed");
    case "commit":
      return hasOption(given, "-m --message --no-edit") ? form("commit") : form("commit", "an editor opens");
    case "add":
    case "rm":
      return count > 0 || hasOption(given, "-A -u --all --update") ? form("add") : form("add", "nothing is named");
    default:
      return form(sub.work);
  }
}

/** Words that git reads as more than a name: other folders, magic pathspecs, formats that ask gpg. */
function oddWords(rest: readonly Word[], work: GitWork): string | null {
  const texts = rest.map(({ text }) => text);
  if (texts.some((text) => /^\/|(?:^|[=/:])\.\.(?:\/|$)|^~|^--[\w-]+=\//.test(text)))
    return "a path outside of the repository";
  if (texts.some((text) => /%G|signature|%\(trailers|%\(if/.test(text))) return "a format that may ask another program";
  if (
    work !== "read" &&
    work !== "show" &&
    rest.some(
      ({ text, glob }) =>
        !/^-/.test(text) && (/^:/.test(text) || (glob !== true && /[*?[\\]/.test(text) && work === "add")),
    )
  )
    return "a pattern that git itself expands";
  return null;
}

function absolute({ text }: Word, cwd: string | null): string | null {
  if (text.startsWith("/")) return text;
  return cwd === null ? null : `${cwd}/${text}`;
}

function cleaned(args: readonly Word[]): Accesses {
  const given = argumentsOf(BY_NAME.get("clean") as Subcommand, args);
  if (!hasOption(given, "-f --force") || hasOption(given, "-n --dry-run"))
    return { accesses: [], unclear: null, data: [] };
  const words: (Word | "here")[] = given.operands.length > 0 ? [...given.operands] : ["here"];
  return { accesses: words.map((word) => ({ kind: "delete", word, is_tree: true })), unclear: null, data: [] };
}

function restored(args: readonly Word[]): Accesses {
  const texts = args.map(({ text }) => text);
  const dashes = texts.indexOf("--");
  const paths = dashes === -1 ? args.filter(({ text }) => !text.startsWith("-")) : args.slice(dashes + 1);
  return { accesses: paths.map((word) => ({ kind: "write", word })), unclear: null, data: [] };
}

/** Words of a git command that are only data: messages, formats, what is searched for. */
function gitData(args: readonly Word[]): readonly Word[] {
  const { sub, rest } = split(args);
  if (sub === undefined || sub.names[0] === "config") return [];
  const given = argumentsOf(sub, rest);
  const pattern = sub.operands?.[0] === "pattern" && !hasOption(given, "-e") ? given.operands.slice(0, 1) : [];
  return [
    ...given.options.flatMap(({ role, value }) =>
      value !== undefined && (role === "text" || role === "pattern") ? [value] : [],
    ),
    ...pattern,
    ...valuesOf(given, FORMAT),
  ];
}
