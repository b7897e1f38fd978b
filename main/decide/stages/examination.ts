import { type AgentKind, agentKindOf } from "../../../ipc/contract/agent-kind.ts";
import type { Price } from "../../../ipc/contract/costs.ts";
import type { Level, Outcome, Stage, TraceStep, Verdict } from "../../../ipc/contract/decision.ts";
import type { Flow } from "../../../ipc/contract/flow.ts";
import type { Principal } from "../../../ipc/contract/operator-api.ts";
import type { RepeatedCall } from "../../../ipc/contract/rate.ts";
import type { Review, ReviewStage } from "../../../ipc/contract/review.ts";
import type { Rule } from "../../../ipc/contract/rules.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Agent, AgentPauses, UserWords } from "../../agents/index.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
import type { Box } from "../confinement/box.ts";
import type { Confinement } from "../confinement/confinement.ts";
import type { Declaration } from "../confinement/declaration.ts";
import type { Prices } from "../costs/prices.ts";
import type { Executor } from "../executors/catalog.ts";
import type { CommandLines } from "../executors/command-lines.ts";
import type { SessionFlow } from "../flow/session-flow.ts";
import type { GrantStore } from "../grants/store.ts";
import type { VerdictSettings } from "../judge/verdicts.ts";
import type { McpTools } from "../mcp/mcp-tools.ts";
import type { UsedDestinations } from "../places/used-destinations.ts";
import type { PolicyOverrides } from "../policy/policy.ts";
import type { RuledNeed } from "../policy/replay.ts";
import type { RateLimits } from "../rate/budgets.ts";
import type { PauseSwitch } from "../safety/pause.ts";

/** On whose behalf a call is looked at. `agent` is null where none is involved (`explain`). */
export interface Subject {
  agent: Agent | null;
  level: Level;
  session?: string | undefined;
  principal: Principal;
  /** It said that it runs a call only as `confine` says. */
  can_confine?: boolean | undefined;
  /** Its whole agent runs in a box, which shows this: its calls are confined already. */
  agentBox?: Declaration | undefined;
  /** The connection that its calls come over. */
  connection?: number | undefined;
  /** Without an agent: whose executors' names count. Left out: everybody's. */
  kind?: AgentKind | undefined;
  /** Without an agent: the name of the one that is meant, for what is made stricter for it. */
  name?: string | undefined;
}

/** The mode in which an agent looks and proposes: its user expects no change before they have agreed to the plan. */
export const PLAN_MODE = "plan";

/** Whose tools the names of a subject's calls can mean. */
export function kindOf({ agent, kind }: Subject): AgentKind | "any" {
  return agent === null ? (kind ?? "any") : agentKindOf(agent.name);
}

/** What was refused for a session. */
interface Refusals {
  /** Undefined where nothing of this call was. `target`: what was refused, as it is listed. */
  find(agentId: string, session: string, x: Pick<Validated, "call" | "needs">): { target: string } | undefined;
  /** Whether the user stopped this call when it came again and again. */
  hasStopped(agentId: string, session: string, call: ProposedCall): boolean;
}

/** What every stage may read. */
export interface StageSettings extends VerdictSettings {
  home: string;
  /** Null: nothing is remembered (`explain` on a machine without a database). */
  grants: GrantStore | null;
  /** Null: nothing can be paused here (`explain`). */
  pause: Pick<PauseSwitch, "reason"> | null;
  /** Left out: nothing is refused for a session here. */
  refusals?: Refusals;
  /** Left out: no agent can be paused by itself here. */
  agent_pauses?: Pick<AgentPauses, "isPaused">;
  /** Left out: no call can be confined here. */
  box?: Box;
  /** Whom to ask once every stage has said yes, in this order. Left out: nobody. */
  reviewers?: readonly Reviewer[];
  /** Left out: nothing is limited. */
  rate?: RateLimits;
  /** Left out: no price is known. */
  prices?: Prices;
  /** What the user asked for, as the agent's client says. Left out: that isn't known. */
  words?: Pick<UserWords, "of">;
  /** Left out: the table is the same for all. */
  overrides?: PolicyOverrides;
  /** Left out: no server's tool is known. */
  mcp?: Pick<McpTools, "toolOf">;
  /** Where calls of each project have gone. Left out: nothing is said to be new. */
  destinations?: Pick<UsedDestinations, "isUsed" | "hosts" | "note">;
  /** What each session has seen. Left out: that isn't kept here. */
  flow?: Pick<SessionFlow, "of" | "note" | "agree" | "marksOf">;
  /** Why the gate decides nothing any more: its lock, sockets or databases aren't its own. Left out: they always are. */
  lost?: () => string | undefined;
}

/** One call, and what it is examined by. */
export interface Proposed {
  readonly call: ProposedCall;
  readonly subject: Subject;
  readonly executor: Executor;
  readonly settings: StageSettings;
  /** Read when a stage first asks for them. */
  readonly lines: CommandLines;
  /** Collected where a trace was asked for. */
  readonly trace: TraceStep[] | undefined;
  /**
   * `again`: it was counted when it was first decided on. `coverage`: only whether grants and refusals answer for it. Left out: for its
   * first decision, or to say what that would be.
   */
  readonly purpose?: "again" | "coverage" | undefined;
}

