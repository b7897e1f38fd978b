import { useCallback, useEffect, useRef, useState } from "react";
import { asGateError, type GateError } from "../../../ipc/contract/gate-error.ts";
import { useCall } from "../../gate/use-gate.tsx";

/** As long as the gate takes a revocation back. */
const UNDO_MS = 10_000;

/** So many calls are on the way at once. */
const AT_ONCE = 8;

/** What was revoked last: it can be taken back while it is there. */
interface Revoked {
  ids: readonly number[];
  /** It has just been given back. */
  isUndone: boolean;
}

export interface Revocation {
  /** Null while there is nothing to say of it. */
  revoked: Revoked | null;
  /** While it works: how many are done, and of how many. */
  progress: { done: number; of: number } | null;
  error: GateError | undefined;
  revoke(ids: readonly number[]): Promise<void>;
  undo(): Promise<void>;
}

/** Revokes grants at once, without a question: for ten seconds that can be undone. */
export function useRevocation(): Revocation {
  const call = useCall();
  const [revoked, setRevoked] = useState<Revoked | null>(null);
  const [progress, setProgress] = useState<Revocation["progress"]>(null);
  const [error, setError] = useState<GateError | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = useCallback((next: Revoked | null) => {
    clearTimeout(timer.current);
    setRevoked(next);
    if (next !== null) timer.current = setTimeout(() => setRevoked(null), UNDO_MS);
  }, []);

  /** Each of them; says which of them were done. */
  const each = useCallback(async (ids: readonly number[], act: (id: number) => Promise<boolean>) => {
    const done: number[] = [];
    const next = ids.values();
    setError(undefined);
    setProgress({ done: 0, of: ids.length });
    const worker = async () => {
      for (const id of next) {
        try {
          if (await act(id)) done.push(id);
        } catch (failure) {
          setError(asGateError(failure));
        }
        setProgress((now) => now && { ...now, done: now.done + 1 });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    setProgress(null);
    return done;
  }, []);

  const revoke = useCallback(
    async (ids: readonly number[]) => {
      show(null);
      const done = await each(ids, async (id) => (await call("grants.revoke", { id })).revoked);
      if (done.length > 0) show({ ids: done, isUndone: false });
    },
    [call, each, show],
  );

  const undo = useCallback(async () => {
    const ids = revoked?.ids ?? [];
    const done = await each(ids, async (id) => {
      await call("grants.restore", { id });
      return true;
    });
    show(done.length > 0 ? { ids: done, isUndone: true } : null);
  }, [call, each, show, revoked]);

  return { revoked, progress, error, revoke, undo };
}
