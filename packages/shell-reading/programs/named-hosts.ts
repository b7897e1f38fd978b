import type { SimpleCommand, Word } from "../reading.ts";
import { argumentsOf } from "./arguments.ts";
import { fetchedHost, hostIn } from "./hazard-records.ts";
import { programCalled } from "./table.ts";
import { filesSentByCurl } from "./web.ts";

/** Machines, stores and hosted repositories that a command reaches by its own words. An alias of the user's own stays what it is. */

export interface NamedHost {
  word: Word;
  /** Null where the word doesn't say it. */
  host: string | null;
  /** With its slash; "" where nothing follows. */
  path: string;
}

interface Reaching {
  /** The first operand is the machine; `copies`: each that has `host:` in front; `any` more than one address. */
  operands: "first" | "copies" | "addresses";
  /** Short options that take a value. */
  short: string;
  /** With one of these it waits for others. */
  never?: RegExp;
}

const SSH: Reaching = { operands: "first", short: "BbcDEeFIiJLlmOopQRSWwM" };
const COPIES: Reaching = { operands: "copies", short: "cFiJloPSXDebBRsT" };
const NETCAT: Reaching = { operands: "first", short: "pwsiIOPqVXxTgGbdem", never: /^-[A-Za-z]*l|^--listen/ };

const REACHING: Readonly<Record<string, Reaching>> = {
  ssh: SSH,
  mosh: SSH,
  autossh: SSH,
  "ssh-copy-id": SSH,
  sshfs: { ...COPIES, short: "opF" },
  scp: COPIES,
  sftp: { ...SSH, short: "BbcDFiJloPRSsX" },
  rsync: { ...COPIES, short: "eTBfM" },
  telnet: { operands: "first", short: "lnbSX" },
  ftp: { operands: "first", short: "PsNTrq" },
  lftp: { operands: "first", short: "eupf" },
  nc: NETCAT,
  ncat: NETCAT,
  netcat: NETCAT,
  aws: { operands: "addresses", short: "" },
  gsutil: { operands: "addresses", short: "oh" },
  gcloud: { operands: "addresses", short: "" },
  s3cmd: { operands: "addresses", short: "c" },
};

export function hostsNamed(command: SimpleCommand): NamedHost[] {
  const { name, argv } = command;
  const args = argv.slice(1);
  if (name === "gh") return ofGitHub(args, command);
  const reaching = Object.hasOwn(REACHING, name) ? REACHING[name] : undefined;
  if (reaching === undefined || args.some(({ text }) => reaching.never?.test(text))) return otherRegistries(args);
  const operands = operandsOf(args, reaching.short);
  const jumps = reaching === SSH || reaching.operands === "copies" ? jumpHosts(args) : [];
  if (reaching.operands === "addresses") return [...stores(operands), ...endpoints(args)];
  const named = reaching.operands === "first" ? operands.slice(0, 1) : operands.filter(isElsewhere);
  return [...jumps, ...named.map((word) => ({ word, host: machineIn(word), path: "" }))];
}

/** `host:path`, `rsync://host/`, and not a path of this machine. */
const isElsewhere = ({ text }: Word): boolean => /^(?:rsync|scp|sftp|ssh):\/\/|^[^/\s]+:/.test(text);

function machineIn({ text, is_resolved }: Word): string | null {
  if (!is_resolved) return null;
  const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/^[^@/]*@/, "");
  return /^(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?:[:/].*)?$/s.exec(bare)?.[1] ?? null;
}

function operandsOf(args: readonly Word[], short: string): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as Word;
    if (!/^-./.test(word.text)) found.push(word);
    else if (!word.text.startsWith("--")) {
      const letters = word.text.slice(1);
      const valued = [...letters].findIndex((letter) => short.includes(letter));
      if (valued === letters.length - 1) at++;
    }
  }
  return found;
}

/** `-J a,b`, `-o ProxyJump=a`: everything goes through them. */
function jumpHosts(args: readonly Word[]): NamedHost[] {
  return args.flatMap((word, at) => {
    const before = args[at - 1]?.text ?? "";
    const value = before === "-J" ? word.text : /^(?:-J|(?:-o)?ProxyJump=)(.+)$/i.exec(word.text)?.[1];
    if (value === undefined || value.toLowerCase() === "none") return [];
    return value.split(",").map((one) => ({ word, host: machineIn({ ...word, text: one }), path: "" }));
  });
}

