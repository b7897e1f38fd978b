import { absolutePath } from "../paths.ts";
import type { Word } from "../reading.ts";
import { isAtOrBelow, kindOf, realForm } from "../targets/path.ts";
import { folderAbove } from "../targets/project.ts";
import { askedEachTime, isSecretInGit } from "../targets/secret-files.ts";
import { wordOf } from "../word.ts";
import { byRoles } from "./accesses.ts";
import { type Arguments, argumentsOf, hasOption, valuesOf } from "./arguments.ts";
import { gitHistories } from "./git-history.ts";
import { indexOf } from "./git-index.ts";
import { fileNamed, objectNamed } from "./git-objects.ts";
import { type GitWork, gitProblem, initProblem, isHarmlessToSet } from "./git-repository.ts";
import { FORMAT, SUBCOMMANDS, type Subcommand } from "./git-subcommands.ts";
import type { Access, Accesses, CommandContext, Program } from "./program.ts";

/** `git`: a record for each subcommand. It is clear only where the repository's settings are (git-repository.ts). */

const BY_NAME = new Map(SUBCOMMANDS.map((one) => [one.names[0] ?? "", one]));

export const GIT: Program = {
  names: ["git"],
  // Its pager, where it prints to a terminal; what the user's own settings may have it run.
  looksUp: ["less", "git-lfs"],
  accesses: gitAccesses,
  data: gitData,
  folderOptions: "-C",
  worksOnRepository: true,
  text_only: (args) => {
    const { sub, rest } = split(args);
    if (rest.some(({ text }) => /^--(?:ext-diff|open-files-in-pager)|^-O/.test(text))) return false;
    return sub?.text_only === true ? true : typeof sub?.text_only === "function" && sub.text_only(rest);
  },
};

/** Every subcommand's record: for the tests that look at all options. */
export const GIT_SUBCOMMANDS: readonly Program[] = SUBCOMMANDS;

interface Split {
  sub: Subcommand | undefined;
  name: string;
  rest: readonly Word[];
  /** The folder that it works in by its options; `here` if there is none. */
  folder: Word | "here";
  /** `--work-tree`, where it is given. */
  workTree?: Word;
  unclear: string | null;
}

/** git's own options, the subcommand and what follows it. */
function split(args: readonly Word[]): Split {
  let folder: Word | "here" = "here";
  let workTree: Word | undefined;
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
      if (text === "--work-tree") workTree = args[at + 1];
      else if (value?.[0] === "--work-tree=")
        workTree = wordOf([{ text: text.slice(value[0].length), kind: "text" }], word);
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
    ...(workTree === undefined ? {} : { workTree }),
  };
}

/** True if a command makes a repository, by whatever path or prefix git is called: what is there for the next git isn't known. */
export function makesRepository(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => /^(?:.*\/)?git$/.test(text) && split(words.slice(at + 1)).name === "init");
}

/** True if a shell in `cwd` would run another program for git. */
export function isGitPlanted(search: { isPlanted(name: string, cwd: string): boolean }, cwd: string): boolean {
  return GIT.names.some((name) => search.isPlanted(name, cwd));
}

/** The subcommand of a git command, and the words behind it. */
export function gitCommand(args: readonly Word[]): { name: string; rest: readonly Word[]; folder: Word | "here" } {
  const { name, rest, folder } = split(args);
  return { name, rest, folder };
}

