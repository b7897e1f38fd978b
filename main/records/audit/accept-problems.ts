import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { AuditReport } from "../../../ipc/contract/audit.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { ACCEPTED_EVENT, keyOf } from "./accepted-problems.ts";
import type { Claims } from "./compare-checkpoints.ts";
import type { AuditLog } from "./log.ts";
import { examineTrail, MAX_PROBLEMS, reportOf, type TrailFiles } from "./verify.ts";
import type { FoundProblem } from "./walk.ts";

/**
 * Records every present problem as accepted; `claims`: the stored checkpoints, as they are then. A new one, or another one in the place of an
 * accepted one, isn't. `isOther`: the trail isn't what they say, so that others must be begun; until one is signed that isn't accepted.
 * @throws GateError `too_many_problems`, `trail_unwritable`
 */
export async function acceptProblems(
  log: AuditLog,
  paths: TrailFiles,
  reason: string,
  nowMs = Date.now(),
  claims?: () => Claims,
): Promise<AuditReport & { accepted: number; isOther: boolean }> {
  let count = 0;
  // Where the end is missing, the line that accepts it follows a gap, which is a problem itself: a second line accepts that.
  for (let round = 0; ; round++) {
    log.open();
    log.rememberHead();
    const trail = await examineTrail(paths, log.end, nowMs, claims?.(), log.lost);
    const report = reportOf(trail);
    const open = trail.problems.filter((problem) => !trail.accepted.has(keyOf(problem)));
    if (open.length === 0 || round === 2) {
      log.acknowledgeLosses();
      const isOther = trail.problems.some(({ kind }) => kind === "cut_off" || kind === "rewritten");
      return { ...report, accepted: count, isOther };
    }
    if (trail.problems.length >= MAX_PROBLEMS) {
      throw new GateError(
        "too_many_problems",
        `the trail has ${MAX_PROBLEMS} problems or more`,
        `keep it as it is somewhere else, and let the gate begin a new one in ${paths.folder}`,
      );
    }
    write(log, reason, open);
    count += open.length;
  }
}

function write(log: AuditLog, reason: string, accepted: readonly FoundProblem[]): void {
  const problems = accepted.map(({ file, line, kind, found }) => ({ file, line, kind, found }));
  let failure: unknown;
  log.append({ event: ACCEPTED_EVENT, ts: log.time(), reason, problems }, (error) => {
    failure = error;
  });
  log.flush();
  if (failure === undefined) return;
  throw new GateError(
    "trail_unwritable",
    `the audit trail can't be written (${errorCode(failure)})`,
    `nothing was accepted; see: ${ownCommand("doctor")}`,
    { cause: failure },
  );
}
