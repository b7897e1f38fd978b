import { asGateError, type GateError } from "../../ipc/contract/gate-error.ts";
import type {
  OperatorEvent,
  OperatorEventType,
  OperatorMethod,
  OperatorParams,
  OperatorResult,
} from "../../ipc/contract/operator-api.ts";
import type { GateLink } from "./link.ts";

/** What makes an answer old. Methods that aren't here are asked anew only on demand (`refresh`). */
const OUTDATED_BY: Partial<Record<OperatorMethod, readonly OperatorEventType[]>> = {
  status: [
    "approval.waiting",
    "approval.closed",
    "pairing.requested",
    "agents.changed",
    "grants.changed",
    "safety.paused",
    "safety.resumed",
    "alarms.changed",
  ],
  "grants.list": ["grants.changed"],
  "grants.search": ["grants.changed"],
  "mcp.tools": ["mcp.changed", "agents.changed"],
  "sessions.list": ["sessions.changed", "agents.changed"],
  "refusals.list": ["refusals.changed", "agents.changed"],
  "approvals.history": ["approval.closed"],
  "agents.list": ["agents.changed", "pairing.requested"],
  "safety.status": ["safety.paused", "safety.resumed", "safety.violation"],
  "safety.violations": ["safety.violation", "safety.resumed"],
  "settings.list": ["settings.changed"],
  "set_up.get": ["settings.changed"],
  "box.status": ["agents.changed", "alarms.changed"],
  "reviews.list": ["reviews.changed"],
  "channels.status": ["channels.changed", "settings.changed"],
  "telegram.status": ["channels.changed"],
  "policy.overrides": ["agents.changed", "policy.changed"],
  "policy.matrix": ["policy.changed"],
  "grants.stale": ["grants.changed"],
  "judge.status": ["reviews.changed", "alarms.changed", "settings.changed"],
};

export interface Answered<M extends OperatorMethod> {
  data: OperatorResult<M> | undefined;
  error: GateError | undefined;
  isLoading: boolean;
}

interface Entry {
  method: OperatorMethod;
  params: unknown;
  answered: Answered<OperatorMethod>;
  listeners: Set<() => void>;
  isAsking: boolean;
  isOutdated: boolean;
}

/** Answers kept for views that are opened again: more than these are dropped, the oldest first. */
const KEPT = 60;

/** The gate's answers by question: asked once for any number of components, asked again when an event makes them old. */
export class Answers {
  readonly #link: GateLink;
  readonly #entries = new Map<string, Entry>();

  constructor(link: GateLink) {
    this.#link = link;
    link.subscribe((event) => this.#happened(event));
    let hasAnswered = link.state === "answering";
    link.onState((state) => {
      if (state !== "answering") return;
      // What was asked while the link was opened for the first time is on its way.
      for (const entry of this.#entries.values()) if (hasAnswered || !entry.isAsking) this.#outdate(entry);
      hasAnswered = true;
    });
  }

  subscribe(key: string, method: OperatorMethod, params: unknown, listener: () => void): () => void {
    const entry = this.#entry(key, method, params);
    entry.listeners.add(listener);
    if (entry.isOutdated) this.#ask(entry);
    return () => entry.listeners.delete(listener);
  }

  current(key: string, method: OperatorMethod, params: unknown): Answered<OperatorMethod> {
    return this.#entry(key, method, params).answered;
  }

  refresh(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#outdate(entry);
  }

  #entry(key: string, method: OperatorMethod, params: unknown): Entry {
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    const answered = { data: undefined, error: undefined, isLoading: true };
    const entry: Entry = { method, params, answered, listeners: new Set(), isAsking: false, isOutdated: true };
    this.#entries.set(key, entry);
    for (const [other, { listeners }] of this.#entries) {
      if (this.#entries.size <= KEPT) break;
      if (listeners.size === 0 && other !== key) this.#entries.delete(other);
    }
    return entry;
  }

  #happened({ type }: OperatorEvent): void {
    for (const entry of this.#entries.values()) {
      if (OUTDATED_BY[entry.method]?.includes(type)) this.#outdate(entry);
    }
  }

  #outdate(entry: Entry): void {
    entry.isOutdated = true;
    if (entry.listeners.size > 0) this.#ask(entry);
  }

  #ask(entry: Entry): void {
    if (entry.isAsking) return; // asked once more when this answer is here
    entry.isAsking = true;
    entry.isOutdated = false;
    void this.#link
      .call(entry.method, entry.params as OperatorParams<OperatorMethod>)
      .then(
        (data) => {
          entry.answered = { data, error: undefined, isLoading: false };
        },
        (thrown: unknown) => {
          entry.answered = { data: entry.answered.data, error: asGateError(thrown), isLoading: false };
        },
      )
      .then(() => {
        entry.isAsking = false;
        for (const listener of entry.listeners) listener();
        if (entry.isOutdated && entry.listeners.size > 0) this.#ask(entry);
      });
  }
}
