import type { Pause, SafetyStatus, ViolationView } from "../../../ipc/contract/safety.ts";
import { GATE, type KeptPauses } from "../../agents/index.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import type { DamagedRowReport } from "../../base/sqlite/damaged-row-report.ts";
import type { SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import type { SafetyConfig } from "./config.ts";
import { SafetyFilter } from "./filter.ts";
import type { SafetyLimits } from "./limits.ts";
import { CheckMeter } from "./meter.ts";
import { ownRule } from "./own-rules.ts";
import { PauseSwitch } from "./pause.ts";
import { RuleRegistry } from "./rules.ts";
import type { SafetyRule } from "./subjects.ts";
import { ViolationLog } from "./violations.ts";

/** The kill switch of all agents, and the filter that can trigger it. */

export interface SafetyEvents {
  /** A pause began, changed or ended. */
  pauseChanged(pause: Pause): void;
  violated(violation: ViolationView): void;
  /** Reports unreadable rows. */
  rows?: DamagedRowReport;
  /** Runs what writes the pause, with the reserved space where the disk is full. */
  withRoom?<T>(act: () => T): T;
  /** Has the pause where it can't be stored. */
  kept?: KeptPauses;
}

export interface Safety {
  filter: SafetyFilter;
  pause: PauseSwitch;
  violations: ViolationLog;
  rules: RuleRegistry;
  meter: CheckMeter;
  status(): SafetyStatus;
}

/** `db` was opened with `SAFETY_SCHEMA`. @throws GateError `rule_exists` */
export function openSafety(db: SqliteDatabase, config: SafetyConfig, clock: Clock, events: SafetyEvents): Safety {
  const { now } = clock;
  const rules = new RuleRegistry(builtInRules(config));
  for (const rule of config.rules) rules.register(ownRule(rule));
  const violations = new ViolationLog(
    db,
    config.max_violations,
    now,
    (violation) => events.violated(violation),
    events.rows,
  );
  const { rows, withRoom, kept } = events;
  const changed = (state: Pause) => events.pauseChanged(state);
  const pause = new PauseSwitch(db, { clock, changed, report: rows, withRoom, kept });
  const meter = new CheckMeter();
  const filter = new SafetyFilter({
    rules,
    violations,
    pause,
    meter,
    settings: config,
    now,
  });
  return {
    filter,
    pause,
    violations,
    rules,
    meter,
    status: () => ({
      pause: pause.state(),
      note: kept?.noteOf(GATE),
      rules: rules.view(),
      violations_unacknowledged: violations.countOpen(),
    }),
  };
}

/** Goals of these kinds are never accepted (SR-007). */
const FORBIDDEN_GOAL_TYPES: ReadonlySet<string> = new Set([
  "self_modify_runtime",
  "disable_safety_filter",
  "exfiltrate_data",
]);

/** SR-001 to SR-007 (docs/decisions/requirements-safety.md, "Rules"). They are always there. */
function builtInRules(limits: SafetyLimits): SafetyRule[] {
  const { max_goal_description_len: longest, max_subtasks_per_graph: most } = limits;
  const { allowed_capability_prefixes: prefixes, blocked_capability_patterns: blocked } = limits;
  const isBlocked = (cap: string) => blocked.some((pattern) => cap.includes(pattern));
  const isUnknown = (cap: string) => !prefixes.some((prefix) => cap.startsWith(prefix));
  return [
    {
      rule_id: "SR-001",
      subject_type: "goal",
      severity: "BLOCK",
      description: `a goal's description has at most ${longest} characters`,
      predicate: ({ description }) => description.length > longest,
      about: ({ description }) => String(description.length),
    },
    {
      rule_id: "SR-002",
      subject_type: "goal",
      severity: "BLOCK",
      description: "a goal of critical priority says allow_critical",
      predicate: ({ priority, allow_critical }) => priority === "critical" && allow_critical !== true,
    },
    {
      rule_id: "SR-003",
      subject_type: "subtask",
      severity: "BLOCK",
      description: `a subtask needs none of ${blocked.join(", ")}`,
      predicate: ({ required_caps }) => required_caps.some(isBlocked),
      about: ({ required_caps }) => required_caps.filter(isBlocked).join(", "),
    },
    {
      rule_id: "SR-004",
      subject_type: "subtask",
      severity: "WARN",
      description: `a subtask's capabilities begin with ${prefixes.join(" or ")}`,
      predicate: ({ required_caps }) => required_caps.some(isUnknown),
      about: ({ required_caps }) => required_caps.filter(isUnknown).join(", "),
    },
    {
      rule_id: "SR-005",
      subject_type: "graph",
      severity: "BLOCK",
      description: `a graph has at most ${most} subtasks`,
      predicate: ({ subtasks }) => Object.keys(subtasks).length > most,
      about: ({ subtasks }) => String(Object.keys(subtasks).length),
    },
    {
      rule_id: "SR-006",
      subject_type: "goal",
      severity: "WARN",
      description: "a goal's description names no web address",
      predicate: ({ description }) => /https?:\/\//.test(description),
    },
    {
      rule_id: "SR-007",
      subject_type: "goal",
      severity: "CRITICAL",
      description: "no goal changes the runtime, turns the safety filter off or carries data away",
      predicate: ({ goal_type }) => FORBIDDEN_GOAL_TYPES.has(goal_type),
      about: ({ goal_type }) => goal_type,
    },
  ];
}
