import type { Severity, SubjectType } from "../../../ipc/contract/safety.ts";
import type { Goal, Subtask, TaskGraph } from "../../../ipc/contract/wire.ts";

/** The subjects of checks, and the rules (docs/decisions/requirements-safety.md). */

export type { Goal, Subtask, TaskGraph } from "../../../ipc/contract/wire.ts";

export interface SubjectOf {
  goal: Goal;
  subtask: Subtask;
  graph: TaskGraph;
}

/** True where the rule is violated. */
export type Predicate<T extends SubjectType> = (subject: SubjectOf[T]) => boolean | Promise<boolean>;

/** A named rule: violations store its id; the predicate stays in the registry. */
export type SafetyRule = {
  [T in SubjectType]: {
    rule_id: string;
    subject_type: T;
    severity: Severity;
    /** One sentence: what it forbids. Shown with each violation. */
    description: string;
    predicate: Predicate<T>;
    /** What of a subject that violates it did: shown to the user with the event, never sent to an agent. */
    about?: (subject: SubjectOf[T]) => string;
  };
}[SubjectType];

export function subjectId<T extends SubjectType>(type: T, subject: SubjectOf[T]): string {
  if (type === "goal") return (subject as Goal).goal_id;
  return type === "subtask" ? (subject as Subtask).subtask_id : (subject as TaskGraph).root_goal_id;
}
