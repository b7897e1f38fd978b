import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Trying the package as a user gets it: installed in an empty folder, run in an empty home. */

/** What npm prints where the registry can't be reached, which is no fault of the package. */
const OFFLINE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/;
export const isRegistryAway = ({ stderr, signal }: { stderr: string; signal: string | null }): boolean =>
  OFFLINE.test(stderr) || signal !== null;

const INSTALL_MS = 300_000;
const START_MS = 30_000;

export type SmokeResult = { ok: true; did: string[] } | { skipped: string };

/**
 * Installs a tarball below `folder` and runs its command.
 * @param tarball absolute path
 * @throws Error with what failed
 */
export async function smokeTest(tarball: string, version: string, folder: string): Promise<SmokeResult> {
  const [project, home] = [join(folder, "project"), join(folder, "home")];
  for (const made of [project, home]) mkdirSync(made, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  // No script of the package or its dependencies is needed: better-sqlite3 brings its binaries along.
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", tarball];
  const installed = spawnSync("npm", args, { cwd: project, encoding: "utf8", timeout: INSTALL_MS });
  if (installed.status !== 0) {
    const said = installed.stderr.trim();
    if (isRegistryAway(installed)) return { skipped: `npm can't reach the registry: ${firstLine(said)}` };
    throw new Error(`npm install failed:\n${said}`);
  }
  const gate = join(project, "node_modules/metnos-gate/bin/metnos-gate.js");
  const env = { HOME: home, PATH: process.env.PATH ?? "" };
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [gate, ...words], { cwd: home, env, encoding: "utf8" });
  const printed = run("--version").stdout.trim();
  if (printed !== version) throw new Error(`metnos-gate --version printed "${printed}", not ${version}`);
  await serves(gate, env, () => {
    const status = run("status");
    if (status.status !== 0) throw new Error(`metnos-gate status failed:\n${status.stderr}`);
    const doctor = run("doctor");
    if (!doctor.stdout.includes('"gate"'))
      throw new Error(`metnos-gate doctor saw no gate:\n${doctor.stdout}${doctor.stderr}`);
  });
  return { ok: true, did: ["npm install", "--version", "serve --web", "status", "doctor"] };
}

/** Starts `serve --web`, does something while it runs, and ends it. @throws where it doesn't start, or end with 0 */
async function serves(gate: string, env: NodeJS.ProcessEnv, meanwhile: () => void): Promise<void> {
  const child = spawn(process.execPath, [gate, "serve", "--web", "--no-notifications"], {
    cwd: env.HOME,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
  try {
    let text = "";
    for await (const piece of child.stderr.setEncoding("utf8")) {
      text += piece;
      if (text.includes("the audit trail is")) break;
    }
    if (!text.includes("the audit trail is")) throw new Error(`metnos-gate serve did not start:\n${text}`);
    meanwhile();
  } finally {
    child.kill("SIGTERM");
    await ended;
    clearTimeout(timer);
  }
  if (child.exitCode !== 0) throw new Error(`metnos-gate serve ended with ${child.exitCode ?? child.signalCode}`);
}

const firstLine = (text: string): string => text.split("\n").find((line) => /error/i.test(line)) ?? "it took too long";
