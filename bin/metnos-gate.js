#!/usr/bin/env -S node --max-semi-space-size=16 --expose-gc
// The launcher: plain JavaScript for any Node >= 20. (A gate runs all day: both flags keep its memory small, see main/heap-keeper.ts.)
// The hook takes its own fast way; everything else needs a newer Node.
import { existsSync } from "node:fs";

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
  console.error(
    `metnos-gate: this is Node ${process.versions.node}; the gate needs 22.18 or newer (only the hook runs on 20)\n` +
      "  in the checkout, npm start and npx metnos-gate use the Node 24 that npm ci installed",
  );
  process.exitCode = 2;
} else {
  const source = new URL("../cli/main.ts", import.meta.url);
  const build = new URL("../dist/cli/", import.meta.url);
  // A checkout's own build starts in half the time and takes a third less memory, but only counts while the sources are as they were.
  const { isCurrent } = await import("./fingerprint.js");
  const is_built = !existsSync(source) || isCurrent(build);
  const { main } = await import((is_built ? new URL("metnos-gate.js", build) : source).href);
  process.exitCode = await main(argv);
}
