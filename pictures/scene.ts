import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startPretendJudges } from "../dev/pretend-judges.ts";
import { gatePaths } from "../ipc/base/paths.ts";
import { GateClient, type ProposedCall } from "../ipc/client.ts";
import type { OperatorApi } from "../ipc/contract/operator-api.ts";
import { serveGate } from "../main/serve.ts";

/** What the pictures show: a gate in a home of its own, a small project in it, and an agent that asks. */

const LEDGER = `export function total(entries: readonly Entry[]): number {
  let sum = 0;
  for (const entry of entries) {
    sum += entry.amount;
  }
  return sum;
}
`;

const NEW_TOTAL = `  for (const entry of entries) {
    if (entry.voided) continue;
    sum += entry.amount;
  }
  return round(sum, 2);`;
const OLD_TOTAL = `  for (const entry of entries) {
    sum += entry.amount;
  }
  return sum;`;

const MODULES = ["index", "parse", "render", "report", "round", "totals", "units"];

export interface Scene {
  /** The home folder of the gate. */
  home: string;
  project: string;
  env: NodeJS.ProcessEnv;
  operator: OperatorApi;
  /** Sends these calls, and waits for nothing. */
  send(calls: readonly ProposedCall[]): void;
  /** Sends these calls; they wait until `answerAll` or the end. */
  ask(calls: readonly ProposedCall[]): Promise<void>;
  /** Asks about this call, approves it, and does what it says. @returns its decision's id */
  carryOut(call: ProposedCall, act: () => void): Promise<string>;
  /** Ends everything that waits, so that the next picture is empty. */
  denyAll(): Promise<void>;
  close(): Promise<void>;
}

interface SceneOptions {
  /** The address of a session bus, where notifications are wanted. */
  bus?: string;
  /** With a model as judge and a validator. */
  judged?: boolean;
}

/** @throws GateError as `serveGate` does */
export async function openScene({ bus, judged = false }: SceneOptions = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "pictures-"));
  const home = join(folder, "ada");
  mkdirSync(home);
  const project = makeProject(home);
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    PATH: process.env.PATH ?? "",
    ...(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus }),
  };
  const paths = gatePaths(env);
  mkdirSync(dirname(paths.configFile), { recursive: true });
  const judges = judged ? await startPretendJudges() : null;
  writeFileSync(paths.configFile, `[approvals]\nttl_seconds = 600\n${judges?.toml ?? ""}`);
  const gate = await serveGate({ env, web: true, ...(bus === undefined ? { notifications: false } : {}) });
  const { token_file } = await gate.operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
  const token = readFileSync(token_file, "utf8").trim();
  const agent = new GateClient({ name: "claude-code", token, socket: paths.agent_socket });
  await agent.connect();
  const ending = new AbortController();
  const asked: Promise<unknown>[] = [];
  return {
    home,
    project,
    env,
    operator: gate.operator,
    send(calls) {
      for (const call of calls) asked.push(agent.call(call, { signal: ending.signal }));
    },
    async ask(calls) {
      const before = await waitingCount(gate.operator);
      for (const call of calls) asked.push(agent.call(call, { signal: ending.signal }));
      while ((await waitingCount(gate.operator)) < before + calls.length)
        await new Promise((done) => setTimeout(done, 20));
    },
    async carryOut(call, act) {
      const decided = agent.call(call, { signal: ending.signal });
      while ((await waitingCount(gate.operator)) === 0) await new Promise((done) => setTimeout(done, 20));
      const [asked] = await gate.operator.call("approvals.list", {});
      await gate.operator.call("approvals.resolve", { token: asked?.token ?? "", decision: "approved" });
      const { decision_id } = await decided;
      act();
      await agent.outcome(decision_id, true);
      return decision_id;
    },
    async denyAll() {
      const waiting = await gate.operator.call("approvals.list", { limit: 1000 });
      for (const { token } of waiting) await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    },
    async close() {
      ending.abort();
      agent.close();
      await Promise.allSettled(asked);
      await gate.close();
      await judges?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function waitingCount(operator: OperatorApi): Promise<number> {
  return (await operator.call("status", {})).approvals_pending;
}

/** A project under Git, in whose history everything is committed. */
function makeProject(home: string): string {
  const project = join(home, "projects/website");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src/ledger.ts"), LEDGER);
  for (const name of MODULES) writeFileSync(join(project, `src/${name}.ts`), `export const ${name} = "${name}";\n`);
  writeFileSync(
    join(project, "package.json"),
    `${JSON.stringify({ name: "website", private: true, scripts: { test: "vitest run" } }, null, 2)}\n`,
  );
  const git = (...args: string[]) => {
    const env = { HOME: home, PATH: process.env.PATH ?? "" };
    const { status, stderr } = spawnSync("git", ["-C", project, ...args], { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message=Ledger");
  return project;
}

/** Pushes over what others have: the picture of a card that matters. */
export function forcePush({ project }: Scene): ProposedCall {
  return {
    executor: "Bash",
    args: { command: "npm test && git push --force origin main", description: "Publish the totals branch" },
    intent: "Publish the totals branch",
    context: { cwd: project },
  };
}

export function edit({ project }: Scene): ProposedCall {
  return {
    executor: "Edit",
    args: { file_path: join(project, "src/ledger.ts"), old_string: OLD_TOTAL, new_string: NEW_TOTAL },
    intent: "Skip voided entries",
    context: { cwd: project },
  };
}

/** Run outside of a box, where it changes more than it says. */
export function removeOld({ project }: Scene): ProposedCall {
  return {
    executor: "Bash",
    args: { command: "rm -rf src/units.ts src/report.ts && npm test", description: "Remove the old modules" },
    intent: "Remove the old modules",
    context: { cwd: project },
  };
}

export function fetchRates({ project }: Scene): ProposedCall {
  return {
    executor: "WebFetch",
    args: { url: "https://rates.example.net/latest.json?base=EUR", prompt: "today's rates" },
    intent: "Read today's rates",
    context: { cwd: project },
  };
}

export function runTests({ project }: Scene): ProposedCall {
  return {
    executor: "Bash",
    args: { command: "npm test", description: "Run the tests" },
    intent: "Run the tests",
    context: { cwd: project },
  };
}

/** One read for each module: they are shown together. */
export function reads({ project }: Scene): ProposedCall[] {
  return MODULES.map((name) => ({
    executor: "Read",
    args: { file_path: join(project, `src/${name}.ts`) },
    intent: "Look at the modules",
    context: { cwd: project },
  }));
}