/** What validation finds: the arguments are valid, and this is what the call needs. */
export interface Requirements {
  /** As the policy rules on it: from there on, of a confined call what its box lets through. */
  readonly needs: readonly ResolvedRequirement[];
}

/** What the policy finds. */
export interface Ruling extends Requirements {
  /** As the call states it, confined or not: what the guard and the judge look at. */
  readonly stated_needs: readonly ResolvedRequirement[];
  /** Of a call that is decided on as a confined one; null of any other. */
  readonly confinement: Confinement | null;
  /** Where the working directory of a call that may run code leads; null of any other, and where that isn't known. */
  readonly runsIn: string | null;
  readonly outcome: Exclude<Outcome, "denied">;
  readonly reason: string;
  readonly rule: Rule;
  readonly grants_used: readonly number[];
  /** How it ruled on each of `needs`. */
  readonly ruled: readonly RuledNeed[];
  /** It costs more than its level may spend without asking. */
  readonly is_dear?: true;
  /** What it costs, where a price is known. */
  readonly price?: Price | undefined;
}

/** What the flow stage finds: the policy's ruling, or that the user is asked for what its session has seen. */
export interface Flowed extends Pick<Ruling, "outcome" | "reason" | "rule"> {
  readonly flow?: Flow;
}

/** What the rate stage finds: the policy's ruling, or that the user is asked about a call that it allows. */
export interface Rated extends Pick<Ruling, "outcome" | "reason" | "rule"> {
  /** The same call again and again: what it is asked about for. */
  readonly repeated?: RepeatedCall;
}

/** What the judge finds. */
export interface Judged {
  readonly verdict: Verdict;
  /** What each judge found; left out where none was asked, or none was to be asked. */
  readonly noted?: readonly NotedReview[];
}

/** A call whose arguments are valid. */
export type Validated = Proposed & Requirements;

/** A call that the policy allows, or that it asks the user about. */
export type Ruled = Validated & Ruling;

/** A call that no stage denied. */
export type Reviewable = Ruled & Flowed & Rated & Judged;

/** A call as far as the stages came before one of them denied it. */
export type Unfinished = Proposed & Partial<Requirements & Ruling & Flowed & Rated & Judged>;

/** What the stages made of a call. */
export type Examined = { x: Reviewable; denial: null } | { x: Unfinished; denial: Denial };

/** A stage's no. The first one ends the examination. */
export interface Denial {
  stage: Stage;
  reason: string;
  explain: { rule: Rule; matched?: string; instead?: string };
  /** What the stage found all the same: the decision names it. */
  found?: Partial<Requirements & Judged>;
  /** In so many milliseconds there is room for this call again. */
  retry_after_ms?: number;
}

export function isDenial(found: object): found is Denial {
  return "stage" in found;
}

export function passed(x: Proposed, stage: Stage, detail: string): null {
  x.trace?.push({ stage, outcome: "passed", detail });
  return null;
}

export function notConfigured(x: Proposed, stage: Stage, detail: string): null {
  x.trace?.push({ stage, outcome: "not_configured", detail });
  return null;
}

export function denied(
  x: Proposed,
  stage: Stage,
  reason: string,
  explain: Denial["explain"],
  found?: Denial["found"],
): Denial {
  x.trace?.push({ stage, outcome: "denied", detail: reason, rule: explain.rule });
  return found === undefined ? { stage, reason, explain } : { stage, reason, explain, found };
}

/** One judge that is asked about a call once every stage has said yes: the model as judge, then each validator in its order. */
export interface Reviewer {
  readonly stage: ReviewStage;
  /** The model's or judge agent's name in gate.toml. */
  readonly name: string;
  readonly is_online: boolean;
  /** Whether it has to look at this call. Synchronous, and cheap: asked for every call that the stages let pass. */
  concerns(x: Reviewable): boolean;
  /**
   * Looks at the call, within its own time limit. What it couldn't find out is part of what it returns: it throws only the signal's
   * reason where the review was aborted, and whatever it had begun has ended by then.
   */
  review(x: Reviewable, signal: AbortSignal): Promise<Reviewed>;
}

export interface Reviewed {
  review: Review;
  /** Of the model as judge: it replaces the rules' verdict. */
  verdict?: Verdict;
  /** What the trace says beside the outcome, without the arguments' values; left out: the review's sentence, without them. */
  trace?: string;
  /** Null where the call may pass. */
  denial: Denial | null;
}

/** Of a call that isn't judged, as others are. */
export const TOO_MANY_AT_ONCE: Denial["explain"] = {
  rule: "judge.too-many-at-once",
  instead: "wait for their decisions, then send it again",
};

/** A judge that gave no answer, or wasn't asked. @param ms how long that took */
export function reviewWithoutAnswer(
  { stage, name, is_online }: Reviewer,
  outcome: Review["outcome"],
  sentence = "",
  ms = 0,
): Review {
  return { stage, name, outcome, score: null, confidence: null, sentence, ms, is_online };
}

/** A review, and what the trace says of it: without the arguments' values. */
export interface NotedReview {
  review: Review;
  detail: string;
}
