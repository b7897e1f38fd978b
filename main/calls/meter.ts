import { type Capability, type Decision, type Outcome, STAGES, type Stage } from "../../ipc/contract/decision.ts";
import { Histogram } from "../base/histogram.ts";

/** The gate's decisions and their durations, as plain numbers: they are read when the metrics are requested. */

export type MeteredCapability = Capability | "none";

/** Seconds. */
const DECISION_BOUNDS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 1];
const ANSWER_BOUNDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 3600];

export interface DecisionCount {
  outcome: Outcome;
  stage: Stage;
  capability: MeteredCapability;
  count: number;
}

export class DecisionMeter {
  readonly decisions = new Map<string, DecisionCount>();
  readonly durations = Object.fromEntries(STAGES.map((stage) => [stage, new Histogram(DECISION_BOUNDS)])) as Readonly<
    Record<Stage, Histogram>
  >;
  /** From the question to the user's answer. */
  readonly answers = new Histogram(ANSWER_BOUNDS);
  #last: DecisionCount | undefined;

  /** Every decision that was made, by how it came out. */
  readonly outcomes: Record<Outcome, number> = { allowed: 0, approval_required: 0, denied: 0 };

  /**
   * Counted under the first of several capabilities.
   * @param ms from the call's arrival at the gate; undefined where it was asked about, and counted, before
   */
  decided({ outcome, stage, capabilities }: Decision, ms: number | undefined): void {
    this.outcomes[outcome]++;
    if (ms === undefined) return;
    const capability = capabilities[0]?.capability ?? "none";
    this.#countOf(outcome, stage, capability).count++;
    this.durations[stage].add(ms / 1000);
  }

  /** Cached, as most decisions are like the one before. */
  #countOf(outcome: Outcome, stage: Stage, capability: MeteredCapability): DecisionCount {
    const last = this.#last;
    if (last?.outcome === outcome && last.stage === stage && last.capability === capability) return last;
    const key = `${outcome} ${stage} ${capability}`;
    const found = this.decisions.get(key) ?? { outcome, stage, capability, count: 0 };
    this.decisions.set(key, found);
    this.#last = found;
    return found;
  }

  answered(created_at: string, decision_at: string): void {
    this.answers.add(Math.max(0, Date.parse(decision_at) - Date.parse(created_at)) / 1000);
  }
}
