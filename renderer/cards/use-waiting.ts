import { createContext, type RefObject, useCallback, useContext, useEffect, useReducer, useRef } from "react";
import { asGateError, type GateError } from "../../ipc/contract/gate-error.ts";
import type { Answer, ApprovalView } from "../../ipc/contract/operator-api.ts";
import { appeared, closed, held, loaded, NOTHING_YET, tidied, type WaitingState } from "../../ipc/words/waiting.ts";
import { useCall, useGateEvents, useLinkState } from "../gate/use-gate.tsx";
import { useLanguage } from "../words/language.ts";
import { presence } from "./presence.ts";

/** The most that is asked for at once; the gate gives no more. */
const MOST = 1000;
/** How many are asked for first: more than a screen shows. */
const FIRST = 8;
const REST_AFTER_MS = 150;
const TIDY_MS = 1000;

type Step = (state: WaitingState) => WaitingState;
type Resolve = (answer: Answer) => Promise<GateError | null>;

export interface Waiting extends WaitingState {
  error: GateError | null;
  /** Answers a request. Null once the gate has taken it, else why not. */
  resolve: Resolve;
}

/** What waits, kept up to date; and the one way to answer it. */
export function useWaiting(): Waiting {
  const call = useCall();
  const [state, step] = useReducer((before: WaitingState, change: Step) => change(before), NOTHING_YET);
  const [error, setError] = useReducer((_: GateError | null, next: GateError | null) => next, null);
  // What is being answered from here, and how the gate said that it ended: whose answer counted, its own reply tells.
  const sending = useRef(new Map<string, ApprovalView | null>());
  const latest = useLatest(state);
  // An event may come before the answer to a question that was asked earlier.
  const closedMeanwhile = useRef(new Set<string>());

  const close = useCallback((view: ApprovalView, isOwn: boolean, isRefused = false) => {
    step((before) => closed(before, view, isOwn, performance.now(), isRefused));
  }, []);

  useGateEvents((event) => {
    if (event.type === "approval.waiting")
      step((before) => appeared(before, event.data, presence.isBusy(performance.now())));
    else if (event.type === "approval.closed") {
      closedMeanwhile.current.add(event.data.token);
      if (sending.current.has(event.data.token)) sending.current.set(event.data.token, event.data);
      else close(event.data, false);
    } else if (event.type === "approval.held") step((before) => held(before, event.data.token, event.data.expires_at));
  });

  const load = useCallback(async () => {
    const known = new Set(latest.current.asked.map(({ view }) => view.token));
    closedMeanwhile.current.clear();
    const take = (views: readonly ApprovalView[], expected: ReadonlySet<string>) => {
      const waiting = views.filter(({ token }) => !closedMeanwhile.current.has(token));
      setError(null);
      step((before) => loaded(before, waiting, performance.now(), expected));
    };
    try {
      if (!latest.current.isLoaded) {
        // What fits the screen at once, however much waits below it.
        const first = await call("approvals.list", { limit: FIRST, order: "deadline" });
        take(first, new Set());
        if (first.length < FIRST) return;
        for (const { token } of first) known.add(token);
        // Drawn first: the rest is long to read.
        await new Promise((resolve) => setTimeout(resolve, REST_AFTER_MS));
      }
      take(await call("approvals.list", { limit: MOST, order: "deadline" }), known);
    } catch (failure) {
      setError(asGateError(failure));
    }
  }, [call, latest]);

  useLoading(load);
  useTidying(step);

  const resolve = useCallback<Resolve>(
    async (answer) => {
      sending.current.set(answer.token, null);
      try {
        close(await call("approvals.resolve", answer), true, answer.refuse !== undefined);
        sending.current.delete(answer.token);
        return null;
      } catch (failure) {
        const ended = sending.current.get(answer.token);
        sending.current.delete(answer.token);
        if (ended) close(ended, false);
        else await load(); // it may have ended unheard
        return asGateError(failure);
      }
    },
    [call, close, load],
  );
  return { ...state, error, resolve };
}

/** Again where another language is chosen: the gate says in the user's own what is asked. */
function useLoading(load: () => Promise<void>): void {
  const link = useLinkState();
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded is in this language
  useEffect(() => {
    if (link === "answering") void load();
  }, [link, load, language]);
}

function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Every second, what `tidied` does. */
function useTidying(step: (change: Step) => void): void {
  useEffect(() => {
    const timer = setInterval(
      () => step((before) => tidied(before, presence.isBusy(performance.now()), performance.now())),
      TIDY_MS,
    );
    return () => clearInterval(timer);
  }, [step]);
}

const ResolveContext = createContext<Resolve | null>(null);
export const ResolveProvider = ResolveContext.Provider;

export function useResolve(): Resolve {
  const resolve = useContext(ResolveContext);
  if (resolve === null) throw new Error("there is no way to answer around this card");
  return resolve;
}
