import { randomUUID } from "node:crypto";
import { type BenchPlaces, benchPlaces } from "./bench-places.ts";
import { type Host, payloadFor, type Verdict, verdictOf } from "./hosts.ts";
import { type OwnGate, openOwnGate } from "./own-gate.ts";
import { runHook } from "./run-hook.ts";
import { placed, type Scenario, type ScenarioKind, scenariosOf } from "./scenario.ts";
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
