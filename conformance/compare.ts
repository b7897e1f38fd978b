import { AGENT, type AnsweringGate } from "./answering-gate.ts";
import { Bridge } from "./bridge.ts";
import { HttpServerProcess } from "./http-server-process.ts";
import { type Check, clientResults, type Results, type Revision, type Suite, serverResults } from "./suite.ts";

/** The suite's scenarios without the proxy and with it. */

const LAUNCHER = new URL("../bin/metnos-gate.js", import.meta.url).pathname;
const PROGRAMS = new URL("programs/", import.meta.url).pathname;

/** A scenario's checks, by how it was run. */
export interface Row {
  revision: Revision;
  side: "server" | "client";
  scenario: string;
  without: readonly Check[];
  /** Behind `metnos-gate mcp`, in front of a program or an address. */
  through: Readonly<Record<string, readonly Check[]>>;
}

export interface Setting {
  suite: Suite;
  /** Where the SDK is. */
  packages: string;
  gate: AnsweringGate;
}

/** All but those of signing in (`auth/`), which the proxy doesn't do, and of extensions, which the SDK's client doesn't have. */
export const CLIENT_SCENARIOS: Readonly<Record<Revision, readonly string[]>> = {
  "2025-11-25": [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
  ],
  "2026-07-28": [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
  ],
};

/** Of what the suite runs and doesn't count: tasks, which the SDK's servers don't have, and HTTP's headers, which the bridge gets. */
const UNCOUNTED = /^(?:tasks-|http-|server-sse-polling$)/;

/** @param only these scenarios; empty: all of them */
export async function compareServers(setting: Setting, revision: Revision, only: readonly string[]): Promise<Row[]> {
  const { suite, packages, gate } = setting;
  const server = [process.execPath, `${PROGRAMS}server.mjs`, packages];
  const http = await HttpServerProcess.start([...server, "--http"], suite.env);
  const run = async (words: readonly string[], env: NodeJS.ProcessEnv): Promise<Results> => {
    const bridge = await Bridge.listen(words, env);
    try {
      return await serverResults(suite, bridge.url, revision, only);
    } finally {
      await bridge.close();
    }
  };
  try {
    const without = await run(server, suite.env);
    if (without.size === 0) throw new Error("the suite has run no scenario of a server");
    const program = await run([...proxy("program"), "--", ...server], gate.home.env);
    const address = await run([...proxy("address"), "--http", http.url], gate.home.env);
    return [...without]
      .filter(([scenario]) => !UNCOUNTED.test(scenario))
      .map(([scenario, checks]) => {
        const through = { program: program.get(scenario) ?? [], address: address.get(scenario) ?? [] };
        return { revision, side: "server", scenario, without: checks, through };
      });
  } finally {
    await http.close();
  }
}

export async function compareClient(setting: Setting, revision: Revision, scenario: string): Promise<Row> {
  const { suite, packages, gate } = setting;
  const client = [process.execPath, `${PROGRAMS}client.mjs`, packages];
  const without = await clientResults(suite, client.join(" "), revision, scenario);
  const behind = { ...suite, env: gate.home.env };
  const address = await clientResults(behind, [...client, ...proxy("client")].join(" "), revision, scenario);
  const through = { address: address.get(scenario) ?? [] };
  return { revision, side: "client", scenario, without: without.get(scenario) ?? [], through };
}

function proxy(name: string): string[] {
  return [process.execPath, LAUNCHER, "mcp", "--name", name, "--agent", AGENT];
}

/** What each column found that the first one hasn't, or hasn't found: a sentence each. */
export function differencesOf({ without, through }: Row): string[] {
  const wanted = countsOf(without);
  if (wanted.size === 0) return ["nothing was checked without the proxy"];
  return Object.entries(through).flatMap(([column, checks]) => {
    const found = countsOf(checks);
    const names = [...new Set([...wanted.keys(), ...found.keys()])];
    return names
      .filter((name) => wanted.get(name) !== found.get(name))
      .map((name) => {
        const why = checks.find((check) => nameOf(check) === name)?.errorMessage;
        return `${column}: ${name}: ${wanted.get(name) ?? 0} without, ${found.get(name) ?? 0} with${why === undefined ? "" : `: ${why}`}`;
      });
  });
}

function countsOf(checks: readonly Check[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const check of checks)
    if (check.status !== "INFO") counts.set(nameOf(check), (counts.get(nameOf(check)) ?? 0) + 1);
  return counts;
}

function nameOf({ id, name, status }: Check): string {
  return `${id} (${name}) ${status}`;
}

/** How many checks passed, of those that can, and what else was found. */
export function summaryOf(checks: readonly Check[]): string {
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  const [passed, failed, warned] = [count("SUCCESS"), count("FAILURE"), count("WARNING")];
  if (passed + failed + warned === 0) return "nothing";
  const others = [failed > 0 ? `${failed} failed` : "", warned > 0 ? `${warned} warned` : ""].filter(
    (text) => text !== "",
  );
  return [`${passed} passed`, ...others].join(", ");
}
