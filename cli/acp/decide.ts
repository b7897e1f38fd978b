import type { CallOptions, Decision, ProposedCall } from "../../ipc/client.ts";

/** Whether something may run: the gate's decision, and where it is for the user to say, who asks him. */

/** Where the user is asked: on the gate's surfaces, in the editor, or on both, whose first answer counts. */
export const ASK_IN = ["gate", "editor", "both"] as const;
export type AskIn = (typeof ASK_IN)[number];

export interface Verdict {
  is_allowed: boolean;
  /** One sentence. */
  reason: string;
  /** The editor's user has answered, not the gate. */
  is_of_editor?: true;
}

/** What is needed of a `GateClient`. */
export interface AskedGate {
  call(call: ProposedCall, options?: CallOptions): Promise<Decision>;
}

/** A question that the editor shows. */
export interface EditorQuestion {
  /** Undefined where the editor gave no answer. Never rejects. */
  readonly answer: Promise<boolean | undefined>;
  withdraw(): void;
}

export interface Deciding {
  gate: AskedGate;
  ask_in: AskIn;
  /** Withdraws everything. The gate gets its reason. */
  signal: AbortSignal;
  askEditor: () => EditorQuestion;
}

/** Asks about each call until one isn't allowed. Never rejects: whatever fails is a no. */
export async function decide(calls: readonly ProposedCall[], deciding: Deciding): Promise<Verdict> {
  let question: EditorQuestion | undefined;
  const askEditor = () => {
    question ??= deciding.askEditor();
    return question;
  };
  let verdict: Verdict = { is_allowed: false, reason: "nothing was asked" };
  let is_of_editor = false;
  for (const call of calls) {
    verdict = await decideOne(call, { ...deciding, askEditor });
    is_of_editor ||= verdict.is_of_editor === true;
    if (!verdict.is_allowed) break;
  }
  question?.withdraw();
  return is_of_editor ? { ...verdict, is_of_editor } : verdict;
}

async function decideOne(call: ProposedCall, { gate, ask_in, signal, askEditor }: Deciding): Promise<Verdict> {
  const withdrawal = new AbortController();
  const withdraw = () => withdrawal.abort(signal.reason);
  if (signal.aborted) withdraw();
  signal.addEventListener("abort", withdraw, { once: true });
  let onWaiting: () => void = () => undefined;
  const is_waiting = new Promise<"waiting">((resolve) => {
    onWaiting = () => resolve("waiting");
  });
  try {
    const of_gate = gate.call(call, { signal: withdrawal.signal, onWaiting }).then(verdictOf, failure);
    if (ask_in === "gate") return await of_gate;
    const first = await Promise.race([of_gate, is_waiting]);
    if (first !== "waiting") return first;
    if (ask_in === "editor") withdrawal.abort("the user is asked in the editor instead");
    const of_editor = inEditor(askEditor(), ask_in === "both" ? of_gate : undefined, signal);
    const answered = await (ask_in === "both" ? Promise.race([of_gate, of_editor]) : of_editor);
    withdrawal.abort(answered.is_allowed ? "allowed in the editor" : "denied in the editor");
    return answered;
  } finally {
    signal.removeEventListener("abort", withdraw);
  }
}

/** @param otherwise what counts where the editor gives no answer */
async function inEditor(
  question: EditorQuestion,
  otherwise: Promise<Verdict> | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  const withdrawn = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const answer = await Promise.race([question.answer, withdrawn]);
  if (answer === undefined) return (await otherwise) ?? { is_allowed: false, reason: "nobody answered in the editor" };
  const reason = answer ? "allowed in the editor" : "the user said no in the editor";
  return { is_allowed: answer, reason, is_of_editor: true };
}

function verdictOf({ outcome, reason, explain }: Decision): Verdict {
  const instead = explain?.instead;
  return {
    is_allowed: outcome === "allowed",
    reason: outcome === "allowed" || !instead ? reason : `${reason}; ${instead}`,
  };
}

function failure(error: unknown): Verdict {
  const reason = error instanceof Error ? error.message : "the gate could not be asked";
  return { is_allowed: false, reason };
}
