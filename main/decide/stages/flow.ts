import type { Flow } from "../../../ipc/contract/flow.ts";
import { type Flowed, notConfigured, passed, type Ruled } from "./examination.ts";

/**
 * Does what the session has seen come together with a way out? What was read in it that is private, and what came in that others may have
 * written, count with each later call. Only asks: nothing is let through by it, and no grant answers for it.
 */
export function flow(x: Ruled): Flowed {
  const unchanged = { outcome: x.outcome, reason: x.reason, rule: x.rule };
  const found = x.settings.flow?.of(x);
  if (found == null) {
    if (x.settings.flow === undefined) notConfigured(x, "flow", "no marks of sessions");
    else passed(x, "flow", found === null ? "what the session has seen does not matter here" : "nothing was seen");
    return unchanged;
  }
  const reason = SENTENCES[found.rule];
  x.trace?.push({ stage: "flow", outcome: "ask", detail: reason, rule: found.rule });
  return { outcome: "approval_required", reason, rule: found.rule, flow: found };
}

/** For the agent, too: without what it was. */
const SENTENCES: Readonly<Record<Flow["rule"], string>> = {
  "flow.private-untrusted-out":
    "this session read something private and took in something from outside: the user is asked before anything is sent",
  "flow.untrusted-later":
    "this session took in something from outside: the user is asked before it changes what runs later or instructs agents",
};
