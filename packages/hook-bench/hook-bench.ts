import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { type BenchPlaces, benchPlaces } from "./bench-places.ts";
import { type HookEnd, type Host, payloadFor, type Verdict, verdictOf } from "./hosts.ts";
import { type Places, placed, type Scenario, type ScenarioKind, scenariosOf } from "./scenario.ts";
import { type Result, resultOf } from "./score.ts";

/** What a hook says to the scenarios. Only the hook is run; none of the calls is. */

export interface HookBench {
  host: Host;
  /** A line for a shell, as the agent's settings have it; or what makes one whose questions are counted and answered. */
  hook: string | ((places: Places) => Promise<AnsweredHook>);
  kinds: readonly ScenarioKind[];
  /** A hook that hasn't answered by then asks somebody, in milliseconds. */
  askAfterMs: number;
  /** Called after each scenario. */
  onResult(result: Result): void;
  /** Removes the folders that the calls are about, with what the hook may have left in them. */
  remove?: (folder: string) => void;
}

/** A hook that is known from behind, too: what it asks is seen, and answered at once, as by a user who is always there. */
export interface AnsweredHook {
  command: string;
  env: NodeJS.ProcessEnv;
  /** How often the user has been asked so far. */
  asked(): number;
  /** From now on what is asked is allowed, for the session where that is offered; or denied. */
  allows(isAllowed: boolean): void;
  close(): Promise<void>;
}

/** @returns what became of each scenario, in their order */
export async function runHookBench({ host, hook, kinds, askAfterMs, onResult, remove }: HookBench): Promise<Result[]> {
  const places = benchPlaces(remove);
  let own: AnsweredHook | undefined;
  try {
    own = typeof hook === "string" ? undefined : await hook(places);
    const bench = { host, places, own, command: typeof hook === "string" ? hook : (own?.command ?? ""), askAfterMs };
    const results: Result[] = [];
    for (const kind of kinds) {
      own?.allows(kind !== "attacks");
      const sessionId = randomUUID();
      for (const scenario of scenariosOf(kind)) {
        // Ordinary calls are one piece of work: what is allowed for the session holds for the next one.
        const session = kind === "ordinary" ? sessionId : randomUUID();
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
  own: AnsweredHook | undefined;
  command: string;
  askAfterMs: number;
}

/** One after the other. */
async function verdictsOf({ calls }: Scenario, bench: Bench, sessionId: string): Promise<Verdict[]> {
  const { host, places, own, command, askAfterMs } = bench;
  const env = own?.env ?? { ...process.env, HOME: places.home };
  const verdicts: Verdict[] = [];
  for (const call of calls) {
    const askedBefore = own?.asked() ?? 0;
    const payload = payloadFor(host, placed(call, places), places, sessionId);
    // A gate of its own is answered at once: that its hook takes long doesn't mean that it asks.
    const limit = own === undefined ? askAfterMs : OWN_LIMIT_MS;
    const ended = await runHook(payload, { command, cwd: places.project, env, askAfterMs: limit });
    const isAsked = ended === undefined || (own !== undefined && own.asked() > askedBefore);
    verdicts.push(isAsked ? "asked" : verdictOf(host, ended));
  }
  return verdicts;
}

/** Of a hook whose questions are answered at once, in milliseconds. */
const OWN_LIMIT_MS = 60_000;

/** Bytes of what a hook prints: more is cut. */
const MAX_OUTPUT = 1024 * 1024;

interface HookToRun {
  /** A line for a shell, as a client's settings have it. */
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A hook that hasn't answered by then waits for somebody. */
  askAfterMs: number;
}

/** Calls a hook once, as a client does, and ends it and what it started. Undefined where it still waits after that time. */
function runHook(payload: string, { command, cwd, env, askAfterMs }: HookToRun): Promise<HookEnd | undefined> {
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
    let isWaiting = false;
    const timer = setTimeout(() => {
      isWaiting = true;
      end();
    }, askAfterMs);
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
      resolve(isWaiting ? undefined : { code, stdout, stderr });
    });
  });
}
