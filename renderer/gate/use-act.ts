import { useCallback, useState } from "react";
import { asGateError, type GateError } from "../../ipc/contract/gate-error.ts";

export interface Act {
  isBusy: boolean;
  error: GateError | undefined;
  /** True once it was done, false where it was refused (`error` says why). */
  run(act: () => Promise<unknown>): Promise<boolean>;
  forget(): void;
}

/** An act of the operator: busy meanwhile, and its error afterwards. */
export function useAct(): Act {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<GateError | undefined>();
  const run = useCallback(async (act: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (failure) {
      setError(asGateError(failure));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  const forget = useCallback(() => setError(undefined), []);
  return { isBusy, error, run, forget };
}
