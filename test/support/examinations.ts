import type { Decision, Level, TraceStep } from "../../ipc/contract/decision.ts";
import type { CallContext, ProposedCall } from "../../ipc/contract/wire.ts";
import type { Agent } from "../../main/agents/agents.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { CommandLines } from "../../main/decide/executors/command-lines.ts";
import { type ManifestSource, manifestSchema } from "../../main/decide/executors/manifest.ts";
import { needsOf } from "../../main/decide/executors/needs.ts";
import { decisionOf, examineCall, traceOf } from "../../main/decide/pipeline.ts";
import { kindOf, type Reviewable, type StageSettings, type Subject } from "../../main/decide/stages/examination.ts";
import { ROBERTO } from "./gate-stores.ts";

/** One call, and everything that the stages check. What is left out is in order. */
export interface Situation {
  executor?: string;
  args?: Record<string, unknown>;
  intent?: string;
  context?: CallContext;
  level?: Level;
  agent?: Agent | null;
  session?: string;
  /** Manifests of the user's own. */
  own?: readonly ManifestSource[];
  settings?: Partial<StageSettings>;
}

export const PAIRED: Agent = {
  agent_id: "agent-1",
  name: "claude",
  level: "Supervised",
  paired_at: "2026-05-01T09:00:00Z",
  last_seen_at: null,
  revoked_at: null,
};

export const REVOKED: Agent = { ...PAIRED, revoked_at: "2026-05-02T09:00:00Z" };

const NOW_MS = 1_714_225_863_214;

function parts({ executor = "time_now", args = {}, intent = "", ...situation }: Situation) {
  const call: ProposedCall = { intent, executor, args };
  if (situation.context !== undefined) call.context = situation.context;
  const { agent = PAIRED, level = "Supervised", session } = situation;
  const subject: Subject = { agent, level, session, principal: ROBERTO };
  const settings: StageSettings = {
    home: "/home/roberto",
    grants: null,
    pause: null,
    judge_threshold: 0.3,
    now: () => NOW_MS,
    ...situation.settings,
  };
  const catalog = new ExecutorCatalog((situation.own ?? []).map((source) => manifestSchema.parse(source)));
  return { call, subject, settings, catalog };
}

/** The call as any stage gets it: its needs are known, and no stage before has anything against it. */
export function examinationOf(situation: Situation): Reviewable & { trace: TraceStep[] } {
  const { call, subject, settings, catalog } = parts(situation);
  const executor = catalog.find(call.executor, kindOf(subject));
  return {
    call,
    subject,
    executor,
    settings,
    needs: needsOf(call, executor, settings.home),
    stated_needs: needsOf(call, executor, settings.home),
    runsIn: null,
    confinement: null,
    lines: new CommandLines(call, settings.home),
    outcome: "allowed",
    rule: "policy.level-allows",
    reason: "",
    grants_used: [],
    ruled: [],
    verdict: { approved: true, reason: "", ts: 0, judge_kind: "rule-based-v1", score: 1, blocked_by: null },
    trace: [],
  };
}

/** What all stages together make of it. */
export function decided(situation: Situation): Decision & { trace: TraceStep[] } {
  const { call, subject, settings, catalog } = parts(situation);
  const examined = examineCall(call, subject, catalog, settings, true);
  return { ...decisionOf(examined), trace: traceOf(examined) };
}

/** A manifest that reads one path and has nothing special about it, but for `change`. */
export function manifestOf(change: Partial<ManifestSource> = {}): ManifestSource {
  return {
    name: "box",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "path" } }],
    args_schema: { type: "object" },
    verb: { en: "use the box", it: "usi la scatola" },
    critical: false,
    ...change,
  };
}
