import type { Word } from "../reading.ts";
import { byRoles } from "./accesses.ts";
import { argumentsOf, hasOption } from "./arguments.ts";
import type { GitWork } from "./git-repository.ts";
import type { Accesses, CommandContext, Program } from "./program.ts";

/** A record for each of git's subcommands. */

export const FORMAT = "--format --pretty";
const DIFF_FLAGS = `--stat --shortstat --numstat --dirstat --summary --name-only --name-status --no-color --color-words --word-diff --minimal --patience
  --histogram --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol -w -b --check --raw --full-index --binary --abbrev
  --no-renames --find-renames --find-copies -M -C -R --exit-code --quiet -a --text --no-patch -s -p -u --patch --patch-with-stat --no-prefix --compact-summary --cc -c --no-ext-diff
  --no-textconv --function-context -W --pickaxe-regex --pickaxe-all --relative -z --cached --staged --merge-base`;
/** Without `--submodule`: by it git runs in a folder that any commit has as a repository, by the settings that lie there. */
const DIFF_OPTIONAL =
  "--color --stat --abbrev --word-diff --color-moved --dirstat --relative --ignore-submodules --find-renames --unified -U";
const DIFF_TEXT = "-S -G -l --diff-filter --diff-algorithm --inter-hunk-context --word-diff-regex";
const LOG_FLAGS = `${DIFF_FLAGS} --oneline --graph --all --branches --tags --remotes --decorate --no-decorate --merges --no-merges --first-parent --reverse --follow -i -E -F
  --regexp-ignore-case --extended-regexp --fixed-strings --invert-grep --all-match --left-right --cherry-pick --cherry-mark --boundary --topo-order --date-order --author-date-order --abbrev-commit
  --no-abbrev-commit --parents --children --show-pulls --full-history --simplify-by-decoration --count --objects --no-walk --not --relative-date --walk-reflogs -g --source --no-notes --no-expand-tabs --cherry --root -t -m --ancestry-path --name-only`;
const SELECTED = "-n --max-count --skip --since --after --until --before --author --committer --grep --date";
const LOG_TEXT = `${DIFF_TEXT} ${SELECTED} -L`;
const LOG_OPTIONAL = `${DIFF_OPTIONAL} --decorate --branches --tags --remotes --oneline ${FORMAT}`;

/** What a subcommand does to the repository: which hooks git would run, and whether files' contents are shown. */
export interface Subcommand extends Program {
  work: GitWork;
}

function subcommand(name: string, work: GitWork, more: Partial<Program>): Subcommand {
  return { names: [name], operands: ["object"], optionsAnywhere: true, ...more, work };
}

const LOG: Partial<Program> = {
  options: { flags: LOG_FLAGS, optional: LOG_OPTIONAL, text: LOG_TEXT },
  takesNumbers: true,
  text_only: true,
};

