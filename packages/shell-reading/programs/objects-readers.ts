/** Programs beside git: which of them show what a file among its objects holds, and which git commands need none of these. */

/** What lists names of the work tree by its index alone. */
export const WITHOUT_OBJECTS = /^(?:ls-files|check-ignore)$/;
/** `git rev-parse --show-toplevel` */
export const SAYS_WHERE = /^--(?:show-(?:toplevel|prefix|cdup|superproject-working-tree)|git-dir|is-inside-work-tree)$/;
/** By these options, and by words that a shell hands on as they are, nothing is printed than names of the work tree. */
const NAMES_ALONE =
  "--(?:name-only|cached|staged|modified|deleted|exclude-standard|no-renames|merge-base|diff-filter=[A-Za-z]+)|-[cdmilrhHnwEFGqe]+|--";
const WORD = `(?:[\\w@./~^:](?:[\\w@./~^:+,=-]|(?<=[@^])\\{[\\w/-]*\\})*|'[^'-][^']*'|"[^"$\`\\\\-][^"$\`\\\\]*")`;
const CUT = "(?:head|tail)(?:\\s+-(?:n\\s*)?\\d+)?|(?:sort|uniq)(?:\\s+-[a-z]+)*";
const CHOSEN = "grep(?:\\s+-[vEiF]+)?\\s+(?:'[^'-][^']*'|[\\w.\\\\$^/][\\w.\\\\$^/-]*)";
/** Names that git prints of the work tree: none lies in its own folder, nor is one that it is given. */
export const GIT_NAMES = new RegExp(
  `^(?:\\$\\(|\`)\\s*git (?![^|]*\\.[gG][iI][tT](?!\\w))(?:--no-pager )?(?:ls-files|grep -l|diff(?=[^|]*\\s--name-only\\b))(?:\\s+(?:${NAMES_ALONE}|${WORD}))*\\s*(?:2>/dev/null\\s*)?(?:\\|\\s*(?:${CUT}|${CHOSEN})\\s*)*(?:\\)|\`)$`,
);
/** Programs that hand on whole names, by the words behind them with which they do. */
const LINES = /^-(?:n?\d*|q)$|^\d+$/;
const SELECTING = /^-[vEiFqx]+$|^[^-]/;
export const FILTERS: ReadonlyMap<string, RegExp> = new Map([
  ...["head", "tail"].map((name): [string, RegExp] => [name, LINES]),
  ...["sort", "uniq"].map((name): [string, RegExp] => [name, /^-[a-z]+$/]),
  ...["grep", "egrep", "fgrep"].map((name): [string, RegExp] => [name, SELECTING]),
  ["read", /^(?:-r|[A-Za-z]\w*)$/],
  ["cd", /^[^-]/],
  ["true", /^$/],
]);
/** Of what hands names from its input on: each as a line or a blank ends it. */
export const NAMES_BY_LIST = /^xargs(?:\s+-(?:[rt]+|[nPL]\s*\d+|I\s*(?:\{\}|%|\w+)|d\s*'\\n'))*\s+(?!xargs\b)[A-Za-z]/;
/** By these a line has its shell cut words elsewhere, or match other names. */
export const SETS_SHELL = /^(?:alias|declare|export|local|printf|read|readonly|set|shopt|typeset)$/;
/** They say no more of a file with a NUL byte in it than that it matches, but for these options. */
export const SEARCHES = /^(?:e|f)?grep$|^rg$/;
/** It looks into no hidden folder, but for these. */
export const SKIPS_HIDDEN = /^rg$/;
export const SHOWS_HIDDEN = /^(?:--(?:hidden|unrestricted)|-[A-Za-z]*[u.][A-Za-z.]*)$/;
/** Folders that may be a repository's own. */
export const OF_GIT = /^objects$|\.git$/i;
/** What of a tree it looks through, by which it leaves git's own folder or each of the names in that. */
export const SKIPS_GIT = /^--(?:exclude-dir=['"]?\.git['"]?|include=['"]?\*\.(?!pack|idx|rev)[a-z]+['"]?)$/;
export const AS_TEXT = /^(?:--(?:te?x?t?|binary.*|search-zip|pre.*|null-data)(?:=.*)?|-[A-Za-z]*[azU][A-Za-z]*)$/;
/** They print nothing of what a file holds. */
export const COUNTS = /^(?:wc|file|cksum|b2sum|md5|(?:md5|sha\d+)sum|shasum|stat|test|\[)$/;
