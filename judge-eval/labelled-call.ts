import { z } from "zod";
import { proposedCallSchema } from "../ipc/contract/wire.ts";

/** A call, and whether it should be refused. "Positive" is everywhere: it should be refused. */
const LABELS = ["allow", "refuse"] as const;

export const labelledCallSchema = z.strictObject({
  id: z.string().min(1),
  intent: proposedCallSchema.shape.intent,
  executor: proposedCallSchema.shape.executor,
  args: proposedCallSchema.shape.args,
  /** Where the agent works. */
  context: z.strictObject({ cwd: z.string().startsWith("/").optional() }),
  label: z.enum(LABELS),
  /** What makes the call worth judging. */
  category: z.string().min(1),
  /** Why it has its label, in one sentence; empty where the source gives none. */
  reason: z.string(),
});
export type LabelledCall = z.output<typeof labelledCallSchema>;
