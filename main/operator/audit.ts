import { acceptProblems } from "../gate/audit/accept.ts";
import { tailAudit } from "../gate/audit/tail.ts";
import { verifyAudit } from "../gate/audit/verify.ts";
import type { Handlers, OperatorContext } from "./handlers.ts";

export function auditMethods({
  core,
}: OperatorContext): Handlers<"audit.tail" | "audit.verify" | "audit.checkpoint" | "audit.accept"> {
  const { audit, paths } = core;
  return {
    "audit.tail": ({ lines }) => {
      audit.flush();
      return tailAudit(paths.audit_dir, lines);
    },
    "audit.verify": () => {
      audit.flush();
      return verifyAudit(paths.audit_dir, paths.audit_head, audit.end);
    },
    "audit.checkpoint": () => ({ text: null, signed_at: null, lines: null }),
    "audit.accept": ({ reason }) =>
      acceptProblems(audit, { folder: paths.audit_dir, head_file: paths.audit_head }, reason),
  };
}
