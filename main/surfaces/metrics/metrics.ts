import { Counter, Gauge, type Metric, Registry } from "prom-client";
import { ALARM_CODES } from "../../../ipc/contract/alarms.ts";
import { CAPABILITIES, STAGES } from "../../../ipc/contract/decision.ts";
import { REVIEW_STAGES } from "../../../ipc/contract/review.ts";
import { subjectTypeSchema } from "../../../ipc/contract/safety.ts";
import type { Histogram } from "../../base/histogram.ts";
import type { Core } from "../../core/core.ts";

/**
 * The gate's metrics (docs/monitoring.md). The parts count in plain numbers, which are read when the metrics are requested. No label
 * carries anything that an agent chose: only stages, outcomes, capabilities and rule ids.
 */
export function gateMetrics(core: Core, connected: () => number): Registry {
  const registry = new Registry();
  safetyMetrics(registry, core);
  decisionMetrics(registry, core);
  if (core.judges.meters !== null) judgeMetrics(registry, core.judges.meters);
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge("metnos_gate_approvals_pending", "Requests that wait for the user", () =>
    core.gate.broker.registry.countWaiting(),
  );
  gauge("metnos_gate_agents_connected", "Agents that are connected", connected);
  gauge("metnos_gate_grants_active", "Grants in force", () => core.grants.countActive());
  new Gauge({
    name: "metnos_gate_alarms",
    help: "Alarms that hold now, by what they are about",
    labelNames: ["code"],
    registers: [registry],
    collect() {
      const active = core.alarms.list();
      for (const code of ALARM_CODES) this.set({ code }, active.filter((alarm) => alarm.code === code).length);
    },
  });
  new Counter({
    name: "metnos_gate_audit_write_failures_total",
    help: "Audit lines that could not be written",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(core.audit.writeFailures);
    },
  });
  return registry;
}

/** The five metrics of the safety filter (docs/decisions/requirements-safety.md, "Metrics"), reported from the start with zeros. */
function safetyMetrics(registry: Registry, { safety }: Core): void {
  const { meter, rules, pause } = safety;
  const types = subjectTypeSchema.options;
  new Counter({
    name: "asi_safety_checks_total",
    help: "Goals, subtasks and graphs that were checked",
    labelNames: ["subject_type", "result"],
    registers: [registry],
    collect() {
      this.reset();
      for (const subjectType of types) {
        this.inc({ subject_type: subjectType, result: "allowed" }, meter.checks[subjectType].allowed);
        this.inc({ subject_type: subjectType, result: "blocked" }, meter.checks[subjectType].blocked);
      }
    },
  });
  new Counter({
    name: "asi_safety_violations_total",
    help: "Violations of safety rules",
    labelNames: ["rule_id", "severity"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { rule_id, severity } of rules.view()) this.inc({ rule_id, severity }, 0);
      for (const { rule_id, severity, count } of meter.violations.values()) this.inc({ rule_id, severity }, count);
    },
  });
  new Counter({
    name: "asi_safety_rule_errors_total",
    help: "Times a safety rule was skipped because it threw or took too long",
    labelNames: ["rule_id"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { rule_id, errors } of rules.errors()) this.inc({ rule_id }, errors);
    },
  });
  new Gauge({
    name: "asi_safety_paused",
    help: "1 while the gate is paused",
    registers: [registry],
    collect() {
      this.set(pause.reason === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: "asi_safety_rules_registered",
    help: "Safety rules, built-in and own",
    registers: [registry],
    collect() {
      this.set(rules.size);
    },
  });
  registerHistogram(registry, "asi_safety_check_duration_seconds", "How long a check took", "subject_type", () =>
    types.map((type) => [type, meter.checks[type].seconds]),
  );
}

function decisionMetrics(registry: Registry, { gate }: Core): void {
  const { meter } = gate;
  new Counter({
    name: "metnos_gate_decisions_total",
    help: "Decisions by outcome, the stage that decided, and the first capability that the call needs",
    labelNames: ["outcome", "stage", "capability"],
    registers: [registry],
    collect() {
      this.reset();
      for (const capability of [...CAPABILITIES, "none"]) {
        this.inc({ outcome: "allowed", stage: "policy", capability }, 0);
        this.inc({ outcome: "approval_required", stage: "approval", capability }, 0);
        this.inc({ outcome: "denied", stage: "policy", capability }, 0);
      }
      for (const { count, ...labels } of meter.decisions.values()) this.inc(labels, count);
    },
  });
  registerHistogram(
    registry,
    "metnos_gate_decision_duration_seconds",
    "From a call's arrival at the gate to its first decision, by the stage that decided",
    "stage",
    () => STAGES.map((stage) => [stage, meter.durations[stage]]),
  );
  registerHistogram(
    registry,
    "metnos_gate_answer_duration_seconds",
    "From the question to the user's answer",
    "by",
    () => [["human", meter.answers]],
  );
}

/** Models' names are the user's own, from gate.toml. */
function judgeMetrics(registry: Registry, { reviews, models }: NonNullable<Core["judges"]["meters"]>): void {
  new Counter({
    name: "metnos_gate_reviews_total",
    help: "Calls that a judge looked at, by what came of it",
    labelNames: ["stage", "outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const stage of REVIEW_STAGES)
        for (const [outcome, count] of reviews.outcomes[stage]) this.inc({ stage, outcome }, count);
    },
  });
  registerHistogram(registry, "metnos_gate_review_duration_seconds", "How long a judge looked at a call", "stage", () =>
    REVIEW_STAGES.map((stage) => [stage, reviews.seconds[stage]]),
  );
  new Counter({
    name: "metnos_gate_model_calls_total",
    help: "Questions to a model, by what came of them",
    labelNames: ["model", "outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [model, { outcomes }] of models)
        for (const [outcome, count] of outcomes) this.inc({ model, outcome }, count);
    },
  });
  new Counter({
    name: "metnos_gate_model_cost_total",
    help: "What answers of a model cost, by the configured prices",
    labelNames: ["model"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [model, { cost }] of models) this.inc({ model }, cost);
    },
  });
  registerHistogram(
    registry,
    "metnos_gate_model_call_duration_seconds",
    "From a question to a model to its answer, the time that it waited for its turn included",
    "model",
    () => [...models].map(([model, { seconds }]) => [model, seconds]),
  );
}

/**
 * A histogram whose observations were counted elsewhere, as plain numbers: prom-client's own hashes its labels for each one,
 * which no tool call should pay for.
 */
function registerHistogram(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  series: () => Iterable<[value: string, buckets: Histogram]>,
): void {
  const get = async () => ({
    name,
    help,
    type: "histogram",
    aggregator: "sum",
    values: [...series()].flatMap(([value, buckets]) => valuesOf(name, { [label]: value }, buckets)),
  });
  registry.registerMetric({ name, help, type: "histogram", get, getForPromString: get } as unknown as Metric);
}

function valuesOf(name: string, labels: Record<string, string>, { bounds, counts, sum, count }: Histogram) {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
