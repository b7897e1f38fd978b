import { defineConfig } from "rolldown";

/** What must run without type stripping: the packaged command, the hook that agents call (Node >= 20), the client library. */
export default defineConfig([
  {
    input: { "metnos-gate": "cli/main.ts" },
    platform: "node",
    external: [/^[^./]/],
    output: { dir: "dist/cli", cleanDir: true },
  },
  {
    input: { hook: "cli/claude-code/hook.ts", start: "cli/claude-code/start.ts" },
    platform: "node",
    external: [/^node:/],
    output: { dir: "dist/hook", cleanDir: true, minify: { compress: true, mangle: false, codegen: true } },
  },
  {
    input: { client: "ipc/client.ts" },
    platform: "node",
    external: [/^[^./]/],
    output: { dir: "dist", entryFileNames: "client.js" },
  },
]);
