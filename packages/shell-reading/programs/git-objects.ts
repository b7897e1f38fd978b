import { join } from "node:path";
import type { Word } from "../reading.ts";
import { beginningOf } from "../targets/file-beginning.ts";
import { kindOf } from "../targets/path.ts";
import { folderAbove } from "../targets/project.ts";
import { gitFoldersOf } from "./git-folders.ts";
import { gitHistories } from "./git-history.ts";

/** Words by which git shows what it may hold under no name: by a hash, by a reference to no commit, or by what nobody reads. */

/** A hash, cut off or whole; what `git describe` prints ends in one. */
const HASH = /^(?:.*-g)?([0-9a-f]{4,64})$/is;
/** References that no branch, tag or log may hold: of what was fetched, reset or merged. */
const OF_GITS_OWN = /^(?:[A-Z]+(?:_[A-Z]+)*_HEAD|AUTO_MERGE)$/;
const ANYWHERE = /(?:(?<![\w~])|(?<=-g))([0-9a-f]{4,64}|[A-Z]+(?:_[A-Z]+)*_HEAD|AUTO_MERGE)(?!\w)/gi;
/** More likely a date or a count. */
const SHORT_NUMBER = /^\d{1,6}$/;

/** What a line may mean by hashes, wherever they are in it. */
export function objectsIn(text: string): string[] {
  return [...text.matchAll(ANYWHERE)].flatMap(([, name = ""]) => (SHORT_NUMBER.test(name) ? [] : [name]));
}

/** As a shell hands it on letter by letter: nothing in it is put together. Nor does it name a file, of a commit or of the index. */
const NAME = `(?:[\\w./~^@+](?:[\\w./~^@+=-]|(?<=[@^])\\{[\\w/-]*\\})*|'[^'":-][^'":]*'|"[^'":$\`\\\\-][^'":$\`\\\\]*")`;
const FORMAT = "--(?:format|pretty)=(?:format:)?(?:%[hH]|'%[hH]'|\"%[hH]\")";
const OPTION = `-n\\s*\\d+|-\\d+|-[alrSG]|--(?:all|follow|branches|tags|remotes|reverse|no-walk|first-parent|merges|no-merges|topo-order|date-order|verify|quiet|list|always|exact-match|long|fork-point|octopus|independent|show-current|no-color|contains|merged|no-merged|symbolic-full-name)?|--(?:max-count|skip|short|abbrev|abbrev-ref|sort|since|until|after|before|author|grep|points-at|match|diff-filter)(?:=${NAME}|=-\\w+)?`;
/** What git itself lists: names and commits, whole, and nothing that anybody wrote about them. */
const LISTED = new RegExp(
  `^(?:\\$\\(|\`)\\s*git (?:--no-pager )?(?:rev-parse(?![^|]*[*?[])|merge-base|describe|rev-list|for-each-ref|tag(?![^|]*\\s-n)|branch(?=\\s+(?:--show-current|-r)\\b)(?![^|]*\\s-?-a)|(?:log|reflog)(?=[^|]*\\s${FORMAT}(?![^\\s|)\`])))(?:\\s+(?:${FORMAT}|${OPTION}|${NAME}))*\\s*(?:2>/dev/null\\s*)?(?:\\|\\s*(?:(?:head|tail)(?:\\s+-(?:n\\s*)?\\d+)?|sort(?:\\s+-[A-Za-z]+)*|uniq)\\s*)*(?:\\)|\`)$`,
);
/** In front of what isn't meant by a number: how many, or since when. */
const COUNTED = /-n\s*\d+|--[\w-]+=(?:'[^']*'|"[^"]*"|\S*)/g;
const NUMBER = /(?<![\w-]|\w\.)\d{4,6}(?!\w)/;
/** Stands for what nobody reads. */
const OPEN = "\n";

/** `^abc`, and what may follow the name of a commit: `~2`, `^{tree}`, `@{1}`. */
const REVISION = /^\^?([^~^:@]*(?:@(?!\{)[^~^:@]*)*)(?:~\d*|\^\d*|[\^@]\{[^{}]*\})*/;

/**
 * The file that a word names in a commit or in the index; undefined where it names none. `:/text`, `HEAD@{10:00}` and `HEAD^{/text: }` are
 * commits; so is whatever ends in a brace, as git first takes all of it for one.
 */
export function fileNamed(text: string): string | undefined {
  if (text.endsWith("}") || /\.\.(?!\/)/.test(text)) return undefined;
  const after = text.slice(REVISION.exec(text)?.[0].length ?? 0);
  return /^:[^/]/.test(after) ? after.slice(1) : undefined;
}

/**
 * Where git keeps what a word names, if that may be anything that was ever put there; undefined where it is a commit whose names are
 * known, or a file of a commit. @param folder absolute and real
 */
export function objectNamed(word: Word, folder: string): string | undefined {
  const found = folderAbove(folder, (here) => kindOf(join(here, ".git")) !== "nothing");
  if (found === null) return undefined;
  // No history is looked through for a folder that lies deeper, so what a word names there isn't known.
  const root = found ?? folder;
  const objects = join(gitFoldersOf(root)?.common ?? join(root, ".git"), "objects");
  const listed = word.is_resolved || isListed(word, root);
  const plain = word.pieces.map(({ kind, text }) => (kind === "unknown" ? OPEN : text)).join("");
  // A whole name, or the last part of a branch's.
  const isListedWhole = (name: string) => listed && /^(?:[^\n]*\/)?\n$/.test(name);
  const named = plain
    .split(/\.{2,3}/)
    .flatMap((one) => {
      const [, name = ""] = REVISION.exec(one) ?? [];
      return fileNamed(one) === undefined ? [name] : [];
    })
    .find((name) => (name.includes(OPEN) && !isListedWhole(name)) || isUnknown(name, root));
  if (named === undefined) return undefined;
  const hash = HASH.exec(named)?.[1];
  return hash === undefined ? objects : join(objects, hash.slice(0, 2), hash.slice(2));
}

function isListed({ pieces, text }: Word, root: string): boolean {
  const areListed = pieces.every(
    (piece) => piece.kind !== "unknown" || (LISTED.test(piece.text) && !NUMBER.test(piece.text.replace(COUNTED, ""))),
  );
  return (
    areListed &&
    !gitHistories.hasOddReferences(root) &&
    !isBranchOddAt(root) &&
    objectsIn(text).every((name) => gitHistories.isCommit(root, name))
  );
}

/** Its name is a hash's: as long as no commit is on it, git takes it for one. */
function isBranchOddAt(root: string): boolean {
  const head = beginningOf(join(gitFoldersOf(root)?.git ?? root, "HEAD"), MAX_NAME);
  const [, branch] = /^ref: refs\/heads\/(.*)\n/.exec(head.kind === "file" ? head.text : "") ?? [];
  return branch !== undefined && HASH.test(branch);
}

/** Of a branch; in bytes. */
const MAX_NAME = 4096;

function isUnknown(name: string, root: string): boolean {
  if (gitHistories.isOddReference(root, name)) return true;
  const object = OF_GITS_OWN.test(name) ? name : HASH.exec(name)?.[1];
  return object !== undefined && !gitHistories.isCommit(root, object);
}
