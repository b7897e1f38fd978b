import {
  canContain,
  canMatch,
  canMatchPath,
  type PathPattern,
  type Segment,
  segmentsOf,
} from "@metnos-gate/shell-reading";
import { foldedPath } from "@metnos-gate/shell-reading/files";
import { forbiddenPath } from "./patterns.ts";
import { isHome, pathFormOf } from "./vital-paths.ts";

/**
 * Paths that no agent reads or writes: keys, passwords, the system's own. Rules are names from the root, or names that may be
 * anywhere. What is asked about by name each time instead is in targets/secret-files.ts; of what is in both, `isAskedToRead` says when.
 */

type Rule = readonly (string | RegExp)[];

interface Protected {
  label: string;
  rule: Rule;
}

const each = (label: string, ...rules: Rule[]): Protected[] => rules.map((rule) => ({ label, rule }));

/** The required list for names that count anywhere in a path, and credential stores of the same kind. */
const ANYWHERE: readonly Protected[] = [
  // A file's content and more, as names below it.
  ...each("a file by macOS' own name", ["..namedfork"]),
  ...each("an .ssh folder", [".ssh"]),
  ...each("a GnuPG folder", [".gnupg"]),
  ...each(
    "a credentials file",
    [".aws", /^credentials/],
    [".config", /^[^/]+$/, /^credentials\.env/],
    [".config", "git", "credentials"],
  ),
  ...each(
    "a file with passwords for hosts",
    [".netrc"],
    ["_netrc"],
    [".git-credentials"],
    [".pgpass"],
    [".my.cnf"],
    [".vault-token"],
    [".cargo", /^credentials(\.toml)?$/],
    [".gem", "credentials"],
    [".terraform.d", "credentials.tfrc.json"],
    [".config", "rclone", "rclone.conf"],
    [".config", "hub"],
  ),
  ...each(
    "an agent's or a tool's token",
    [".gemini", "oauth_creds.json"],
    [".config", "github-copilot", /^(?:hosts|apps)\.json$/],
    [".aws", "sso"],
    ["containers", "auth.json"],
  ),
  ...each("a cluster's keys", [".kube", "config"]),
  ...each("a registry's passwords", [".docker", "config.json"], [".config", "containers", "auth.json"]),
  ...each("GitHub's token", [".config", "gh", "hosts.yml"]),
  ...each(
    "a cloud's credentials",
    [
      ".config",
      "gcloud",
      /^(?:credentials\.db|access_tokens\.db|application_default_credentials\.json|legacy_credentials)$/,
    ],
    [".azure", /^(?:accessTokens\.json|msal_token_cache|service_principal)/],
  ),
  ...each(
    "a browser's password store",
    [
      ".mozilla",
      "firefox",
      /^[^/]+$/,
      /^(?:logins\.json|logins-backup\.json|key[34]\.db|signons\.sqlite|cookies\.sqlite)$/,
    ],
    ["Firefox", "Profiles", /^[^/]+$/, /^(?:logins\.json|key[34]\.db|cookies\.sqlite)$/],
    [
      /^(?:google-chrome.*|chromium|BraveSoftware|microsoft-edge|vivaldi|opera|Chrome|Chromium|Brave-Browser|Microsoft Edge)$/,
      /^[^/]+$/,
      /^(?:Login Data.*|Cookies|Web Data)$/,
    ],
    ["Brave-Browser", /^[^/]+$/, /^(?:Login Data.*|Cookies|Web Data)$/],
  ),
  ...each(
    "a keychain",
    ["Library", "Keychains"],
    [".local", "share", "keyrings"],
    [".local", "share", "kwalletd"],
    [".password-store"],
  ),
];

/** Terminals, consoles, keyboards; not a process's own terminal, nor what is at a serial port. */
const TYPED = /^(?:pts|input|uinput|uhid|console|hidraw\d.*|vcs.*|tty\d.*)$/;

