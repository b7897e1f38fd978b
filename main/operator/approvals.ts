import { isoSeconds } from "../../ipc/iso-seconds.ts";
import { dispatchCallback } from "../gate/approvals/callback.ts";
import { coverageOf } from "../gate/approvals/coverage.ts";
import { causeOf } from "../gate/audit/alarms.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

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
  return {
    "approvals.list": ({ include_resolved, order, limit }) =>
      broker.registry.listPending({ include_resolved, order, limit }).map((request) => broker.view(request)),
    "approvals.history": ({ since, until, ...query }) => {
      const page = broker.registry.listEnded({ ...query, since: storedDate(since), until: storedDate(until) });
      return { total: page.total, approvals: page.requests.map((request) => broker.view(request)) };
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
