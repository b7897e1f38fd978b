import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../main/base/clocks/system-clock.ts";
import { openDatabase } from "../main/base/sqlite/database.ts";
import { safetyConfigSchema } from "../main/decide/safety/config.ts";
import { openSafety } from "../main/decide/safety/safety.ts";
import { SAFETY_SCHEMA } from "../main/decide/safety/schema.ts";
import { type Figure, figure, median } from "./figure.ts";

/** 100,000 goal checks, every tenth one flagged: what one costs, and what the log of violations grows to. */

const CHECKS = 100_000;
const BATCH = 100;

export async function safetyChecks(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "metnos-bench-"));
  const file = join(folder, "safety.db");
  const db = openDatabase(file, SAFETY_SCHEMA);
  try {
    const config = safetyConfigSchema.parse({});
    const quiet = { pauseChanged: () => undefined, violated: () => undefined };
    const { filter, violations } = openSafety(db, config, systemClock, quiet);
    const times: number[] = [];
    for (let check = 0; check < CHECKS; check += BATCH) {
      const began = performance.now();
      for (let index = check; index < check + BATCH; index++) {
        const description = index % 10 === 0 ? "fetch https://example.org" : "sort the photos by their date";
        await filter.checkGoal({ goal_id: `g-${index}`, description, priority: "normal", goal_type: "task" }, "bench");
      }
      times.push(((performance.now() - began) * 1000) / BATCH);
    }
    violations.flush();
    db.pragma("wal_checkpoint(TRUNCATE)");
    const kept = violations.count();
    return [
      figure("goal check, median", median(times), "us", null, `${CHECKS} checks`),
      figure("violations kept of 10,000 flagged", kept / config.max_violations, "x bound", 1, `${kept} rows`),
      figure("safety.db", statSync(file).size / 1024 / 1024, "MiB", null, "after a checkpoint"),
    ];
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
