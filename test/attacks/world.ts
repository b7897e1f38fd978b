import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

/** A home folder with a project in it, as the attacks find it. Nothing in it is ever run. */
export interface World extends TemporaryHome {
  proj: string;
  /** Where the gate's program is in it: its `bin`, its `dist` and the Node that runs it. */
  programPaths: readonly string[];
  /** The gate's environment, as far as it says where programs and agents' settings are. */
  gateEnv: { PATH: string; CLAUDE_CONFIG_DIR?: string };
  /** Writes a file below the home folder, with its folders. */
  put(path: string, content?: string): void;
  link(path: string, to: string): void;
  /** Git below the home folder, with no settings but the repository's own. */
  git(folder: string, ...args: string[]): string;
}

export const SECRET_FILES = [
  ".netrc",
  ".git-credentials",
  ".docker/config.json",
  ".config/gh/hosts.yml",
  ".config/gcloud/credentials.db",
  "backup/id_rsa",
  ".mozilla/firefox/a1.default/logins.json",
  ".mozilla/firefox/a1.default/cookies.sqlite",
  ".config/google-chrome/Default/Cookies",
  ".config/google-chrome/Default/Login Data",
  ".local/share/keyrings/login.keyring",
  ".password-store/mail.gpg",
  ".cargo/credentials.toml",
  ".config/rclone/rclone.conf",
] as const;

/** Secrets that developers do work with: asked about by name each time. */
export const ASKED_FILES = [
  ".npmrc",
  ".pypirc",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  "proj/.env",
  "proj/.env.local",
  "proj/.env.production",
  "proj/.envrc",
] as const;

/** Asked about where it is read by name, denied in all else. */
export const KEYS_READ_BY_NAME = ".kube/config";

const PROJECT_FILES: Readonly<Record<string, string>> = {
  "a.txt": "foo\ns\n",
  "b.txt": "foo\n",
  foo: "foo\n",
  "src/a.ts": "export const a = 1;\n",
  "x.sh": "touch pwned\n",
  echo: "touch pwned\n",
  list: "../other/secret\n",
  x2: "a[$(touch pwned)]\n",
  x3: "$(touch pwned)\n",
  l: "../other/secret\n",
  opts: "../other/secret\n",
  "p.jq": 'import "s" as $s {search:"../other"}; $s\n',
  "package.json": '{"name":"proj","scripts":{"test":"true"}}\n',
  ".envr": "echo\n",
  "metnos/gate.toml": "[judge]\nthreshold = 1\n",
  "evil.txt": "touch pwned\n",
};

/** A fresh one, with the usual files and links. */
export function makeWorld(): World {
  const temporary = temporaryHome();
  const { home } = temporary;
  const world: World = {
    ...temporary,
    proj: join(home, "proj"),
    programPaths: [join(home, "checkout")],
    gateEnv: { PATH: `${home}/tools:/usr/bin:/bin` },
    put(path, content = "x\n") {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), content);
    },
    link(path, to) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      symlinkSync(to, join(home, path));
    },
    git(folder, ...args) {
      const identity = ["-c", "user.name=me", "-c", "user.email=me@x.example", "-c", "init.defaultBranch=main"];
      return execFileSync("git", ["-C", join(home, folder), ...identity, ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
      });
    },
  };
  for (const [path, content] of Object.entries(PROJECT_FILES)) world.put(`proj/${path}`, content);
  world.put("other/secret", "SECRET\n");
  world.put("other/s.json", '{"key":"SECRET"}\n');
  world.put(".zshrc", "\n");
  for (const path of [...SECRET_FILES, ...ASKED_FILES, KEYS_READ_BY_NAME]) world.put(path, "SECRET\n");
  for (const path of ["operator.token", "grants.db", "approvals.db"]) world.put(`.local/state/metnos/${path}`);
  for (const path of ["bin/metnos-gate.js", "dist/hook/hook.cjs", "node_modules/node/bin/node"])
    world.put(`checkout/${path}`);
  world.link("proj/link", "../other");
  world.link("proj/lsecret", "../other/secret");
  world.link("proj/profile.sh", "../.zshrc");
  return world;
}

/** Makes the project a repository with one commit. */
export function repository(world: World): void {
  world.git("proj", "init", "-q");
  world.put("proj/tracked.txt", "one\n");
  world.git("proj", "add", "tracked.txt");
  world.git("proj", "commit", "-q", "-m", "one");
}
