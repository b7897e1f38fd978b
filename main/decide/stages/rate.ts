import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { UsedUp } from "../rate/budgets.ts";
import { type Denial, denied, notConfigured, passed, type Rated, type Ruled } from "./examination.ts";

/**
 * Is there budget left for what it needs, and doesn't the same call come again and again? Reads only: a call takes its share once it is
 * decided on (`Gate.decide`).
 */
export function rate(x: Ruled): Denial | Rated {
  const { settings, subject, purpose } = x;
  const unchanged = { outcome: x.outcome, reason: x.reason, rule: x.rule };
  // Whatever is configured: the user has stopped it.
  if (subject.agent !== null && settings.refusals?.hasStopped(subject.agent.agent_id, subject.session ?? "", x.call))
    return denied(x, "rate", "the user stopped this call, which came again and again", {
      rule: "rate.same-call-stopped",
      instead: "do without it: it is not asked about again in this session",
    });
  if (settings.rate?.counts(x) !== true) {
    notConfigured(x, "rate", "no budgets");
    return unchanged;
  }
  const exceeded = purpose === undefined ? settings.rate.usedUp(x) : undefined;
  if (exceeded !== undefined) return usedUp(x, exceeded);
  const repeated = x.outcome === "allowed" && purpose !== "coverage" ? settings.rate.repeated(x) : undefined;
  if (repeated !== undefined) return asked(x, repeated);
  passed(x, "rate", purpose === undefined ? "within its budgets" : "counted before");
  return unchanged;
}

function usedUp(x: Ruled, { capability, limit: { per_minute, capacity }, retry_after_ms }: UsedUp): Denial {
  const seconds = Math.ceil(retry_after_ms / 1000);
  const denial = denied(x, "rate", `this agent has used up its calls of ${capability}`, {
    rule: "rate.budget-used",
    matched: `${capability}: ${per_minute} a minute, ${capacity} at once`,
    instead: `wait ${seconds} s, then send it again`,
  });
  return { ...denial, retry_after_ms };
}

function asked(x: Ruled, repeated: RepeatedCall): Rated {
  const reason = `the same call ${repeated.count} times in ${repeated.seconds} s: the user is asked whether it may continue`;
  const rule = "rate.same-call-asks";
  x.trace?.push({ stage: "rate", outcome: "ask", detail: reason, rule });
  return { outcome: "approval_required", reason, rule, repeated };
}
