import type { Model, ModelQuestion } from "../../../main/judges/reviews/judge-ports.ts";

/** A model that gives these answers in turn, and keeps what it was asked. */
export class ScriptedModel implements Model {
  readonly name = "scripted";
  readonly is_online = false;
  readonly problem = null;
  readonly timeoutMs = 10_000;
  readonly max_tokens = 512;
  readonly questions: ModelQuestion[] = [];
  readonly #answers: readonly (string | object)[];

  constructor(...answers: readonly (string | object)[]) {
    this.#answers = answers;
  }

  ask(question: ModelQuestion, signal: AbortSignal) {
    signal.throwIfAborted();
    this.questions.push({ ...question, messages: [...question.messages] });
    const answer = this.#answers[this.questions.length - 1];
    if (answer === undefined) return Promise.reject(new Error("it was asked once more than it has answers"));
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    return Promise.resolve({ text, ms: 1, input_tokens: 1, output_tokens: 1, cost: 0 });
  }

  /** What it was sent after its answer `index`, from 0. */
  sentAfter(index: number): string {
    return this.questions[index + 1]?.messages.at(-1)?.text ?? "";
  }
}
