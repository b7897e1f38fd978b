import { isObject } from "../../ipc/base/json-object.ts";

/** Calls that the server has got: how they end, and which of them ask the client for more before they do. */

interface Forwarded {
  /** Undefined where another call was decided on, and this one continues it. */
  decision_id: string | undefined;
  key: string;
}

export interface CallEnd {
  decision_id: string | undefined;
  ok: boolean;
}

/** What never gets an answer is forgotten at last. */
const MAX_KEPT = 1024;

export class ForwardedCalls {
  /** By the request's id, as JSON. */
  readonly #open = new Map<string, Forwarded>();
  /** What servers asked for calls to be sent again with. */
  readonly #continued = new Set<string>();

  get isExpecting(): boolean {
    return this.#open.size > 0;
  }

  add(id: string, call: Forwarded): void {
    bounded(this.#open);
    this.#open.set(id, call);
  }

  /** The end of a call, if this line of the server's is one. */
  answered(line: Buffer): CallEnd | undefined {
    const message = parsed(line);
    if (message === undefined || message.method !== undefined) return undefined;
    if (typeof message.id !== "string" && typeof message.id !== "number") return undefined;
    const id = JSON.stringify(message.id);
    const call = this.#open.get(id);
    if (call === undefined) return undefined;
    this.#open.delete(id);
    const { result } = message;
    if (isObject(result) && result.resultType === "input_required") {
      bounded(this.#continued);
      this.#continued.add(continuation(call.key, result.requestState));
    }
    return { decision_id: call.decision_id, ok: isObject(result) && result.isError !== true };
  }

  /** What was decided on before counts no more: the gate was paused, or was replaced. */
  forgetContinued(): void {
    this.#continued.clear();
  }

  /** True once for the same call with the state that the server asked for it to be sent with: it was decided on. */
  isContinued(key: string, requestState: string | undefined): boolean {
    return this.#continued.delete(continuation(key, requestState));
  }
}

function continuation(key: string, state: unknown): string {
  return JSON.stringify([key, typeof state === "string" ? state : null]);
}

function bounded(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

function parsed(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the client's matter
  }
}
