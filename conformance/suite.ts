import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../main/base/files/remove-folder.ts";

/** MCP's own suite of scenarios (`@modelcontextprotocol/conformance`), as a command. */

export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

export interface Check {
  id: string;
  name: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

/** By scenario. */
export type Results = ReadonlyMap<string, readonly Check[]>;

export interface Suite {
  /** Its program, which Node runs. */
  program: string;
  env: NodeJS.ProcessEnv;
}

/** Of one scenario, in milliseconds: what never comes shows, and a machine that is busy with something else doesn't. */
const LIMIT_MS = 120_000;

/** All that a revision wants of servers. @param only these scenarios; empty: all of them */
export async function serverResults(
  suite: Suite,
  url: string,
  revision: Revision,
  only: readonly string[],
): Promise<Results> {
  if (only.length === 0) return await resultsOf(suite, ["server", "--url", url, "--requirements", revision]);
  const results = new Map<string, readonly Check[]>();
  for (const scenario of only) {
    const words = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision];
    for (const [name, checks] of await resultsOf(suite, words)) results.set(name, checks);
  }
  return results;
}

/** @param command starts a client; it gets the address of the suite's server as its last word */
export async function clientResults(
  suite: Suite,
  command: string,
  revision: Revision,
  scenario: string,
): Promise<Results> {
  return await resultsOf(suite, ["client", "--command", command, "--scenario", scenario, "--spec-version", revision]);
}

async function resultsOf({ program, env }: Suite, words: readonly string[]): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), "metnos-conformance-"));
  try {
    await run([program, ...words, "--timeout", String(LIMIT_MS), "--output-dir", folder], env);
    // A folder for each: `server-SCENARIO-2026-01-01T00-00-00-000Z`, the scenario of a client without the word, and with folders for its slashes.
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith("checks.json"),
    );
    return new Map(
      files.map((file) => {
        const named = file.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/, "");
        const scenario = words[0] === "server" ? named.replace(/^server-/, "") : named;
        return [scenario, JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[]];
      }),
    );
  } finally {
    removeFolder(folder);
  }
}

/** Its exit code says whether all passed, which is compared by its checks. */
function run(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-20_000);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0 || code === 1) resolve();
      else reject(new Error(`the suite ended with ${code}: ${said}`));
    });
  });
}
