import type { Pause, SafetyStatus, ViolationView } from "../../../ipc/contract/safety.ts";
import { GATE, type KeptPauses } from "../../agents/index.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import type { DamagedRowReport } from "../../base/sqlite/damaged-row-report.ts";
import type { SqliteDatabase } from "../../base/sqlite/prepared-statements.ts";
import { builtInRules } from "./built-in.ts";
import type { SafetyConfig } from "./config.ts";
import { SafetyFilter } from "./filter.ts";
import { CheckMeter } from "./meter.ts";
import { ownRule } from "./own-rules.ts";
import { PauseSwitch } from "./pause.ts";
import { RuleRegistry } from "./rules.ts";
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
