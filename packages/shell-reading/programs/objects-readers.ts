/** Programs beside git: which of them show what a file among its objects holds, and which git commands need none of these. */

/** What lists names of the work tree by its index alone. */
export const WITHOUT_OBJECTS = /^(?:ls-files|check-ignore)$/;
/** `git rev-parse --show-toplevel` */
export const SAYS_WHERE = /^--(?:show-(?:toplevel|prefix|cdup|superproject-working-tree)|git-dir|is-inside-work-tree)$/;
/** Names that git prints of the work tree: none lies in its own folder. */
export const GIT_NAMES =
  /^(?:\$\(|`)\s*git (?:--no-pager |-C [\w./-]+ )?(?:ls-files|check-ignore|grep -l|(?:diff|show|log|diff-tree)\b[^;&|<>`$()]* --name-only)\b[^;&|<>`$()]*(?:\|\s*(?:(?:head|tail|sort|uniq)(?:\s+-[\w-]+|\s+\d+)*|grep(?:\s+-[vEiF]+)?\s+(?:'[^']*'|[\w.\\$^-]+))\s*)*(?:\)|`)$/;
export const NAMES_ONLY = /^(?:--name-only|-l)$/;
export const FILTERS = /^(?:head|tail|sort|uniq|grep|egrep|fgrep|true|cd|read)$/;
/** They say no more of a file that isn't text than that it matches, but for these options. */
export const SEARCHES = /^(?:e|f)?grep$|^rg$/;
export const AS_TEXT = /^(?:--(?:te?x?t?|binary.*|search-zip|pre.*|null-data)(?:=.*)?|-[A-Za-z]*[azU][A-Za-z]*)$/;
/** They print nothing of what a file holds. */
export const COUNTS = /^(?:wc|file|cksum|b2sum|md5|(?:md5|sha\d+)sum|shasum|stat|test|\[)$/;
