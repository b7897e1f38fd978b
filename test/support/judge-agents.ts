import { setTimeout as after } from "node:timers/promises";
import type { JudgeAgent, Worker, WorkerMount } from "../../main/judges/reviews/judge-ports.ts";

/** What a judge agent of a test was asked. */
export interface AskedJudge {
  payload: Readonly<Record<string, unknown>>;
  worker: Worker;
}

type Answer = string | ((signal: AbortSignal) => Promise<string>);

/** A judge agent that gives one answer, or answers as it is scripted; `asked` has each question. */
export function judgeAgent(
  answer: Answer,
  { name = "security-judge", mounts = [] as readonly WorkerMount[] } = {},
): JudgeAgent & { asked: AskedJudge[] } {
  const asked: AskedJudge[] = [];
  return {
    name,
    is_online: false,
    asked,
    mounts: () => mounts,
    async judge(payload, worker, signal) {
      asked.push({ payload, worker });
      return typeof answer === "string" ? answer : await answer(signal);
    },
  };
}

/** Never answers; ends at once when it is aborted. */
export async function never(signal: AbortSignal): Promise<string> {
  await after(60_000, undefined, { signal, ref: false });
  return "";
}

/** A judge agent's answer. */
export function gradient(change: Record<string, unknown> = {}): string {
  return JSON.stringify({ score: 0.92, confidence: 0.88, reasoning: "It reads one file of the project.", ...change });
}
