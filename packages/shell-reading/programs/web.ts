import type { Word } from "../reading.ts";
import { wordOf } from "../word.ts";
import { argumentsOf, hasOption } from "./arguments.ts";
import { remoteUrls } from "./git-reach.ts";
import type { Access, Accesses, CommandContext, Program } from "./program.ts";

/** Programs that fetch from hosts. A redirect may lead to any host: what follows one is never clear. */

const CURL: Program = {
  names: ["curl"],
  optionsAnywhere: true,
  operands: ["host"],
  options: {
    flags: `-s -S -f -I -i -k -v -g -G -# -4 -6 -0 -1 -N --silent --show-error --fail --fail-with-body --head --include --insecure --verbose --globoff --get
      --progress-bar --ipv4 --ipv6 --compressed --http1.1 --http2 --no-buffer --no-progress-meter --tlsv1.2 --tlsv1.3`,
    text: `-H -A -e -X -m -u -w -r -d -F --header --user-agent --referer --request --max-time --connect-timeout --retry --retry-delay --retry-max-time --user
      --write-out --range --data --data-raw --data-binary --data-ascii --data-urlencode --json --form --form-string --oauth2-bearer --max-redirs --limit-rate --url -b --cookie -T --upload-file`,
    writes: "-o --output -D --dump-header -c --cookie-jar",
  },
  unclear: {
    flags: `-L -O -J -R -a -n -q -Z -M -V -h -B -l -j -p --location --location-trusted --remote-name --remote-name-all --remote-header-name --netrc --netrc-optional --create-dirs --parallel --fail-early
      --proxytunnel --anyauth --basic --digest --ntlm --negotiate --next --path-as-is --tcp-nodelay --disable`,
    text: `-C -E -P -Q -U -t -x -y -Y -z --proxy --proxy-user --preproxy --socks4 --socks4a --socks5 --socks5-hostname --resolve --connect-to --interface --unix-socket --abstract-unix-socket
      --doh-url --dns-servers --cert --key --cacert --capath --ciphers --proto --proto-default --request-target --aws-sigv4 --continue-at --quote --noproxy --max-filesize --output-dir --rate`,
    reads: "-K --config --netrc-file --crlfile --pinnedpubkey",
    writes: "--trace --trace-ascii --stderr --libcurl --hsts --alt-svc --etag-save",
  },
  accesses: curlAccesses,
};

const GH: Program = {
  // Of git it runs `config --get-regexp`, `remote -v` and `symbolic-ref`, by which no setting runs anything.
  names: ["gh"],
  looksUp: ["git"],
  optionsAnywhere: true,
  operands: ["object"],
  options: {
    flags: "-c --comments",
    text: "-t -q -R -B -H -l -a -A -S -s -L --jq --search --repo --base --head --label --assignee --author --json --template --limit --state",
  },
  unclear: {
    flags: "-w --web --draft --fill --log --log-failed --watch --clone",
    text: "-b -F -f --title --body --notes --message",
    reads: "--body-file --notes-file --input",
  },
  accesses: ghAccesses,
  text_only: true,
};

export const WEB_PROGRAMS: readonly Program[] = [
  CURL,
  {
    names: ["wget"],
    operands: ["host"],
    unclear: {
      flags: `-q -v -n -c -N -S -r -p -k -m -H --quiet --verbose --no-verbose --continue --timestamping --server-response --no-clobber --recursive --page-requisites --convert-links
        --mirror --no-parent --spider --no-check-certificate --content-disposition --https-only --show-progress`,
      text: "-t -T -w -U -l -A -R -D -e -Q --tries --timeout --wait --user-agent --header --level --accept --reject --domains --execute --method --post-data --body-data --user --password --max-redirect --use-askpass --limit-rate",
      reads: "-i --input-file --post-file --body-file --config --load-cookies",
      writes:
        "-O -o -a -P --output-document --output-file --append-output --directory-prefix --save-cookies --warc-file",
    },
    guard_only: true,
    accesses: wgetAccesses,
  },
  GH,
];

