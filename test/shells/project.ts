import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  chmodSync,
  type Dirent,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A home with secrets and a project that is as hostile as an agent or a cloned repository can make it. */

export interface World {
  root: string;
  home: string;
  project: string;
  secrets: Secrets;
}

/** What must not be shown: each is a number that reads the same backwards and has no letters to change the case of. */
interface Secrets {
  /** In ~/other, which no grant covers. */
  outside: string;
  /** In ~/.netrc and ~/.ssh/id_rsa. */
  key: string;
  /** In the project's .env. */
  env_file: string;
  /** In the environment, as SECRET_TOKEN. */
  token: string;
}

/** Before any run; a read file's time of access is later than this (seconds). */
const LONG_AGO = 1_000_000_000;

const OPTION_LIKE = [
  "--pre=sh",
  "-S16k",
  "--files0-from=l",
  "--compress-program=sh",
  "--output=x",
  "-n",
  "-okeep",
  "-e",
  "--",
  "a b",
  "'q'",
  "$(touch pwned)",
  "`touch pwned`",
  ";touch pwned",
  "=hello",
];

/** Makes both canaries, by whatever user and in whatever folder it is run, and with whatever PATH. */
const SCRIPT = ': > "$HOME/canary"; : > pwned\n';

export function buildWorld(root: string): World {
  const home = join(root, "home");
  const project = join(home, "proj");
  const secrets = { outside: newSecret(), key: newSecret(), env_file: newSecret(), token: newSecret() };
  const write = (path: string, text: string, mode = 0o644) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  };
  const link = (path: string, to: string) => symlinkSync(to, join(home, path));

  write(".netrc", `machine example.org login ada password ${secrets.key}\n`, 0o600);
  write(".ssh/id_rsa", `-----BEGIN OPENSSH PRIVATE KEY-----\n${secrets.key}\n`, 0o600);
  write(".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  write(".zshenv", "# nothing\n");
  write(".config/keep", "");
  write("bin/hello", `#!/bin/sh\n${SCRIPT}`, 0o755);
  write("other/secret", `secret ${secrets.outside}\n`);
  write("other/s.json", `{"secret": "${secrets.outside}"}\n`);
  write("other/keep.txt", "keep\n");
  write("other/deep/notes.txt", `foo ${secrets.outside}\n`);

  for (const [path, text] of Object.entries(projectFiles(home, secrets))) write(`proj/${path}`, text);
  for (const name of OPTION_LIKE) write(`proj/${name}`, "foo\n");
  write("proj/x.sh", `#!/bin/sh\n${SCRIPT}`, 0o755);
  write("proj/echo", SCRIPT);
  write("proj/0/ls", `#!/bin/sh\n${SCRIPT}`, 0o755);
  mkdirSync(join(project, "empty"));
  link("proj/link", "../other");
  link("proj/lsecret", "../other/secret");
  link("proj/lib/up", "../../other");
  link("proj/inner", "src");
  // These lead there from wherever they are moved to.
  link("proj/alink", join(home, "other"));
  link("proj/asecret", join(home, "other/secret"));

  mainRepository(project, home);
  hostileRepositories(project, home, write);
  settle(home);
  return { root, home, project, secrets };
}

