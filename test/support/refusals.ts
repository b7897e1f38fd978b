import { GateError } from "../../ipc/contract/gate-error.ts";

/** The refusal that `action` throws. Fails the test if it throws nothing, or something that isn't one. */
export function refusalOf(action: () => unknown): GateError {
  try {
    action();
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  }
  throw new Error("expected a refusal, and there was none");
}
