import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";

/** Places of the ordinary project whose content is run later. */
export const RUN_LATER = [
  ".envrc",
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".claude/settings.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".opencode/plugin/own.js",
  "opencode.json",
  ".mcp.json",
  ".npmrc",
  ".husky/pre-commit",
  "pkg/.vscode/tasks.json",
  ".git/hooks/pre-commit",
  ".git/info/attributes",
];
/** Those of its files that are secret. */
export const SECRETS = [".env", ".env.local", "pkg/.env"];

/** A machine's outside, made to be attacked: a home with secrets, other projects, sockets, a server, a process. Its loss harms nothing. */
export class World {
  /** Where all of it lies; not in /tmp, which a box has its own of. */
  readonly root: string;
  readonly home: string;
  /** Where projects lie. */
  readonly work: string;
  readonly sibling: string;
  /** The gate's state folder, with sockets that look like its own. */
  readonly state: string;
  /** In the host's /tmp. */
  readonly tmp: string;
  readonly shm: string;
  /** In each file that must not be read, and in the environment. */
  readonly secret = `SECRET${randomBytes(9).toString("hex")}`;
  readonly abstractName = `metnos-hostile-${randomBytes(6).toString("hex")}`;
  readonly uid: number;
  port = 0;
  /** Connections that reached a listener, by its name. */
  readonly reached: string[] = [];
  #victim: ChildProcess;
  #servers: Server[] = [];
  #projects = 0;