function gitAccesses(args: readonly Word[], context: CommandContext): Accesses {
  const { sub, name, rest, folder, workTree, unclear } = split(args);
  const base = workTree ?? folder;
  const at = base === "here" ? context.cwd : absolute(base, context.cwd);
  const inner: CommandContext = { ...context, cwd: at };
  if (name === "--version" && rest.length === 0)
    return { accesses: [{ kind: "list", word: folder }], unclear, data: [] };
  if (sub === undefined) return { accesses: [], unclear: "a subcommand that may run code", data: [] };
  const own = sub.accesses?.(rest, inner) ?? byRoles(sub, rest, inner);
  // What a subcommand names is named from the folder that it works in.
  const accesses = base === "here" ? own.accesses : own.accesses.map((access) => accessBelow(access, base));
  const form = formOf(sub, name, rest);
  const why =
    unclear ??
    own.unclear ??
    form.unclear ??
    (sub.guard_only ? "a subcommand that may run code" : null) ??
    oddWords(rest, form.work) ??
    (form.showsContents ? (oddHistory(sub, rest) ?? (isKnown(base, at) ? null : oddFolder(sub, rest))) : null);
  const onlyReads = form.work === "read" || form.work === "show";
  const isNamed = why === null && context.looksAtDisk;
  const putAway = form.showsContents ? secretsPutAway(sub, rest, { cwd: at, isNamed }, args[0] as Word) : [];
  if (why !== null || !context.looksAtDisk)
    return { accesses: [...accesses, ...putAway], unclear: why, data: own.data, changesUnnamed: !onlyReads };
  if (name === "init") return { accesses, unclear: initUnclear(accesses, context), data: own.data };
  const repository = gitProblem(at, context.home, form.work, form.showsContents);
  if ("problem" in repository) return { accesses, unclear: repository.problem, data: own.data };
  const root = wordOf([{ text: repository.root, kind: "text" }], args[0] as Word);
  const whole: Access = onlyReads
    ? { kind: "list", word: root, is_tree: true, ...(form.work === "show" ? { shows_contents: true } : {}) }
    : { kind: "write", word: root };
  const shown = form.showsContents ? filesShown(rest, at) : [];
  const readsAll: Access[] =
    (name === "add" && accesses.length === 0) || (name === "commit" && hasOption(argumentsOf(sub, rest), "-a --all"))
      ? [{ kind: "read", word: root, is_tree: true }]
      : [];
  return {
    accesses: [
      ...accesses.map(asTree),
      ...readsAll,
      ...(base === "here" ? shown : shown.map((access) => accessBelow(access, base))),
      ...secretSettings(name, rest, repository.root, args[0] as Word),
      ...putAway,
      whole,
    ],
    unclear: null,
    data: own.data,
  };
}

/** With these alone, and no branch's name, the log of `HEAD` is printed. */
const OF_HEAD = /^(?:show|HEAD|-\d+|-n\d*|\d+|-g|--walk-reflogs|--oneline|--stat|-p|--date=[a-z]+)$/;

/** The repository's settings, or its logs, where the command prints of them and a password is in them. */
function secretSettings(name: string, rest: readonly Word[], root: string, at: Word): Access[] {
  const isTelling = ({ text }: Word) =>
    /^(?:-l|list|--list|--get-regexp|--regexp|--get-urlmatch)$|url|header|pass|token|secret/i.test(text);
  const prints = (name === "config" && rest.some(isTelling)) || (name === "remote" && rest.length > 0);
  const printsLog = name === "reflog" || rest.some(({ text }) => /^(?:-g|--walk-reflogs)$/.test(text));
  const log = rest.every(({ text }) => OF_HEAD.test(text)) ? "logs/HEAD" : "logs";
  const file = `${root}/.git/${prints ? "config" : log}`;
  if (!(prints || printsLog) || askedEachTime(file) === undefined) return [];
  return [{ kind: "read", word: wordOf([{ text: file, kind: "text" }], at) }];
}

function initUnclear(accesses: readonly Access[], { cwd, home }: CommandContext): string | null {
  const [made, ...more] = accesses;
  if (made === undefined || more.length > 0) return "more folders than one";
  return initProblem(made.word === "here" ? cwd : absolute(made.word, cwd), home);
}

/** Files that are named, also in an older version (`HEAD~9:a.txt`): what is shown is their contents. */
function filesShown(rest: readonly Word[], cwd: string | null): Access[] {
  const dashes = rest.findIndex(({ text }) => text === "--");
  return rest.flatMap((word, at): Access[] => {
    const { text } = word;
    const colon = text.lastIndexOf(":");
    const name = colon === -1 ? text : text.slice(colon + 1);
    const isPath = (dashes !== -1 && at > dashes) || colon !== -1 || kindOf(`${cwd}/${name}`) !== "nothing";
    // The file of -L follows a colon.
    if (!isPath || name === "" || (at < dashes && colon === -1 && text.startsWith("-")) || text === "--") return [];
    const isFolder = kindOf(`${cwd}/${name}`) === "folder";
    const shown = wordOf([{ text: name, kind: "text" }], word);
    return [{ kind: "read", word: shown, ...(isFolder ? { is_tree: true as const } : {}) }];
  });
}

