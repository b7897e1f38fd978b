import { useEffect } from "react";
import type { UndoneCall, UndoSelection } from "../../../../ipc/contract/undo.ts";
import { useQuery } from "../../../gate/use-gate.tsx";
import { useRefreshWhileDecided } from "../use-refresh.ts";

const REFRESH_MS = 2000;
const MOST = 500;

/** What can be taken back of a selection, the newest first, and its undos. `isOff`: nothing is kept. @param isWatched that a call's end is waited for */
export function useUndoneCalls(selection: UndoSelection, isWatched: (call: UndoneCall) => boolean = () => false) {
  const { data, error, refresh } = useQuery("undo.list", { ...selection, limit: MOST });
  useRefreshWhileDecided(refresh, REFRESH_MS);
  const isWaiting = (data ?? []).some((call) => call.state === "running" && isWatched(call));
  // No event says that what a call left has been kept.
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(refresh, REFRESH_MS / 2);
    return () => clearInterval(timer);
  }, [isWaiting, refresh]);
  return { calls: data ?? [], isOff: error?.code === "not_available", refresh };
}

/** What was taken back and isn't there again, the newest first. */
export function undosIn(calls: readonly UndoneCall[]): UndoneCall[] {
  return calls.filter(({ agent, executor, state }) => agent === null && executor === "undo" && state === "kept");
}
