import { beginningOf } from "./file-beginning.ts";
import { foldedPath, kindOf, realForm } from "./path.ts";
import { mayReadOn, scanTree } from "./tree-scan.ts";

/**
 * The one list of files that often hold secrets and often have to be read all the same: asked about by name each time, at every level,
 * whatever was granted; found in a search below a folder; hidden in a box. Keys and password stores by their usual names are never an
 * agent's: see places/protected-paths.ts, which a box hides as well. A cluster's keys are in both: read by their own path they are asked about.
 */

interface Rule {
  why: string;
  /** The whole last name, in lower case. */
  name: RegExp;
  /** What the names before it end in; left out: wherever it lies. */
  folder?: RegExp;
  /** Whether this content is one; left out, or nothing could be read: the name is enough. */
  holds?: (text: string) => boolean;
  /** What Git holds of it is no secret: it is the project's own. */
  isProjects: boolean;
  /** By its name it is asked about whatever it holds; only a box looks. */
  isAskedByName?: boolean;
}

/** A private key's first words, in the forms of OpenSSL, OpenSSH, PGP, PuTTY and age. */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY|^PuTTY-User-Key-File-|AGE-SECRET-KEY-1/;
const holdsKey = (text: string): boolean => PRIVATE_KEY.test(text);
/** Of a `.key` file: a certificate, a public key, a presentation (a zip file) or nothing at all is none. */
const mayBeKey = (text: string): boolean =>
  holdsKey(text) || (text.trim() !== "" && !/^(?:-----BEGIN |PK|ssh-|\{)/.test(text));

/** A value that is written out, not a variable's name. */
const VALUE = `["']?(?!\\$|<|%|["'\\s])[^\\s"',]{6}`;
const NAME = "token|secret|passw(?:or)?d|passphrase|_auth|authorization|credential|(?:api|access|private)[_-]?key";
/** Between a name and its value, which may be on the next line: not where another name, a comment or a section follows. */
const GIVES = `\\s*[=:][^\\S\\n]*(?:(?:[|>][+-]?[^\\S\\n]*)?\\n\\s*(?![#[]|["']?[\\w.-]+["']?\\s*[=:]))?`;
/**
 * Whether a text gives a value to one of these names. Each word is looked at once: a hostile file of one long name, or of many, would else
 * keep the gate busy.
 */
function assigned(names: string, value: string, about = ""): (text: string) => boolean {
  const named = new RegExp(`(?:${names})[\\w-]*`, "gi");
  const given = new RegExp(`${about}["']?${GIVES}${value}`, "iy");
  return (text) => {
    named.lastIndex = 0;
    while (named.test(text)) {
      given.lastIndex = named.lastIndex;
      if (given.test(text)) return true;
    }
    return false;
  };
}
const isAssigned = assigned(NAME, VALUE);
const BEARER = new RegExp(`bearer\\s+${VALUE}`, "i");
/** What everybody has on their own machine, or is to put another in the place of. */
const NOBODYS =
  "(?:postgres|mysql|root|admin|user|passw(?:or)?d|secret|change[-_]?(?:me|it)|your[-_][\\w-]{1,40}|example|dummy|test|dev|local|true|false|null)\\d{0,4}";
/** What is said about one: the name ends so. */
const ABOUT =
  "(?<!name|path|file|policy|endpoint|ur[il]|timeout|lifetime|expir(?:y|es|ation)|(?:second|minute|hour|day)s|length|type|issuer|audience|validation)";
/** Also in a text that says how a database is reached (`Server=db;Password=x`). */
const isOfDatabase = assigned(`${NAME}|pwd|account[_-]?key`, `(?!["']?${NOBODYS}(?:["';,\\s]|$))${VALUE}`, ABOUT);
/** `https://name:password@host` */
const inUrl = (none = ""): RegExp => new RegExp(`(?<=\\b[a-z][a-z0-9+.-]*)://[^\\s/:@"']*:${none}[^\\s/@"'$]+@`, "i");
const IN_URL = inUrl();
const IN_DATABASE_URL = inUrl(`(?!${NOBODYS}@)`);
const holdsToken = (text: string): boolean => isAssigned(text) || BEARER.test(text) || IN_URL.test(text);
const holdsPassword = (text: string): boolean => isOfDatabase(text) || IN_DATABASE_URL.test(text);
/** A feed's password, not a variable's name. */
const holdsNuGet = (text: string): boolean => /password"\s+value="(?!%)[^"]/i.test(text) || holdsToken(text);
/** `BUNDLE_GEMS__EXAMPLE__COM: "name:password"`: a host's name has two lines in the place of a dot. Looked at once, as above. */
const holdsBundler = (text: string): boolean =>
  /^BUNDLE_(?!BUILD__|LOCAL__|MIRROR__|DISABLE)(?=[A-Z0-9_]+__[A-Z0-9_])[A-Z0-9_]+: *"?[^\s":]+(?::|"?$)/m.test(text);

const NO_EXAMPLE = "(?!.*[._-](?:example|sample|template)$)";

const RULES: readonly Rule[] = [
  {
    why: "a file that often holds passwords",
    name: /^\.env(?![._-](?:example|sample|template)$)(?:rc(?![._-](?:example|sample|template)$))?(?:[ ._~-].*)?$/,
    isProjects: false,
  },
  {
    why: "a file that often holds passwords",
    name: new RegExp(
      `^${NO_EXAMPLE}(?:(?:prod|production|stage|staging|dev|development|local|secrets?)\\.env|\\.flaskenv|\\.renviron|\\.dev\\.vars(?:\\..*)?)$`,
    ),
    isProjects: true,
  },
  {
    why: "a registry's settings, often with its token",
    name: /^\.npmrc$/,
    holds: holdsToken,
    isAskedByName: true,
    isProjects: true,
  },
  { why: "a registry's settings, often with its token", name: /^\.pypirc$/, isProjects: false },
  {
    why: "a history of what was typed",
    name: /^(?:\.[a-z0-9_-]*history|fish_history|consolehost_history\.txt|\.lesshst|\.histfile|\.dbshell)$/,
    isProjects: false,
  },
  { why: "an agent's own login", name: /^\.credentials\.json$/, folder: /\/\.claude$/, isProjects: false },
  { why: "an agent's own login", name: /^auth\.json$/, folder: /\/\.codex$/, isProjects: false },
  { why: "an agent's own login", name: /^(?:mcp-)?auth\.json$/, folder: /\/opencode$/, isProjects: true },
  {
    why: "settings with a token in them",
    name: /^(?:\.mcp\.json|\.claude\.json|\.yarnrc\.yml|\.terraformrc|mcp\.json|mcp_settings\.json|auth\.json|\.sentryclirc|sentry\.properties|\.clasprc\.json|\.gitmodules|\.lfsconfig|hgrc|\.condarc|uv\.toml|poetry\.toml|ngrok\.ya?ml|wg\d.*\.conf|token\.json|credentials(?:\.(?:ya?ml|toml|xml|txt|ini|sbt|tfrc\.json))?)$/,
    holds: holdsToken,
    isProjects: true,
  },
  {
    why: "settings with a password in them",
    name: /^(?:pip\.conf|pip\.ini|(?:key|keystore)\.properties)$/,
    holds: holdsToken,
    isProjects: true,
  },
  {
    why: "settings with a password in them",
    name: /^(?:database\.ya?ml|appsettings(?:\.[\w-]+)?\.json|local\.settings\.json|cypress\.env\.json|sftp(?:-config)?\.json|ftp-sync\.json|\.ftpconfig|\.ftppass|\.remote-sync\.json|(?:gradle|local)\.properties|[^.].*\.env)$/,
    holds: holdsPassword,
    isProjects: true,
  },
  { why: "a registry's passwords", name: /^nuget\.config$/, holds: holdsNuGet, isProjects: true },
  { why: "a registry's passwords", name: /^config$/, folder: /\/\.bundle$/, holds: holdsBundler, isProjects: true },
  {
    why: "a private key",
    name: /^(?:.*\.(?:pem|pk8|p8|ppk|asc|ovpn)|keys\.txt|.*(?:adminsdk.*|gcp.*|gcloud.*|[_-](?:key|sa))\.json|id_(?:rsa|dsa|ecdsa|ed25519|xmss).*|.*(?:[._-](?:rsa|dsa|ecdsa|ed25519)|[_-]key))$/,
    holds: holdsKey,
    isProjects: true,
  },
  { why: "a private key", name: /^.+\.key$/, holds: mayBeKey, isProjects: true },
  {
    why: "a store of keys",
    name: /^(?!.*trust|cacerts).*\.(?:p12|pfx|jks|keystore|kdbx)$/,
    isProjects: true,
  },
  {
    why: "an infrastructure's state or variables, often with passwords",
    name: new RegExp(`^${NO_EXAMPLE}.*\\.(?:tfstate(?:\\.backup)?|tfvars(?:\\.json)?)$`),
    isProjects: true,
  },
  {
    why: "credentials",
    name: /^(?:service[-_]?account.*|(?:application_default_)?credentials|client[-_]secrets?.*|secrets|kaggle|(?:http|rest)-client\.private\.env)\.json$|^secrets\.(?:ya?ml|toml)$|^(?:rootkey|.*accesskeys|.*credentials)\.csv$|^\.(?:secrets?|credentials)$/,
    isProjects: true,
  },
  {
    why: "a file with passwords",
    name: /^(?:\.htpasswd|\.vault[-_]pass(?:word)?(?:\.txt)?|wp-config\.php|\.dockercfg|\.s3cfg|\.boto|\.msmtprc|\.esmtprc|\.fetchmailrc|\.authinfo|\.databrickscfg|\.smbcredentials|\.passwd-s3fs|\.?rclone\.conf)$/,
    isProjects: true,
  },
  { why: "a cluster's keys", name: /^config$/, folder: /\/\.kube$/, isProjects: false },
  { why: "a cluster's keys", name: /^(?:\.?kubeconfig(?:\.ya?ml)?|.+\.kubeconfig)$/, isProjects: true },
];

/** A folder that is called so holds some, too; what a virtual environment by that name consists of isn't one. */
const IN_ENV_FOLDER: Rule = {
  why: "a file that often holds passwords",
  name: /^(?!pyvenv\.cfg$|\.gitignore$|lib64$)/,
  folder: /\/\.envs?(?!\/(?:bin|lib|lib64|include|share|etc|scripts)(?:\/|$))(?:\/|$)/,
  isProjects: true,
};

/** What Docker, Kubernetes and systemd give a service, by whatever names. */
const OF_SERVICE: Rule = {
  why: "a service's password",
  name: /^/,
  folder: /^\/(?:var\/)?run\/(?:secrets|credentials)(?:\/|$)/,
  isProjects: false,
};

const ALL_RULES: readonly Rule[] = [...RULES, IN_ENV_FOLDER, OF_SERVICE];

const ANY_NAME = new RegExp(RULES.map(({ name }) => name.source).join("|"));

/** Git's settings are no secret unless somebody's password is in them. */
const GIT_SETTINGS =
  /\/(?:[^/]*\.git(?:\/(?:modules|worktrees)\/.+)?\/config(?:\.worktree)?|\.gitconfig|\.config\/git\/config)$/;
/** Where `git pull https://name:password@host` is written down as it was typed, and remotes as Git kept them once. */
const GIT_LOGS = /\/[^/]*\.git\/(?:(?:modules|worktrees)\/.+\/)?(?:(?:logs|remotes|branches)(?:\/.+)?|fetch_head)$/;
/** The same in a repository of any name, from where its own folder ends. */
const LOG_OF_ANY = /\/(?:(?:logs|remotes|branches)(?=\/|$)|FETCH_HEAD$)/gi;
const SETTINGS_OF_ANY = /\/config(?:\.worktree)?$/gi;
/** Folders of these names in one another: with more of them it counts as one. */
const MAX_NAMED = 8;
/** What Git was ever given, whatever it was called. */
const GIT_OBJECTS =
  /\/[^/]*\.git\/(?:modules\/.+\/)?(?:objects(?:\/(?:[0-9a-f]{2}|pack)(?:\/.*)?)?|lost-found(?:\/.*)?)$/;
/** The same in a repository of any name, from where its own folder ends. */
const OBJECTS_OF_ANY = /\/(?:objects(?=\/(?:[0-9a-f]{2}|pack)(?:\/|$)|$)|lost-found(?=\/|$))/gi;
/** What a URL has between its scheme and `@` that lets somebody in: a password, or a token in a name's place. */
const IN_GIT_URL =
  /(?<=\b[a-z][a-z0-9+.-]*:\/\/)(?:[^\s/:@"']*:[^\s/@"']*|(?:gh[a-z]_|github_pat_|glpat-)[^\s/@"']*|[A-Za-z0-9_=-]{30,})@/gi;
/** Up to the line's end, and in the lines that continue it. */
const GIT_SECRET = /(?<=(?:\bextraheader|\bsmtppass|token|password|secret)[^\S\n]*=)(?:[^\n\\]|\\[\s\S])+/gi;

/** Git's settings without the passwords and tokens in them; the same text where there are none. */
export function withoutGitSecrets(settings: string): string {
  return settings.replace(IN_GIT_URL, "").replace(GIT_SECRET, "");
}

/** The same as `IN_GIT_URL`, found by what can be found quickly in a long text. */
const GIT_URL_SECRET = new RegExp(IN_GIT_URL.source.replace(/^\(\?<=.*?\)(?=\()/, "[a-z0-9+.-]://"), "i");

/** True for a text with a URL that has a password or a token in it. */
export const holdsUrlSecret = (text: string): boolean => GIT_URL_SECRET.test(text);

const holdsGitSecret = (text: string): boolean => withoutGitSecrets(text) !== text;

/** Packages come with keys and settings for their own tests. */
const IN_PACKAGES = /\/(?:node_modules|site-packages|dist-packages)\//;

/** Bytes of a file that are looked at for what tells. */
const MAX_LOOKED_AT = 256 * 1024;
/** Bytes of one of git's logs, and how many there are: beyond that they count as holding one. */
const MAX_LOG = 4 * 1024 * 1024;
const LOGS = { maxEntries: 4000, maxDepth: 32, skipped: new Set<string>() };
/** The first ones of a private key, and of what a tool writes in front. */
const KEY_BEGIN = 256;
const COMMENTS = /^(?:\s*#[^\n]*\n)*\s*/;

/** What editors keep of a file that is open, and people beside one that they change. */
const KEPT = String.raw`\.(?:bak|old|orig|save|backup|lock)(?:\.?\d{1,3})?`;
/** In front of a name's ending: file managers, browsers, Jupyter, an editor's history, Syncthing and its versions. */
const MADE = String.raw`(?: (?:copy(?: \d+)?|\d+|\((?:copy|\d+)\))|_\d{14}|-checkpoint|\.sync-conflict-[\w-]+|~\d{8}-\d{6})(\.\w+)?`;
const COPY = new RegExp(String.raw`[~#]$|\.sw[a-p]$|${KEPT}$|${MADE}$`);
const COPIES = [
  /^\.(.+)\.(?:sw[a-p]|un~|~undo-tree~)$/,
  new RegExp(`^(.+?)${MADE}$`),
  /^#(.+)#$/,
  /^(.+?)(?:\.~\d+)?~$/,
  new RegExp(`^(.+?)${KEPT}$`),
];
/** Of keys and password stores (places/protected-paths.ts) the copies are asked about. */
const OF_PROTECTED: Rule = {
  why: "a copy of a file with passwords",
  name: /^(?:[._]netrc|\.git-credentials|\.pgpass|\.my\.cnf|\.vault-token)$/,
  isProjects: false,
};

/** Of a repository's settings they are as well, and no box cuts anything out of them. */
const OF_GIT: Rule = {
  why: "a copy of git's settings",
  name: /^config(?:\.worktree)?$/,
  folder: /\.git(?:\/(?:modules|worktrees)\/.+)?$/,
  holds: holdsGitSecret,
  isProjects: false,
};
const COPIED: readonly Rule[] = [...RULES, OF_PROTECTED, OF_GIT];
const ANY_COPIED = new RegExp(COPIED.map(({ name }) => name.source).join("|"));

/** The name (in lower case) of which this one is a copy's; undefined where it isn't one's. */
function copiedName(name: string): string | undefined {
  if (!COPY.test(name)) return undefined;
  for (const copy of COPIES) {
    const [, found, ending = ""] = copy.exec(name) ?? [];
    if (found !== undefined) return found + ending;
  }
  return undefined;
}

/** Whether a file of this name in a folder (absolute) may be one: quick, for searches. */
export function mayBeSecret(name: string, folder: string): boolean {
  const folded = foldedPath(name);
  const copied = copiedName(folded);
  if (copied !== undefined && ANY_COPIED.test(copied)) return true;
  if (ANY_NAME.test(folded) || OF_SERVICE.folder?.test(folder)) return true;
  return folder.includes(".env") && IN_ENV_FOLDER.folder?.test(folder) === true;
}

/** By its name alone: true for what is hidden in a box, unless its content tells otherwise. */
export const hasSecretName = (path: string): boolean => ruleFor(path) !== undefined;

/** True for what is a secret even where Git holds it: by its name alone. */
export const isSecretInGit = (path: string): boolean => ruleFor(path)?.isProjects === false;

/** True for what is the project's own where Git holds it as it is. */
export const isProjectsInGit = (path: string): boolean => !isSecretInGit(path) && !GIT_SETTINGS.test(foldedPath(path));

/** Whether the file at `path` (absolute; of a path of bytes, the bytes) holds what its name makes one expect; true where that can't be known. */
export function holdsSecret(path: string, file: string | Buffer = realOf(path)): boolean {
  const holds = ruleFor(path)?.holds;
  return holds === undefined || tells(file, holds);
}

/** Why the file at `path` (absolute, normal) is asked about each time, or undefined: by its name, and by its content where that tells. */
export function askedEachTime(path: string): string | undefined {
  const rule = ruleFor(path);
  if (rule !== undefined) {
    const isOne = rule.holds === undefined || rule.isAskedByName === true || holdsSecret(path);
    return isOne ? rule.why : undefined;
  }
  const folded = foldedPath(path);
  const mayBeGits = folded.includes("git");
  if (isUnnamedInGit(path, folded)) return UNNAMED;
  if ((mayBeGits && GIT_LOGS.test(folded)) || isOfRepository(path, LOG_OF_ANY))
    return isLogTelling(realOf(path)) ? "a log of git's with a password or token in it" : undefined;
  if (!(mayBeGits && GIT_SETTINGS.test(folded)) && !isOfRepository(path, SETTINGS_OF_ANY)) return undefined;
  return tells(realOf(path), holdsGitSecret) ? "git's settings with a password or token in them" : undefined;
}

/** True for what lies where Git keeps what it was ever given. */
export const isUnnamedInGit = (path: string, folded = foldedPath(path)): boolean =>
  (folded.includes("git") && GIT_OBJECTS.test(folded)) || isOfRepository(path, OBJECTS_OF_ANY);

const UNNAMED = "what Git holds under no name";

/** Why a read of all below a folder (absolute) is asked about: a repository's own has its objects in it; undefined for any other. */
export const askedAsRepository = (folder: string): string | undefined =>
  /\/\.git(?:\/modules(?:\/.*)?)?$/i.test(folder) || isOfRepository(`${folder}/objects`, OBJECTS_OF_ANY)
    ? UNNAMED
    : undefined;

const realOf = (path: string): string => (path.startsWith("/") && realForm(path)) || path;

/** True for a file of a repository that may have another name than `.git`, as `git clone --bare` makes one. */
function isOfRepository(path: string, ofAny: RegExp): boolean {
  if (path.search(ofAny) === -1) return false;
  for (const [at, { index }] of [...path.matchAll(ofAny)].entries()) {
    const folder = path.slice(0, index);
    if (at === MAX_NAMED) return true;
    if (kindOf(`${folder}/HEAD`) !== "nothing" && kindOf(`${folder}/objects`) !== "nothing") return true;
  }
  return false;
}

/** A log of git's, or one of a folder of them. @param path real */
const isLogTelling = (path: string): boolean => logsIn(path)?.some((log) => isTellingLog(log).isTelling) !== false;

/** The logs in one of git's folders of them, or a log itself: at least these; null for more than are looked at. @param path real */
export function logsIn(path: string): string[] | null {
  if (kindOf(path) !== "folder") return [path];
  const logs: string[] = [];
  const isWhole = scanTree(path, LOGS, ({ relative, is_folder }) => {
    if (!is_folder) logs.push(`${path}/${relative}`);
    // A branch's name that isn't UTF-8 can't be opened by what was read of it.
    return !relative.includes("\uFFFD");
  });
  return isWhole ? logs : null;
}

/** Whether one of git's logs holds a password or a token, or that can't be known; `bytes`: so many of it were read. */
export function isTellingLog(log: string): { isTelling: boolean; bytes: number } {
  let bytes = 0;
  const holds = (text: string) => {
    bytes = text.length;
    return bytes > MAX_LOG || holdsUrlSecret(text);
  };
  return { isTelling: tells(log, holds, MAX_LOG + 1), bytes };
}

function tells(file: string | Buffer, holds: (text: string) => boolean, maxBytes = MAX_LOOKED_AT): boolean {
  if (!mayReadOn(0)) return true;
  const begin = beginningOf(file, maxBytes);
  if (begin.kind !== "file") return begin.kind === "unreadable";
  return !mayReadOn(begin.text.length) || holds(begin.text);
}

/** A file (its real path) of whatever name that begins as a private key does. */
export function beginsAsKey(path: string): boolean {
  if (IN_PACKAGES.test(path)) return false;
  const begin = beginningOf(path, KEY_BEGIN);
  return begin.kind === "file" && begin.text.replace(COMMENTS, "").search(PRIVATE_KEY) === 0;
}

function ruleFor(path: string): Rule | undefined {
  const folded = foldedPath(path);
  const slash = folded.lastIndexOf("/");
  const [folder, name] = [folded.slice(0, slash), folded.slice(slash + 1)];
  if (!mayBeSecret(name, folder)) return undefined;
  const isOf = (rule: Rule, itsName: string) =>
    rule.name.test(itsName) && (rule.folder === undefined || rule.folder.test(folder));
  const copied = copiedName(name);
  const found =
    ALL_RULES.find((rule) => isOf(rule, name)) ??
    (copied === undefined ? undefined : COPIED.find((rule) => isOf(rule, copied)));
  // By their names these have always been asked about; of the others, packages bring their own.
  return found?.isProjects === true && IN_PACKAGES.test(folded) && name !== ".npmrc" ? undefined : found;
}
