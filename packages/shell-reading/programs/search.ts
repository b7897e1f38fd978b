import type { Word } from "../reading.ts";
import { byRoles } from "./accesses.ts";
import { argumentsOf, hasOption } from "./arguments.ts";
import type { Accesses, CommandContext, Program } from "./program.ts";

/** Programs that search in files, by content. */

const RIPGREP: Program = {
  names: ["rg"],
  optionsAnywhere: true,
  operands: ["pattern", "reads"],
  options: {
    flags: `-a -c -F -h -H -i -I -l -n -N -o -p -P -q -s -S -U -v -V -w -x -0 -u -. --text --count --count-matches --fixed-strings --no-filename --with-filename
      --ignore-case --files-with-matches --files-without-match --line-number --no-line-number --only-matching --pretty --pcre2 --quiet --case-sensitive
      --smart-case --multiline --multiline-dotall --invert-match --version --word-regexp --line-regexp --null --null-data --unrestricted --hidden
      --no-heading --heading --no-ignore --no-ignore-vcs --no-ignore-parent --no-messages --json --stats --trim --vimgrep --column --crlf --no-config --one-file-system --passthru --block-buffered --line-buffered --byte-offset --type-list --glob-case-insensitive --max-columns-preview --files`,
    text: `-g -t -T -m -M -A -B -C -j -r -E -d --glob --iglob --type --type-not --max-count --max-columns --after-context --before-context --context --threads
      --replace --encoding --max-depth --maxdepth --sort --sortr --color --colors --max-filesize --context-separator --field-context-separator --field-match-separator --path-separator --engine`,
    pattern: "-e --regexp",
  },
  unclear: {
    flags: "-z -L --search-zip --follow --pre --debug --trace",
    text: "--pre-glob --hostname-bin --hyperlink-format --type-add --type-clear --dfa-size-limit --regex-size-limit",
    reads: "-f --file --ignore-file",
  },
  tree: "always",
  text_only: (args) => !args.some(({ text }) => /^--(?:pre|hostname-bin)/.test(text)),
  accesses: ripgrepAccesses,
};

export const SEARCH_PROGRAMS: readonly Program[] = [
  {
    names: ["grep", "egrep", "fgrep"],
    looksUp: ["grep"],
    optionsAnywhere: true,
    operands: ["pattern", "reads"],
    options: {
      flags: `-a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -s -T -U -v -V -w -x -y -z -Z --text --byte-offset --count --extended-regexp --fixed-strings
        --basic-regexp --no-filename --with-filename --ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number --only-matching --perl-regexp
        --quiet --silent --recursive --no-messages --initial-tab --invert-match --version --word-regexp --line-regexp --null --null-data --line-buffered --binary`,
      optional: "--color --colour",
      text: "-m -A -B -C --max-count --after-context --before-context --context --include --exclude --exclude-dir --label --binary-files",
      pattern: "-e --regexp",
      reads: "-f --file",
    },
    unclear: {
      flags: "-R -u -S -O -p --dereference-recursive --unix-byte-offsets",
      text: "-d -D --directories --devices",
      reads: "--exclude-from",
    },
    takesNumbers: true,
    accesses: grepAccesses,
    tree: "-r -R --recursive --dereference-recursive",
    // As ugrep does, which Claude Code puts in its place.
    readsFolders: true,
    text_only: true,
  },
  RIPGREP,
  {
    names: ["ag", "ack"],
    operands: ["pattern", "reads"],
    unclear: {
      flags: `-a -c -f -F -g -h -H -i -l -L -n -o -Q -r -R -s -S -t -u -U -v -w -z --hidden --version --help --nocolor --color --group --nogroup --literal`,
      text: "-A -B -C -G -m --depth --max-count --after --before --context --file-search-regex --ignore --ignore-dir --type --pager --width --workers",
      reads: "-p --path-to-ignore",
    },
    tree: "always",
    guard_only: true,
    text_only: true,
  },
];

function grepAccesses(args: readonly Word[], context: CommandContext): Accesses {
  const program = SEARCH_PROGRAMS[0] as Program;
  const given = argumentsOf(program, args);
  const { accesses, unclear, data } = byRoles(program, args, context, given);
  const hasPatternFile = hasOption(given, "-f --file");
  // `-d recurse` is -r, said otherwise.
  const recurses = given.options.some(
    ({ name, value }) => /^(?:-d|--directories)$/.test(name) && value?.text === "recurse",
  );
  if (!hasPatternFile && !recurses) return { accesses, unclear, data };
  const without = hasPatternFile
    ? byRoles({ ...program, operands: ["reads"] }, args, context, given)
    : { accesses, data };
  return {
    accesses: recurses
      ? without.accesses.map((access) => (access.kind === "read" ? { ...access, is_tree: true as const } : access))
      : without.accesses,
    unclear,
    data: without.data,
  };
}

function ripgrepAccesses(args: readonly Word[], context: CommandContext): Accesses {
  const given = argumentsOf(RIPGREP, args);
  if (hasOption(given, "--version -V --type-list") && !hasOption(given, "--files"))
    return { accesses: [], unclear: given.unclear, data: [] };
  const listsFiles = hasOption(given, "--files");
  const program: Program = {
    ...RIPGREP,
    operands: listsFiles ? ["lists"] : hasOption(given, "-f --file") ? ["reads"] : ["pattern", "reads"],
    // An ignore file can bring hidden names back; so does a glob.
    ...(hasOption(given, "--no-ignore") && !hasOption(given, "-u -. -g --unrestricted --hidden --glob --iglob")
      ? { skips_hidden: true as const }
      : {}),
  };
  return byRoles(program, args, context, given);
}
