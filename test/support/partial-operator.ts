import type { OperatorApi, OperatorEvent } from "../../ipc/contract/operator-api.ts";

/** By method: what it answers in place of the real gate's. */
export type OwnMethods = Record<string, (params: never) => unknown>;

/** A real operator's side with some methods of the test's own; `tell` sends what listens there an event of the test's, too. */
export function partialOperator(
  operator: OperatorApi,
  own: OwnMethods,
): { api: OperatorApi; tell: (event: OperatorEvent) => void } {
  const listeners = new Set<(event: OperatorEvent) => void>();
  const tell = (event: OperatorEvent) => {
    for (const listener of listeners) listener(event);
  };
  const api: OperatorApi = {
    subscribe(listener, types) {
      listeners.add(listener);
      const unsubscribe = operator.subscribe(listener, types);
      return () => {
        listeners.delete(listener);
        unsubscribe();
      };
    },
    close: () => operator.close(),
    call: (method, params) =>
      own[method] === undefined ? operator.call(method, params) : (own[method](params as never) as never),
  };
  return { api, tell };
}
