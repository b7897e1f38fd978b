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

/** Names stay, for stack traces. */
const minify = { compress: true, mangle: false, codegen: true } as const;

/** The build runs within `npm ci`, which is to print only what somebody has to act on. */
const logLevel = "warn";

/**
 * What must run without type stripping: the packaged command, the hook that agents call (Node >= 20), the client library. The first
 * two hold their packages: fewer files to load, and none of what isn't used of them.
 */
export default defineConfig([
  {
    input: { "metnos-gate": "cli/main.ts" },
    platform: "node",
    // Ink loads its developer's tools only where they are asked for, and installed.
    external: [/^node:/, "better-sqlite3", "react-devtools-core"],
    logLevel,
    plugins: [licences(), madeOf],
    output: { dir: "dist/cli", cleanDir: true, minify },
  },
  {
    input: { hook: "cli/claude-code/hook.ts", start: "cli/claude-code/start.ts" },
    platform: "node",
    external: [/^node:/],
    logLevel,
    plugins: [licences()],
    output: { dir: "dist/hook", cleanDir: true, minify },
  },
  {
    input: { client: "ipc/client.ts" },
    platform: "node",
    external: [/^[^./]/],
    logLevel,
    output: { dir: "dist", entryFileNames: "client.js" },
  },
]);
