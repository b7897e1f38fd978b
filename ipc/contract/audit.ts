import { z } from "zod";

/** The result of verifying the audit trail. */

/** The kinds of problems of the trail (docs/cli.md describes each). */
export const AUDIT_PROBLEM_KINDS = [
  "changed",
  "removed",
  "inserted",
  "moved",
  "appended",
  "blank",
  "torn",
  "wrong_month",
  "renamed",
  "merged",
  "stray_file",
  "link",
  "unreadable",
  "head_missing",
  "head_unreadable",
  "head_zero",
  "head_earlier",
  "head_changed",
  "gap",
  "lost",
  "cut_off",
  "rewritten",
  "restarted",
  "checkpoint_unreadable",
  "checkpoint_signature",
  "checkpoint_key",
  "checkpoint_origin",
] as const;
const auditProblemSchema = z.object({
  file: z.string(),
  /** 0: the file as a whole. */
  line: z.number().int(),
  kind: z.enum(AUDIT_PROBLEM_KINDS),
  problem: z.string(),
  /** Why the operator accepted it; null: it isn't accepted. */
  accepted: z.string().nullable(),
});
export type AuditProblem = z.infer<typeof auditProblemSchema>;
export const auditReportSchema = z.object({
  /** There are no problems, or only accepted ones. */
  ok: z.boolean(),
  files: z.number().int(),
  lines: z.number().int(),
  problems: z.array(auditProblemSchema),
});
export type AuditReport = z.infer<typeof auditReportSchema>;