  private constructor(uid: number) {
    this.uid = uid;
    this.root = realpathSync(mkdtempSync("/var/tmp/metnos-hostile-"));
    this.home = join(this.root, "home");
    this.work = join(this.home, "work");
    this.sibling = join(this.work, "sibling");
    this.state = join(this.home, ".local/state/metnos");
    this.tmp = mkdtempSync("/tmp/metnos-hostile-");
    this.shm = `/dev/shm/metnos-hostile-${randomBytes(6).toString("hex")}`;
    this.#fill();
    this.#victim = spawn("/bin/sleep", ["100000"], {
      stdio: "ignore",
      ...this.asUser(),
      env: { OF_VICTIM: this.secret },
    });
  }

  /** @param uid the user that all of it belongs to, and as whom scripts run */
  static async make(uid: number): Promise<World> {
    const world = new World(uid);
    await world.#listen();
    return world;
  }

  async close(): Promise<void> {
    this.#victim.kill("SIGKILL");
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    execFileSync("/bin/chmod", ["-R", "u+rwX", this.root], { stdio: "ignore" });
    for (const path of [this.root, this.tmp, this.shm]) rmSync(path, { recursive: true, force: true });
  }

  /** Options of `spawn` for the world's user. */
  asUser(): { uid?: number; gid?: number } {
    return process.getuid?.() === this.uid ? {} : { uid: this.uid, gid: this.uid };
  }

  get victim(): number {
    return this.#victim.pid ?? -1;
  }

  /** The environment of the user's shell, with what must not get in. */
  get env(): Record<string, string> {
    return {
      HOME: this.home,
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
      TERM: "xterm",
      USER: "someone",
      SHELL: "/bin/bash",
      GITHUB_TOKEN: this.secret,
      AWS_SECRET_ACCESS_KEY: this.secret,
      DATABASE_URL: `postgres://someone:${this.secret}@localhost/db`,
      NPM_CONFIG__AUTH: this.secret,
      ANTHROPIC_API_KEY: this.secret,
      HTTPS_PROXY: `http://someone:${this.secret}@proxy.invalid`,
      SSH_AUTH_SOCK: join(this.root, "agent.sock"),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(this.root, "bus.sock")}`,
      DISPLAY: ":0",
      METNOS_GATE_SOCKET: join(this.state, "run/gate.sock"),
    };
  }

  /** What scripts name as %NAME%. */
  names(project: string, mark: string): Record<string, string> {
    return {
      HOME: this.home,
      PROJECT: project,
      WORK: this.work,
      SIBLING: this.sibling,
      STATE: this.state,
      ROOT: this.root,
      TMP: this.tmp,
      SHM: this.shm,
      PID: String(this.victim),
      PORT: String(this.port),
      ABSTRACT: this.abstractName,
      MARK: mark,
      PIDNS: pidNamespace(),
    };
  }

  /** A new project of the user's, a Git repository. */
  project(isBare: boolean): string {
    const project = join(this.work, `project-${++this.#projects}`);
    execFileSync("/bin/cp", ["-a", join(this.root, isBare ? "bare" : "full"), project]);
    return project;
  }

  /** All that must stay as it is, by path. `except`: the project that a script may write to. */
  fingerprint(except: string): Map<string, string> {
    const found = new Map<string, string>();
    const own = [except, join(this.state, "box"), join(this.root, "reports")];
    const visit = (path: string): void => {
      if (own.includes(path)) return;
      const stats = lstatSync(path, { bigint: true });
      // A folder's own change times change with the project's being renamed into place; what is in it is compared by itself.
      const content = stats.isDirectory() ? "" : `${stats.ctimeNs} ${stats.size} ${stats.nlink}`;
      found.set(path, `${stats.mode} ${stats.uid} ${stats.ino} ${content}`);
      if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
    };
    for (const path of [this.root, this.tmp, this.shm]) visit(path);
    for (const path of ["/etc", "/usr/local/bin", "/usr/bin", "/var/spool/cron", "/var/tmp", "/opt", "/"]) {
      if (!existsSync(path)) continue;
      const marked = readdirSync(path).filter((name) => name.startsWith("metnos-evil"));
      found.set(`${path} (marked)`, marked.join(" "));
    }
    return found;
  }

  /** What became of the process that must not be touched. */
  victimState(): string {
    if (this.#victim.exitCode !== null || this.#victim.signalCode !== null)
      return `ended by ${this.#victim.signalCode}`;
    const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${this.victim}/status`, "utf8"))?.[1] ?? "gone";
    const nice = readFileSync(`/proc/${this.victim}/stat`, "utf8").split(") ")[1]?.split(" ")[16];
    return `${state === "S" ? "alive" : state} ${nice}`;
  }

  #write(path: string, content: string, mode = 0o600): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
  }

  #fill(): void {
    const secret = `${this.secret}\n`;
    for (const name of [
      ".ssh/id_ed25519",
      ".ssh/authorized_keys",
      ".aws/credentials",
      ".netrc",
      ".bash_history",
      ".config/gh/hosts.yml",
      ".docker/config.json",
      ".claude/settings.json",
      ".claude.json",
      ".codex/config.toml",
      ".gemini/settings.json",
      ".config/opencode/opencode.json",
      ".npmrc",
      ".pypirc",
      ".gnupg/secring.gpg",
      ".local/share/keyrings/login.keyring",
      ".local/state/metnos/operator.token",
      ".local/state/metnos/agents.db",
      ".local/state/metnos/grants.db",
      ".config/metnos/gate.toml",
      "work/notes.txt",
      "work/sibling/file.txt",
      "work/sibling/.envrc",
      "work/sibling/.env",
      "work/sibling/.vscode/tasks.json",
      "work/sibling/.git/config",
    ])
      this.#write(join(this.home, name), secret);
    for (const name of [".bashrc", ".profile", ".zshrc", ".gitconfig", ".vimrc", ".config/autostart/one.desktop"])
      this.#write(join(this.home, name), "# yours\n", 0o644);
    this.#write(join(this.home, ".local/bin/tool"), "#!/bin/sh\n", 0o755);
    mkdirSync(join(this.state, "run"), { recursive: true, mode: 0o700 });
    mkdirSync(join(this.root, "reports"));
    this.#write(join(this.tmp, "file"), secret);
    this.#write(this.shm, secret);
    this.#template("full");
    this.#template("bare");
    execFileSync("/bin/chown", ["-R", `${this.uid}:${this.uid}`, this.root, this.tmp, this.shm]);
    chmodSync(this.root, 0o755);
  }

  #template(kind: "full" | "bare"): void {
    const project = join(this.root, kind);
    const yours: Record<string, string> = {
      "src/a.txt": "a\n",
      "src/run.sh": "echo run\n",
      "pkg/b.txt": "b\n",
      "bin/tool": "#!/bin/sh\n",
    };
    if (kind === "full") {
      for (const name of RUN_LATER) yours[name] = "yours\n";
      for (const name of SECRETS) yours[name] = `PASSWORD=${this.secret}\n`;
    }
    mkdirSync(project);
    execFileSync("git", ["init", "-q", "-b", "main", "--template=", project], {
      env: { PATH: "/usr/bin:/bin", HOME: this.home },
    });
    for (const [name, content] of Object.entries(yours)) this.#write(join(project, name), content, 0o644);
    const git = (...args: string[]) =>
      execFileSync(
        "git",
        [
          "-C",
          project,
          "-c",
          "user.name=a",
          "-c",
          "user.email=a@example.org",
          "-c",
          "core.hooksPath=/dev/null",
          ...args,
        ],
        { env: { PATH: "/usr/bin:/bin", HOME: this.home } },
      );
    git("add", "src", "pkg/b.txt");
    git("commit", "-qm", "one");
  }

  async #listen(): Promise<void> {
    const paths = {
      "the gate's socket": join(this.state, "run/gate.sock"),
      "the operator's socket": join(this.state, "run/operator.sock"),
      "ssh-agent": join(this.root, "agent.sock"),
      "D-Bus": join(this.root, "bus.sock"),
      "a socket in /tmp": join(this.tmp, "socket"),
      "a socket in the home": join(this.home, "docker.sock"),
      "an abstract socket": `\0${this.abstractName}`,
    };
    for (const [name, path] of Object.entries(paths)) {
      await this.#server(name, { path });
      if (!path.startsWith("\0")) {
        lchownSync(path, this.uid, this.uid);
        chmodSync(path, 0o600);
      }
    }
    this.port = await this.#server("a server on loopback", { host: "127.0.0.1", port: 0 });
    chownSync(this.tmp, this.uid, this.uid);
  }

  async #server(name: string, where: { path: string } | { host: string; port: number }): Promise<number> {
    const server = createServer((connection) => {
      this.reached.push(name);
      connection.on("error", () => connection.destroy());
      connection.end(`${this.secret}\n`);
    });
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(where, resolve));
    this.#servers.push(server);
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }
}

let ownNamespace: string | undefined;
/** The host's process namespace: a script that kills everybody looks first whether it is in another one. */
function pidNamespace(): string {
  ownNamespace ??= execFileSync("/usr/bin/readlink", ["/proc/self/ns/pid"], { encoding: "utf8" }).trim();
  return ownNamespace;
}
