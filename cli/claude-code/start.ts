import { runHook } from "./hook.ts";

/** What the launcher runs: `node start.js hook claude-code ...`. */
await runHook(process.argv.slice(3));
