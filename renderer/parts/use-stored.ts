import { useSyncExternalStore } from "react";

/** A choice of this browser's: `listeners` are called where this window changes it, the browser says where another one did. */
export function useStored<T>(listeners: Set<() => void>, current: () => T): T {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    window.addEventListener("storage", listener);
    return () => {
      listeners.delete(listener);
      window.removeEventListener("storage", listener);
    };
  }, current);
}
