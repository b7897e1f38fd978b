import { acceptProblems } from "../gate/audit/accept.ts";
import { tailAudit } from "../gate/audit/tail.ts";
import { verifyAudit } from "../gate/audit/verify.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function auditMethods({ core }: OperatorContext): Handlers<"audit.tail" | "audit.verify" | "audit.accept"> {
  const { audit, places } = core;
  return {
    "audit.tail": ({ lines }) => {
      audit.flush();
      return tailAudit(places.audit_dir, lines);
    },
    "audit.verify": () => {
      audit.flush();
      return verifyAudit(places.audit_dir, places.audit_head, audit.end);
    },
    "audit.accept": ({ reason }) =>
      acceptProblems(audit, { folder: places.audit_dir, head_file: places.audit_head }, reason),
  };
}
