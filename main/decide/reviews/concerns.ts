import type { ReviewStage } from "../../../ipc/contract/review.ts";
import { CAPABILITY_REGISTRY, changesNothing } from "../../shell-reading/targets/capabilities.ts";
import { isSent, sendsAway } from "../description/effect.ts";
import type { Reviewable, Reviewer } from "../stages/examination.ts";
import { kindOf } from "../stages/examination.ts";
import type { McpToolConfig, When } from "./config.ts";

/** Names of executors at which no judge looks, beside those whose manifest says so. */
export type SkipJudge = ReadonlySet<string>;

/** The tools of MCP servers of which the user says that no judge has to look at them, by the names that agents call them by. */
export function skippedTools(tools: readonly McpToolConfig[]): SkipJudge {
  return new Set(tools.filter(({ skip_judge }) => skip_judge).map(({ server, tool }) => `mcp__${server}__${tool}`));
}

/** Whether a judge with this `when` looks at this call. */
export function isConcerned(x: Reviewable, when: When, skipped: SkipJudge): boolean {
  return !isSkipped(x, skipped) && fitsAgent(x, when) && fitsExecutor(x, when) && fitsCapabilities(x, when);
}

/** A manifest speaks for a call only while nothing that the call states itself changes or sends anything. */
function isSkipped({ call, executor, stated_needs }: Reviewable, skipped: SkipJudge): boolean {
  if (executor.manifest.skip_judge)
    return stated_needs.every((need) => changesNothing(need.capability) && !isSent(need));
  return !executor.is_described && skipped.has(call.executor);
}

/** Where no agent is involved, none is left out. */
function fitsAgent({ subject }: Reviewable, { agents }: When): boolean {
  if (agents === undefined) return true;
  const kind = kindOf(subject);
  if (kind === "any") return true;
  return agents.includes(kind) || (subject.agent !== null && agents.includes(subject.agent.name));
}

/** Whichever of its names the agent calls it by, and whichever of them is meant here. */
function fitsExecutor({ call, executor: { manifest } }: Reviewable, { executors }: When): boolean {
  if (executors === undefined) return true;
  return [call.executor, manifest.name, ...manifest.aliases].some((name) => executors.includes(name));
}

/** A confined call is what its command line says, whatever its box lets through. */
function fitsCapabilities({ executor, stated_needs }: Reviewable, { capabilities, executors }: When): boolean {
  if (capabilities !== undefined) return stated_needs.some(({ capability }) => capabilities.includes(capability));
  if (executors !== undefined) return true;
  const is_critical = stated_needs.some(({ capability }) => CAPABILITY_REGISTRY[capability].critical);
  return is_critical || !executor.is_described || sendsAway(executor, stated_needs);
}

const NOBODY: readonly Reviewer[] = [];

/** Whom to ask about a call that every stage lets pass, in their order. */
export function reviewersFor(x: Reviewable, stage?: ReviewStage): readonly Reviewer[] {
  const { reviewers } = x.settings;
  if (reviewers === undefined || reviewers.length === 0) return NOBODY;
  return reviewers.filter((reviewer) => (stage === undefined || reviewer.stage === stage) && reviewer.concerns(x));
}
