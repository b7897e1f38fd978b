import type { Level, Outcome, Stage, TraceStep, Verdict } from "../../../ipc/decision.ts";
import type { Principal } from "../../../ipc/operator-api.ts";
import type { Rule } from "../../../ipc/rules.ts";
import type { ProposedCall } from "../../../ipc/wire.ts";
import type { Agent } from "../agents.ts";
import { type AgentKind, agentKindOf } from "../executors/agent-kind.ts";
import type { Executor } from "../executors/catalog.ts";
import type { GrantStore } from "../grants/store.ts";
import type { PauseSwitch } from "../safety/pause.ts";
import type { ResolvedRequirement } from "../targets/target.ts";
import type { VaglioSettings } from "../vaglio.ts";

/** On whose behalf a call is looked at. `agent` is null where none is involved (`explain`). */
export interface Subject {
  agent: Agent | null;
  level: Level;
  session?: string | undefined;
  principal: Principal;
  /** Without an agent: whose executors' names count. Left out: everybody's. */
  kind?: AgentKind | undefined;
}

/** Whose tools the names of a subject's calls can mean. */
export function kindOf({ agent, kind }: Subject): AgentKind | "any" {
  return agent === null ? (kind ?? "any") : agentKindOf(agent.name);
}

/** What every stage may read. */
export interface StageSettings extends VaglioSettings {
  home: string;
  /** Null: nothing is remembered (`explain` on a machine without a database). */
  grants: GrantStore | null;
  /** Null: nothing can be paused here (`explain`). */
  pause: Pick<PauseSwitch, "reason"> | null;
  /** Why the gate decides nothing any more: its lock, sockets or databases aren't its own. Left out: they always are. */
  lost?: () => string | undefined;
}

/** One call on its way through the stages: what is known of it grows from stage to stage. */
export interface Examination {
  readonly call: ProposedCall;
  readonly subject: Subject;
  readonly executor: Executor;
  readonly settings: StageSettings;
  /** Known once the arguments are valid. */
  needs: ResolvedRequirement[];
  /** What the policy said: `allowed` or `approval_required`. */
  outcome: Outcome;
  /** Why, and by which rule. */
  reason: string;
  rule: Rule | undefined;
  grants_used: number[];
  verdict: Verdict | null;
  /** Collected where a trace was asked for. */
  readonly trace: TraceStep[] | undefined;
}

/** A stage's no. The first one ends the examination. */
export interface Denial {
  stage: Stage;
  reason: string;
  explain: { rule: Rule; matched?: string; instead?: string };
}

export function passed(x: Examination, stage: Stage, detail: string): null {
  x.trace?.push({ stage, outcome: "passed", detail });
  return null;
}

export function notConfigured(x: Examination, stage: Stage, detail: string): null {
  x.trace?.push({ stage, outcome: "not_configured", detail });
  return null;
}

export function denied(x: Examination, stage: Stage, reason: string, explain: Denial["explain"]): Denial {
  x.trace?.push({ stage, outcome: "denied", detail: reason, rule: explain.rule });
  return { stage, reason, explain };
}