/** Secrets that git's history holds, and the work tree doesn't: what shows contents of commits shows them, too, unless it names others. */
function secretsPutAway(
  sub: Subcommand,
  rest: readonly Word[],
  { cwd, isNamed }: { cwd: string | null; isNamed: boolean },
  at: Word,
): Access[] {
  const folder = cwd === null ? null : realForm(cwd);
  if (folder === null) return [];
  const paths = [...secretsBelow(sub, rest, folder, isNamed), ...objectsNamed(sub, rest, folder)];
  return paths.map((path) => ({ kind: "read", word: wordOf([{ text: path, kind: "text" }], at), is_put_away: true }));
}

/** Of one line, that are asked about. */
const MAX_NAMED = 20;

function secretsBelow(sub: Subcommand, rest: readonly Word[], folder: string, isNamed: boolean): string[] {
  const history = gitHistories.at(folder);
  if (history === undefined) return [];
  const { root } = history;
  const names = namesShown(sub, rest, { cwd: folder, root, isNamed });
  if (names === null) return [];
  return (names.isOfHead ? history.atHead : history.ever)
    .map((name) => `${root}/${name}`)
    .filter((path) => names.paths.length === 0 || names.paths.some((shown) => isAtOrBelow(path, shown)))
    .filter(isUntrackedIn(root))
    .slice(0, MAX_NAMED);
}

/** What is shown by a word that names no commit, and no file of one. */
function objectsNamed(sub: Subcommand, rest: readonly Word[], folder: string): string[] {
  // A blame is of a named file.
  if (sub.names[0] === "blame") return [];
  const objects = [...objectsOf(sub, beforeDashes(rest))];
  // All that there is, or what is named by its input.
  const batch = rest.find(({ text }) => sub.names[0] === "cat-file" && text.startsWith("--batch"));
  if (batch !== undefined) objects.push(wordOf([{ text: "", kind: "unknown" }], batch));
  return [...new Set(objects.flatMap((word) => objectNamed(word, folder) ?? []))];
}

/**
 * Of which files contents of commits are shown: below these paths, or everywhere where there are none; null: of named files alone, or of none.
 * @param isNamed what is named is among its needs by itself
 */