function curlAccesses(args: readonly Word[], _context: CommandContext): Accesses {
  const given = argumentsOf(CURL, args);
  const accesses: Access[] = given.operands.map((word) => ({ kind: "host", word }));
  let { unclear } = given;
  for (const { name, value, role } of given.options) {
    if (value === undefined) continue;
    const { text } = value;
    if (name === "--url") accesses.push({ kind: "host", word: value });
    else if (role === "writes") {
      if (text !== "-" && text !== "/dev/null") accesses.push({ kind: "write", word: value });
    } else if (role === "reads") accesses.push({ kind: "read", word: value });
    else if (/^(?:-T|--upload-file)$/.test(name)) {
      // curl itself expands braces and ranges in it.
      if (/[{}[\]]/.test(text)) unclear ??= "a pattern that curl itself expands";
      if (text !== "-") accesses.push({ kind: "read", word: value });
    } else if (isCookies(name)) {
      if (namesCookieFile(text)) accesses.push({ kind: "read", word: behindAt(value) });
    } else {
      const file = fileIn(name, text);
      if (file === null) unclear ??= "a form that may name more files";
      else if (file !== undefined && file !== "-")
        accesses.push({ kind: "read", word: wordOf([{ text: file, kind: "text" }], value) });
    }
  }
  const sends =
    sendsData("curl", args) || given.options.some(({ name, value }) => sendsBeside(name, value?.text ?? ""));
  const hosts = accesses.filter(({ kind }) => kind === "host");
  if (sends) for (const host of hosts) host.sends = true;
  if (hosts.length === 0) unclear ??= "no host";
  if (hasOption(given, "-O --remote-name --remote-name-all"))
    accesses.push({ kind: "write", word: "here", is_tree: true });
  return { accesses, unclear, data: [] };
}

