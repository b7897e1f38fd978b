import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A home with secrets and a project with a repository in it, in which every line begins. */
export interface RecordWorld {
  home: string;
  project: string;
  /** In the environment; no line may print it. */
  token: string;
}

const FILES: Readonly<Record<string, string>> = {
  ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.org\n",
  ".netrc": "machine 127.0.0.1 login ada password secret\n",
  ".ssh/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n",
  "other/secret": "foo secret\n",
  "proj/a.txt": "foo\nbar\n1 2 3\n",
  "proj/b.txt": "foo\nbaz\n",
  "proj/c.json": '{"foo": 1}\n',
  "proj/.env": "API_KEY=secret\n",
  "proj/.gitignore": ".env\n",
  "proj/src/a.ts": "export const foo = 1;\n",
  "proj/src/.hidden": "foo\n",
  "proj/docs/a.ts": "export const foo = 2;\n",
};

/** Makes it below `root`, an empty folder under its real path. */
export function buildRecordWorld(root: string): RecordWorld {
  const home = join(root, "home");
  const project = join(home, "proj");
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(project, "empty"));
  const git = (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    const { status, stderr } = spawnSync("git", args, { cwd: project, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  git("init", "--quiet", "--initial-branch=main", "--template=");
  git("remote", "add", "origin", "https://example.org/x.git");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
  writeFileSync(join(project, "b.txt"), "foo\nbar\n");
  git("commit", "--quiet", "--all", "--message=second");
  git("tag", "v1");
  writeFileSync(join(project, "b.txt"), "foo\nbar\nnot committed\n");
  return { home, project, token: "SECRET-IN-THE-ENVIRONMENT" };
}
