import { optionsOf } from "../../shell/options.ts";
import type { Word } from "../../shell/reading.ts";

/** Programs whose arguments are a language of their own: `sed`, `find`, `git`, `curl`, `wget`, `test`, `chmod`. */

/** What a command touches, before it is placed. `here`: the working directory. */
export interface Touch {
  kind: "read" | "write" | "host";
  word: Word | "here";
  is_tree?: boolean;
  is_folder?: boolean;
}

/** Null: it may do more than can be told. */
export type Touches = readonly Touch[] | null;

export interface Surrounding {
  /** True if the repository, or git's settings, name programs that git would run. */
  gitRunsPrograms(folder: string | null): boolean;
  /** True if the path lies below the folder that the whole line begins in. */
  isInProject(word: Word): boolean;
  /** True if it is that folder itself. */
  isProject(word: Word): boolean;
}

const read = (word: Word | "here", more: Partial<Touch> = {}): Touch => ({ kind: "read", word, ...more });
const write = (word: Word | "here", more: Partial<Touch> = {}): Touch => ({ kind: "write", word, ...more });

/** A sed script that only selects, deletes and replaces: no file, no command. */
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|\+\d+|/(?:\\.|[^/\\\n])*/[IM]*)`;
const STEP = String.raw`\s*(?:${ADDRESS}\s*(?:,\s*${ADDRESS})?\s*!?\s*)?(?:\{|[pdqQ=nNPDgGhHxlF]\s*\d*|s/(?:\\.|[^/\\\n])*/(?:\\.|[^/\\\n])*/[gpiIm\d]*|s\|(?:\\.|[^|\\\n])*\|(?:\\.|[^|\\\n])*\|[gpiIm\d]*|s#(?:\\.|[^#\\\n])*#(?:\\.|[^#\\\n])*#[gpiIm\d]*|s,(?:\\.|[^,\\\n])*,(?:\\.|[^,\\\n])*,[gpiIm\d]*|y/(?:\\.|[^/\\\n])*/(?:\\.|[^/\\\n])*/)?\s*\}?\s*`;
const SED_STEP = new RegExp(`${STEP}(?:[;\\n}]|$)`, "y");

function isPlainSed(script: string): boolean {
  let at = 0;
  for (let count = 0; at < script.length; count++) {
    SED_STEP.lastIndex = at;
    const match = SED_STEP.exec(script);
    if (match === null || match[0] === "" || count > 200) return false;
    at = SED_STEP.lastIndex;
  }
  return true;
}

export function sedTouches(args: readonly Word[]): Touches {
  const { flags, values, operands } = optionsOf(args, "eflL", ["--expression", "--file", "--line-length"]);
  const in_place = args.some(({ text }) => /^-[nErsuz]*i|^--in-place/.test(text));
  for (const flag of flags)
    if (
      !/^(?:-[nErsuzie]|--quiet|--silent|--expression|--regexp-extended|--in-place|--separate|--unbuffered|--null-data|--posix|--debug)$/.test(
        flag,
      ) &&
      !(in_place && /^-[A-Za-z.]$/.test(flag))
    )
      return null;
  const given = values.filter(({ name }) => name === "-e" || name === "--expression").map(({ word }) => word.text);
  // `-i` takes what stands behind it in its word as a suffix.
  if (args.some(({ text }) => /^-[A-Za-z]*i[A-Za-z]*[/]/.test(text) || /^--in-place=.*[/]/.test(text))) return null;
  const script = given.length > 0 ? given.join("\n") : operands[0]?.text;
  const files = given.length > 0 ? operands : operands.slice(1);
  if (script === undefined || !isPlainSed(script)) return null;
  return files.flatMap((word) => (in_place ? [read(word), write(word)] : [read(word)]));
}

const FIND_TESTS =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|type|size|empty|[acm]time|[acm]min|[acm]?newer|maxdepth|mindepth|perm|user|group|regextype|not|o|or|a|and|print|print0|prune|depth|xdev|mount|readable|writable|executable|links|inum|samefile|true|false|follow|daystart|quit|printf|ls|delete|exec|execdir|nouser|nogroup|noleaf|warn|nowarn)$/;

export function findTouches(args: readonly Word[], around: Surrounding): Touches {
  let at = 0;
  while (/^-[HLP]$/.test(args[at]?.text ?? "")) at++;
  const starts: Word[] = [];
  for (; at < args.length && !/^[-(!,]/.test(args[at]?.text ?? ""); at++) starts.push(args[at] as Word);
  const rest = args.slice(at);
  for (let index = 0; index < rest.length; index++) {
    const text = rest[index]?.text ?? "";
    // What it runs is a command of its own, and read as one.
    if (text === "-exec" || text === "-execdir") {
      while (index < rest.length && rest[index]?.text !== ";" && rest[index]?.text !== "+") index++;
      continue;
    }
    if (text.startsWith("-") && !FIND_TESTS.test(text) && !/^-\d+$/.test(text)) return null;
    if (text === "-printf" || /^-(?:newer|samefile)$/.test(text)) index++;
  }
  const deletes = rest.some(({ text }) => text === "-delete");
  // By a name, `find .` may delete as well: it is not the whole project.
  const is_named = rest.some(({ text }, index) => /^-i?name$/.test(text) && /\w{2}/.test(rest[index + 1]?.text ?? ""));
  const is_simple = !rest.some(({ text }) => /^(?:-o|-or|,|!|-not)$/.test(text));
  const isHere = (word: Word) => is_named && is_simple && around.isProject(word);
  if (deletes && !(starts.length > 0 && starts.every((word) => around.isInProject(word) || isHere(word)))) return null;
  const places: (Word | "here")[] = starts.length === 0 ? ["here"] : starts;
  return places.flatMap((word) => [
    read(word, { is_tree: true }),
    ...(deletes ? [write(word, { is_tree: true })] : []),
  ]);
}

export function testTouches(args: readonly Word[], name: string): Touches {
  const touches: Touch[] = [];
  for (const [index, word] of args.entries()) {
    if (/^-(?:nt|ot|ef)$/.test(word.text))
      touches.push(...args.filter((_, other) => Math.abs(other - index) === 1).map((one) => read(one)));
    if (/^-[abcdefghkprstuwxGLNOS]$/.test(word.text) && args[index + 1] !== undefined)
      touches.push(read(args[index + 1] as Word));
  }
  // `[[ ... ]]` comes without its operators: any of its words may be a file that is looked for.
  if (name === "[[")
    for (const word of args) if (/^[\w./~-]+$/.test(word.text) && !word.text.startsWith("-")) touches.push(read(word));
  return touches;
}

export function chmodTouches(args: readonly Word[]): Touches {
  const [mode, ...files] = args;
  if (mode === undefined || !/^(?:0?[0-7]{3}|[ugoa]*[-+=][rwxX]+(?:,[ugoa]*[-+=][rwxX]+)*)$/.test(mode.text))
    return null;
  if (files.some(({ text }) => text.startsWith("-"))) return null;
  return files.map((word) => write(word));
}

const GIT_READS =
  /^(?:status|log|diff|show|blame|rev-parse|ls-files|ls-tree|describe|shortlog|rev-list|cat-file|branch|tag|remote|stash|reflog|grep|worktree|merge-base|name-rev|for-each-ref|show-ref|cherry|count-objects|config|check-ignore|diff-tree|whatchanged|version|help|var)$/;
const GIT_NEVER =
  /^(?:--ext-diff|--textconv|--output.*|-O.*|--open-files.*|--no-index|--upload-pack.*|--exec.*|--filters|--show-signature|--verify-signatures|--interactive|-i|-p|--patch|--edit|-e|--pathspec-from-file.*|--template.*|--contents.*|--ignore-revs-file.*|-t|-F|--file.*|--reedit-message.*|--gpg-sign.*|-S)$/;

/** Options that are more than reading, whose beginnings git takes as well (`--outp`, `--ext`). */
const GIT_LONG_NEVER =
  `ext-diff textconv output output-directory open-files-in-pager no-index upload-pack exec filters show-signature
  verify-signatures interactive patch edit pathspec-from-file template contents ignore-revs-file file reedit-message
  reuse-message gpg-sign exclude-from exclude-per-directory delete force copy move set-upstream-to unset-upstream edit-description track
  create-reflog unset unset-all replace-all add rename-section remove-section untracked stdin batch`
    .split(/\s+/)
    .map((name) => `--${name}`);
const GIT_LONG_PLAIN = new Set([
  "--exclude-standard",
  "--no-color",
  "--no-merged",
  "--no-pager",
  "--all",
  "--cc",
  "--not",
  "--patch-with-stat",
]);

/** `--exec`, `--exe`, `--exec=x`; in a format, what asks gpg. */
function isGitNever(text: string): boolean {
  if (/%G|signature/.test(text)) return true;
  const name = text.split("=")[0] ?? text;
  if (!/^--\w/.test(name) || GIT_LONG_PLAIN.has(name)) return false;
  return GIT_LONG_NEVER.some((never) => never.startsWith(name));
}

/** Subcommands for which one of these is only what is shown. */
function isShown(text: string, subcommand: string): boolean {
  switch (text) {
    case "-p":
    case "--patch":
      return /^(?:show|log|diff|stash|cat-file)$/.test(subcommand);
    case "-i":
    case "-e":
      return subcommand === "grep";
    case "-t":
      return /^(?:cat-file|ls-files|ls-tree|log)$/.test(subcommand);
    case "-F":
      return subcommand === "grep";
    default:
      return false;
  }
}

export function gitTouches(args: readonly Word[], cwd: string | null, around: Surrounding): Touches {
  let at = 0;
  let folder: Word | "here" = "here";
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? "";
    if (text === "-C" && folder === "here" && args[at + 1] !== undefined) folder = args[++at] as Word;
    else if (text !== "--no-pager" && text !== "-P") break;
  }
  const subcommand = args[at]?.text ?? "";
  const rest = args.slice(at + 1);
  const texts = rest.map(({ text }) => text);
  if (subcommand === "--version") return [read(folder, { is_folder: true })];
  const place =
    folder === "here" ? cwd : folder.text.startsWith("/") ? folder.text : cwd === null ? null : `${cwd}/${folder.text}`;
  if (around.gitRunsPrograms(place)) return null;
  const options = texts
    .slice(0, texts.includes("--") ? texts.indexOf("--") : texts.length)
    .filter((text) => text.startsWith("-"));
  const is_log_search = (text: string) => subcommand === "log" && /^-[Spi]$|^-S./.test(text);
  if (
    options.some(
      (text) => (GIT_NEVER.test(text) || isGitNever(text)) && !isShown(text, subcommand) && !is_log_search(text),
    )
  )
    return null;
  if (subcommand === "grep" && options.some((text) => /^-[A-Za-z]*O/.test(text))) return null;
  if (texts.some((text) => /%G|%\(signature/.test(text))) return null;
  // Outside of the repository `diff` and its like read any file.
  if (texts.some((text) => /^\/|(?:^|[=/])\.\.(?:\/|$)|^~|^--[\w-]+=\//.test(text))) return null;
  if (GIT_READS.test(subcommand)) return isGitReading(subcommand, texts) ? [read(folder, { is_folder: true })] : null;
  const paths = texts.includes("--")
    ? rest.slice(texts.indexOf("--") + 1)
    : rest.filter(({ text }) => !text.startsWith("-"));
  // `:/` is the whole repository, and git expands patterns that the shell left alone.
  if (
    subcommand !== "commit" &&
    paths.some(({ text, glob }) => text.startsWith(":") || (glob !== true && /[*?[\\]/.test(text)))
  )
    return null;
  switch (subcommand) {
    case "add":
      return options.every((text) =>
        /^(?:-[AuvnNf]|--all|--update|--verbose|--dry-run|--intent-to-add|--)$/.test(text),
      ) && folder === "here"
        ? [...paths.map((word) => read(word)), write(folder, { is_folder: true })]
        : null;
    case "commit": {
      const { values } = optionsOf(rest, "m", ["--message", "--author", "--date"]);
      const is_plain = options.every((text) =>
        /^(?:-[aqvn]*m?|-m.*|--message.*|--all|--amend|--no-edit|--quiet|--no-verify|--allow-empty|--author.*|--date.*|--signoff|-s)$/s.test(
          text,
        ),
      );
      return is_plain &&
        (values.some(({ name }) => name === "-m" || name === "--message") || texts.includes("--no-edit"))
        ? [write(folder, { is_folder: true })]
        : null;
    }
    case "checkout":
      return folder === "here" && texts[0] === "--" && paths.length > 0
        ? paths.map((word) => write(word, { is_tree: true }))
        : null;
    case "restore":
      return folder === "here" &&
        paths.length > 0 &&
        options.every((text) => /^(?:--staged|--worktree|-[SW]|--)$/.test(text))
        ? paths.map((word) => write(word, { is_tree: true }))
        : null;
    default:
      return null;
  }
}

/** Subcommands that also write: only in their listing forms. */
function isGitReading(subcommand: string, texts: readonly string[]): boolean {
  const operands = texts.filter((text) => !text.startsWith("-"));
  switch (subcommand) {
    case "branch":
      return operands.length === 0
        ? texts.every((text) =>
            /^(?:-[avr]+|-vv|--list|--all|--remotes|--show-current|--verbose|--merged|--no-merged|--sort=.*|--format=.*|--contains|--no-color|--column)$/.test(
              text,
            ),
          )
        : (texts[0] === "--list" || texts[0] === "-l") &&
            texts.every((text) => !/^-[dDmMcCfu]|^--(?:delete|move|copy|force|set-|unset|edit|track)/.test(text));
    case "tag":
      return (
        texts.length === 0 ||
        ((texts[0] === "-l" || texts[0] === "--list") && texts.every((text) => !/^-[adfsmFu]/.test(text)))
      );
    case "remote":
      return (
        texts.every((text) => text === "-v" || text === "--verbose") || (texts[0] === "get-url" && texts.length === 2)
      );
    case "stash":
      return texts[0] === "list" || texts[0] === "show";
    case "reflog":
      return texts.length === 0 || texts[0] === "show" || /^-/.test(texts[0] ?? "");
    case "worktree":
      return texts[0] === "list";
    case "config":
      return /^(?:--get|--get-all|--get-regexp|--list|-l)$/.test(
        texts.find((text) => !/^--(?:global|local|system|show-origin|show-scope|name-only)$/.test(text)) ?? "",
      );
    case "cat-file":
      return texts.every((text) => !/^--batch/.test(text));
    case "grep":
      return texts.every((text) => !/^-[A-Za-z]*f|^--no-index|^--untracked/.test(text));
    case "diff":
      return operands.every((text) => !text.startsWith("-"));
    case "help":
      return false;
    default:
      return true;
  }
}

const CURL_FLAGS =
  /^(?:-[sSfLIikvgG#4601Nj]|--(?:silent|show-error|fail|fail-with-body|location|head|include|insecure|verbose|globoff|get|progress-bar|ipv4|ipv6|compressed|http1\.1|http2|no-buffer|no-progress-meter|tlsv1\.[23]|create-dirs))$/;
const CURL_TEXT =
  /^(?:-[HAeXmuwrd]|-F|--(?:header|user-agent|referer|request|max-time|connect-timeout|retry|retry-delay|retry-max-time|user|write-out|range|data|data-raw|data-binary|data-ascii|data-urlencode|json|form|form-string|oauth2-bearer|max-redirs|limit-rate))$/;
const CURL_LONG = [
  "--header",
  "--user-agent",
  "--referer",
  "--request",
  "--max-time",
  "--connect-timeout",
  "--retry",
  "--retry-delay",
  "--retry-max-time",
  "--user",
  "--write-out",
  "--range",
  "--data",
  "--data-raw",
  "--data-binary",
  "--data-ascii",
  "--data-urlencode",
  "--json",
  "--form",
  "--form-string",
  "--oauth2-bearer",
  "--max-redirs",
  "--limit-rate",
  "--output",
  "--upload-file",
  "--url",
  "--dump-header",
  "--cookie",
  "--cookie-jar",
];

export function curlTouches(args: readonly Word[], asFile: (text: string, word: Word) => Word): Touches {
  const touches: Touch[] = [];
  const { flags, values, operands } = optionsOf(args, "HAeXmuwrdFoTDcb", CURL_LONG);
  const valued = new Set(values.map(({ name }) => name));
  for (const flag of flags) {
    if (flag === "-O" || flag === "--remote-name") touches.push(write("here", { is_tree: true }));
    else if (!CURL_FLAGS.test(flag) && !valued.has(flag)) return null;
  }
  const hosts = [...operands];
  for (const { name, word } of values) {
    const { text } = word;
    if (name === "--url") hosts.push(word);
    else if (/^(?:-o|--output|-D|--dump-header|-c|--cookie-jar)$/.test(name)) {
      if (text !== "-" && text !== "/dev/null") touches.push(write(word));
    } else if (/^(?:-T|--upload-file)$/.test(name)) {
      if (/[{}[\]]/.test(text)) return null;
      touches.push(...(text === "-" ? [] : [read(word)]));
    } else if (/^(?:-b|--cookie)$/.test(name)) touches.push(...(text.includes("=") ? [] : [read(word)]));
    else if (!CURL_TEXT.test(name)) return null;
    else if (/^(?:-F|--form)$/.test(name) && /[@<]/.test(text) && /["',;\\]/.test(text)) return null;
    else if (text.includes("%output") || (/^-w|^--write-out/.test(name) && text.startsWith("@"))) return null;
    else {
      const takes_file =
        !/^--(?:data-raw|form-string)$/.test(name) && /^-(?:d|F|H)$|^--(?:data.*|json|form|header)$/.test(name);
      const file = takes_file
        ? (/^@(.+)$/s.exec(text) ??
            (/^(?:-F|--form)$/.test(name)
              ? /^[^=]*=[@<]([^;,]+)/s.exec(text)
              : name === "--data-urlencode"
                ? /^[^=@]*@(.+)$/s.exec(text)
                : null))?.[1]
        : undefined;
      if (file !== undefined && file !== "-") touches.push(read(asFile(file, word)));
    }
  }
  if (hosts.length === 0) return null;
  return [...hosts.map((word): Touch => ({ kind: "host", word })), ...touches];
}

const WGET_FLAGS =
  /^(?:-[qcSvdN]|-nv|-nc|-n|--(?:quiet|continue|server-response|no-verbose|no-clobber|spider|no-check-certificate|https-only|show-progress|timestamping|content-disposition))$/;

export function wgetTouches(args: readonly Word[], asFile: (text: string, word: Word) => Word): Touches {
  const touches: Touch[] = [];
  const { flags, values, operands } = optionsOf(args, "OPTtU", [
    "--output-document",
    "--directory-prefix",
    "--timeout",
    "--tries",
    "--header",
    "--user-agent",
  ]);
  const valued = new Set(values.map(({ name }) => name));
  for (const flag of flags) if (!WGET_FLAGS.test(flag) && !valued.has(flag)) return null;
  let is_placed = flags.has("--spider");
  for (const { name, word } of values) {
    if (name === "-O" || name === "--output-document") {
      is_placed = true;
      if (word.text !== "-" && word.text !== "/dev/null") touches.push(write(word));
    } else if (name === "-P" || name === "--directory-prefix") {
      is_placed = true;
      touches.push(write(word, { is_tree: true }));
    } else if (/^--(?:post-data|method|body-data)$/.test(name)) continue;
    else if (/^--(?:post-file|body-file)$/.test(name)) touches.push(read(asFile(word.text, word)));
    else if (!/^(?:-[TtU]|--(?:timeout|tries|header|user-agent))$/.test(name)) return null;
  }
  if (operands.length === 0) return null;
  if (!is_placed) touches.push(write("here", { is_tree: true }));
  return [...operands.map((word): Touch => ({ kind: "host", word })), ...touches];
}