export const SUBCOMMANDS: readonly Subcommand[] = [
  subcommand("status", "read", {
    options: {
      flags: "-s -b -z --short --branch --long --show-stash --no-renames --ahead-behind --no-ahead-behind --renames",
      optional: "--porcelain --untracked-files -u --ignored --column --no-column --ignore-submodules --find-renames",
    },
    text_only: true,
  }),
  subcommand("log", "show", LOG),
  subcommand("show-branch", "show", {
    options: {
      flags: `-a -r --all --remotes --current --topo-order --date-order --sparse --list --merge-base --independent --sha1-name --no-name
        --no-color`,
      optional: "--color --more",
    },
  }),
  subcommand("shortlog", "show", {
    options: {
      flags: "-s -n -e -c --summary --numbered --email --all --merges --no-merges",
      text: "--since --after --until --before",
      optional: FORMAT,
    },
  }),
  subcommand("rev-list", "show", { ...LOG, options: { flags: LOG_FLAGS, text: SELECTED, optional: LOG_OPTIONAL } }),
  subcommand("show", "show", LOG),
  subcommand("whatchanged", "show", LOG),
  subcommand("reflog", "show", { ...LOG, operands: ["object"] }),
  subcommand("diff", "show", {
    options: { flags: DIFF_FLAGS, optional: DIFF_OPTIONAL, text: DIFF_TEXT },
    takesNumbers: true,
    text_only: true,
  }),
  subcommand("diff-tree", "show", {
    options: {
      flags: `${DIFF_FLAGS} -r -t --root --no-commit-id`,
      optional: `${DIFF_OPTIONAL} ${FORMAT}`,
      text: DIFF_TEXT,
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
    takesNumbers: true,
    text_only: (args) => !args.some(({ text }) => /^--open-files-in-pager|^-O/.test(text)),
  }),
  subcommand("rev-parse", "read", {
    options: {
      flags: `--show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --verify
        --quiet -q --symbolic-full-name --symbolic --all --branches --tags --remotes --show-object-format --abbrev-ref --short`,
      optional: "--short --abbrev-ref",
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
      optional: "--color --column --abbrev",
      text: "--sort --format --points-at",
    },
  }),
  subcommand("tag", "read", {
    options: {
      flags: "-l --list --ignore-case --merged --no-merged --contains",
      text: "--sort --format --points-at",
      optional: "-n --column",
    },
    unclear: {
      text: "-m --message -u --local-user --cleanup",
      reads: "-F --file",
      flags: "-a -s -f -d -v -e --annotate --sign --force --delete --verify --edit --create-reflog",
    },
    text_only: true,
  }),
  subcommand("remote", "read", { options: { flags: "-v --verbose" } }),
  // What it puts away is replaced by any file of the last commit, agents' settings among them.
  subcommand("stash", "show", LOG),
  subcommand("worktree", "read", {
    options: { flags: "--porcelain -v -z" },
    unclear: {
      flags: "-f -d -q --force --detach --checkout --no-checkout --guess-remote --track --orphan --lock --quiet",
      text: "-b -B --reason --expire",
    },
    accesses: changedWorktree,
  }),
  subcommand("merge-base", "read", {
    options: { flags: "-a --all --is-ancestor --octopus --independent --fork-point" },
  }),
  subcommand("name-rev", "read", { options: { flags: "--tags --all --name-only --always" } }),
  subcommand("for-each-ref", "show", {
    options: {
      flags: "--merged --no-merged --contains --ignore-case",
      text: "--format --sort --count --points-at",
    },
  }),
  subcommand("show-ref", "read", {
    options: {
      flags: "--head --heads --tags --branches -d --dereference -s --hash --verify -q --quiet",
      optional: "--abbrev --hash",
    },
  }),
  subcommand("cherry", "show", { options: { flags: "-v" } }),
  subcommand("count-objects", "read", { options: { flags: "-v -H --verbose --human-readable" } }),
  subcommand("check-ignore", "read", { options: { flags: "-v -q -n --verbose --quiet --non-matching --no-index" } }),
  subcommand("config", "read", {
    options: {
      flags:
        "--get --get-all --get-regexp --list -l --all --regexp --global --local --system --show-origin --show-scope --name-only -z",
      text: "--type --default",
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
  subcommand("init", "set", {
    options: { flags: "-q --quiet", text: "-b --initial-branch" },
    unclear: { flags: "--bare --shared", text: "--template --separate-git-dir --object-format --ref-format" },
    operands: ["writes"],
    accesses: initialized,
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
    accesses: (args) => restored("checkout", args),
    unclear: {
      flags: "-f -q -p -m --force --quiet --patch --ours --theirs --detach --track --guess",
      text: "-b -B --orphan --conflict",
    },
  }),
  subcommand("restore", "change", {
    guard_only: true,
    accesses: (args) => restored("restore", args),
    unclear: { flags: "-S -W -q -p --staged --worktree --quiet --patch --ours --theirs", text: "-s --source" },
  }),
];

function cleaned(args: readonly Word[]): Accesses {
  const given = argumentsOf(SUBCOMMANDS.find(({ names }) => names[0] === "clean") as Subcommand, args);
  if (!hasOption(given, "-f --force") || hasOption(given, "-n --dry-run"))
    return { accesses: [], unclear: null, data: [] };
  const words: (Word | "here")[] = given.operands.length > 0 ? [...given.operands] : ["here"];
  return { accesses: words.map((word) => ({ kind: "delete", word, is_tree: true })), unclear: null, data: [] };
}

function initialized(args: readonly Word[]): Accesses {
  const { operands, unclear } = argumentsOf(SUBCOMMANDS.find(({ names }) => names[0] === "init") as Subcommand, args);
  const words: (Word | "here")[] = operands.length > 0 ? [...operands] : ["here"];
  return { accesses: words.map((word) => ({ kind: "write", word })), unclear, data: [] };
}

/** The worktree itself; its entry in the repository is Git's own. */
function changedWorktree(args: readonly Word[], context: CommandContext): Accesses {
  const record = SUBCOMMANDS.find(({ names }) => names[0] === "worktree") as Subcommand;
  const [named, first, second] = argumentsOf(record, args).operands;
  const own = byRoles(record, args, context);
  const words = { add: [first], move: [first, second], remove: [first] }[named?.text ?? ""] ?? [];
  const changed = words.flatMap((word) => (word === undefined ? [] : [{ kind: "write" as const, word }]));
  return { ...own, accesses: [...own.accesses, ...changed] };
}

/** Behind `--` there are only files; without it a branch's name may be one. */
function restored(name: string, args: readonly Word[]): Accesses {
  const dashes = args.findIndex(({ text }) => text === "--");
  const { operands } = argumentsOf(SUBCOMMANDS.find(({ names }) => names[0] === name) as Subcommand, args);
  const paths = dashes === -1 ? operands : args.slice(dashes + 1);
  return { accesses: paths.map((word) => ({ kind: "write", word })), unclear: null, data: [] };
}
