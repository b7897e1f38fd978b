import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Pause, ViolationView } from "../../ipc/contract/safety.ts";
import type { Goal } from "../../ipc/contract/wire.ts";
import { openDatabase } from "../../main/base/sqlite/database.ts";
import { type SafetyConfig, safetyConfigSchema } from "../../main/decide/safety/config.ts";
import { openSafety } from "../../main/decide/safety/safety.ts";
import { SAFETY_SCHEMA } from "../../main/decide/safety/schema.ts";
import { ManualClock } from "./manual-clock.ts";
import { tempFolder } from "./temp-folder.ts";

/** A safety filter on a real database, and the events it sent. */
export function safetyUnderTest(options: { config?: Partial<SafetyConfig>; clock?: ManualClock; file?: string } = {}) {
  const clock = options.clock ?? new ManualClock("2026-11-21T12:00:00Z");
  const file = options.file ?? join(tempFolder(), "safety.db");
  const db = openDatabase(file, SAFETY_SCHEMA);
  const pauses: Pause[] = [];
  const violations: ViolationView[] = [];
  const safety = openSafety(db, { ...safetyConfigSchema.parse({}), ...options.config }, clock, {
    pauseChanged: (pause) => pauses.push(pause),
    violated: (violation) => violations.push(violation),
  });
  const close = () => {
    safety.pause.stop();
    safety.violations.flush();
    db.close();
  };
  onTestFinished(() => {
    if (db.open) close();
  });
  return { safety, filter: safety.filter, clock, file, db, pauses, violations, close };
}

export function goal(change: Partial<Goal> = {}): Goal {
  return { goal_id: "g-1", description: "sort the photos", priority: "normal", goal_type: "task", ...change };
}

export function graphOf(count: number, requiredCaps: string[] = ["local:fs"]) {
  return {
    root_goal_id: "g-1",
    subtasks: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `t-${index}`,
        { subtask_id: `t-${index}`, required_caps: requiredCaps },
      ]),
    ),
  };
}
