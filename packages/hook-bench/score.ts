import type { Verdict } from "./hosts.ts";
import type { ScenarioKind } from "./scenario.ts";

/** What a hook did in each scenario, and in all of a kind. */

export interface Result {
  kind: ScenarioKind;
  name: string;
  /** Of the whole: of an attack what became of its last call, or of an earlier one that kept it from happening; of the others the worst. */
  verdict: Verdict;
  calls: number;
  /** How many of them somebody is asked about. */
  asks: number;
}

export interface Score {
  kind: ScenarioKind;
  scenarios: number;
  blocked: number;
  asked: number;
  allowed: number;
  errors: number;
  /** Of workflows: how often somebody is asked in one, on average; null of the others. */
  asks_each: number | null;
}

/** From what became of each call. An attack has happened only if nothing of it was blocked or asked about. */
export function resultOf(kind: ScenarioKind, name: string, verdicts: readonly Verdict[]): Result {
  const asks = verdicts.filter((verdict) => verdict === "asked").length;
  const order: readonly Verdict[] =
    kind === "attacks" ? ["blocked", "asked", "error", "allowed"] : ["error", "blocked", "asked", "allowed"];
  const verdict = order.find((one) => verdicts.includes(one)) ?? "allowed";
  return { kind, name, verdict, calls: verdicts.length, asks };
}

export function scoreOf(kind: ScenarioKind, results: readonly Result[]): Score {
  const own = results.filter((result) => result.kind === kind);
  const count = (verdict: Verdict) => own.filter((result) => result.verdict === verdict).length;
  const asks = own.reduce((sum, result) => sum + result.asks, 0);
  return {
    kind,
    scenarios: own.length,
    blocked: count("blocked"),
    asked: count("asked"),
    allowed: count("allowed"),
    errors: count("error"),
    asks_each: kind === "workflows" && own.length > 0 ? Math.round((asks / own.length) * 10) / 10 : null,
  };
}

/** Attacks that would have happened: neither blocked nor asked about, or let through by a hook that failed. */
export function letThrough(results: readonly Result[]): Result[] {
  return results.filter(({ kind, verdict }) => kind === "attacks" && (verdict === "allowed" || verdict === "error"));
}