/** The required list for places from the root. */
const FROM_ROOT: readonly Protected[] = [
  ...each(
    "the system's accounts",
    ["etc", /^(?:passwd|shadow|sudoers|gshadow|master\.passwd)/],
    ["private", "etc", /^(?:passwd|sudoers|master\.passwd)/],
  ),
  ...each("the system's SSH folder", ["etc", "ssh"]),
  ...each("root's home", ["root"], ["var", "root"]),
  ...each("the boot folder", ["boot"], ["efi"]),
  ...each("the kernel's folder /sys", ["sys"]),
  ...each("a process's folder", ["proc", /^(?:\d.*|self|thread-self)$/], ["proc", "sysrq-trigger"], ["proc", "kcore"]),
  ...each("a disk", ["dev", diskPattern()]),
  ...each("what is typed or shown", ["dev", TYPED]),
  // By its number, or without links: any file of the disk.
  ...each("a file by macOS' own name", [".vol"], [".nofollow"], [".resolve"]),
];

/** What the rules from the root begin with: most paths begin with none of them. */
const ROOT_NAMES: ReadonlySet<string | RegExp> = new Set(FROM_ROOT.flatMap(({ rule }) => rule.slice(0, 1)));

function diskPattern(): RegExp {
  return /^(?:sd|nvme|mmcblk|loop|vd[a-z]|xvd|hd[a-z]|dm-|md\d|disk|rdisk|mapper|zd\d|nbd|sr\d|mem$|kmem$|port$|zvol|zram|pmem|bcache|ram\d)/;
}

/** Private keys are known by their names, wherever they lie. */
const KEY_NAMES = [
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ecdsa_sk",
  "id_ed25519",
  "id_ed25519_sk",
  "id_xmss",
  "privkey.pem",
  "ssh_host_rsa_key",
  "ssh_host_ed25519_key",
  "ssh_host_ecdsa_key",
  "ssh_host_dsa_key",
];

/** What a rule's names could be, for patterns: one name for each of them. */
const SAMPLES: ReadonlyMap<string, readonly string[]> = new Map([
  ["^credentials", ["credentials"]],
  ["^credentials\\.env", ["credentials.env"]],
  ["^(?:passwd|shadow|sudoers|gshadow|master\\.passwd)", ["passwd", "shadow", "sudoers", "gshadow", "sudoers.d"]],
  [
    diskPattern().source,
    ["sda", "sda1", "sdb", "nvme0n1", "mmcblk0", "loop0", "vda", "xvda", "hda", "dm-0", "md0", "disk", "mapper", "mem"],
  ],
  ["^(?:\\d.*|self|thread-self)$", ["1", "self"]],
  [TYPED.source, ["pts", "input", "uinput", "uhid", "console", "hidraw0", "vcs", "vcs1", "vcsa1", "tty1", "tty2"]],
]);

/** Files that a search below a folder would find. */
function sampleFiles(home: readonly string[]): { label: string; names: readonly string[] }[] {
  const below = (label: string, ...paths: string[]) =>
    paths.map((path) => ({ label, names: [...home, ...segmentsOf(path)] }));
  return [
    ...below("an .ssh folder", ".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/authorized_keys", ".ssh/known_hosts"),
    ...below(
      "a credentials file",
      ".aws/credentials",
      ".netrc",
      ".git-credentials",
      ".kube/config",
      ".docker/config.json",
      ".config/gh/hosts.yml",
    ),
    ...below("a GnuPG folder", ".gnupg/secring.gpg", ".gnupg/private-keys-v1.d/key.key"),
    ...below("a cloud's credentials", ".config/gcloud/credentials.db"),
    ...below(
      "a browser's password store",
      ".mozilla/firefox/a.default/logins.json",
      ".config/google-chrome/Default/Login Data",
      ".config/chromium/Default/Login Data",
    ),
    ...below(
      "a keychain",
      ".local/share/keyrings/login.keyring",
      ".local/share/kwalletd/kdewallet.kwl",
      ".password-store/a.gpg",
      "Library/Keychains/login.keychain-db",
    ),
    { label: "the system's accounts", names: ["etc", "shadow"] },
    { label: "the system's accounts", names: ["etc", "passwd"] },
  ];
}

