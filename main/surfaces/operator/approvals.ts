import { ownCommand } from "../../../ipc/base/own-command.ts";
import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { causeOf } from "../../base/files/disk-reserve.ts";
import { ApprovalError, type ApprovalRegistry, coversAsked, dispatchCallback } from "../../calls/index.ts";
import { lineAskedAt } from "../../records/activity/list-calls.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

/** A target's reach is measured against this many requests. */
const RECENT_REQUESTS = 100;

/** Of the agent's last requests for the same capability, how many a grant on `target` would have covered. @throws GateError */
function coverageOf(
  registry: ApprovalRegistry,
  token: string,
  target: string,
  home: string,
): { covered: number; of: number } {
  const request = registry.getPending(token);
  if (request === undefined)
    throw new ApprovalError("unknown_token", "unknown token", `see: ${ownCommand("approvals list")}`);
  const capability = request.extra.capabilities[0]?.capability;
  const asked = registry.listRecent(request.agent_id, RECENT_REQUESTS).flatMap(({ extra: { capabilities, written } }) =>
    capabilities
      .filter((need) => need.capability === capability)
      .slice(0, 1)
      .map((need) => ({ need, written })),
  );
  const covered = asked.filter(({ need, written }) => coversAsked(need, target, home, written));
  return { covered: covered.length, of: asked.length };
}

type ApprovalMethod =
  | "approvals.list"
  | "approvals.history"
  | "approvals.hold"
  | "approvals.coverage"
  | "approvals.resolve"
  | "approvals.callback"
  | "approvals.cleanup";

export function approvalMethods({ core, by }: OperatorContext): Handlers<ApprovalMethod> {
  const { gate } = core;
  const { broker } = gate;
  const lineOf = ({ created_at, extra: { decision_id } }: { created_at: string; extra: { decision_id?: string } }) =>
    decision_id === undefined ? null : lineAskedAt(core.lines, decision_id, Date.parse(created_at));
  return {
    "approvals.list": ({ include_resolved, order, limit }) =>
      broker.registry.listPending({ include_resolved, order, limit }).map((request) => broker.view(request)),
    "approvals.history": ({ since, until, ...query }) => {
      const page = broker.registry.listEnded({ ...query, since: storedDate(since), until: storedDate(until) });
      return {
        total: page.total,
        approvals: page.requests.map((request) => ({ ...broker.view(request), line: lineOf(request) })),
      };
    },
    "approvals.hold": ({ token }) => {
      const { expires_at } = broker.hold(token, by);
      core.publish({ type: "approval.held", data: { token, expires_at } });
      return { expires_at };
    },
    "approvals.coverage": ({ token, target }) => coverageOf(broker.registry, token, target, core.home),
    "approvals.resolve": (answer) => {
      const ended = gate.answer(answer, by);
      const owed = broker.unwrittenGrantsError(answer.token);
      if (owed === undefined) return ended;
      return {
        ...ended,
        note: `the answer holds, but its grant can't be written yet: ${causeOf(owed)}; it is tried again`,
      };
    },
    "approvals.callback": ({ data }) => dispatchCallback(broker, data, by),
    "approvals.cleanup": () => ({ expired: broker.cleanup() }),
  };
}

/** In the databases' form. */
function storedDate(date: string | undefined): string | undefined {
  return date === undefined ? undefined : isoSeconds(Date.parse(date));
}
