import { z } from "zod";
import { type Failure, failureOf, GateError } from "../contract/gate-error.ts";
import { type OperatorHandler, type OperatorMethod, operatorMethods } from "../contract/operator-api.ts";

/** From a transport to the operator's contract: the socket, the page and the desktop app's bridge all come this way. */

/** A call, as it goes over the socket and over the page's WebSocket. `id` is the caller's, and comes back with the answer. */
export const operatorRequestSchema = z.object({
  id: z.number().int(),
  method: z.string().max(64),
  params: z.unknown(),
});

export type Answered<R> = { ok: true; result: R } | { ok: false; failure: Failure };

interface Transport {
  /** Why a call isn't taken here; undefined where it is. */
  refusal?(method: string): GateError | undefined;
  /** Something unexpected, to log: the caller does not learn what. */
  failed(method: string, error: unknown): void;
}

const FAILED: Failure = { code: "internal", message: "the gate failed", hint: "its own log says more" };

/** Makes a call whose method and parameters nobody has looked at. Never rejects: what is refused, or fails, is the answer. */
export async function dispatch(
  api: OperatorHandler,
  method: string,
  params: unknown,
  transport: Transport,
): Promise<Answered<unknown>> {
  try {
    const refusal = transport.refusal?.(method);
    if (refusal !== undefined) throw refusal;
    if (!isMethod(method)) throw new GateError("unknown_method", "there is no such method");
    return { ok: true, result: await api.handle(method, params) };
  } catch (error) {
    if (error instanceof GateError) return { ok: false, failure: failureOf(error) };
    transport.failed(method, error);
    return { ok: false, failure: FAILED };
  }
}

/** By its own name only: not what every object has. */
function isMethod(name: string): name is OperatorMethod {
  return Object.hasOwn(operatorMethods, name);
}
