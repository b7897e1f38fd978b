import { z } from "zod";
import { severitySchema } from "../../../ipc/contract/safety.ts";
import type { Goal, SafetyRule, Subtask, TaskGraph } from "./subjects.ts";

/** The user's rules in gate.toml: a small closed vocabulary, without code or patterns of unbounded cost. */

const text = z.string().min(1).max(2048);
const textCondition = <F extends [string, ...string[]]>(fields: F) =>
  z.discriminatedUnion("operator", [
    z.strictObject({
      field: z.enum(fields),
      operator: z.enum(["equals", "not_equals", "contains", "starts_with"]),
      value: text,
    }),
    z.strictObject({ field: z.enum(fields), operator: z.literal("one_of"), value: z.array(text).min(1).max(256) }),
    z.strictObject({ field: z.enum(fields), operator: z.literal("longer_than"), value: z.number().int().min(0) }),
  ]);
const countCondition = (field: string) =>
  z.strictObject({ field: z.literal(field), operator: z.literal("more_than"), value: z.number().int().min(0) });

const common = {
  id: z
    .string()
    .regex(/^[A-Z][A-Z0-9_-]{0,31}$/, "1 to 32 capital letters, digits, '_' or '-', beginning with a letter")
    .refine((id) => !/^SR-\d{3}$/.test(id), { error: "SR-nnn are the built-in rules: choose another id" }),
  severity: severitySchema,
  description: z.string().min(1).max(200).optional(),
};

export const ownRuleSchema = z.discriminatedUnion("subject", [
  z.strictObject({
    ...common,
    subject: z.literal("goal"),
    condition: textCondition(["goal_id", "description", "priority", "goal_type"]),
  }),
  z.strictObject({
    ...common,
    subject: z.literal("subtask"),
    condition: z.union([textCondition(["subtask_id", "required_caps"]), countCondition("required_caps")]),
  }),
  z.strictObject({
    ...common,
    subject: z.literal("graph"),
    condition: z.union([textCondition(["root_goal_id"]), countCondition("subtasks")]),
  }),
]);
export type OwnRule = z.output<typeof ownRuleSchema>;
type Condition = OwnRule["condition"];

/** The rule as the registry holds it. */
export function ownRule(rule: OwnRule): SafetyRule {
  const { condition } = rule;
  const described = rule.description ?? `your rule on ${rule.subject}.${condition.field} (${condition.operator})`;
  const base = { rule_id: rule.id, severity: rule.severity, description: described };
  switch (rule.subject) {
    case "goal":
      return { ...base, subject_type: "goal", predicate: (goal: Goal) => holds(condition, [fieldOf(goal, condition)]) };
    case "subtask":
      return {
        ...base,
        subject_type: "subtask",
        predicate: (subtask: Subtask) =>
          condition.field === "required_caps"
            ? holds(condition, subtask.required_caps)
            : holds(condition, [subtask.subtask_id]),
      };
    case "graph":
      return {
        ...base,
        subject_type: "graph",
        predicate: (graph: TaskGraph) =>
          condition.field === "subtasks"
            ? holds(condition, Object.keys(graph.subtasks))
            : holds(condition, [graph.root_goal_id]),
      };
  }
}

function fieldOf(goal: Goal, { field }: Condition): string {
  switch (field) {
    case "goal_id":
      return goal.goal_id;
    case "priority":
      return goal.priority;
    case "goal_type":
      return goal.goal_type;
    default:
      return goal.description;
  }
}

/** True if one of the texts meets the condition. */
function holds(condition: Condition, texts: readonly string[]): boolean {
  switch (condition.operator) {
    case "more_than":
      return texts.length > condition.value;
    case "longer_than":
      return texts.some((found) => found.length > condition.value);
    case "one_of":
      return texts.some((found) => condition.value.includes(found));
    case "equals":
      return texts.some((found) => found === condition.value);
    case "not_equals":
      return texts.some((found) => found !== condition.value);
    case "contains":
      return texts.some((found) => found.includes(condition.value));
    case "starts_with":
      return texts.some((found) => found.startsWith(condition.value));
  }
}
