import { isoSeconds } from "../../../ipc/contract/iso-seconds.ts";
import type { Severity, SubjectType, ViolationView } from "../../../ipc/contract/safety.ts";
import type { SafetyVerdict } from "../../../ipc/contract/wire.ts";
import type { CheckMeter } from "./meter.ts";
import type { PauseSwitch } from "./pause.ts";
import { evaluateRule, type RuleRegistry } from "./rules.ts";
import { type Goal, type SafetyRule, type SubjectOf, type Subtask, subjectId, type TaskGraph } from "./subjects.ts";
import { shownAbout, type ViolationLog } from "./violations.ts";

/**
 * Checks goals, subtasks and graphs against the rules (docs/decisions/requirements-safety.md). A CRITICAL violation pauses the gate
 * before the verdict is sent, and each one is written before.
 */

export interface SafetyFilterParts {
  rules: RuleRegistry;
  violations: ViolationLog;
  pause: PauseSwitch;
  meter: CheckMeter;
  settings: SafetyFilterSettings;
  /** Milliseconds. */
  now: () => number;
}

interface SafetyFilterSettings {
  /** How long one predicate may take, in milliseconds. */
  rule_timeout_ms: number;
  pause_clears: "by_human" | "after_all_acknowledged" | "after_seconds";
  /** With `after_seconds`. */
  pause_seconds: number;
}

/** `about` is for the user alone: no agent gets another one's words. */
type Found = SafetyVerdict["violations"][number] & { about: string | undefined };

/** How long a graph's check occupies the event loop at once, in milliseconds. */
const PIECE_MS = 4;

export class SafetyFilter {
  readonly #parts: SafetyFilterParts;

  constructor(parts: SafetyFilterParts) {
    this.#parts = parts;
  }

  /** `agent_name`: the agent that asks; it is stored with each violation. */
  checkGoal(goal: Goal, agentName = "none"): Promise<SafetyVerdict> {
    return this.#check("goal", goal, agentName, () => this.#violations("goal", goal));
  }

  checkSubtask(subtask: Subtask, agentName = "none"): Promise<SafetyVerdict> {
    return this.#check("subtask", subtask, agentName, () => this.#violations("subtask", subtask));
  }

  /** The graph, and each of its subtasks where there are no more than the rules allow. */
  checkGraph(graph: TaskGraph, agentName = "none"): Promise<SafetyVerdict> {
    return this.#check("graph", graph, agentName, async () => {
      const found = await this.#violations("graph", graph);
      if (found.some(({ rule_id }) => rule_id === "SR-005")) return found;
      let pieceEndsAt = performance.now() + PIECE_MS;
      for (const subtask of Object.values(graph.subtasks)) {
        found.push(...(await this.#violations("subtask", subtask)));
        if (performance.now() < pieceEndsAt) continue;
        await new Promise((resolve) => setImmediate(resolve));
        pieceEndsAt = performance.now() + PIECE_MS;
      }
      return found;
    });
  }

  /** Adds a rule. @throws GateError `rule_exists` */
  registerRule(rule: SafetyRule): void {
    this.#parts.rules.register(rule);
  }

  /** Newest first. `since` in milliseconds. */
  violationsSince(since: number): ViolationView[] {
    return this.#parts.violations.list({ since: isoSeconds(since) });
  }

  /** Ends the pause. False if there was none. */
  resume(): boolean {
    return this.#parts.pause.end();
  }

  /** Acknowledges violations; ends a pause that waits for that. Returns how many were open. */
  acknowledge(ids: "all" | readonly number[]): number {
    const { pause, violations } = this.#parts;
    const acknowledged = violations.acknowledge(ids);
    if (pause.state().clears === "after_all_acknowledged" && violations.countOpen("CRITICAL") === 0) pause.end();
    return acknowledged;
  }

  async #check<T extends SubjectType>(
    type: T,
    subject: SubjectOf[T],
    agentName: string,
    evaluate: () => Found[] | Promise<Found[]>,
  ): Promise<SafetyVerdict> {
    const { meter, pause, now } = this.#parts;
    const began = performance.now();
    const found = evaluate();
    const violations = Array.isArray(found) ? found : await found;
    for (const violation of violations) this.#record(violation, agentName);
    const ms = performance.now() - began;
    // No agent knows of a violation that the user can't find after a crash.
    if (violations.length > 0) await this.#parts.violations.written();
    const isPaused = pause.reason !== undefined;
    const allowed = !isPaused && !violations.some(({ severity }) => isBlocking(severity));
    meter.checked(type, allowed, ms);
    return {
      allowed,
      subject_type: type,
      subject_id: subjectId(type, subject),
      violations: violations.map(({ about: _, ...violation }) => violation),
      is_paused: isPaused,
      checked_at: now() / 1000,
    };
  }

  #violations<T extends SubjectType>(type: T, subject: SubjectOf[T]): Found[] | Promise<Found[]> {
    const { rules, settings } = this.#parts;
    const evaluated = rules.of(type).map((rule) => {
      const limitMs = rules.limitOf(rule.rule_id, settings.rule_timeout_ms);
      return { rule, answer: evaluateRule(rule.predicate, subject, limitMs) };
    });
    const id = subjectId(type, subject);
    const collect = (rule: SafetyRule, answer: Awaited<ReturnType<typeof evaluateRule>>): Found[] => {
      if ("failed" in answer) {
        rules.failed(rule.rule_id, answer.failed);
        return [];
      }
      const { rule_id, severity, subject_type, description } = rule;
      if (!answer.violated) return [];
      const about = (rule.about as ((violating: SubjectOf[T]) => string) | undefined)?.(subject);
      return [{ rule_id, severity, subject_type, subject_id: id, detail: description, about }];
    };
    if (!evaluated.some(({ answer }) => answer instanceof Promise)) {
      return evaluated.flatMap(({ rule, answer }) => collect(rule, answer as Awaited<typeof answer>));
    }
    return Promise.all(evaluated.map(async ({ rule, answer }) => collect(rule, await answer))).then((found) =>
      found.flat(),
    );
  }

  #record(found: Found, agentName: string): void {
    const { violations, pause, settings, meter } = this.#parts;
    meter.violated(found.rule_id, found.severity);
    const isCritical = found.severity === "CRITICAL";
    const wasPaused = isCritical && pause.state().by === "safety";
    try {
      if (isCritical)
        pause.begin({
          by: "safety",
          reason: `${found.rule_id}: ${found.detail}`,
          clears: settings.pause_clears,
          seconds: settings.pause_seconds,
          cause: {
            rule_id: found.rule_id,
            subject_type: found.subject_type,
            agent_name: agentName,
            detail: found.detail,
            about: shownAbout(found.about),
          },
        });
    } finally {
      // The pause is on disk already, then its cause is written. Violations during the pause may be written together.
      violations.add({ ...found, agent_name: agentName }, isCritical && !wasPaused);
    }
  }
}

function isBlocking(severity: Severity): boolean {
  return severity === "BLOCK" || severity === "CRITICAL";
}