/** `s3://bucket/path`. */
function stores(operands: readonly Word[]): NamedHost[] {
  return operands.flatMap((word) => {
    const store = /^(?:s3|gs):\/\/[\w.-]+/.exec(word.text)?.[0];
    return store === undefined ? [] : [{ word, host: store, path: "" }];
  });
}

function endpoints(args: readonly Word[]): NamedHost[] {
  return valuesOf(args, /^--(?:endpoint-url|host)(?:=(.*))?$/s);
}

/** Of an installer: where it takes packages from in place of the usual registry. */
function otherRegistries(args: readonly Word[]): NamedHost[] {
  const option =
    /^(?:--registry|--index-url|--extra-index-url|--index|--default-index|--find-links|--source|-i|-f)(?:=(.*))?$/s;
  return valuesOf(args, option);
}

/** Values of an option that are addresses. */
function valuesOf(args: readonly Word[], option: RegExp): NamedHost[] {
  return args.flatMap((word, at) => {
    const match = option.exec(word.text);
    const value = match === null ? undefined : match[1] === undefined ? args[at + 1] : { ...word, text: match[1] };
    if (value === undefined || !/^https?:\/\//i.test(value.text)) return [];
    return [{ word: value, host: hostIn(value.text), path: "" }];
  });
}

/** What a fetching program is given, each address; a null host is one that can't be read. */
export function hostsFetched({ name, argv }: SimpleCommand): NamedHost[] {
  const args = argv.slice(1);
  const program = name === "wget" ? programCalled("wget") : undefined;
  const words =
    name === "curl" ? filesSentByCurl(args).hosts : program === undefined ? null : argumentsOf(program, args).operands;
  if (words !== null) return words.map((word) => ({ word, host: hostIn(word.text), path: "" }));
  const host = fetchedHost(args);
  const [first] = argv;
  return host === null || first === undefined ? [] : [{ word: first, host, path: "" }];
}

const GITHUB = "github.com";
/** What works on the repository that one is in, unless `-R` names another. */
const OF_REPOSITORY = /^(?:pr|issue|release|run|workflow|secret|variable|label|ruleset|cache|browse)$/;

/** The subject of a `gh` command that is about the repository of the folder. */
export function isAboutOwnRepository({ name, argv }: SimpleCommand): boolean {
  if (name !== "gh") return false;
  const { subject, repositories } = ghWords(argv.slice(1));
  return OF_REPOSITORY.test(subject) && repositories.length === 0;
}

function ghWords(args: readonly Word[]) {
  const program = programCalled("gh");
  const given = program === undefined ? { operands: args, options: [] } : argumentsOf(program, args);
  const [subject, verb, ...objects] = given.operands;
  const repositories = given.options.flatMap(({ name, value }) =>
    /^(?:-R|--repo)$/.test(name) && value !== undefined ? [value] : [],
  );
  return { subject: subject?.text ?? "", verb: verb?.text ?? "", objects, repositories };
}

function ofGitHub(args: readonly Word[], { assignments }: SimpleCommand): NamedHost[] {
  const [first] = args;
  const { subject, verb, objects, repositories } = ghWords(args);
  if (first === undefined) return [];
  const isOther = assignments.some(({ name }) => /^GH_(?:HOST|REPO)$/.test(name));
  const at = (host: string, path = ""): NamedHost[] => [{ word: first, host: isOther ? null : host, path }];
  if (repositories.length > 0) return repositories.map(repositoryIn);
  switch (subject) {
    case "gist":
      return at("gist.github.com");
    case "api":
    case "search":
      return at("api.github.com");
    case "repo": {
      const [object] = objects;
      return object === undefined || verb === "list" ? at(GITHUB) : [repositoryIn(object)];
    }
    case "auth":
    case "codespace":
    case "project":
      return at(GITHUB);
    default:
      return [];
  }
}

/** `o/r`, `host/o/r`, an address; of a name alone the owner isn't known. */
function repositoryIn(word: Word): NamedHost {
  const { text, is_resolved } = word;
  if (!is_resolved) return { word, host: null, path: "" };
  const parts = text
    .replace(/^[a-z]+:\/\/(?:[^@/]*@)?/i, "")
    .replace(/^git@([^:]+):/, "$1/")
    .replace(/\.git$/, "")
    .split("/");
  if (!parts.every((part) => /^[\w.-]+$/.test(part))) return { word, host: null, path: "" };
  if (parts.length === 1) return { word, host: GITHUB, path: "" };
  return parts.length === 2
    ? { word, host: GITHUB, path: `/${parts.join("/")}` }
    : { word, host: parts[0] ?? null, path: `/${parts.slice(1).join("/")}` };
}
