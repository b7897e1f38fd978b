import type { CallOptions, Decision, ProposedCall } from "../../ipc/client.ts";

/** Whether something may run: the gate's decision, and where it is for the user to say, who asks him. */

/** Where the user is asked: on the gate's surfaces, in the editor, or on both, whose first answer counts. */
export const ASK_IN = ["gate", "editor", "both"] as const;
export type AskIn = (typeof ASK_IN)[number];

export interface Verdict {
  isAllowed: boolean;
  /** One sentence. */
  reason: string;
  /** The editor's user has answered, not the gate. */
  isOfEditor?: true;
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
  askIn: AskIn;
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
  let verdict: Verdict = { isAllowed: false, reason: "nothing was asked" };
  let isOfEditor = false;
  for (const call of calls) {
    verdict = await decideOne(call, { ...deciding, askEditor });
    isOfEditor ||= verdict.isOfEditor === true;
    if (!verdict.isAllowed) break;
  }
  question?.withdraw();
  return isOfEditor ? { ...verdict, isOfEditor } : verdict;
}

async function decideOne(call: ProposedCall, { gate, askIn, signal, askEditor }: Deciding): Promise<Verdict> {
  const withdrawal = new AbortController();
  const withdraw = () => withdrawal.abort(signal.reason);
  if (signal.aborted) withdraw();
  signal.addEventListener("abort", withdraw, { once: true });
  let onWaiting: () => void = () => undefined;
  const isWaiting = new Promise<"waiting">((resolve) => {
    onWaiting = () => resolve("waiting");
  });
  try {
    const ofGate = gate.call(call, { signal: withdrawal.signal, onWaiting }).then(verdictOf, failure);
    if (askIn === "gate") return await ofGate;
    const first = await Promise.race([ofGate, isWaiting]);
    if (first !== "waiting") return first;
    if (askIn === "editor") withdrawal.abort("the user is asked in the editor instead");
    const ofEditor = inEditor(askEditor(), askIn === "both" ? ofGate : undefined, signal);
    const answered = await (askIn === "both" ? Promise.race([ofGate, ofEditor]) : ofEditor);
    withdrawal.abort(answered.isAllowed ? "allowed in the editor" : "denied in the editor");
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
  if (answer === undefined) return (await otherwise) ?? { isAllowed: false, reason: "nobody answered in the editor" };
  const reason = answer ? "allowed in the editor" : "the user said no in the editor";
  return { isAllowed: answer, reason, isOfEditor: true };
}

function verdictOf({ outcome, reason, explain }: Decision): Verdict {
  const instead = explain?.instead;
  return {
    isAllowed: outcome === "allowed",
    reason: outcome === "allowed" || !instead ? reason : `${reason}; ${instead}`,
  };
}

function failure(error: unknown): Verdict {
  const reason = error instanceof Error ? error.message : "the gate could not be asked";
  return { isAllowed: false, reason };
}
