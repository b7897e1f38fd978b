import { defineConfig, type Plugin } from "rolldown";
import { FINGERPRINT_FILE, fingerprint } from "./bin/fingerprint.js";
import { licences } from "./build/licences.ts";

/** Says beside the command what it was made of: `bin/metnos-gate.js` runs it only while that is so. */
const madeOf: Plugin = {
  name: "made-of",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: FINGERPRINT_FILE, source: fingerprint() ?? "" });
  },
};

/** Begins the id of a module that isn't a file. */
const LATE = "\0late:";

/** Loaded once they are used: a library that can speak to other machines, too, is only used on this one. */
const lateBuiltins: Plugin = {
  name: "late-builtins",
  resolveId: (id) => (id === "node:tls" || id === "node:dgram" ? LATE + id : undefined),
  load(id) {
    if (!id.startsWith(LATE)) return undefined;
    const name = JSON.stringify(id.slice(LATE.length));
    return `export default new Proxy({}, { get: (_, name) => process.getBuiltinModule(${name})[name] });`;
  },
};

/** Node's others. What is external is no plugin's. */
const NOT_LATE = /^node:(?!tls$|dgram$)/;

/** One character beyond ASCII doubles what a file takes in memory, as Node reads it. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
  },
};

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Names stay, for stack traces: private methods would lose theirs. */
const minify = { compress: true, mangle: false, codegen: true } as const;

/** The hook is a cold process for each call of an agent, and prints no stack trace: each kilobyte counts. */
const SMALL = { compress: true, mangle: true, codegen: true } as const;

/** Ends the hook's program: Node runs it (`node hook.cjs hook claude-code ...`), or another program takes `runHook` from it. */
const RUN_IF_MAIN = "if (require.main === module) exports.runHook(process.argv.slice(3));";

/** The same for the proxy in front of MCP servers, which clients start from a copy of it. */
const RUN_PROXY_IF_MAIN =
  "if (require.main === module) exports.runProxy(process.argv.slice(2)).then((code) => { process.exitCode = code; });";

/** The build runs within `npm ci`, which is to print only what somebody has to act on. */
const logLevel = "warn";

/**
 * What must run without type stripping: the packaged command, the hook that agents call (Node >= 20), the client library. The first
 * two hold their packages: fewer files to load, and none of what isn't used of them.
 */
export default defineConfig([
  {
    input: { "metnos-gate": "cli/main.ts", outside: "cli/outside.ts", mcp: "cli/mcp/main.ts", acp: "cli/acp/main.ts" },
    platform: "node",
    // Ink loads its developer's tools only where they are asked for, and installed.
    external: [NOT_LATE, "better-sqlite3", "react-devtools-core"],
    logLevel,
    plugins: [licences(), madeOf, lateBuiltins, ascii],
    output: { dir: "dist/cli", cleanDir: true, minify },
  },
  {
    // In few files of its own, as each takes time to be found: a gate starts a third faster than from those of all commands.
    input: { serve: "cli/serve.ts" },
    platform: "node",
    external: [NOT_LATE, "better-sqlite3"],
    logLevel,
    // What a gate loads late, as it has nobody to ask, is in part loaded by it anyway.
    checks: { ineffectiveDynamicImport: false },
    plugins: [lateBuiltins, ascii],
    output: {
      dir: "dist/cli",
      entryFileNames: "serve.js",
      chunkFileNames: "serve-[name]-[hash].js",
      codeSplitting: { groups: [{ name: "serve", tags: ["$initial"] }] },
      minify,
    },
  },
  {
    input: { hook: "cli/hook/hook.ts" },
    platform: "node",
    // What the hook's rarer ways share with it stays in the one file that every call loads.
    preserveEntrySignatures: "allow-extension",
    external: [/^node:/],
    logLevel,
    plugins: [licences()],
    output: {
      dir: "dist/hook",
      cleanDir: true,
      // One file, and not a module: Node starts it without the loader of modules.
      format: "cjs",
      codeSplitting: { groups: [{ name: "hook", tags: ["$initial"] }] },
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name].cjs",
      footer: (chunk) => (chunk.isEntry ? RUN_IF_MAIN : ""),
      minify: SMALL,
    },
  },
  {
    input: { mcp: "cli/mcp/program.ts" },
    platform: "node",
    external: [/^node:/],
    logLevel,
    plugins: [licences()],
    output: {
      dir: "dist/mcp",
      cleanDir: true,
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name].cjs",
      footer: (chunk) => (chunk.isEntry ? RUN_PROXY_IF_MAIN : ""),
      minify,
    },
  },
  {
    // A process of its own, on the Node that boxes have.
    input: { "store-program": "main/undo/store-program.ts" },
    platform: "node",
    external: [/^node:/],
    logLevel,
    output: { dir: "dist/undo", cleanDir: true, format: "es", minify },
  },
  {
    // A file that `connect` writes as it is: read by people who look what runs in their OpenCode.
    input: { plugin: "cli/agents/opencode/plugin/plugin.ts" },
    platform: "node",
    external: [/^node:/],
    logLevel,
    output: { dir: "dist/opencode", cleanDir: true, format: "es" },
  },
  {
    input: { client: "ipc/client.ts" },
    platform: "node",
    external: [/^[^./]/],
    logLevel,
    output: { dir: "dist", entryFileNames: "client.js" },
  },
]);
