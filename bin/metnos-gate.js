#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=16 --initial-old-space-size=32 --expose-gc
// The launcher: plain JavaScript for any Node >= 20. (A gate runs all day: all three keep its memory small, see main/base/heap-keeper.ts.)
// The hook takes its own fast way; everything else needs a newer Node.
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const argv = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

if (argv[0] === "hook" && argv.length > 1 && !argv.includes("--help")) {
  const hook = new URL("../dist/hook/hook.cjs", import.meta.url);
  if (!existsSync(hook)) {
    console.error("metnos-gate: the hook is not built\n  run npm ci in the checkout");
    // Claude Code takes 2 as a refusal: without its hook nothing is let through.
    process.exit(2);
  }
  const { runHook } = await import(hook.href);
  await runHook(argv.slice(1));
} else if (major < 22 || (major === 22 && minor < 18)) {
  const newer = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (existsSync(newer)) await runOn(newer);
  else {
    // Only a checkout's own `npm ci` brings one along.
    const isCheckout = existsSync(new URL("../cli/main.ts", import.meta.url));
    console.error(
      `metnos-gate: this is Node ${process.versions.node}; the gate needs Node 22.18 or newer${isCheckout ? " (npm ci installs one that is used here)" : ""}.`,
    );
    process.exitCode = 1;
  }
} else {
  // Else 20 MB of what V8's compiler took stay with the process: freed by another thread, in between what lives on. Other versions may not know it.
  if (major === 24) process.getBuiltinModule("node:v8").setFlagsFromString("--no-maglev-destroy-on-background");
  // What agents and their clients start doesn't wait for the rest of the command to load, nor does the gate.
  const alone = {
    outside: "../cli/outside.ts",
    mcp: "../cli/mcp/main.ts",
    acp: "../cli/acp/main.ts",
    serve: "../cli/serve.ts",
  };
  const name = Object.hasOwn(alone, argv[0] ?? "") ? argv[0] : "metnos-gate";
  const source = new URL(alone[name] ?? "../cli/main.ts", import.meta.url);
  const build = new URL("../dist/cli/", import.meta.url);
  // A checkout's own build starts in half the time and takes a third less memory, but only counts while the sources are as they were.
  const { isCurrent } = await import("./fingerprint.js");
  const isBuilt = !existsSync(source) || isCurrent(build);
  // Read, not compiled, from the second start on: beside the program, since whoever changes either changes what runs.
  if (isBuilt) modules.enableCompileCache(fileURLToPath(new URL("../compiled", build)));
  // What a library should no longer use isn't the user's to mend.
  process.noDeprecation = true;
  const { main } = await import((isBuilt ? new URL(`${name}.js`, build) : source).href);
  process.exitCode = await main(argv);
}

/** The same command on the Node that npm ci installed beside it; what interrupts this process interrupts that one. */
async function runOn(node) {
  const { spawn } = await import("node:child_process");
  const flags = ["--max-semi-space-size=16", "--initial-old-space-size=32", "--expose-gc"];
  const child = spawn(node, [...flags, fileURLToPath(import.meta.url), ...argv], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