function projectFiles(home: string, secrets: Secrets): Record<string, string> {
  const settings = '{"disableAllHooks":true}\n';
  return {
    ".env": `API_KEY=${secrets.env_file}\n`,
    ".gitignore": ".env\nnode_modules\n",
    "README.md": "# Project\n\nfoo and bar\n\n## Cache\n\nTODO\n",
    "CHANGELOG.md": "# 1.0\n\n- a cache\n",
    "package.json": '{"name": "proj", "version": "1.0.0", "scripts": {"test": "true"}, "dependencies": {"zod": "4"}}\n',
    "a.txt": "touch pwned\n#foo\n",
    "b.txt": "bar\nfoo\nbar\n",
    "c.json": '[{"a": 1, "active": true}, {"a": 2}]\n',
    "src/main.ts": 'import { foo } from "./util.ts";\nexport const oldName = foo; // TODO\n',
    "src/util.ts": "export function foo(): number {\n  return 1;\n}\n",
    "src/config.ts": "export const config = { debug: false };\n",
    "src/store/index.ts": "export class Store {}\n",
    "docs/guide.md": "# Guide\n\n## Cache\n\nfoo\n",
    "docs/api.md": "# API\n",
    "data/users.csv": "1,Ada,foo\n2,Bob,bar\n3,Cy,foo\n",
    "data/more.csv": "4,Di,foo\n",
    "data/users.json": '{"users": [{"name": "Ada"}]}\n',
    "test/main.test.ts": "// foo\n",
    "lib/index.js": "module.exports = 1;\n",
    // What scripts, lists and programs of the project name: places outside of it, commands, options.
    l: "a.txt\0b.txt\0",
    list: "foo\n--pre=sh\na.txt\n",
    outside: `${home}/other/secret\n`,
    opts: `${home}/other/secret\n`,
    // Names that a program takes for files of words: what they lead to lies beside them.
    "@d/o": "foo\n",
    "d/o": `${home}/other/secret\n`,
    x2: "b[$(touch pwned)]\n",
    x3: "$(touch pwned)\n",
    "p.jq": `import "s" as $s {search: "${home}/other"}; $s\n`,
    "evil.sed": "1e touch pwned\n1w pwned\n",
    "s.awk": 'BEGIN { system("touch pwned") }\n',
    // An agent's settings: in a folder that has none, and in one that has.
    "fresh/x/settings.local.json": settings,
    "fresh/y/.claude/settings.local.json": settings,
    // Names that a program takes for its options.
    "o-rg/--pre=sh": "foo\n",
    "o-rg/a.txt": SCRIPT,
    "o-sort/--compress-program=sh": "foo\n",
    "o-sort/--files0-from=l": "foo\n",
    "o-sort/-S16k": "foo\n",
    "o-sort/l": "big\0big\0",
    "o-sort/big": SCRIPT.repeat(2000),
    "fresh/metnos/gate.toml": "[judge]\nthreshold = 1\n",
    "agent/.claude/settings.json": "{}\n",
    "agent/.claude/settings": settings,
    "agent/x/settings.local.json": settings,
    "agent/y/.claude/settings.local.json": settings,
  };
}

function newSecret(): string {
  const half = Array.from({ length: 12 }, () => randomInt(10)).join("");
  return half + [...half].reverse().join("");
}

