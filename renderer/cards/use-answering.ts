import { useState } from "react";
import type { GateError } from "../../ipc/contract/gate-error.ts";
import type { Answer } from "../../ipc/contract/operator-api.ts";
import { useResolve } from "./use-waiting.ts";

interface Answering {
  /** Why the last answers failed; empty where the gate took them. */
  errors: readonly GateError[];
  isSending: boolean;
  /** Answers requests, all at once. Never rejects: what failed is in `errors`. */
  answer(...replies: readonly Answer[]): Promise<void>;
}

/** The answers of one card, never two at a time. */
export function useAnswering(): Answering {
  const resolve = useResolve();
  const [errors, setErrors] = useState<readonly GateError[]>([]);
  const [isSending, setSending] = useState(false);
  const answer = async (...replies: readonly Answer[]) => {
    if (isSending) return; // a button that is disabled loses the focus
    setSending(true);
    const results = await Promise.all(replies.map(resolve));
    setErrors(results.filter((error) => error !== null));
    setSending(false);
  };
  return { errors, isSending, answer };
}
