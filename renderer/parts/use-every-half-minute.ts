import { useEffect, useRef } from "react";
import { useNow } from "./clock.ts";

/** For what changes without an event. */
export function useEveryHalfMinute(act: () => void): void {
  const now = useNow("half_minute");
  const last = useRef(now);
  useEffect(() => {
    if (last.current === now) return;
    last.current = now;
    act();
  }, [now, act]);
}
