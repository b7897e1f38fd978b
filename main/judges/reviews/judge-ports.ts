import type { ModelProblem } from "../../../ipc/contract/judges.ts";

/** Whom the gate asks about a call: the gate itself opens no connection and starts no process (main/judges/models, main/judges/agents). */

export interface Message {
  role: "user" | "assistant";
  text: string;
}

/** One question, in a conversation of its own. */
export interface ModelQuestion {
  system: string;
  messages: readonly Message[];
  /** JSON Schema of the answer's object; left out: any text. */
  schema?: Readonly<Record<string, unknown>>;
  max_tokens: number;
  /** The agent whose call it is about: it isn't sent. Agents that ask much leave room for the others. */
  asked_for?: string;
}

export interface ModelAnswer {
  text: string;
  /** Milliseconds, the retry included. */
  ms: number;
  /** Null where the provider didn't say. */
  input_tokens: number | null;
  output_tokens: number | null;
  /** By the configured prices. */
  cost: number;
}

/** A model of gate.toml. */
export interface Model {
  readonly name: string;
  readonly is_online: boolean;
  /** Why it can't be asked now, known without asking it; null where it can. */
  readonly problem: ModelProblem | null;
  /** At most; the configured one. In milliseconds. */
  readonly timeoutMs: number;
  readonly max_tokens: number;
  /** @throws ModelError; the signal's reason where it was aborted */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>;
}

/** A model didn't answer. The message says why in one sentence, without anything that was sent or received. */
export class ModelError extends Error {
  readonly problem: ModelProblem;
  constructor(problem: ModelProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModelError";
    this.problem = problem;
  }
}

/** It wasn't asked, as too many others were being asked: that says nothing about the model. */
export class ModelBusy extends ModelError {
  constructor() {
    super("not-answering", "too many questions to it were waiting");
    this.name = "ModelBusy";
  }
}

/** The worker that a judge agent looks after. */
export interface Worker {
  /** The folder of the call, absolute; null where the call names none. */
  readonly cwd: string | null;
  readonly agent_name: string;
}

/** What of the worker's files a judge agent gets, read-only. */
export interface WorkerMount {
  /** Where it is on this machine. */
  source: string;
  /** Where the judge agent sees it. */
  target: string;
  read_only: true;
}

/** A judge agent of gate.toml. */
export interface JudgeAgent {
  readonly name: string;
  readonly is_online: boolean;
  /** What will really be mounted for a worker: nothing where it gets no files. */
  mounts(worker: Worker): readonly WorkerMount[];
  /**
   * Its final output, as it is: the gate reads the GradientResult from it. Nothing of it runs on after it has settled.
   * @throws Error with one sentence, without values; the signal's reason where it was aborted
   */
  judge(payload: Readonly<Record<string, unknown>>, worker: Worker, signal: AbortSignal): Promise<string>;
}