function git(cwd: string, home: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { HOME: home, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_TEMPLATE_DIR: "" },
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function mainRepository(project: string, home: string): void {
  git(project, home, "init", "--quiet", "--initial-branch=main");
  git(project, home, "add", "README.md", "CHANGELOG.md", "package.json", ".gitignore", "src", "docs", "data");
  git(project, home, "commit", "--quiet", "--message=first");
  writeFileSync(join(project, "docs/api.md"), "# API\n\nmore\n");
  git(project, home, "commit", "--quiet", "--all", "--message=second");
  // Something to see for status and diff.
  writeFileSync(join(project, "docs/guide.md"), "# Guide\n\n## Cache\n\nfoo\nbar\n");
}

/** Repositories with nothing hostile but what a tool with a grant on the project can write. */
function hostileRepositories(
  project: string,
  home: string,
  write: (path: string, text: string, mode?: number) => void,
): void {
  const command = `touch ${home}/canary; false`;
  const append = (path: string, text: string) => {
    const file = `proj/${path}`;
    write(file, readFileSync(join(home, file), "utf8") + text);
  };
  const repository = (name: string) => {
    write(`proj/${name}/f.txt`, "foo\n");
    git(join(project, name), home, "init", "--quiet", "--initial-branch=main");
    git(join(project, name), home, "add", ".");
    git(join(project, name), home, "commit", "--quiet", "--message=first");
  };
  for (const name of ["sub", "g-diff", "g-promisor", "g-worktree", "g-commondir", "g-refs", "mod/sub", "mod"]) {
    repository(name);
  }
  append("sub/.git/config", `[core]\n\tfsmonitor = "${command}"\n`);
  append("mod/sub/.git/config", `[core]\n\tfsmonitor = "${command}"\n`);
  append("g-diff/.git/config", `[diff "x"]\n\tcommand = "${command}"\n`);
  write("proj/g-diff/.gitattributes", "* diff=x\n");
  write("proj/g-diff/f.txt", "foo\nbar\n");
  const remote = `[remote "origin"]\n\tpromisor = true\n\turl = .\n\tuploadpack = "${command}"\n`;
  append("g-promisor/.git/config", `[extensions]\n\tpartialClone = origin\n${remote}`);
  append("g-worktree/.git/config", "[extensions]\n\tworktreeConfig = true\n");
  write("proj/g-worktree/.git/config.worktree", `[core]\n\tfsmonitor = "${command}"\n`);
  append("g-refs/.git/config", `[core]\n\talternateRefsCommand = "${command}"\n`);
  write("proj/g-refs/.git/objects/info/alternates", "../../../.git/objects\n");
  // A bare repository, with nothing in it that is called .git.
  git(project, home, "init", "--quiet", "--bare", "--initial-branch=main", "evil");
  append("evil/config", `\tfsmonitor = "${command}"\n\tworktree = ..\n`);
  write("proj/evil/config", readFileSync(join(project, "evil/config"), "utf8").replace("bare = true", "bare = false"));
  write("proj/evil/objects/x", "");
  write("proj/evil/refs/x", "");
  write("proj/g-commondir/.git/commondir", "../../evil\n");
  // The same without objects of its own: a place where nobody looks through what is there has one, too.
  git(project, home, "clone", "--quiet", "--bare", "--no-hardlinks", ".", "c-store");
  append("c-store/config", `[diff "x"]\n\ttextconv = "${command} #"\n`);
  write("proj/c-store/info/attributes", "* diff=x\n");
  for (const [folder, to] of [
    ["c-evil", "../c-store"],
    ["node_modules/p", "../../c-store"],
  ] as const) {
    write(`proj/${folder}/HEAD`, "ref: refs/heads/main\n");
    write(`proj/${folder}/commondir`, `${to}\n`);
  }
  rmSync(join(project, "c-store/HEAD"));
  // A folder called .git that git passes over: the repository around it is another one.
  repository("g-outer");
  append("g-outer/.git/config", `[core]\n\tfsmonitor = "${command}"\n`);
  mkdirSync(join(project, "g-outer/in/.git"), { recursive: true });
}

/** Every time of access and change is in the past, so that a later one is seen. */
function settle(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path);
    else lutimesSync(path, LONG_AGO, LONG_AGO);
  }
  utimesSync(folder, LONG_AGO, LONG_AGO);
}

/** What happened to files, by their paths as the line saw them. Folders count only as they appear, go, or change their mode. */
export interface Changes {
  created: { path: string; is_folder: boolean }[];
  changed: string[];
  deleted: string[];
  /** Files whose content was read. */
  read: string[];
  /** Folders whose names were listed. */
  listed: string[];
  /** The text of what was created or changed, as far as it can be a secret's. */
  writtenText: string;
}

interface Seen {
  is_folder: boolean;
  is_link: boolean;
  ino: bigint;
  mode: bigint;
  size: bigint;
  ctime: bigint;
}

/** One throw-away copy of a world, with its own /tmp. */
export class WorldCopy {
  readonly world: World;
  /** What is in the place of the world's home, and of /tmp. */
  readonly home: string;
  readonly tmp: string;
  readonly #folder: string;
  #seen = new Map<string, Seen>();

