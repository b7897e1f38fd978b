import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import type { Registry } from "prom-client";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { KeptFiles } from "../../../ipc/contract/kept-files.ts";
import { PAST_ALARMS } from "../../../ipc/words/alarm-words.ts";
import { BESIDE } from "../../base/sqlite/database-file.ts";
import { foldersOf, roomOf } from "../../core/storage/disk-watch.ts";
import { forgetCalls } from "../../records/activity/forget-calls.ts";
import { callsToday, linesOf, listCalls } from "../../records/activity/list-calls.ts";
import { filesIn } from "../../records/audit/month-files.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

type ActivityMethod =
  | "activity.list"
  | "activity.open"
  | "activity.counts"
  | "activity.today"
  | "activity.lines"
  | "activity.forget";

export function activityMethods(context: OperatorContext): Handlers<ActivityMethod> {
  const { activity, clock, config, lines } = context.core;
  const { keep, days } = config.activity;
  return {
    "activity.list": async ({ since, until, ...query }) => {
      const [from, to] = [msOf(since), msOf(until)];
      const entries = await listCalls(lines, { ...query, since: from, until: to });
      const oldest = lines.oldest();
      return {
        entries: activity.completed(entries),
        since: oldest === undefined ? null : oldest / 1000,
        gaps: lines.gaps(from ?? 0, to ?? clock.now()),
        keep,
        days,
      };
    },
    "activity.open": (wanted) => activity.open(wanted),
    "activity.counts": ({ range }) => activity.counts(range),
    "activity.today": () => callsToday(lines),
    "activity.lines": async ({ decision_ids, from, until }) => ({
      lines: await linesOf(lines, decision_ids, (from - DAY_SECONDS) * 1000, (until + 1) * 1000),
    }),
    "activity.forget": async ({ agent, project, before }) => {
      const end = msOf(before);
      const forgotten = await forgetCalls(lines, { agent, project, before: end });
      activity.forget(
        ({ agent_name, cwd, ts }) =>
          (agent === undefined || agent_name === agent) &&
          (project === undefined || (cwd !== null && isAtOrBelow(cwd, project))) &&
          (end === undefined || ts * 1000 < end),
      );
      if (forgotten > 0)
        recordAct(context, "activity.forgotten", { count: forgotten, ...(agent === undefined ? {} : { agent }) });
      return { forgotten };
    },
  };
}

const DAY_SECONDS = 86_400;

/** Unix milliseconds of an ISO-8601 date. */
function msOf(date: string | undefined): number | undefined {
  return date === undefined ? undefined : Date.parse(date);
}

export function costMethods({ core }: OperatorContext): Handlers<"costs.today" | "rate.budgets"> {
  return {
    "costs.today": () =>
      core.activity
        .spentToday()
        .map(({ agent_id, ...spent }) => ({
          agent_id,
          agent_name: core.agents.get(agent_id)?.name ?? "none",
          ...spent,
        }))
        .sort((a, b) => b.amount - a.amount),
    "rate.budgets": () =>
      core.rate.list().map((budget) => ({ ...budget, agent_name: core.agents.get(budget.agent_id)?.name ?? "none" })),
  };
}

export function alarmMethods(context: OperatorContext): Handlers<"alarms.acknowledge"> {
  const { alarms } = context.core;
  return {
    "alarms.acknowledge": ({ code, subject }) => {
      const found = alarms.list().find((alarm) => alarm.code === code && alarm.subject === subject);
      if (found === undefined) return { acknowledged: false };
      if (!PAST_ALARMS.includes(code)) {
        throw new GateError("still_holds", `this is not over: ${found.message}`, found.hint);
      }
      recordAct(context, "alarm.acknowledged", { code });
      alarms.clear(code, subject);
      return { acknowledged: true };
    },
  };
}

export function receiptMethods(context: OperatorContext): Handlers<"receipts.rotate_key"> {
  return {
    "receipts.rotate_key": ({ is_lost }) => {
      const { keyid, since, previous, is_proven } = context.core.receipts.rotateKey({ without_previous: is_lost });
      recordAct(context, "receipts.key", { keyid, previous, is_proven });
      return { keyid, since, previous, is_proven };
    },
  };
}

export function metricsMethods({ core, connections }: OperatorContext): Handlers<"metrics"> {
  let registry: Registry | undefined;
  let meters = core.judges.meters;
  return {
    async metrics() {
      // Loaded on the first request: most gates never get one.
      const { gateMetrics } = await import("../metrics/metrics.ts");
      // Judges that were set up meanwhile have others.
      if (meters !== core.judges.meters) registry = undefined;
      meters = core.judges.meters;
      registry ??= gateMetrics(core, () => connections?.connected().length ?? 0);
      return { text: await registry.metrics(), content_type: registry.contentType };
    },
  };
}

export function keptFileMethods({ core: { paths } }: OperatorContext): Handlers<"storage.files"> {
  return {
    "storage.files": (): KeptFiles => {
      const trail = filesIn(paths.auditDir);
      const ofTrail = (role: string) => sum(trail.map((file) => (file.role === role ? file.size : 0)));
      const database = (kind: "grants" | "approvals" | "agents" | "safety" | "activity" | "lines") => {
        const path = paths[`${kind}_db`];
        return { kind, path, bytes: sum(["", ...BESIDE].map((end) => sizeOf(`${path}${end}`))) };
      };
      return {
        files: [
          { kind: "trail", path: paths.auditDir, bytes: ofTrail("month") },
          { kind: "archives", path: paths.auditDir, bytes: ofTrail("archive") },
          { kind: "receipts", path: paths.receiptsDir, bytes: folderSize(paths.receiptsDir) },
          { kind: "checkpoints", path: paths.checkpointsDir, bytes: folderSize(paths.checkpointsDir) },
          database("grants"),
          database("approvals"),
          database("agents"),
          database("safety"),
          database("activity"),
          database("lines"),
        ],
        disks: roomOf(foldersOf(paths)),
      };
    },
  };
}

const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);

/** 0 where it can't be seen. */
function sizeOf(file: string): number {
  try {
    return lstatSync(file).size;
  } catch {
    return 0;
  }
}

function folderSize(folder: string): number {
  try {
    return sum(readdirSync(folder).map((name) => sizeOf(join(folder, name))));
  } catch {
    return 0;
  }
}
