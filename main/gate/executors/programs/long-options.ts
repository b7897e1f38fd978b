/**
 * Long options that change what a plain program prints or how it goes about it, and neither take a file nor run anything in any
 * program of the table. A long option must stand here or in the program's own entry, in full: GNU takes any unambiguous
 * beginning of one, so that `--outp` is `--output`.
 */
const PLAIN: ReadonlySet<string> = new Set(
  `all almost-all append ascending ascii author basic-regexp before binary block-size brief byte-offset bytes
  canonical case-sensitive changes chars check-chars color colors colour column columns complement context
  classify compare count count-matches crlf dbl-slash-quote debug delete dereference dictionary-order directory dired dirsfirst du
  empty escape exit-status expand-tabs extended-regexp field-match fields file-type files files-with-matches
  files-without-match filesfirst fixed-strings fixed-string follow force format full-time general-numeric-sort group
  group-directories-first heading help hidden human human-numeric-sort human-readable ignore-all-space ignore-backups
  ignore-blank-lines ignore-case ignore-leading-blanks ignore-nonprinting ignore-space-change ignore-tab-expansion
  ignore-trailing-space indent inode inodes interactive invert-match iso-8601 join-output kibibytes left-column
  line-buffered line-number line-numbers line-regexp lines link literal logical max-columns-preview max-count max-depth
  max-line-length maxdepth merge minimal month-sort mmap multiline multiline-dotall multibyte natural-sort new-file no-clobber
  no-color no-config no-dereference no-filename no-group no-group-separator no-heading no-ignore no-ignore-parent
  no-ignore-vcs no-line-number no-messages no-newline no-target-directory noreport null null-data null-input numeric-sort
  numeric-uid-gid one-file-system one-per-line only-matching paragraph parents perl-regexp physical portability posix prefix preserve
  pretty print0 progress quiet quote-name raw-input raw-output recursive reference regexp rename-exdev repeated
  report-identical-files reverse rfc-3339 rfc-email round-timestamp sequences serial si side-by-side silent size slurp
  smart-case sort-keys space-preserving speed-large-files squeeze-blank stable stats strip-trailing-cr strip
  suppress-blank-empty suppress-common-lines summarize sync tab tag terse text time total trim truncate universal unicode unified
  unique unpaired unrestricted update utc vernum verbose version vimgrep with-filename with-nth word-regexp words xdev
  zero zero-terminated json passthru sort-files trace-none one-line show-all show-ends show-nonprinting show-tabs number
  number-nonblank kernel-name kernel-release machine operating-system nodename all-repeated attributes-only
  no-preserve directories fqdn short ip-address`
    .split(/\s+/)
    .map((name) => `--${name}`),
);

/** True if every long option among `flags` is known in full, to all or to this program. */
export function knowsLongOptions(flags: Iterable<string>, own: readonly string[]): boolean {
  for (const flag of flags) {
    if (flag.startsWith("--") && flag !== "--" && !PLAIN.has(flag) && !own.includes(flag)) return false;
  }
  return true;
}
