import { tailAudit } from "../gate/audit/tail.ts";
import { verifyAudit } from "../gate/audit/verify.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function auditMethods({ core }: OperatorContext): Handlers<"audit.tail" | "audit.verify"> {
  const { audit, places } = core;
  return {
    "audit.tail": ({ lines }) => {
      audit.flush();
      return tailAudit(places.audit_dir, lines);
    },
    "audit.verify": () => {
      audit.flush();
      audit.remember_head();
      return verifyAudit(places.audit_dir, places.audit_head);
    },
  };
}
