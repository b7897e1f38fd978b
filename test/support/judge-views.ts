import type { JudgeStatus, ModelStatus, RefusedCall, RunningReview } from "../../ipc/contract/judges.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import type { Review } from "../../ipc/contract/review.ts";
import { CARD_PROJECT, describedCard } from "./described-cards.ts";
import { partialOperator } from "./partial-operator.ts";

/** What surfaces get about judges, and an operator's side that has just these: its other methods are a real gate's. */

export function review(change: Partial<Review> = {}): Review {
  return {
    stage: "judge",
    name: "local-8b",
    outcome: "passed",
    score: 0.82,
    confidence: null,
    sentence: "Runs the project's own tests, as the intent says.",
    ms: 412,
    is_online: false,
    ...change,
  };
}

export function runningReview(change: Partial<RunningReview> = {}): RunningReview {
  return {
    id: "r1",
    agent_name: "claude-code",
    executor: "Bash",
    summary: "run npm test",
    stage: "judge",
    name: "local-8b",
    since: new Date(Date.now() - 3200).toISOString(),
    ...change,
  };
}

/** A command that a validator refused. */
export function refusedCall(change: Partial<RefusedCall> = {}): RefusedCall {
  const command = "npm test && git push --force origin main";
  return {
    id: "d1",
    agent_name: "claude-code",
    executor: "Bash",
    summary: `run ${command}`,
    cwd: CARD_PROJECT,
    refused_at: new Date(Date.now() - 65_000).toISOString(),
    stage: "validators",
    rule: "validators.rejected",
    reason: "validator 'reviewer': It rewrites the history of main, and nobody asked for that.",
    review: review({
      stage: "validators",
      name: "reviewer",
      outcome: "rejected",
      score: 0.2,
      confidence: 0.9,
      sentence: "It rewrites the history of main, and nobody asked for that.",
    }),
    instead: "push without --force, or ask the user first",
    description: describedCard(["Bash", { command }]),
    capabilities: [{ capability: "code:exec", target: command }],
    args: { command },
    can_override: true,
    overridden_at: null,
    ...change,
  };
}

/** What the guard refused: nobody can allow it. */
export function guardRefusal(change: Partial<RefusedCall> = {}): RefusedCall {
  return refusedCall({
    id: "g1",
    summary: "run rm -rf /  (in ~/project)",
    stage: "guard",
    rule: "guard.irrecoverable-command",
    reason: "guard: irrecoverable command: pattern 'rm -rf /'",
    review: null,
    instead: "name exactly what should change, inside the project",
    ...{ description: null, capabilities: [], args: null, can_override: false },
    ...change,
  });
}

export function modelStatus(change: Partial<ModelStatus> = {}): ModelStatus {
  return {
    name: "local-8b",
    dialect: "openai",
    model: "qwen3:8b",
    host: "127.0.0.1:11434",
    is_online: false,
    problem: null,
    calls_today: 12,
    cost_today: 0.02,
    calls_per_day: 100,
    cost_per_day: 0.5,
    measured: {
      data: "ours",
      calls: 150,
      of: 150,
      fallbacks: 0,
      measured_at: "2026-11-22T18:00:00Z",
      precision: 0.913,
      recall: 0.84,
    },
    ...change,
  };
}

export function judgeStatus(change: Partial<JudgeStatus> = {}): JudgeStatus {
  return {
    kind: "llm-v1",
    kind_now: "llm-v1",
    threshold: 0.3,
    llm_threshold: 0.45,
    model: "local-8b",
    models: [modelStatus()],
    validators: [{ judge_agent: "reviewer", criteria: "Nothing is published.", min_score: 0.7, min_confidence: 0 }],
    judge_agents: [{ name: "reviewer", kind: "model", model: "local-8b" }],
    can_override: true,
    ...change,
  };
}

export interface JudgesOperator extends OperatorApi {
  /** The ids of what was allowed once, and of what was dismissed. */
  readonly overridden: string[];
  readonly dismissed: string[];
  /** Other reviews and refusals than before. */
  change(next: { running?: readonly RunningReview[]; refused?: readonly RefusedCall[] }): void;
}

interface Judged {
  running?: readonly RunningReview[];
  refused?: readonly RefusedCall[];
  status?: JudgeStatus;
}

export function operatorWithJudges(operator: OperatorApi, judged: Judged): JudgesOperator {
  let { running = [], refused = [] } = judged;
  const overridden: string[] = [];
  const dismissed: string[] = [];
  const changed = () => tell({ type: "reviews.changed", data: {} });
  const { api, tell } = partialOperator(operator, {
    "reviews.list": () => ({ running, refused }),
    "reviews.override": ({ id }: { id: string }) => {
      overridden.push(id);
      const overriddenAt = new Date().toISOString();
      refused = refused.map((one) =>
        one.id === id ? { ...one, can_override: false, overridden_at: overriddenAt } : one,
      );
      changed();
      return refused.find((one) => one.id === id);
    },
    "reviews.dismiss": ({ id }: { id: string }) => {
      dismissed.push(id);
      refused = refused.filter((one) => one.id !== id);
      changed();
      return { dismissed: true };
    },
    ...(judged.status === undefined ? {} : { "judge.status": () => judged.status }),
  });
  return {
    ...api,
    overridden,
    dismissed,
    change(next) {
      ({ running = running, refused = refused } = next);
      changed();
    },
  };
}
