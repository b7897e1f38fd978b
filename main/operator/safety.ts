import { GateError } from "../gate/errors.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

type SafetyMethod = "safety.status" | "safety.violations" | "safety.acknowledge" | "safety.pause" | "safety.resume";

export function safetyMethods({ core }: OperatorContext): Handlers<SafetyMethod> {
  const notYet = (): never => {
    throw new GateError("not_available", "this gate has no safety filter");
  };
  return {
    "safety.status": () => ({ pause: core.pause(), rules: [], violations_unacknowledged: 0 }),
    "safety.violations": () => [],
    "safety.acknowledge": notYet,
    "safety.pause": notYet,
    "safety.resume": notYet,
  };
}
