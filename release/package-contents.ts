import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What the package has to hold, and what must not be in it. */

/** Without one of these something that the README shows doesn't work. */
const NEEDED = [
  "package.json",
  "README.md",
  "LICENSE",
  "bin/metnos-gate.js",
  "dist/cli/metnos-gate.js",
  "dist/cli/outside.js",
  "dist/cli/mcp.js",
  "dist/cli/acp.js",
  "dist/cli/serve.js",
  "dist/client.js",
  "dist/types/ipc/client.d.ts",
  "dist/hook/hook.cjs",
  "dist/undo/store-program.js",
  "dist/opencode/plugin.js",
  "dist/mcp/mcp.cjs",
  "dist/renderer/index.html",
  "dist/desktop/main.js",
  "dist/desktop/preload.cjs",
  "dist/metnos-make-box",
  "docs/cli.md",
  "docs/configuration.md",
  "docs/guard.md",
  "docs/protocol.md",
  "docs/threat-model.md",
  "docs/agents/claude-code.md",
  "docs/agents/gate_client.py",
];

/** `bin`, `dist` and `docs` alone; of `dist` what the build makes for users. */
const ALLOWED =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/[\w.-]+|dist\/(cli|hook|mcp|opencode|desktop|renderer|types|undo)\/.+|dist\/client\.js|dist\/metnos-make-box|docs\/.+)$/;
const FORBIDDEN = [
  { pattern: /(^|\/)\.[^/]/, why: "a hidden file" },
  { pattern: /\.(?:test|spec)\.[cm]?[jt]sx?$/, why: "a test" },
  { pattern: /(?<!\.d)\.[cm]?tsx?$/, why: "a source" },
  { pattern: /^docs\/pictures\//, why: "a picture" },
];

/**
 * What is wrong with an unpacked package, one sentence each; empty where all is well.
 * @param folder what the tarball held
 * @param absolute folders of the machine that built it: their paths mustn't be in a file
 */
export function problemsOf(folder: string, absolute: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return [
    ...NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...installScripts(folder).map((name) => `package.json has the script ${name}, which would run at an installation`),
    ...files.flatMap((file) => {
      const found = FORBIDDEN.find(({ pattern }) => pattern.test(file))?.why;
      if (found !== undefined) return [`${file} is ${found}`];
      return ALLOWED.test(file) ? [] : [`${file} doesn't belong into the package`];
    }),
    ...files.flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return absolute.filter((path) => text.includes(path)).map((path) => `${file} holds the path ${path}`);
    }),
  ];
}

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

function installScripts(folder: string): string[] {
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { scripts?: object };
  return INSTALL_SCRIPTS.filter((name) => Object.hasOwn(scripts, name));
}
