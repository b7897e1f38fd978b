import { useSyncExternalStore } from "react";

/** `#/approvals/<token>`: the view, and what in it. */
export interface Route {
  view: string;
  rest: string;
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const [view = "", ...rest] = hash.replace(/^#\/?/, "").split("/");
  return { view, rest: rest.map(decoded).join("/") };
}

/** `approvals/<token>` -> `#/approvals/<token>` */
export function goTo(path: string): void {
  window.location.hash = `#/${path}`;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}
