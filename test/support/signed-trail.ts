import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Alarms } from "../../main/base/alarms.ts";
import { notesIn } from "../../main/records/audit/checkpoint.ts";
import { Checkpoints } from "../../main/records/audit/checkpoints.ts";
import type { Claims } from "../../main/records/audit/compare-checkpoints.ts";
import { AuditLog } from "../../main/records/audit/log.ts";
import { verifyAudit } from "../../main/records/audit/verify.ts";
import { freshTrail } from "./audit-trail.ts";
import { testKeys } from "./checkpoint-keys.ts";
import { ManualClock } from "./manual-clock.ts";

/** A trail with its checkpoints in a temporary folder, and the gates that write them. */
export function signedTrail(clock = new ManualClock(), keys = testKeys()) {
  const trail = freshTrail(clock);
  const { top, folder, headFile } = trail;
  const recordFile = join(top, "state/audit-tree");
  const checkpointsDir = join(top, "checkpoints");
  const failures: unknown[] = [];
  /** A gate's parts, as it is started. */
  const start = (checkpointFile?: string) => {
    const audit = new AuditLog(folder, headFile, clock.now);
    const alarms = new Alarms(clock.now, () => undefined);
    const checkpoints = new Checkpoints({
      audit,
      keys,
      folder,
      recordFile,
      checkpointsDir,
      checkpoint_file: checkpointFile,
      now: clock.now,
      alarms,
      failed: (_what, error) => failures.push(error),
    });
    checkpoints.begin();
    audit.begin(() => undefined);
    let count = 0;
    return {
      audit,
      alarms,
      checkpoints,
      /** Writes so many lines, one each second. */
      write(lines: number, text = "a line") {
        for (let line = 0; line < lines; line++) {
          audit.append({ event: "test", ts: clock.ms / 1000, text: `${text} ${++count}` });
          audit.flush();
          clock.advance(1);
        }
      },
      claims: (against?: string): Claims => ({
        given: against === undefined ? undefined : notesIn(against),
        stored: checkpoints.files.all(),
        keys: { own: keys.known(), named: undefined },
        origin: checkpoints.origin,
        epoch: checkpoints.epoch,
      }),
      /** An end in order. */
      end() {
        checkpoints.close();
        audit.close();
      },
      /** `kill -9`: nothing more is written. */
      kill() {
        checkpoints.abandon();
        audit.abandon();
      },
    };
  };
  /** What `audit verify --against` of a gate that is started now finds. */
  const verified = async (against?: string) => {
    const gate = start();
    const report = await verifyAudit(folder, headFile, gate.audit.end, clock.now(), gate.claims(against));
    gate.end();
    return report;
  };
  const stored = () =>
    existsSync(checkpointsDir) ? readFileSync(join(checkpointsDir, "2026-05.checkpoints"), "utf8") : "";
  return { ...trail, recordFile, checkpointsDir, keys, failures, start, verified, stored };
}
export type SignedTrail = ReturnType<typeof signedTrail>;
