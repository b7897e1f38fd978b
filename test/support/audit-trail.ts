import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MONTH_FILE } from "../../main/records/audit/chain.ts";
import { AuditLog } from "../../main/records/audit/log.ts";
import { ManualClock } from "./manual-clock.ts";
import { tempFolder } from "./temp-folder.ts";

/** An audit trail in a temporary folder: its folder, its clock, and a log that writes it. */
export function freshTrail(clock = new ManualClock()) {
  const top = tempFolder();
  const folder = join(top, "vaglio");
  const headFile = join(top, "state/audit-head");
  const opened = () => new AuditLog(folder, headFile, clock.now);
  return { top, folder, headFile, clock, opened };
}

/** Writes one line for each text and closes the log. */
export function written(log: AuditLog, clock: ManualClock, texts: readonly string[]): void {
  for (const text of texts) {
    log.append({ event: "test", ts: clock.ms / 1000, text });
    log.flush();
    clock.advance(1);
  }
  log.close();
}

/** Every line of every month's file, oldest first. */
export function linesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => MONTH_FILE.test(name))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1));
}
