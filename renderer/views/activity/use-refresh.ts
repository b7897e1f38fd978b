import { useEffect, useRef } from "react";
import { useGateEvents } from "../../gate/use-gate.tsx";
import { useNow } from "../../parts/clock.ts";

/** Asks again while calls are decided, at most once in `everyMs`, and as time passes. */
export function useRefreshWhileDecided(refresh: () => void, everyMs: number): void {
  const now = useNow("half_minute");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (now > 0) refresh();
  }, [now, refresh]);
  useGateEvents(({ type }) => {
    if (type !== "decision") return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      refresh();
    }, everyMs);
  });
}
