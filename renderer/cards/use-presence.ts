import { useEffect, useMemo } from "react";
import { useCall } from "../gate/use-gate.tsx";
import { presence } from "./presence.ts";

/** The gate is notified this often that the user is at a card. */
const HOLD_MS = 4000;

/** Spread on a card: the user's activity in it extends its deadline, and that of all its requests. */
export function usePresence(tokens: readonly string[], isOpen: boolean) {
  const call = useCall();
  const key = tokens.join(" ");
  useEffect(() => {
    const own = key.split(" ");
    const [first = ""] = own;
    presence.engage(first, isOpen);
    let reportedAt = Number.NEGATIVE_INFINITY;
    const hold = () => {
      const now = performance.now();
      if (!presence.isAt(first, now) || now - reportedAt < HOLD_MS) return;
      reportedAt = now;
      // A request that has just ended can't be extended: its own event reports that.
      for (const token of own) void call("approvals.hold", { token }).catch(() => null);
    };
    const timer = setInterval(hold, 500);
    return () => {
      clearInterval(timer);
      presence.engage(first, false);
    };
  }, [call, key, isOpen]);
  // A removed card extends nothing.
  useEffect(() => () => presence.leave(key.split(" ")[0] ?? ""), [key]);
  return useMemo(() => {
    const touch = () => presence.touch(key.split(" ")[0] ?? "", performance.now());
    return { onPointerMove: touch, onPointerDown: touch, onKeyDown: touch, onWheel: touch, onInput: touch };
  }, [key]);
}
