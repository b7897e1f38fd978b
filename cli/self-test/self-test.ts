import { existsSync } from "node:fs";
import { constants } from "node:os";
import { ownCommand, ownLauncher } from "../../ipc/base/own-command.ts";
import { agentTokenFile, type Env, gatePaths } from "../../ipc/base/paths.ts";
import { shellWord } from "../../ipc/base/shell-quoted.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import { programOnPath } from "../../main/agents/agents-on-path.ts";
import { type RunningGate, serveGate } from "../../main/serve.ts";
import type { Adapter } from "../agents/adapter.ts";
import { allAdapters } from "../agents/adapters.ts";
import type { Check } from "../check.ts";
import { type Ended, runBounded } from "./bounded-process.ts";
import { optionsFor, recordSelfTest, selfTestName } from "./record.ts";
import { TestPlace } from "./test-place.ts";
import { TESTED_CLIENTS } from "./tested-clients.ts";

/**
 * Two calls through each client that is installed and connected: one that the guard denies, one that needs nothing. The client's own
 * program, connected as `connect` does it, in a home of its own, before a gate of its own and with a pretended model: what is the user's
 * is neither read nor changed.
 */

export interface SelfTestOptions {
  env: Env;
  /** Claude Code's program; left out, the one on PATH. */
  client?: string | undefined;
  /** How long one client may take for its calls, in milliseconds. */
  timeoutMs?: number;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 45_000;
/** Longest text of a client that is shown. */
const MAX_SHOWN = 200;

/** One check for each client: all of them at once, in their order. Never rejects. */
export async function* selfTests(options: SelfTestOptions): AsyncGenerator<Check> {
  // Clients are groups of processes of their own: no interruption from a terminal reaches them.
  const interrupted = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    const tests = (await allAdapters()).map((adapter) => selfTest(adapter, optionsFor(adapter, options)));
    for (const test of tests) yield await test;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}

/** One client's. Never rejects. @param options `client` is this client's program */
export async function selfTest(adapter: Adapter, options: SelfTestOptions): Promise<Check> {
  const { name, title } = adapter;
  const { env, timeoutMs = TIMEOUT_MS } = options;
  const check = selfTestName(name);
  const program = options.client ?? programOnPath(adapter.program, env.PATH);
  if (program === undefined) return { check, ok: true, detail: `not tested: there is no ${adapter.program} on PATH` };
  if (!existsSync(program)) return { check, ok: true, detail: `not tested: there is no ${visible(program)}` };
  if (!existsSync(agentTokenFile(gatePaths(env), name)))
    return { check, ok: true, detail: `not tested: not connected (${ownCommand(`connect ${name}`)})` };
  const place = TestPlace.create(env);
  const removeIt = () => place.remove();
  process.on("exit", removeIt);
  try {
    const refused = await TESTED_CLIENTS[name].refusal?.(place);
    if (refused !== undefined) return { check, ok: true, detail: `not tested: ${refused}` };
    const result = await tested(adapter, program, place, timeoutMs);
    const [detail, fix] = verdict(result, adapter, place);
    // A client that made no call says nothing of whether it asks.
    if (result.results.length > 0)
      recordSelfTest({ env, name, program, version: result.version, problem: fix === null ? null : detail });
    return { check, ok: fix === null, detail: `${detail} (${visible(program)})`, ...(fix === null ? {} : { fix }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { check, ok: false, detail: `${title} could not be tested: ${visible(reason)}`, fix: "run the test again" };
  } finally {
    process.off("exit", removeIt);
    place.remove();
  }
}

interface TestResult {
  /** Why it could not be connected, or null. */
  unconnected: string | null;
  /** How the client ended. */
  problem: string | null;
  output: string;
  results: readonly string[];
  /** Calls that the gate was asked about. */
  asked: number;
  /** As the client names itself; empty where it didn't. */
  version: string;
}

async function tested(adapter: Adapter, program: string, place: TestPlace, timeoutMs: number): Promise<TestResult> {
  const client = TESTED_CLIENTS[adapter.name];
  const { denied, harmless } = place.commands;
  const { project: cwd, env } = place;
  await client.prepare?.(place, program);
  const gate = await serveGate({ env, web: false, notifications: false });
  try {
    const argv = ownWords(["connect", adapter.name, "--level", "Supervised", "--client", program, "--untested"]);
    const connected = await runBounded({ argv, cwd, env, timeoutMs: CONNECT_TIMEOUT_MS });
    const none = { results: [], asked: 0, version: "" };
    if (connected.problem !== null) return { ...connected, ...none, unconnected: reasonOf(connected) };
    const model = await client.model([denied, harmless]);
    try {
      const started = client.start(model.url, place);
      const ended = await withoutAnswers(gate, () =>
        runBounded({ argv: [program, ...started.args], cwd, env: { ...env, ...started.env }, timeoutMs }),
      );
      const { decisions } = await gate.operator.call("status", {});
      const asked = decisions.allowed + decisions.denied + decisions.asked;
      return { ...ended, unconnected: null, results: model.results(), asked, version: model.version() };
    } finally {
      model.close();
    }
  } finally {
    await gate.close();
  }
}

/** What starts this program with these words. */
function ownWords(words: readonly string[]): [string, ...string[]] {
  const launcher = ownLauncher();
  if (launcher !== undefined) return [launcher, ...words];
  return ["/bin/sh", "-c", `exec ${ownCommand(words.map(shellWord).join(" "))}`];
}

/** Nobody answers here: what is asked is denied at once. */
async function withoutAnswers(gate: RunningGate, run: () => Promise<Ended>): Promise<Ended> {
  const end = gate.operator.subscribe(
    (event) => {
      if (event.type !== "approval.waiting") return;
      const { token } = event.data;
      gate.operator.call("approvals.resolve", { token, decision: "rejected" }).catch(() => undefined); // withdrawn meanwhile
    },
    ["approval.waiting"],
  );
  try {
    return await run();
  } finally {
    end();
  }
}

/** What came of it, and what to do: null where all is well. */
function verdict(result: TestResult, { name, title, program }: Adapter, place: TestPlace): [string, string | null] {
  const { unconnected, problem, results, asked } = result;
  const [denied, harmless] = results;
  const again = `then: ${ownCommand("doctor --self-test")}`;
  const doNotUse = `don't let this ${title} work: what it runs is not asked about. Install a version of docs/agents/README.md, ${again}`;
  if (unconnected !== null) return [`it can't be connected: ${unconnected}`, `mend that, ${again}`];
  if (results.some((text) => text.includes(place.secret))) return ["it ran a call that the gate denies", doNotUse];
  if (denied === undefined) {
    const said = problem === null ? "" : `: ${problem}${lastLine(result.output)}`;
    return [`it called no tool${said}`, `see whether ${program} starts by itself, ${again}`];
  }
  if (asked === 0) return [`it did not ask the gate, and ran neither call: ${shown(denied)}`, doNotUse];
  if (!denied.includes("Metnos Gate"))
    return [`its model doesn't read why a call was denied, but: ${shown(denied)}`, `update ${title}, ${again}`];
  if (harmless === undefined)
    return [
      `after a call that was denied it made no other${problem === null ? "" : `: ${problem}`}`,
      `update ${title}, ${again}`,
    ];
  if (!harmless.includes(place.printed))
    return [
      `a harmless call did not run: ${shown(harmless)}`,
      `connect it again: ${ownCommand(`connect ${name}`)}, ${again}`,
    ];
  return ["what the gate denies doesn't run, and its model reads why; what it allows runs", null];
}

function reasonOf({ problem, output }: Ended): string {
  return `${problem ?? "no reason"}${lastLine(output)}`;
}

function lastLine(output: string): string {
  const line = output.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : ` (${shown(line)})`;
}

function shown(text: string): string {
  const line = visible(text.trim().replaceAll("\n", " "));
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}...` : line;
}
