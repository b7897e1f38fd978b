import { GateError } from "../../ipc/gate-error.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function boxMethods({ core }: OperatorContext): Handlers<"box.status" | "box.explain" | "box.prepare"> {
  return {
    "box.status": () => core.box.status(),
    "box.explain": () => ({ reason: "unavailable", about: "", declaration: null }),
    "box.prepare": () => {
      throw new GateError("box_unavailable", "no command can run confined here", "see box status");
    },
  };
}