  constructor(world: World, name: string) {
    this.world = world;
    this.#folder = join(world.root, name);
    this.home = join(this.#folder, "home");
    this.tmp = join(this.#folder, "tmp");
    this.renew();
  }

  /** Copies the template anew. */
  renew(): void {
    remove(this.#folder);
    mkdirSync(this.#folder);
    const { status, stderr } = spawnSync("cp", ["-a", this.world.home, this.home], { encoding: "utf8" });
    if (status !== 0) throw new Error(`cp: ${stderr}`);
    // bubblewrap would make the folder that the home is mounted on.
    mkdirSync(this.world.root.startsWith("/tmp/") ? join(this.#folder, this.world.home) : this.tmp, {
      recursive: true,
    });
    this.#seen = new Map();
    this.#scan();
  }

  /** What changed since the copy was made. Afterwards the copy is as the template is. */
  takeChanges(): Changes {
    const before = this.#seen;
    const changes = this.#scan();
    if (changes.created.length + changes.changed.length + changes.deleted.length > 0) {
      if (!this.#restore(changes, before)) this.renew();
    }
    return changes;
  }

  /** Undoes a few changes, which is cheaper than a new copy. False if the copy isn't as it was. */
  #restore({ created, changed, deleted }: Changes, before: ReadonlyMap<string, Seen>): boolean {
    const again = [...changed, ...deleted].sort();
    if (again.length > 20 || again.some((path) => before.get(path)?.is_folder !== false)) return false;
    for (const { path } of created) remove(this.#own(path));
    for (const path of again) {
      // What is in /tmp is not the template's.
      if (!path.startsWith(`${this.world.home}/`)) return false;
      const { status } = spawnSync("cp", ["-a", "--remove-destination", "--", path, this.#own(path)]);
      if (status !== 0) return false;
    }
    this.#scan();
    if (this.#seen.size !== before.size) return false;
    for (const [path, { mode, size, is_folder, is_link }] of this.#seen) {
      const was = before.get(path);
      if (was?.mode !== mode || was.is_folder !== is_folder || was.is_link !== is_link) return false;
      if (!is_folder && was.size !== size) return false;
    }
    return true;
  }

  #own(path: string): string {
    const { home } = this.world;
    return path.startsWith(`${home}/`) ? join(this.home, path.slice(home.length)) : join(this.#folder, path);
  }

  #scan(): Changes {
    const changes: Changes = { created: [], changed: [], deleted: [], read: [], listed: [], writtenText: "" };
    const seen = new Map<string, Seen>();
    this.#walk(this.home, this.world.home, seen, changes);
    this.#walk(this.tmp, "/tmp", seen, changes);
    for (const path of this.#seen.keys()) if (!seen.has(path)) changes.deleted.push(path);
    this.#seen = seen;
    return changes;
  }

  #walk(folder: string, shown: string, seen: Map<string, Seen>, changes: Changes): void {
    let entries: Dirent[] = [];
    const stat = lstatSync(folder);
    const isKnown = shown === "/tmp" || shown === this.world.home || this.#seen.has(shown);
    if (isKnown && stat.atimeMs / 1000 > LONG_AGO + 1) changes.listed.push(shown);
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch {
      // A folder that was made unreadable: its mode shows it, and the copy is thrown away.
    }
    for (const entry of entries) this.#look(join(folder, entry.name), `${shown}/${entry.name}`, seen, changes);
    // Listing it here counted as an access, too.
    utimesSync(folder, LONG_AGO, stat.mtimeMs / 1000);
  }

  #look(path: string, shown: string, seen: Map<string, Seen>, changes: Changes): void {
    let stat = lstatSync(path, { bigint: true });
    const [isFolder, isLink] = [stat.isDirectory(), stat.isSymbolicLink()];
    const before = this.#seen.get(shown);
    if (before === undefined) changes.created.push({ path: shown, is_folder: isFolder });
    else if (
      before.ino !== stat.ino ||
      before.mode !== stat.mode ||
      (!isFolder && (before.ctime !== stat.ctimeNs || before.size !== stat.size))
    ) {
      changes.changed.push(shown);
    }
    const isNew = this.#seen.size > 0 && (before === undefined || changes.changed.at(-1) === shown);
    if (isNew && stat.isFile() && stat.size < 100_000n) {
      const text = textOf(path, stat);
      // A secret's own file may have changed its mode alone.
      if (before === undefined || text !== textOf(shown, stat)) changes.writtenText += text;
    }
    if (isFolder) this.#walk(path, shown, seen, changes);
    else if (!isLink && stat.isFile() && stat.atimeMs / 1000n > BigInt(LONG_AGO + 1)) {
      if (before !== undefined) changes.read.push(shown);
      utimesSync(path, LONG_AGO, Number(stat.mtimeMs) / 1000);
      stat = lstatSync(path, { bigint: true });
    }
    const { ino, mode, size, ctimeNs } = stat;
    seen.set(shown, { is_folder: isFolder, is_link: isLink, ino, mode, size, ctime: ctimeNs });
  }
}

function textOf(path: string, stat: { mode: bigint }): string {
  return (stat.mode & 0o400n) === 0n ? "" : `${readFileSync(path, "latin1")}\n`;
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A line removed the right to read one of its folders.
    spawnSync("chmod", ["-R", "u+rwX", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}
