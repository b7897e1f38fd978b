import type { Goal, SafetyVerdict, Subtask, TaskGraph } from "../contract/wire.ts";

/**
 * For agents that plan in goals: nothing is registered or dispatched before the safety filter has checked it
 * (docs/decisions/requirements-safety.md).
 */

/** The checking methods of a `GateClient`. */
export interface SafetyChecker {
  checkGoal(goal: Goal): Promise<SafetyVerdict>;
  checkSubtask(subtask: Subtask): Promise<SafetyVerdict>;
  checkGraph(graph: TaskGraph): Promise<SafetyVerdict>;
}

/** The safety filter blocked the subject. `verdict` lists every violation. */
export class SafetyViolationError extends Error {
  readonly verdict: SafetyVerdict;
  constructor(verdict: SafetyVerdict) {
    const why = verdict.violations.map(({ rule_id, severity }) => `${rule_id} (${severity})`).join(", ");
    super(`the safety filter blocked ${verdict.subject_type} ${verdict.subject_id}: ${why || "the gate is paused"}`);
    this.name = "SafetyViolationError";
    this.verdict = verdict;
  }
}

/** A goal registry that accepts only goals that pass the filter. */
export class SafeGoalRegistry<G extends Goal, R> {
  readonly #register: (goal: G) => R | Promise<R>;
  readonly #checker: SafetyChecker;

  constructor(register: (goal: G) => R | Promise<R>, checker: SafetyChecker) {
    this.#register = register;
    this.#checker = checker;
  }

  /** @throws SafetyViolationError, or GateClientError if the gate can't be asked: nothing is registered then */
  async register(goal: G): Promise<R> {
    const { goal_id, description, priority, goal_type, allow_critical } = goal;
    const verdict = await this.#checker.checkGoal({
      goal_id,
      description,
      priority,
      goal_type,
      ...(allow_critical === undefined ? {} : { allow_critical }),
    });
    if (!verdict.allowed) throw new SafetyViolationError(verdict);
    return this.#register(goal);
  }
}

/** A decomposer whose graphs, and each of their subtasks, have passed the filter. */
export class SafeGoalDecomposer<G, T extends TaskGraph> {
  readonly #decompose: (goal: G) => T | Promise<T>;
  readonly #checker: SafetyChecker;

  constructor(decompose: (goal: G) => T | Promise<T>, checker: SafetyChecker) {
    this.#decompose = decompose;
    this.#checker = checker;
  }

  /** @throws SafetyViolationError, or GateClientError if the gate can't be asked */
  async decompose(goal: G): Promise<T> {
    const graph = await this.#decompose(goal);
    const subtasks = Object.fromEntries(
      Object.entries(graph.subtasks).map(([key, { subtask_id, required_caps }]) => [
        key,
        { subtask_id, required_caps },
      ]),
    );
    const verdict = await this.#checker.checkGraph({ root_goal_id: graph.root_goal_id, subtasks });
    if (!verdict.allowed) throw new SafetyViolationError(verdict);
    return graph;
  }

  /** To be called before a subtask is dispatched. @throws SafetyViolationError */
  async checkDispatch(subtask: Subtask): Promise<void> {
    const { subtask_id, required_caps } = subtask;
    const verdict = await this.#checker.checkSubtask({ subtask_id, required_caps });
    if (!verdict.allowed) throw new SafetyViolationError(verdict);
  }
}
