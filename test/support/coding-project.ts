import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateSync } from "node:zlib";
import { installOwnPackages } from "./own-packages.ts";

/** The project that `CODING_COMMANDS` work in: its packages are installed, its tests pass, its history has a remote beside it. */

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const numbered = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `${line(n + 1)}\n`).join("");

/** Lines that import are apart: so they are no imports of this file. */
const text = (...parts: readonly string[]) => parts.join("\n");

const USERS = [
  { id: 1, name: "Ada", age: 36, active: true },
  { id: 2, name: "Alan", age: 41, active: false },
  { id: 3, name: "Grace", age: 85, active: true },
];

const FILES: Readonly<Record<string, string>> = {
  ".gitignore": "node_modules/\ndist/\n.env.local\n",
  ".env.example": "PORT=3000\nDATABASE=data/app.db\n",
  "package.json": json({
    name: "project",
    version: "1.0.0",
    private: true,
    type: "module",
    scripts: {
      test: "vitest run",
      lint: "biome check src test",
      dev: "node src/server.ts",
      build: "rolldown --config rollup.config.js",
    },
    dependencies: { zod: "4.0.0" },
    devDependencies: { "@biomejs/biome": "2.0.0", rolldown: "1.0.0", typescript: "7.0.0", vitest: "5.0.0" },
  }),
  "tsconfig.json": json({
    compilerOptions: {
      strict: true,
      target: "es2024",
      module: "nodenext",
      types: [],
      lib: ["es2024"],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    },
    include: ["src"],
  }),
  "biome.json": json({ formatter: { indentStyle: "space" } }),
  // Else Vitest runs first what took longest the last time.
  "vitest.config.js": text(
    'import { BaseSequencer } from "vitest/node";',
    `
class ByName extends BaseSequencer {
  sort(files) {
    return files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
  }
}

export default {
  test: {
    include: ["test/*.test.ts", "test/*/*.test.ts"],
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: ByName },
  },
};
`,
  ),
  "rollup.config.js": `export default {
  input: "src/main.ts",
  platform: "node",
  output: { file: "dist/index.js", sourcemap: true },
};
`,
  "README.md": `# Project\n\n${numbered(90, (n) => `Line ${n} of what it is for.`)}`,
  "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- sessions\n",
  "docs/guide.md": "# Guide\n\nHow it is used.\n\n## Sessions\n\nThey expire.\n",
  "docs/openapi.json": json({ paths: { "/health": {}, "/api/users": {} } }),
  "src/config.ts": `import { z } from "zod";

const schema = z.object({ port: z.number().default(3000) });

export function parseConfig(text: string) {
  return schema.parse(JSON.parse(text));
}
${numbered(160, (n) => `export const SETTING_${n} = ${n};`)}`,
  "src/generated.ts": "export const BUILT_AT = 0;\n",
  "src/main.ts": text(
    'import { openedStore } from "./store/index.ts";',
    `
if (process.argv.includes("--help")) console.log("usage: project [--help]");
else console.log(openedStore().size);
`,
  ),
  "src/node.d.ts": `declare module "node:http" {
  type Answer = { end(text: string): void };
  type Server = { listen(port: number): void };
  export function createServer(
    listener: (request: unknown, response: Answer) => void,
  ): Server;
}
declare const process: { argv: string[] };
declare const console: { log(...words: unknown[]): void };
`,
  "src/names.ts": 'export const oldName = "a";\nexport const other = oldName;\n',
  "src/server.ts": text(
    'import { createServer } from "node:http";',
    'import { parseConfig } from "./config.ts";',
    'import { openedStore } from "./store/index.ts";',
    `
// TODO: close it
const store = openedStore();
export const server = createServer((_request, response) =>
  response.end(String(store.size)),
);
if (process.argv[1]?.endsWith("server.ts"))
  server.listen(parseConfig("{}").port);
`,
  ),
  "src/store/index.ts": text(
    'import { SessionStore } from "./session.ts";',
    "",
    'export * from "./session.ts";',
    'export type * from "./types.ts";',
    `
export const openedStore = () => new SessionStore({ ttl_ms: 1000 });
`,
  ),
  "src/store/types.ts": `/** How a store is opened. */
export interface StoreOptions {
  ttl_ms: number;
}
`,
  "src/store/session.ts": `import type { StoreOptions } from "./types.ts";

export const clock = { now: () => 1_700_000_000_000 };

// TODO: remove what has expired
export class SessionStore {
  readonly #options: StoreOptions;
  readonly #expires_at = new Map<string, number>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#expires_at.size;
  }

  add(id: string): void {
    this.#expires_at.set(id, clock.now() + this.#options.ttl_ms);
  }

  expires_at(id: string): number | undefined {
    return this.#expires_at.get(id);
  }

  hasExpired(id: string): boolean {
    return (this.#expires_at.get(id) ?? 0) < Date.now();
  }
}
${numbered(40, (n) => `export const RESERVED_${n} = "reserved-${n}";`)}`,
  "test/config.test.ts": text(
    'import { expect, it } from "vitest";',
    'import { parseConfig } from "../src/config.ts";',
    `
it("has a port", () => {
  expect(parseConfig("{}").port).toBe(3000);
});
`,
  ),
  "test/store/session.test.ts": text(
    'import { expect, it } from "vitest";',
    'import { clock, SessionStore } from "../../src/store/index.ts";',
    `
it("expires", () => {
  const store = new SessionStore({ ttl_ms: 1000 });
  store.add("a");
  expect(store.expires_at("a")).toBe(clock.now() + 1000);
});
`,
  ),
  "test/fixtures/users.json": json(USERS),
  "packages/app/package.json": json({
    name: "app",
    private: true,
    scripts: { test: "node --test --test-reporter=tap" },
  }),
  "packages/app/app.test.js": `const { test } = require("node:test");
test("adds", () => require("node:assert").equal(1 + 1, 2));
`,
  "packages/lib/package.json": json({ name: "lib" }),
  "packages/lib/src/index.ts": "export const lib = 1;\n",
  "data/users.csv": `name,city,age\r\n${["Ada,London,36", "Alan,London,41", "Grace,New York,85"].join("\r\n")}\r\n`,
  "data/a.csv": "b\na\nc\n",
  "data/b.csv": "a\nd\n",
  "data/users.json": json(USERS),
};

