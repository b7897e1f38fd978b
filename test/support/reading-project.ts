import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The project that `READING_COMMANDS` read: plain files without a link, in a git repository with two commits. */

const USERS = JSON.stringify([
  { name: "Ada", age: 36 },
  { name: "Alan", age: 29 },
]);

const FILES: Readonly<Record<string, string>> = {
  ".gitignore": "# built\nnode_modules/\ndist/\nlogs/\n",
  ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n",
  "AGENTS.md": "Run the tests before you commit.\n",
  "CHANGELOG.md": "## 1.0.0\n\n- sessions\n",
  "README.md": "# Project\n\nServes sessions.\n",
  "package.json": `${JSON.stringify({ name: "project", version: "1.0.0", scripts: { test: "vitest run" }, dependencies: { zod: "4.0.0" }, devDependencies: { vitest: "5.0.0" } }, null, 2)}\n`,
  "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
  "docs/api.md": "# API\n",
  "docs/guide.md": "# Guide\n",
  "logs/app.log": "12:00 INFO started 12ms\n12:01 ERROR failed 40ms\n",
  "node_modules/.bin/vitest": "#!/usr/bin/env node\n",
  "node_modules/zod/package.json": '{\n  "name": "zod",\n  "version": "4.0.0"\n}\n',
  "dist/index.js": "export {};\n",
  "src/cli.ts": "import { loadConfig } from './config.ts';\nloadConfig();\n",
  "src/config.ts": "export function parseConfig(text: string) {\n  return JSON.parse(text);\n}\n",
  "src/index.ts": 'export * from "./server.ts";\n',
  "src/server.ts": 'import { createServer } from "node:http";\nexport const server = createServer();\n',
  "src/store/index.ts": 'export * from "./session.ts";\n',
  "src/store/session.ts": "export class SessionStore {\n  expires_at = 0;\n}\n",
  "src/store/types.ts": "export interface Session {\n  id: string;\n}\n",
  "test/config.test.ts": 'import { parseConfig } from "../src/config.ts";\nparseConfig("{}");\n',
  "test/fixtures/orders.csv": "id,amount\n1,20\n2,30\n",
  "test/fixtures/users.json": `${USERS}\n`,
  "test/store/session.test.ts": "// nothing yet\n",
};

/** Makes it in `folder`, with its own settings of git alone. */
export function makeReadingProject(folder: string): void {
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, stdio: "pipe" });
  const commit = (message: string) => {
    git("add", ".");
    git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", message);
  };
  write(FILES);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", "https://github.com/ada/project.git");
  commit("A first version");
  write({ "src/server.ts": `${FILES["src/server.ts"]}server.listen(3000);\n` });
  commit("The server listens");
}
