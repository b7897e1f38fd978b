import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useSyncExternalStore } from "react";
import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "../../ipc/contract/operator-api.ts";
import { type Answered, Answers } from "./answers.ts";
import type { GateLink, LinkState } from "./link.ts";

interface Gate {
  link: GateLink;
  answers: Answers;
}

const GateContext = createContext<Gate | null>(null);

export function GateProvider({ link, children }: { link: GateLink; children: ReactNode }) {
  const gate = useRef<Gate | null>(null);
  gate.current ??= { link, answers: new Answers(link) };
  return <GateContext value={gate.current}>{children}</GateContext>;
}

function useGate(): Gate {
  const gate = useContext(GateContext);
  if (gate === null) throw new Error("there is no gate around this part of the page");
  return gate;
}

/** Asks the gate to do something. Rejects with a `GateError`. */
export function useCall(): <M extends OperatorMethod>(
  method: M,
  params: OperatorParams<M>,
) => Promise<OperatorResult<M>> {
  const { link } = useGate();
  return useCallback((method, params) => link.call(method, params), [link]);
}

export interface Query<M extends OperatorMethod> extends Answered<M> {
  refresh(): void;
}

/** The gate's answer to this, kept up to date by events (`OUTDATED_BY` in answers.ts). `data` stays while it is asked anew. */
export function useQuery<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Query<M> {
  const { answers } = useGate();
  const key = `${method} ${JSON.stringify(params)}`;
  const given = useRef(params);
  given.current = params;
  const subscribe = useCallback(
    (listener: () => void) => answers.subscribe(key, method, given.current, listener),
    [answers, key, method],
  );
  const answered = useSyncExternalStore(subscribe, () => answers.current(key, method, given.current)) as Answered<M>;
  const refresh = useCallback(() => answers.refresh(key), [answers, key]);
  return { ...answered, refresh };
}

/** Every event, as it happens. The listener may be a new function on each render. */
export function useGateEvents(listener: (event: OperatorEvent) => void): void {
  const { link } = useGate();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => link.subscribe((event) => latest.current(event)), [link]);
}

export function useLinkState(): LinkState {
  const { link } = useGate();
  return useSyncExternalStore(
    useCallback((listener) => link.onState(listener), [link]),
    () => link.state,
  );
}