/** A picture of one point, as PNG. */
function pngFile(): Buffer {
  const chunk = (name: string, data: Buffer) => Buffer.concat([Buffer.from(name), data]);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IDAT", deflateSync(Buffer.alloc(4)))]);
}

function write(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** What npm would have installed, and `dev` have written, where no host and no port can be reached. */
const LRU_CACHE = {
  "node_modules/lru-cache/package.json": json({
    name: "lru-cache",
    version: "11.0.0",
    type: "module",
    main: "index.js",
    types: "index.d.ts",
  }),
  "node_modules/lru-cache/index.js": "export class LRUCache extends Map {\n  constructor() {\n    super();\n  }\n}\n",
  "node_modules/lru-cache/index.d.ts":
    "export class LRUCache<K, V> extends Map<K, V> {\n  constructor(options: { max: number });\n}\n",
};

/**
 * Makes it as `home`/project, with its remote and the user's settings of git beside it.
 * @param env how git runs: with fixed dates two such projects have the same history
 */
export function makeCodingProject(home: string, env: NodeJS.ProcessEnv): string {
  const project = join(home, "project");
  const run = (line: string) => execFileSync("/bin/sh", ["-ec", line], { cwd: project, env, stdio: "pipe" });
  write(home, { ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n" });
  write(project, FILES);
  write(project, { "assets/logo.png": pngFile() });
  installOwnPackages(project, ["vitest", "vite", "typescript", "@biomejs/biome", "rolldown", "zod"]);
  write(project, LRU_CACHE);
  mkdirSync(join(project, "test/empty"));
  const db = new DatabaseSync(join(project, "data/app.db"));
  db.exec("create table users (id integer primary key, name text); insert into users (name) values ('Ada'), ('Alan')");
  db.close();
  run(
    "tar czf release.tgz --mtime=2024-01-01 docs; cd assets; touch -d 2024-01-01 logo.png; python3 -m zipfile -c ../assets.zip logo.png",
  );
  run("git init -q; git add .; git commit -qm 'A first version'; git clone -q --bare . ../origin.git");
  run("git remote add origin ../origin.git; git push -q -u origin main; git tag v1.0.0");
  write(project, { "src/server.ts": `${FILES["src/server.ts"]}// It listens once.\n` });
  run("git commit -qam 'The server listens once'; git branch feature/older");
  write(project, { "docs/guide.md": `${FILES["docs/guide.md"]}\n## Server\n\nIt listens.\n` });
  run("git commit -qam 'Say how the server is used'");
  // Of one time: so they look alike in a listing.
  run(
    "find . ../origin.git ../.gitconfig -not -path './node_modules/*' -exec touch -h -d '2024-01-01 UTC' {} +; git status",
  );
  return project;
}