/** The file that an option's value names by `@` or `<`; null where there may be more than one. */
function fileIn(name: string, text: string): string | undefined | null {
  if (/^(?:-w|--write-out)$/.test(name)) return text.startsWith("@") || text.includes("%output") ? null : undefined;
  if (/^(?:-F|--form)$/.test(name)) {
    if (/[@<]/.test(text) && /["',;\\]/.test(text)) return null;
    return /^[^=]*=[@<]([^;,]+)/s.exec(text)?.[1];
  }
  if (name === "--data-urlencode") return /^[^=@]*@(.+)$/s.exec(text)?.[1];
  if (/^(?:-d|-H|--data|--data-binary|--data-ascii|--json|--header)$/.test(name)) return /^@(.+)$/s.exec(text)?.[1];
  return undefined;
}

/** The files that a curl command sends, by the word that names each; `path` is null for its input. And the hosts that it names. */
export function filesSentByCurl(args: readonly Word[]): {
  files: { word: Word; path: string | null }[];
  hosts: Word[];
} {
  const given = argumentsOf(CURL, args);
  const hosts = [...given.operands];
  const files: { word: Word; path: string | null }[] = [];
  for (const { name, value } of given.options) {
    if (value === undefined) continue;
    const { text } = value;
    if (name === "--url") hosts.push(value);
    if (!/^(?:-T|--upload-file|-d|--data|--data-binary|--data-ascii|--data-urlencode|--json|-F|--form)$/.test(name))
      continue;
    const file = /^(?:-T|--upload-file)$/.test(name) ? text : fileIn(name, text);
    if (file === undefined) continue;
    files.push({ word: value, path: file === null || file === "-" || file === "." ? null : file });
  }
  return { files, hosts };
}

/** A header that leads to another site, and files whose content goes along with what only asks. */
function sendsBeside(name: string, text: string): boolean {
  // Behind a line break it would begin another header, or another request.
  if (/[\r\n]/.test(text) && !/^(?:-w|--write-out)$/.test(name)) return true;
  if (/^(?:-H|--header)$/.test(name)) return /^@|^\s*host\s*:/i.test(text);
  return isCookies(name) && namesCookieFile(text);
}

const isCookies = (name: string): boolean => /^(?:-b|--cookie)$/.test(name);

/** Cookies themselves hold `=`; behind `@` there is always a file's name. */
const namesCookieFile = (text: string): boolean => text.startsWith("@") || !text.includes("=");

const behindAt = (word: Word): Word =>
  word.text.startsWith("@") ? wordOf([{ text: word.text.slice(1), kind: "text" }], word) : word;

/** True if a program that fetches sends something, or asks the host to change something. */
function sendsData(name: string, args: readonly Word[]): boolean {
  if (name === "wget") return args.some(({ text }) => /^--(?:post|body|method)/.test(text));
  if (name !== "curl") return false;
  const { options } = argumentsOf(CURL, args);
  return options.some(({ name, value }) =>
    /^(?:-X|--request)$/.test(name)
      ? !/^(?:GET|HEAD|OPTIONS)$/.test(value?.text ?? "")
      : /^(?:-T|--upload-file|-d|--data(?:-.*)?|--json|-F|--form(?:-string)?)$/.test(name),
  );
}

function wgetAccesses(args: readonly Word[]): Accesses {
  const program = WEB_PROGRAMS[1] as Program;
  const given = argumentsOf(program, args);
  const accesses: Access[] = given.operands.map((word) => ({ kind: "host", word }));
  let isPlaced = hasOption(given, "--spider");
  for (const { name, value, role } of given.options) {
    if (value === undefined) continue;
    if (role === "reads") accesses.push({ kind: "read", word: value });
    if (role !== "writes") continue;
    const isFolder = /^(?:-P|--directory-prefix)$/.test(name);
    isPlaced ||= isFolder || /^(?:-O|--output-document)$/.test(name);
    if (value.text !== "-" && value.text !== "/dev/null")
      accesses.push({ kind: "write", word: value, ...(isFolder ? { is_tree: true as const } : {}) });
  }
  if (!isPlaced && given.operands.length > 0) accesses.push({ kind: "write", word: "here", is_tree: true });
  return { accesses, unclear: given.unclear, data: [] };
}

const GH_LOOKS =
  /^(?:(?:pr|issue) (?:view|list|status)|pr (?:checks|diff)|(?:run|workflow|release|repo) (?:view|list)|label list)$/;
/** Letters that take a value in some commands and none in others, and where they are what the record says. */
const GH_LETTERS: Readonly<Record<string, RegExp>> = { "-a": /^(?:pr|issue) list$/, "-c": /^(?:pr|issue) view$/ };
/** A number, a branch or a name: neither a URL nor a host's repository. */
const GH_OBJECT = /^#?\w[\w.-]*(?:\/[\w.-]+)?$/;

/** What only looks asks GitHub with the user's login; where the repository has another host, gh asks that one. */
function ghAccesses(args: readonly Word[], { cwd, home, looksAtDisk }: CommandContext): Accesses {
  const { operands, options, unclear } = argumentsOf(GH, args);
  const [subject, verb, ...objects] = operands.map(({ text }) => text);
  // Of several the last counts for gh: each is looked at.
  const values = (...names: string[]) =>
    options.filter(({ name }) => names.includes(name)).map(({ value }) => value?.text ?? "");
  const repositories = values("-R", "--repo");
  const [first] = args;
  if (first === undefined) return { accesses: [], unclear: "no command", data: [] };
  const host = wordOf([{ text: "https://api.github.com", kind: "text" }], first);
  const why = (): string | null => {
    if (!GH_LOOKS.test(`${subject} ${verb}`) || !objects.every((text) => GH_OBJECT.test(text))) return "it may change";
    // Its jq shows the environment.
    if (values("-q", "--jq").some((text) => /env/i.test(text))) return "a filter that may show the environment";
    if (options.some(({ name }) => GH_LETTERS[name]?.test(`${subject} ${verb}`) === false))
      return "a letter that means something else there";
    if (repositories.length > 0)
      return repositories.every((text) => /^[\w.-]+\/[\w.-]+$/.test(text)) ? null : "a repository of another host";
    const urls = looksAtDisk ? remoteUrls(cwd, home) : [];
    const isGithub = (url: string) => /^(?:https:\/\/|ssh:\/\/git@|git@)github\.com[/:]/i.test(url);
    return urls.length > 0 && urls.every(isGithub) ? null : "a repository whose host isn't known";
  };
  const accesses: Access[] = [
    { kind: "list", word: "here" },
    { kind: "host", word: host },
  ];
  return { accesses, unclear: unclear ?? why(), data: args };
}
