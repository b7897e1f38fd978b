import type { Severity, SubjectType } from "../../../ipc/contract/safety.ts";
import { Histogram } from "../../base/histogram.ts";

/** Seconds. */
const CHECK_BOUNDS = [0.00001, 0.0001, 0.001, 0.01, 0.1, 1];

/** The safety filter's counts, as plain numbers: they are read when the metrics are requested. */
export class CheckMeter {
  readonly checks: Record<SubjectType, { allowed: number; blocked: number; seconds: Histogram }> = {
    goal: { allowed: 0, blocked: 0, seconds: new Histogram(CHECK_BOUNDS) },
    subtask: { allowed: 0, blocked: 0, seconds: new Histogram(CHECK_BOUNDS) },
    graph: { allowed: 0, blocked: 0, seconds: new Histogram(CHECK_BOUNDS) },
  };
  readonly violations = new Map<string, { rule_id: string; severity: Severity; count: number }>();

  checked(type: SubjectType, allowed: boolean, ms: number): void {
    const checks = this.checks[type];
    checks[allowed ? "allowed" : "blocked"]++;
    checks.seconds.add(ms / 1000);
  }

  violated(ruleId: string, severity: Severity): void {
    const key = `${ruleId} ${severity}`;
    const found = this.violations.get(key);
    if (found === undefined) this.violations.set(key, { rule_id: ruleId, severity, count: 1 });
    else found.count++;
  }
}
