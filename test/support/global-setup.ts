import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import type {} from "./compile-cache.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const LAUNCHER = join(CHECKOUT, "bin/metnos-gate.js");

/** Set once one of the projects has prepared the run: they share what is built. */
const PREPARED = "METNOS_TESTS_PREPARED";

/** For the projects whose tests start processes: builds what they run, once a run, and makes the cache of their compiled code. */
export default async function setup(project: TestProject): Promise<() => void> {
  const prepared = process.env[PREPARED];
  const folder = prepared ?? mkdtempSync(join(tmpdir(), "metnos-run-"));
  process.env[PREPARED] = folder;
  project.provide("compile_cache", join(folder, "compile-cache"));
  if (prepared !== undefined) return () => undefined;
  // The built files (hook, client, page) are those of the code under test.
  await promisify(execFile)("npm", ["run", "--silent", "build"], { cwd: CHECKOUT });
  // Afterwards: what was built is what the others run, and whose compiled code they find then.
  await warmUp(folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** A gate that ends by itself leaves its compiled code behind; those that tests kill never would. */
async function warmUp(folder: string): Promise<void> {
  const home = join(folder, "home");
  mkdirSync(home);
  const env = { HOME: home, PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: join(folder, "compile-cache") };
  const gate = spawn(process.execPath, [LAUNCHER, "serve", "--no-notifications"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(gate, "close");
  let text = "";
  gate.stderr.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (text.includes("the audit trail is")) gate.kill("SIGTERM");
  });
  await ended;
}
