import { type Model, type ModelAnswer, ModelError, type ModelQuestion } from "../../main/judges/reviews/judge-ports.ts";

/** What a model says to one question: a text, an error, or nothing ("hangs", until it is aborted). */
export type Said = string | Error | "hangs";

export interface FakeModel extends Model {
  problem: Model["problem"];
  /** What it was asked. */
  readonly asked: ModelQuestion[];
  /** Signals of its questions. */
  readonly signals: AbortSignal[];
}

/** A model in this process: what it says to the first question, to the second, and so on; the last one to all further ones. */
export function fakeModel(said: readonly Said[], options: Partial<Omit<Model, "ask" | "problem">> = {}): FakeModel {
  const asked: ModelQuestion[] = [];
  const signals: AbortSignal[] = [];
  const model: FakeModel = {
    name: "small",
    is_online: false,
    problem: null,
    timeoutMs: 10_000,
    max_tokens: 512,
    ...options,
    asked,
    signals,
    async ask(question, signal): Promise<ModelAnswer> {
      asked.push(question);
      signals.push(signal);
      const next = said[Math.min(asked.length, said.length) - 1] ?? "";
      if (next instanceof Error) throw next;
      if (next === "hangs") await neverAnswered(signal, model.timeoutMs);
      return { text: next, ms: 1, input_tokens: null, output_tokens: null, cost: 0 };
    },
  };
  return model;
}

export const UNREACHABLE = new ModelError("unreachable", "nobody answers there");

/** Until the model's time is over, or it is aborted. */
function neverAnswered(signal: AbortSignal, timeoutMs: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(() => reject(new ModelError("not-answering", "no answer in time")), timeoutMs);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