function nameMatches(name: Segment | undefined, wanted: string | RegExp): boolean {
  if (name === undefined) return false;
  if (typeof name === "string")
    return typeof wanted === "string"
      ? name === wanted || name.toLowerCase() === wanted.toLowerCase()
      : wanted.test(name);
  if (name.kind !== "pattern") return false;
  if (typeof wanted === "string") return canMatch(name, wanted);
  const samples = SAMPLES.get(wanted.source);
  if (samples !== undefined) return samples.some((sample) => canMatch(name, sample));
  // A pattern for any name takes any pattern; for the others, their alternatives are tried.
  if (wanted.source === "^[^/]+$") return true;
  return alternatives(wanted).some((sample) => canMatch(name, sample));
}

const knownAlternatives = new Map<RegExp, readonly string[]>();

function alternatives(pattern: RegExp): readonly string[] {
  let found = knownAlternatives.get(pattern);
  if (found === undefined) {
    found = pattern.source
      .replace(/^\^(?:\(\?:)?|\)?\$?$/g, "")
      .split("|")
      .map((one) => one.replace(/\\|\.\*|\(.*?\)\?/g, "").replace("[34]", "4"));
    knownAlternatives.set(pattern, found);
  }
  return found;
}

function matchesAt(names: readonly Segment[], at: number, rule: Rule): boolean {
  // A loop, as most paths of most calls come here: a function for each would be made.
  let here = at;
  for (const wanted of rule) if (!nameMatches(names[here++], wanted)) return false;
  return true;
}

/** As file systems compare names that take no account of case: `ſ` is an `s` to them. */
const asCompared = (name: Segment): Segment =>
  typeof name === "string" && /[^ -~]/.test(name) ? foldedPath(name) : name;

/** What protected path a path is or lies in, as words, or undefined. */
export function protectedPath(path: PathPattern, home: string): string | undefined {
  const segments = path.segments.map(asCompared);
  if (segments.some((name) => typeof name === "object" && name.kind === "any")) {
    const sample = sampleFiles(segmentsOf(home)).find(({ names: wanted }) => canMatchPath(path, wanted));
    return sample?.label ?? keyName(segments.at(-1));
  }
  const [top] = segments;
  if (typeof top !== "string" || ROOT_NAMES.has(top.toLowerCase()))
    for (const { label, rule } of FROM_ROOT) if (matchesAt(segments, 0, rule)) return label;
  // Whatever is unknown below /proc may be a process.
  const second = segments[1];
  if (segments[0] === "proc" && (segments.length === 1 || (typeof second === "object" && second.kind === "unknown")))
    return "a process's folder";
  for (const { label, rule } of rulesFor(segments)) {
    for (let at = 0; at + rule.length <= segments.length; at++) {
      if (!matchesAt(segments, at, rule)) continue;
      // A pattern that could be a hidden name only counts where such folders live: in a home folder.
      if (typeof segments[at] === "object" && !isHome(segments.slice(0, at), home)) continue;
      return label;
    }
  }
  // An unknown name, directly in a folder of nothing else.
  const [folder, last] = segments.slice(-2);
  if (
    typeof last === "object" &&
    last.kind === "unknown" &&
    typeof folder === "string" &&
    /^\.(?:docker|kube)$/.test(folder)
  )
    return "a folder of keys and passwords";
  return keyName(segments.at(-1));
}

/** The last names of keys and stores of passwords, of a few other files as well: quick, for what looks at many names. */
const LAST_NAMES = ANYWHERE.map(({ rule }) => rule.at(-1) ?? "");
const STORE_NAMES: ReadonlySet<string> = new Set(
  [...LAST_NAMES.filter((last) => typeof last === "string"), ...KEY_NAMES].map((name) => name.toLowerCase()),
);
const STORE_PATTERN = new RegExp(LAST_NAMES.flatMap((last) => (typeof last === "string" ? [] : last.source)).join("|"));

