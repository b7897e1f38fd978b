import { basename } from "node:path";
import type { GatePaths } from "../../ipc/base/paths.ts";
import type { AuditLine } from "../../ipc/contract/operator-api.ts";
import { GATE } from "../agents/index.ts";
import { serveOthers } from "../base/sqlite/database.ts";
import type { Gate } from "../calls/index.ts";
import { AGENT_PAUSED } from "../decide/stages/safety.ts";
import { raiseTrailAlarms } from "../records/audit/alarms.ts";
import { lastLine } from "../records/audit/last-lines.ts";
import type { Opened } from "./stores.ts";

/** Continues with what the previous gate left: waiting requests, a pause, grants of its sessions. */
export function continueFrom(opened: Opened, gate: Gate): void {
  const { paths, config, clock, alarms, audit, listeners, log, storage } = opened;
  const { agent_pauses, approvals, grants, kept_pauses, rate, safety } = opened;
  const { databases, activity, irregularities, may_have_lost_pause } = storage.opened;
  audit.subscribe((line) => {
    if (listeners.hasListener("audit.line"))
      listeners.publish({ type: "audit.line", data: JSON.parse(line) as AuditLine });
  });
  const trail = { folder: paths.audit_dir, head_file: paths.audit_head };
  audit.begin(
    (health) => raiseTrailAlarms(alarms, health, trail, config.audit.on_failure),
    () => storage.watch.lossByNow(),
  );
  // Before anything that may fail: the next start finds a safety database, and doesn't check the trail again.
  if (may_have_lost_pause && safety.pause.reason === undefined && wasPaused(paths)) {
    const reason = "the gate was paused when its safety database was lost";
    safety.pause.begin({ by: "human", reason, clears: "by_human" });
  }
  // Now, so that a disk that gets full later doesn't keep a pause from it.
  kept_pauses.flush();
  for (const who of kept_pauses.adopted) noteKeptPause(opened, who);
  storage.write(databases.approvals, () => gate.broker.start());
  for (const request of approvals.listPending({ limit: 100_000 })) rate.asked(request);
  for (const { db } of [...Object.values(databases), activity]) serveOthers(db);
  storage.write(databases.grants, () => grants.endGateSessions());
  storage.write(databases.approvals, () => {
    approvals.refusals.endGateSessions();
    // Also removes requests that had ended when the gate was killed.
    approvals.flush();
  });
  for (const { event, file, message, hint } of irregularities) {
    alarms.raise({ code: "file_renewed", subject: file, message, hint });
    audit.append({ event, ts: clock.now() / 1000, file: basename(file) });
    log(message);
  }
  audit.flush();
  const paused = safety.pause.reason;
  if (paused !== undefined) gate.waiting.withdrawAll(`the gate is paused: ${paused}`);
  for (const { agent_id } of agent_pauses.list())
    gate.waiting.withdrawAgent(agent_id, AGENT_PAUSED, "approval.withdrawn-pause");
  gate.broker.completeWithdrawals();
}

/** Says that the gate, or an agent, starts paused though no database knows it: the trail may not know it either. */
function noteKeptPause({ agents, audit, clock, log, paths, safety }: Opened, who: string): void {
  const agent = who === GATE ? undefined : (agents.get(who)?.name ?? who);
  const ts = clock.now() / 1000;
  if (agent === undefined) audit.append({ event: "paused", ts, by: safety.pause.state().by });
  else audit.append({ event: "agent.paused", ts, agent });
  log(
    `${agent ?? "the gate"} starts paused: the gate before could not store that, but kept it in ${paths.kept_pauses}`,
  );
}

/** Whether the gate was paused, according to the trail. */
function wasPaused({ audit_dir }: GatePaths): boolean {
  return lastLine(audit_dir, ({ event }) => event === "paused" || event === "resumed")?.event === "paused";
}
