import type { Outcome } from "../../ipc/contract/decision.ts";

/** Filled dot: allowed. Half dot: asks. Ring: denied. Always beside a word or a letter. */
export function OutcomeShape({ outcome }: { outcome: Outcome }) {
  return (
    <svg className={`shape ${outcome}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <circle cx="6" cy="6" r="4.75" fill={outcome === "allowed" ? "currentColor" : "none"} />
      {outcome === "approval_required" ? <path d="M6 1.25 A4.75 4.75 0 0 0 6 10.75 Z" fill="currentColor" /> : null}
    </svg>
  );
}

/** A dash: neither yes nor no. A request that wasn't answered, a stage that made no decision. */
export function NeitherShape() {
  return (
    <svg className="shape neither" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d="M2.5 5.25 H9.5 V6.75 H2.5 Z" fill="currentColor" />
    </svg>
  );
}
