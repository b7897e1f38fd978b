import { useSyncExternalStore } from "react";

/** Whether the user looks at this page: its tab is shown, and its window has the focus. */
export function useIsSeen(): boolean {
  return useSyncExternalStore(subscribe, () => document.visibilityState === "visible" && document.hasFocus());
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  window.addEventListener("focus", listener);
  window.addEventListener("blur", listener);
  return () => {
    document.removeEventListener("visibilitychange", listener);
    window.removeEventListener("focus", listener);
    window.removeEventListener("blur", listener);
  };
}