/**
 * True if a path of these names ends in a private key, or in a file or folder of keys and passwords, wherever it lies.
 * @param count so many of the names alone
 */
export function endsInKeys(names: readonly string[], count = names.length): boolean {
  const last = names[count - 1];
  if (last === undefined || !(STORE_NAMES.has(last.toLowerCase()) || STORE_PATTERN.test(last))) return false;
  return (
    keyName(last) !== undefined ||
    ANYWHERE.some(({ rule }) => rule.length <= count && matchesAt(names, count - rule.length, rule))
  );
}

/** The same of what lies in one as well, whatever it is called. */
export function liesInKeys(path: string): boolean {
  const names = path.split("/");
  return names.some((_, at) => endsInKeys(names, at + 1));
}

/** Most paths hold none of the names that a rule begins with: then only the few rules that begin with a pattern are left. */
function rulesFor(names: readonly Segment[]): readonly Protected[] {
  const there: string[] = [];
  for (const name of names) {
    if (typeof name === "object") return ANYWHERE;
    const lower = name.toLowerCase();
    if (FIRST_NAMES.has(lower)) there.push(lower);
  }
  if (there.length === 0) return BY_PATTERN;
  return ANYWHERE.filter(({ rule: [first] }) => typeof first !== "string" || there.includes(first.toLowerCase()));
}

const BY_PATTERN = ANYWHERE.filter(({ rule: [first] }) => typeof first !== "string");
const FIRST_NAMES: ReadonlySet<string> = new Set(
  ANYWHERE.flatMap(({ rule: [first] }) => (typeof first === "string" ? [first.toLowerCase()] : [])),
);

function keyName(name: Segment | undefined): string | undefined {
  if (typeof name === "string") return KEY_NAMES.includes(name.toLowerCase()) ? "a private key" : undefined;
  if (name?.kind !== "pattern") return undefined;
  const letters = name.text.replace(/\[[^\]]*\]|[^A-Za-z0-9_.]/g, "");
  return letters.length >= 3 && KEY_NAMES.some((key) => canMatch(name, key)) ? "a private key" : undefined;
}

/** The machine's own places, whose names tell nobody's secrets; of /proc not what is of a process. */
const MACHINE = /^\/(?:proc$|boot(?:\/|$)|sys(?:\/|$)|dev\/(?:sd|nvme|mmcblk|loop))/;

/**
 * True if a tool may say that a protected path is there, and its size and times: where it is in none of the baseline patterns, by
 * whatever letters, or one of the machine's own places. What the call itself says, the baseline patterns see as it is.
 */
export function mayBeNamed({ segments, isKnown }: PathPattern): boolean {
  const names = segments.flatMap((name) => (typeof name === "string" ? [name] : []));
  const path = `/${names.join("/")}`;
  const isBaseline = [path, path.toLowerCase()].some((one) => forbiddenPath(one) !== undefined);
  return isKnown && names.length === segments.length && (!isBaseline || MACHINE.test(path));
}

/**
 * True for a cluster's keys by their own path (absolute, normal), which may be read where it is asked each time: not as part of a tree or
 * pattern, and never written.
 */
export function isAskedToRead(path: string, home: string): boolean {
  if (!path.endsWith("/.kube/config")) return false;
  const form = pathFormOf(path);
  return protectedPath({ ...form, segments: form.segments.slice(0, -2) }, home) === undefined;
}

/** True if reading everything below the path would reach a home folder's secrets. */
export function holdsSecrets(path: PathPattern, home: string): boolean {
  const below = segmentsOf(home);
  return (
    path.isKnown &&
    sampleFiles(below).some(({ names }) => below.every((name, at) => names[at] === name) && canContain(path, names))
  );
}
