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
  if (/\/\.hg\/store\/undo(?:\.backupfiles)?$/i.test(path)) return TAKES_BACK_OWN.test(textOf(path) ?? "/");
  if (!OWN_LINK.test(path)) return false;
  try {
    // Each link on its way is looked at by itself.
    const says = readlinkSync(Buffer.from(path, "latin1"), { encoding: "latin1" });
    return !says.startsWith("/") && !says.split("/").includes("..");
  } catch {
    return false; // no link, or gone by now
  }
}

/** Of hg: who works there, and what it tries links with. */
const OWN_LINK = /\/(?:w?lock|checklink(?:-[\w-]+)?)$/;

/** Of `hg rollback`: which files it cuts to what length, and which it writes over by what others. */
const OWN =
  "(?:undo\\.backup\\.[\\w.]+|dirstate|branch|bookmarks|desc|phaseroots|fncache|obsstore|00(?:changelog|manifest)[\\w.-]*|(?:data|meta)/(?![^\\0]*\\.\\./)[^\\0\\n]+\\.[id]|)";
const TAKES_BACK_OWN = new RegExp(`^(?:\\d+\\n)?(?:(?:${OWN}\\0\\d+|(?:plain|store)?\\0${OWN}\\0${OWN}\\0\\d)\\n)*$`);