function namesShown(
  sub: Subcommand,
  rest: readonly Word[],
  { cwd, root, isNamed }: { cwd: string; root: string; isNamed: boolean },
): { paths: string[]; isOfHead: boolean } | null {
  const [name] = sub.names;
  const before = beforeDashes(rest);
  const files = rest.slice(before.length + 1);
  const objects = objectsOf(sub, before);
  const isFile = ({ text }: Word) => kindOf(absolutePath(text, cwd) ?? "") !== "nothing";
  const revisions = objects.filter((word) => !isFile(word));
  const isDiff = name === "diff";
  const isCached = isDiff && hasOption(argumentsOf(sub, rest), "--cached --staged");
  if (name === "blame")
    return { paths: [...objects, ...files].map(({ text }) => absolutePath(text, cwd) ?? cwd), isOfHead: false };
  if ((isDiff || name === "grep") && revisions.length === 0 && !isCached) return null;
  // `HEAD~1:a.txt` names what it shows; `:a.txt` is of the index.
  const named = revisions.flatMap(({ text }) => fileNamed(text) ?? []);
  if (named.length > 0 && named.length === revisions.length) {
    const paths = named.map((name) => absolutePath(name, /^\.\.?\//.test(name) ? cwd : root) ?? root);
    return isNamed ? null : { paths: revisions.some(isOpen) ? [] : paths, isOfHead: false };
  }
  const isOfHead = isDiff && revisions.every(({ text }) => text === "HEAD" || text === "@");
  const shown = [...objects.filter(isFile), ...files];
  // By these it shows a file under its earlier names, or others of its commits, too.
  const isFollowed = hasOption(argumentsOf(sub, rest), "--follow -L --full-diff");
  return {
    paths: isFollowed || shown.some(isOpen) ? [] : shown.map(({ text }) => absolutePath(text, cwd) ?? cwd),
    isOfHead,
  };
}

/** It may name other files than it says: git expands patterns by itself. */
const isOpen = ({ text, is_resolved }: Word): boolean => !is_resolved || /[*?[\\]|^:/.test(text);

/** What git tracks now is the project's own. @returns for paths in that work tree */
function isUntrackedIn(root: string): (path: string) => boolean {
  const index = indexOf(root);
  return (path) => index?.entry(path.slice(root.length + 1)) === undefined;
}

/** `git add src` reads all of it. */
const asTree = (access: Access): Access => (access.kind === "read" ? { ...access, is_tree: true } : access);

function accessBelow(access: Access, base: Word): Access {
  const { word } = access;
  if (word === "here") return { ...access, word: base };
  if (word.text.startsWith("/")) return access;
  return { ...access, word: wordOf([...base.pieces, { text: "/", kind: "text" }, ...word.pieces], word) };
}

interface Form {
  work: GitWork;
  showsContents: boolean;
  unclear: string | null;
}

/** Which of its forms a subcommand is used in: several list, and change with other words. */
function formOf(sub: Subcommand, name: string, rest: readonly Word[]): Form {
  const given = argumentsOf(sub, rest);
  const [first, second] = given.operands;
  // `git stash -- show` is no listing: the form is the very next word.
  const named = rest[0]?.text;
  const isStashShown = name === "stash" && named === "show";
  const form = (work: GitWork, unclear: string | null = null): Form => ({
    work,
    // By a setting it shows patches unasked.
    showsContents: work === "show" && (showsContents(name, given) || (isStashShown && !hasOption(given, SUMMARIES))),
    unclear,
  });
  const count = given.operands.length;
  switch (name) {
    case "branch":
      if (count === 0 || hasOption(given, "-l --list --contains --no-contains --merged --no-merged"))
        return form(hasOption(given, "-v --verbose --format") ? "show" : "read");
      return count <= 2 && given.options.length === 0 ? form("ref") : form("read", "a branch changed");
    case "tag":
      if (count === 0 || hasOption(given, "-l --list --contains --merged --no-merged"))
        return form(hasOption(given, "-n --format") ? "show" : "read");
      return count <= 2 && given.options.length === 0 ? form("ref") : form("read", "a tag changed");
    case "remote":
      return count === 0 || (named === "get-url" && count === 2) ? form("read") : form("read", "remotes changed");
    case "stash":
      if ((named === "list" && count === 1) || named === "show")
        return form("show", showsContents(name, given) ? "contents that were put away" : null);
      return form("show", "the work is put away");
    case "reflog":
      return first === undefined || named === "show" || !/^(?:expire|delete|drop|write)$/.test(first.text)
        ? form("show")
        : form("show", "the reflog changed");
    case "worktree":
      return named === "list" && second === undefined ? form("read") : form("read", "worktrees changed");
    case "config":
      return configForm(rest, given);
    case "commit":
      return hasOption(given, "-m --message --no-edit") ? form("commit") : form("commit", "an editor opens");
    case "add":
    case "rm":
      return count > 0 || hasOption(given, "-A -u --all --update") ? form("add") : form("add", "nothing is named");
    default:
      return form(sub.work);
  }
}

/** What git >= 2.46 takes for subcommands of `config`, and any that it may come to take: older ones refuse them as keys. */
const MAY_BE_SUBCOMMAND = /^[a-z-]*$/;

/**
 * `git config` ends its options at the first other word: behind it `-l` is a value. What is clear is what git does with subcommands and
 * git without them agree on, with all options in front of all operands.
 */
function configForm(rest: readonly Word[], given: Arguments): Form {
  const form = (work: GitWork, unclear: string | null = null): Form => ({ work, showsContents: false, unclear });
  const odd = form("read", "settings of the user, or changed ones");
  const texts = rest.map(({ text }) => text);
  const subcommand = /^(?:list|get|set)$/.test(texts[0] ?? "") ? texts[0] : undefined;
  const words = subcommand === undefined ? texts : texts.slice(1);
  const firstOperand = words.findIndex((text) => !/^-./s.test(text));
  const operands = firstOperand === -1 ? [] : words.slice(firstOperand);
  if (words.includes("--") || operands.some((text) => text.startsWith("-")) || rest.some(({ glob }) => glob))
    return odd;
  const [key = "", ...values] = operands;
  if (operands.length > 0 && MAY_BE_SUBCOMMAND.test(key)) return odd;
  const isLocal = hasOption(given, "--local");
  const lists = hasOption(given, "-l --list");
  const gets = hasOption(given, "--get --get-all --get-regexp");
  if (subcommand !== undefined && (lists || gets)) return odd;
  if (subcommand === "list" || lists) return isLocal && !gets && operands.length === 0 ? form("read") : odd;
  if (subcommand === "get" || gets || (subcommand === undefined && operands.length === 1)) {
    const isPlain = PLAIN_SETTING.test(key) && values.length === 0 && !hasOption(given, "--get-regexp --regexp");
    const count = operands.length === 1 || (operands.length === 2 && gets);
    return count && (isLocal || isPlain) ? form("read") : odd;
  }
  const onlyLocal = given.options.every(({ name }) => name === "--local");
  const [value = ""] = values;
  return operands.length === 2 && onlyLocal && isHarmlessToSet(key, value) ? form("set") : odd;
}

/** Settings that hold no password; others of the user's own may. */
const PLAIN_SETTING =
  /^(?:user|author|committer|branch|core|init|pull|push|merge|diff|log|status)\.[\w./-]+$|^remote\.[\w-]+\.url$/i;
const PATCHES =
  "-p -u --patch --patch-with-stat -U --unified -L -c --cc -m -W --function-context --word-diff --color-words --binary --check -S -G";
const SUMMARIES =
  "--stat --shortstat --numstat --dirstat --summary --name-only --name-status --no-patch -s --raw --compact-summary";

const SHOWS_NO_FILES =
  /^(?:log|shortlog|rev-list|whatchanged|reflog|diff-tree|stash|branch|tag|for-each-ref|show-branch|cherry)$/;

/** True if what it prints holds, or tells of, files' contents: a log only where patches are asked for or contents searched, a diff but for its summaries. */
function showsContents(name: string, given: Arguments): boolean {
  if (name === "cat-file" && hasOption(given, "-e -t -s")) return false;
  if (hasOption(given, PATCHES)) return true;
  if (SHOWS_NO_FILES.test(name)) return false;
  return name !== "diff" || !hasOption(given, SUMMARIES);
}

/** Words that git reads as more than a name: other folders, magic pathspecs, formats that ask gpg. */
function oddWords(rest: readonly Word[], work: GitWork): string | null {
  const texts = rest.map(({ text }) => text);
  if (texts.some((text) => /^\/|(?:^|[=/:])\.\.(?:\/|$)|^~|^--[\w-]+=\//.test(text)))
    return "a path outside of the repository";
  if (texts.some((text) => /%[-+ ]?(?:G|\((?:trailers|if))|signature/.test(text)))
    return "a format that may ask another program";
  if (texts.some((text) => /%\(\*?raw/.test(text))) return "a format that prints whole objects";
  const isPattern = ({ text, glob }: Word) =>
    !/^-/.test(text) && (/^:/.test(text) || (glob !== true && /[*?[\\]/.test(text) && work === "add"));
  return work !== "read" && work !== "show" && rest.some(isPattern) ? "a pattern that git itself expands" : null;
}

/** A word by which git shows contents under other names than those that it says, or what was put away with whatever lay there. */
function oddHistory(sub: Subcommand, rest: readonly Word[]): string | null {
  if (showsPresentOnly(sub, rest)) return null;
  for (const { text } of objectsOf(sub, rest)) {
    if (/^:(?:$|[^\w.])/.test(text)) return "a pattern that git itself expands";
    if (/^(?:refs\/)?stash(?:$|[@^~:])/.test(text)) return "contents that were put away";
    const last = text.slice(text.lastIndexOf("/") + 1);
    // What a pattern matches ends as it does: of `app/[id]/page.ts` the name is known.
    if (/[*?[\\]/.test(text) && (/[*?[\\]/.test(last) || last === "" || isSecretInGit(`/${last}`)))
      return "a pattern that git itself expands";
  }
  return null;
}

/** In a repository without a work tree no history is looked through, nor for a folder that lies deeper in one. */
function isKnown(base: Word | "here", at: string | null): boolean {
  if (at === null || (base !== "here" && (!base.is_resolved || base.glob === true))) return false;
  const isRepository = (here: string) => [".git", "HEAD"].some((name) => kindOf(`${here}/${name}`) !== "nothing");
  const found = folderAbove(realForm(at) ?? at, isRepository);
  return found === null || (found !== undefined && kindOf(`${found}/.git`) !== "nothing");
}

/** In a folder that isn't known lies any repository, with a history of its own. */
function oddFolder(sub: Subcommand, rest: readonly Word[]): string | null {
  return sub.names[0] === "blame" || isOfFiles(sub, rest) ? null : "the history of a repository that isn't known";
}

/** Words that are revisions or files, not what is searched for. */
function objectsOf(sub: Subcommand, rest: readonly Word[]): readonly Word[] {
  const given = argumentsOf(sub, rest);
  const hasPattern = sub.operands?.[0] === "pattern" && !hasOption(given, "-e");
  return given.operands.slice(hasPattern ? 1 : 0);
}

/** Without a revision, and all names behind `--`: nothing but what is tracked now, among which no secret is. */
function showsPresentOnly(sub: Subcommand, rest: readonly Word[]): boolean {
  return rest.some(({ text }) => text === "--") && isOfFiles(sub, rest);
}

/** True where nothing that may be a revision is named. */
function isOfFiles(sub: Subcommand, rest: readonly Word[]): boolean {
  const [name] = sub.names;
  const isOfFiles = name === "grep" || (name === "diff" && !hasOption(argumentsOf(sub, rest), "--cached --staged"));
  return isOfFiles && objectsOf(sub, beforeDashes(rest)).length === 0;
}

/** Behind `--` there are files alone. */
function beforeDashes(rest: readonly Word[]): readonly Word[] {
  const dashes = rest.findIndex(({ text }) => text === "--");
  return dashes === -1 ? rest : rest.slice(0, dashes);
}

function absolute({ text }: Word, cwd: string | null): string | null {
  if (text.startsWith("/")) return text;
  return cwd === null ? null : `${cwd}/${text}`;
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

/** What git itself can take back, or its remote has: the work that each subcommand does. Others, and other forms, are not among them. */
const KEPT_IN_GIT: readonly (readonly [GitWork, RegExp])[] = [
  ["add", /^(?:add|mv)$/],
  ["commit", /^commit$/],
  ["ref", /^(?:branch|tag)$/],
  ["change", /^(?:switch|checkout|stash|merge|revert|cherry-pick|reset|restore|fetch)$/],
  ["push", /^push$/],
];

/** Forms of them that throw something away, or run what they are given. */
const NOT_KEPT =
  /^(?:--hard|--merge|--keep|-f|--force|--discard-changes|-D|--delete|-d|drop|clear|--worktree|-W|--exec.*|--upload-pack.*|-[a-z]*i|--interactive|--patch|-p|-e|--edit|-S.*|--gpg-sign.*|ext::.*)$/;

/** git takes long options shortened, too. */
const NOT_KEPT_LONG =
  "--hard --merge --keep --force --discard-changes --delete --worktree --exec --upload-pack --interactive --patch --edit --gpg-sign --ours --theirs --pathspec-from-file".split(
    " ",
  );

function isNotKept(text: string): boolean {
  const given = text.replace(/=.*$/s, "");
  if (NOT_KEPT.test(text)) return true;
  if (!text.startsWith("--")) return /^-[A-Za-z]*[fDd]/.test(text);
  return given.length > 2 && NOT_KEPT_LONG.some((name) => name.startsWith(given));
}

/** A word of `git checkout` that is a file there, or a pattern of files: then it is no branch. */
function namesFile(text: string, at: string | null): boolean {
  if (text.startsWith("-")) return false;
  return /[*?[\\]/.test(text) || at === null || kindOf(absolutePath(text, at) ?? "") !== "nothing";
}

/**
 * What a git command leaves behind where that is only in the repository (`in_git`) or on its remote (`sends`), and nothing else runs;
 * null for anything else.
 */
export function gitEffect(args: readonly Word[], cwd: string | null, home: string): "in_git" | "sends" | null {
  const { name, rest, folder, workTree, unclear } = split(args);
  if (unclear !== null || workTree !== undefined || rest.some(({ is_resolved }) => !is_resolved)) return null;
  const texts = rest.map(({ text }) => text);
  const [work] = KEPT_IN_GIT.find(([, names]) => names.test(name)) ?? [];
  if (work === undefined || texts.some(isNotKept)) return null;
  if (name === "restore" && !texts.includes("--staged")) return null;
  if (name === "checkout" && texts.some((text) => text === "--" || /^[.:*]/.test(text))) return null;
  if (name === "commit" && !texts.some((text) => /^-[a-z]*m|^--(?:message|no-edit)/.test(text))) return null;
  const at = folder === "here" ? cwd : absolute(folder, cwd);
  if (name === "checkout" && texts.some((text) => namesFile(text, at))) return null;
  if ("problem" in gitProblem(at, home, work, false)) return null;
  return work === "push" ? "sends" : "in_git";
}
