import { readlinkSync } from "node:fs";
import { textOf } from "./small-file.ts";

/** Repositories of other programs than git, which write in them by names that they know before. Paths have one character for each byte. */

const IN_ONE = /\/(?:\.(?:hg|sl|jj|bzr|svn|pijul)|_darcs)(?:\/|$)/i;

/** A link in one: its program would write where that leads. @param folder in which it lies */
export const isLinkInOther = (folder: string, isLink: boolean): boolean => isLink && IN_ONE.test(folder);

/** What a program keeps in its own repository and only leads, or names files, in there: locks and tests of hg's, what it would take back. */
export function staysInOther(path: string): boolean {
  const slash = path.lastIndexOf("/");
  if (!IN_ONE.test(path.slice(0, slash))) return false;
  if (/\/\.hg\/store\/undo(?:\.backupfiles)?$/i.test(path)) return takesBackOwn(textOf(path));
  try {
    // Each link on its way is looked at by itself.
    const says = readlinkSync(Buffer.from(path, "latin1"), { encoding: "latin1" });
    return !says.startsWith("/") && !says.split("/").includes("..");
  } catch {
    return false; // no link, or gone by now
  }
}

/** Of `hg rollback`: what it writes over, by what. */
const OWN_FILE =
  /^(?:undo\.backup\.[\w.]+|dirstate|branch|bookmarks|desc|phaseroots|fncache|obsstore|narrowspec(?:\.dirstate)?|00(?:changelog|manifest)[\w.-]*|(?:data|meta)\/(?!(?:.*\/)?\.\.\/).+\.[id])?$/s;

function takesBackOwn(text = "/"): boolean {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.every((line) =>
    line.split("\0").every((word, at, words) => {
      if (words.length <= 2) return at === 1 || /^\d+$/.test(line) ? /^\d*$/.test(word) : OWN_FILE.test(word);
      return at === 0 ? /^(?:plain|store)?$/.test(word) : at < 3 ? OWN_FILE.test(word) : /^\d$/.test(word);
    }),
  );
}
