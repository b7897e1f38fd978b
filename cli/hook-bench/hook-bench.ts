import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { OperatorEvent } from "../../ipc/contract/operator-api.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import { type HookEnd, type Host, payloadFor, type Verdict, verdictOf } from "./hosts.ts";
import { type Places, placed, type Scenario, type ScenarioKind, scenariosOf } from "./scenario.ts";
import { type Result, resultOf } from "./score.ts";

/** `metnos-gate bench`: what a hook says to the scenarios. Only the hook is run; none of the calls is. */

export interface HookBench {
  host: Host;
  /** A line for a shell; left out: this product's own hook, with a gate of its own. */
  hook?: string;
  kinds: readonly ScenarioKind[];
  /** A hook that hasn't answered by then asks somebody, in milliseconds. */
  ask_after_ms: number;
  /** Called after each scenario. */
  onResult(result: Result): void;
}

export async function runHookBench({ host, hook, kinds, ask_after_ms, onResult }: HookBench): Promise<Result[]> {
  const places = benchPlaces();
  const own = hook === undefined ? await openOwnGate(host, places) : undefined;
  try {
    const bench = { host, places, own, command: hook ?? own?.command ?? "", ask_after_ms };
    const results: Result[] = [];
    for (const kind of kinds) {
      own?.allows(kind !== "attacks");
      const session_id = randomUUID();
      for (const scenario of scenariosOf(kind)) {
        // Ordinary calls are one piece of work: what is allowed for the session holds for the next one.
        const session = kind === "ordinary" ? session_id : randomUUID();
        const result = resultOf(kind, scenario.name, await verdictsOf(scenario, bench, session));
        results.push(result);
        onResult(result);
      }
    }
    return results;
  } finally {
    await own?.close();
    places.remove();
  }
}

interface Bench {
  host: Host;
  places: BenchPlaces;
  own: OwnGate | undefined;
  command: string;
  ask_after_ms: number;
}

/** One after the other. */
async function verdictsOf({ calls }: Scenario, bench: Bench, session_id: string): Promise<Verdict[]> {
  const { host, places, own, command, ask_after_ms } = bench;
  const env = own?.env ?? { ...process.env, HOME: places.home };
  const verdicts: Verdict[] = [];
  for (const call of calls) {
    const asked_before = own?.asked() ?? 0;
    const payload = payloadFor(host, placed(call, places), places, session_id);
    // A gate of its own is answered at once: that its hook takes long doesn't mean that it asks.
    const limit = own === undefined ? ask_after_ms : OWN_LIMIT_MS;
    const ended = await runHook(payload, { command, cwd: places.project, env, ask_after_ms: limit });
    const is_asked = ended === undefined || (own !== undefined && own.asked() > asked_before);
    verdicts.push(is_asked ? "asked" : verdictOf(host, ended));
  }
  return verdicts;
}

const OWN_LIMIT_MS = 60_000;

/** The folders that the calls are about: a home with secrets in it, and a repository in it. Nothing is run there. */
interface BenchPlaces extends Places {
  remove(): void;
}

const FILES: Readonly<Record<string, string>> = {
  ".ssh/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
  ".ssh/id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
  ".aws/credentials": "[default]\naws_secret_access_key = x\n",
  ".netrc": "machine example.net login x password x\n",
  ".bash_history": "ls\n",
  "project/package.json": '{\n  "name": "example",\n  "scripts": { "test": "node --test" }\n}\n',
  "project/README.md": "# Example\n",
  "project/.env": "TOKEN=x\n",
  "project/src/index.js": 'import { add } from "./add.js";\nconsole.log(add(1, 2));\n',
  "project/src/add.js": "export const add = (a, b) => a + b;\n",
  "project/test/add.test.js": 'import "../src/add.js";\n',
};

function benchPlaces(): BenchPlaces {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "metnos-bench-home-")));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const project = join(home, "project");
  try {
    for (const words of [
      ["init", "--quiet"],
      ["add", "--all"],
    ])
      execFileSync("git", words, { cwd: project, stdio: "ignore", env: { PATH: process.env.PATH, HOME: home } });
  } catch {
    // without git it is a folder
  }
  return { home, project, remove: () => removeFolder(home) };
}

/** This product's own hook, with a gate of its own: its answers are given here, at once, as a user would who is always there. */

interface OwnGate {
  command: string;
  env: NodeJS.ProcessEnv;
  /** How often the user has been asked so far. */
  asked(): number;
  /** From now on what is asked is allowed, for the session where the card offers that; or denied. */
  allows(is_allowed: boolean): void;
  close(): Promise<void>;
}

async function openOwnGate(host: Host, { home }: Places): Promise<OwnGate> {
  const { serveGate } = await import("../../main/serve.ts");
  const env = { HOME: home, PATH: process.env.PATH, LANG: process.env.LANG };
  const gate = await serveGate({ env, web: false, notifications: false });
  await gate.operator.call("agents.pair", { name: host, level: "Supervised" });
  let [asks, allows] = [0, false];
  const answer = async ({ type, data }: OperatorEvent) => {
    if (type !== "approval.waiting") return;
    asks += 1;
    const { token, choices } = data;
    if (!allows) return void (await gate.operator.call("approvals.resolve", { token, decision: "rejected" }));
    const wide = choices.find(({ scope }) => scope === "session");
    const chosen = wide?.reach == null ? {} : { scope: wide.scope, reach: wide.reach };
    await gate.operator.call("approvals.resolve", { token, decision: "approved", ...chosen });
  };
  const end = gate.operator.subscribe(
    (event) => void answer(event).catch(() => undefined), // withdrawn meanwhile: the hook gets its answer all the same
    ["approval.waiting"],
  );
  return {
    command: `${ownCommand()} hook ${host}`,
    env,
    asked: () => asks,
    allows: (is_allowed) => {
      allows = is_allowed;
    },
    async close() {
      end();
      await gate.close();
    },
  };
}

/** Bytes of what a hook prints: more is cut. */
const MAX_OUTPUT = 1024 * 1024;

interface HookToRun {
  /** A line for a shell, as a client's settings have it. */
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A hook that hasn't answered by then waits for somebody. */
  ask_after_ms: number;
}

/** Calls a hook once, as a client does, and ends it and what it started. Undefined where it still waits after that time. */
function runHook(payload: string, { command, cwd, env, ask_after_ms }: HookToRun): Promise<HookEnd | undefined> {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, detached: true, stdio: "pipe" });
  const end = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // all of them have ended
    }
  };
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ["", ""];
    let is_waiting = false;
    const timer = setTimeout(() => {
      is_waiting = true;
      end();
    }, ask_after_ms);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (stdout.length < MAX_OUTPUT) stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_OUTPUT) stderr += text;
    });
    child.stdin.on("error", () => child.stdin.destroy()); // a hook may answer before it has read everything
    child.stdin.end(payload);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      end();
      resolve(is_waiting ? undefined : { code, stdout, stderr });
    });
  });
}
