import { type Capability, type Decision, type Outcome, STAGES, type Stage } from "../../ipc/decision.ts";
import { DurationBuckets } from "./durations.ts";

/** What the gate decided and how long it took, as plain numbers: whoever exports them reads them when asked. */

export type MeteredCapability = Capability | "none";

/** Seconds. */
const DECISION_BOUNDS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 1];
const ANSWER_BOUNDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 3600];

export class DecisionMeter {
  readonly decisions = new Map<
    string,
    { outcome: Outcome; stage: Stage; capability: MeteredCapability; count: number }
  >();
  readonly durations = Object.fromEntries(
    STAGES.map((stage) => [stage, new DurationBuckets(DECISION_BOUNDS)]),
  ) as Readonly<Record<Stage, DurationBuckets>>;
  /** From the question to the human's answer. */
  readonly answers = new DurationBuckets(ANSWER_BOUNDS);

  /** Of several capabilities the first one names the decision. `ms`: from the call's arrival at the gate. */
  decided({ outcome, stage, capabilities }: Decision, ms: number): void {
    const capability = capabilities[0]?.capability ?? "none";
    const key = `${outcome} ${stage} ${capability}`;
    const found = this.decisions.get(key);
    if (found === undefined) this.decisions.set(key, { outcome, stage, capability, count: 1 });
    else found.count++;
    this.durations[stage].add(ms / 1000);
  }

  answered(created_at: string, decision_at: string): void {
    this.answers.add(Math.max(0, Date.parse(decision_at) - Date.parse(created_at)) / 1000);
  }
}
