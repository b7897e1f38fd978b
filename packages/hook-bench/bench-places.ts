import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Places } from "./scenario.ts";

/** The folders that the calls are about: a home with secrets in it, and a repository in it. Nothing is run there. */
export interface BenchPlaces extends Places {
  remove(): void;
}

const FILES: Readonly<Record<string, string>> = {
  ".ssh/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
  ".ssh/id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
  ".aws/credentials": "[default]\naws_secret_access_key = x\n",
  ".netrc": "machine example.net login x password x\n",
  ".bash_history": "ls\n",
  "project/package.json": '{\n  "name": "example",\n  "scripts": { "test": "node --test" }\n}\n',
  "project/README.md": "# Example\n",
  "project/.env": "TOKEN=x\n",
  "project/src/index.js": 'import { add } from "./add.js";\nconsole.log(add(1, 2));\n',
  "project/src/add.js": "export const add = (a, b) => a + b;\n",
  "project/test/add.test.js": 'import "../src/add.js";\n',
};

const removed = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export function benchPlaces(remove = removed): BenchPlaces {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "metnos-bench-home-")));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const project = join(home, "project");
  try {
    for (const words of [
      ["init", "--quiet"],
      ["add", "--all"],
    ])
      execFileSync("git", words, { cwd: project, stdio: "ignore", env: { PATH: process.env.PATH, HOME: home } });
  } catch {
    // without git it is a folder
  }
  return { home, project, remove: () => remove(home) };
}
