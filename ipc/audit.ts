import { z } from "zod";

/** What a look at the audit trail finds. */

/** What can be wrong with the trail (docs/cli.md says what each one means). */
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
] as const;
export const auditProblemSchema = z.object({
  file: z.string(),
  /** 0: the file as a whole. */
  line: z.number().int(),
  kind: z.enum(AUDIT_PROBLEM_KINDS),
  problem: z.string(),
  /** Why the human lets it stand; null: nobody does. */
  accepted: z.string().nullable(),
});
export type AuditProblem = z.infer<typeof auditProblemSchema>;
export const auditReportSchema = z.object({
  /** No problem but accepted ones. */
  ok: z.boolean(),
  files: z.number().int(),
  lines: z.number().int(),
  problems: z.array(auditProblemSchema),
});
export type AuditReport = z.infer<typeof auditReportSchema>;
