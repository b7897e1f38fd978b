import type { ReviewTarget } from "./notifier.ts";

/** Where the page shows what a notification is about: what follows `#/`. */
export function routeOf(target: ReviewTarget): string {
  if (target.kind === "approval") return `approvals/${target.token}`;
  return { agent: "approvals", pairing: "approvals", safety: "safety", alarm: "approvals", note: "activity" }[
    target.kind
  ];
}
