import { GateError } from "../../../ipc/contract/gate-error.ts";
import { explainedCall } from "../../core/explained-call.ts";
import { kindOf } from "../../decide/stages/examination.ts";
import { reviewRecord } from "../../records/audit/record.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

export function judgeMethods(
  context: OperatorContext,
): Handlers<"reviews.list" | "reviews.override" | "reviews.dismiss" | "reviews.run" | "judge.status" | "judge.test"> {
  const { core } = context;
  const { gate } = core;
  return {
    "reviews.list": () => ({ running: gate.waiting.reviews.running(), refused: gate.refused_calls.list() }),
    "reviews.override": ({ id }) => {
      const { refusal, executor, is_new } = gate.refused_calls.override(id);
      if (is_new) recordAct(context, "judge.overridden", { agent: refusal.agent_name, executor, decision_id: id });
      return refusal;
    },
    "reviews.dismiss": ({ id }) => ({ dismissed: gate.refused_calls.dismiss(id) }),
    "reviews.run": async ({ question }) => {
      if (core.judges.reviewers.length === 0)
        throw new GateError("not_available", "no judge is configured", "see docs/judges.md");
      const { call, subject } = explainedCall(question);
      const decision = await gate.tryCall(call, subject);
      const { outcome, stage, reviews = [] } = decision;
      const executor = core.catalog.loggedName(call.executor, kindOf(subject));
      recordAct(context, "judge.tried", { executor, outcome, stage, reviews: reviews.map(reviewRecord) });
      return decision;
    },
    "judge.status": () => core.judges.status(),
    "judge.test": ({ model }) => core.judges.test(model),
  };
}
