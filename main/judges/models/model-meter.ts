import type { ModelProblem } from "../../../ipc/contract/judges.ts";
import { Histogram } from "../../base/histogram.ts";

/** Seconds. */
const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 300];

/** How a model's questions came out since the gate started, as plain numbers: they are read when the metrics are requested. */
export class ModelMeter {
  readonly outcomes = new Map<"answered" | ModelProblem, number>([["answered", 0]]);
  /** Of those that were answered. */
  readonly seconds = new Histogram(BOUNDS);
  cost = 0;

  answered(seconds: number, cost: number): void {
    this.#count("answered");
    this.seconds.add(seconds);
    this.cost += cost;
  }

  failed(problem: ModelProblem): void {
    this.#count(problem);
  }

  #count(outcome: "answered" | ModelProblem): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
