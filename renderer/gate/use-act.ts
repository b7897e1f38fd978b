import { useCallback, useState } from "react";
import { OperatorError } from "../../ipc/operator-error.ts";

export interface Act {
  is_busy: boolean;
  error: OperatorError | undefined;
  /** True once it was done, false where it was refused (`error` says why). */
  run(act: () => Promise<unknown>): Promise<boolean>;
  forget(): void;
}

/** Something that the human does to the gate: busy meanwhile, and what went wrong afterwards. */
export function useAct(): Act {
  const [is_busy, setBusy] = useState(false);
  const [error, setError] = useState<OperatorError | undefined>();
  const run = useCallback(async (act: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (failure) {
      setError(failure instanceof OperatorError ? failure : new OperatorError("unexpected", String(failure)));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  const forget = useCallback(() => setError(undefined), []);
  return { is_busy, error, run, forget };
}
