import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { SafetyRuleView, SubjectType } from "../../../ipc/contract/safety.ts";
import type { Predicate, SafetyRule, SubjectOf } from "./subjects.ts";

/** The named rules, and their errors. The built-in ones can't be replaced or removed. */

interface Registered {
  rule: SafetyRule;
  is_builtin: boolean;
  errors: number;
  last_error: string | null;
}

export class RuleRegistry {
  readonly #rules = new Map<string, Registered>();
  readonly #byType: Record<SubjectType, SafetyRule[]> = { goal: [], subtask: [], graph: [] };

  constructor(builtin: readonly SafetyRule[]) {
    for (const rule of builtin) this.#add(rule, true);
  }

  /** @throws GateError `rule_exists`: a rule is never replaced */
  register(rule: SafetyRule): void {
    if (this.#rules.has(rule.rule_id)) {
      throw new GateError("rule_exists", `there is a safety rule ${rule.rule_id} already`, "choose another id");
    }
    this.#add(rule, false);
  }

  of<T extends SubjectType>(type: T): readonly (SafetyRule & { predicate: Predicate<T> })[] {
    return this.#byType[type] as unknown as (SafetyRule & { predicate: Predicate<T> })[];
  }

  /** How long a rule may take, in milliseconds. Built-in ones only compare: one that took long was held up by a busy machine. */
  limitOf(ruleId: string, limitMs: number): number {
    return this.#rules.get(ruleId)?.is_builtin === true ? Number.POSITIVE_INFINITY : limitMs;
  }

  /** The rule was skipped: it threw, or took too long. */
  failed(ruleId: string, what: string): void {
    const found = this.#rules.get(ruleId);
    if (found === undefined) return;
    found.errors++;
    found.last_error = what;
  }

  get size(): number {
    return this.#rules.size;
  }

  errors(): { rule_id: string; errors: number }[] {
    return [...this.#rules.values()].map(({ rule, errors }) => ({ rule_id: rule.rule_id, errors }));
  }

  view(): SafetyRuleView[] {
    return [...this.#rules.values()].map(({ rule, is_builtin, errors, last_error }) => ({
      rule_id: rule.rule_id,
      subject_type: rule.subject_type,
      severity: rule.severity,
      description: rule.description,
      is_builtin,
      errors,
      last_error,
    }));
  }

  #add(rule: SafetyRule, isBuiltin: boolean): void {
    this.#rules.set(rule.rule_id, { rule, is_builtin: isBuiltin, errors: 0, last_error: null });
    (this.#byType[rule.subject_type] as SafetyRule[]).push(rule);
  }
}

/** A rule's result, or why it has none: a failed rule is skipped, a violated one is not. */
export type Evaluated = { violated: boolean } | { failed: string };

/** Evaluates one predicate. Returns a promise only where the predicate does; `limitMs` bounds both kinds. */
export function evaluateRule<T extends SubjectType>(
  predicate: Predicate<T>,
  subject: SubjectOf[T],
  limitMs: number,
): Evaluated | Promise<Evaluated> {
  const began = performance.now();
  try {
    const answer = predicate(subject);
    if (typeof answer === "boolean") {
      return performance.now() - began > limitMs ? { failed: "took too long" } : { violated: answer };
    }
    return withDeadline(answer, limitMs);
  } catch (error) {
    return { failed: nameOf(error) };
  }
}

async function withDeadline(answer: Promise<boolean>, limitMs: number): Promise<Evaluated> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      answer.then((violated): Evaluated => ({ violated: violated === true })),
      new Promise<Evaluated>((resolve) => {
        timer = setTimeout(() => resolve({ failed: "took too long" }), limitMs);
      }),
    ]);
  } catch (error) {
    return { failed: nameOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The kind of error, without its message, which may quote the subject. */
function nameOf(error: unknown): string {
  return `threw ${error instanceof Error ? error.name : "something that is no error"}`;
}
