import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import { GATE } from "../../agents/index.ts";
import { errorCode } from "../../base/errors.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

type SafetyMethod = "safety.status" | "safety.violations" | "safety.acknowledge" | "safety.pause" | "safety.resume";

export function safetyMethods(context: OperatorContext): Handlers<SafetyMethod> {
  const { gate, kept_pauses, safety } = context.core;
  return {
    "safety.status": () => safety.status(),
    "safety.violations": ({ since, include_acknowledged, limit }) =>
      safety.violations.list({
        since: since === undefined ? undefined : isoSeconds(Date.parse(since)),
        include_acknowledged,
        limit,
      }),
    "safety.acknowledge": ({ ids }) => {
      const acknowledged = safety.filter.acknowledge(ids);
      recordAct(context, "acknowledged", { violations: acknowledged });
      return { acknowledged };
    },
    "safety.pause": ({ for_seconds, reason }) => {
      try {
        return safety.pause.begin({
          by: "human",
          reason: reason ?? "you paused it",
          clears: for_seconds === undefined ? "by_human" : "after_seconds",
          seconds: for_seconds,
        });
      } catch (error) {
        const note = kept_pauses.noteOf(GATE);
        if (note === undefined || !errorCode(error).startsWith("SQLITE")) throw error;
        return { ...safety.pause.state(), note };
      }
    },
    "safety.resume": () => {
      // The pause has withdrawn them: a gate that is killed now must not find them waiting.
      gate.broker.completeWithdrawals();
      safety.filter.resume();
      return safety.pause.state();
    },
  };
}
