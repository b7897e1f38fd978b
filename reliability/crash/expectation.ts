import type { Decision } from "../../ipc/contract/decision.ts";
import { RETURN_MS } from "../../ipc/words/return-time.ts";
import type { Fact } from "./fact.ts";
import {
  type AgentEntry,
  callKey,
  count,
  type DrivenCall,
  type GrantEntry,
  type Ledger,
  type RequestEntry,
} from "./ledger.ts";

/** What the decision of a call must be, as long as nothing that affects it happens between the call and its decision. */
export interface Expectation {
  rule: string;
  isMet(decision: Decision): boolean;
  restsOn: { fact: Fact<unknown>; version: number }[];
}

type Rule = Pick<Expectation, "rule" | "isMet"> & { facts?: Fact<unknown>[] };

const ASKED_ANEW = "an answer is worth one call: the next one is asked anew";

/** Looked up as the call is sent. Undefined where several decisions would be right. */
export function expectationOf(ledger: Ledger, agent: AgentEntry, call: DrivenCall): Expectation | undefined {
  count(ledger.sent, callKey(agent, call));
  const rule = ruleOf(ledger, agent, call);
  if (rule === undefined) return undefined;
  const facts = [ledger.pause, agent.fact, agent.paused, ...(rule.facts ?? [])];
  return { ...rule, restsOn: facts.map((fact) => ({ fact, version: fact.version })) };
}

/** Compares a call's first decision with what it had to be. */
export function checkDecision(
  ledger: Ledger,
  agent: AgentEntry,
  { rule, isMet, restsOn }: Expectation,
  decision: Decision,
): void {
  if (restsOn.some(({ fact, version }) => fact.version !== version)) return;
  count(ledger.checked, rule);
  if (isMet(decision)) return;
  const { outcome, stage, reason } = decision;
  ledger.violate("wrong_decision", `${agent.name}: ${rule}; it was ${outcome} (${stage}: ${reason})`);
}

function ruleOf(ledger: Ledger, agent: AgentEntry, call: DrivenCall): Rule | undefined {
  const paused = ledger.pause.known;
  const isAlone = agent.paused.known;
  if (paused === undefined || isAlone === undefined || agent.fact.known !== "paired") return undefined;
  if (paused === "paused")
    return { rule: "after an acknowledged pause every call is denied", isMet: ({ stage }) => stage === "safety" };
  if (isAlone) return { rule: "every call of a paused agent is denied", isMet: ({ stage }) => stage === "safety" };
  if (call.about === "clock") return { rule: "what needs no answer is allowed", isMet: isAllowed };
  if (call.about === "forbidden")
    return { rule: "what the guard denies is denied", isMet: ({ outcome }) => outcome === "denied" };
  const requests = ledger.requestsOf(callKey(agent, call));
  const grants = grantsFor(ledger, call, requests);
  const facts: Fact<unknown>[] = [...grants, ...requests].map(({ fact }) => fact);
  if (grants.some(({ fact }) => fact.known === undefined)) return undefined;
  if (grants.some(({ fact }) => fact.known === "active"))
    return { rule: "an acknowledged grant allows", isMet: isByPolicy, facts };
  return {
    ...ruleOfAnswers(requests, grants.length > 0),
    facts: [...facts, ...requests.map((one) => one.undelivered)],
  };
}

/** No grant covers the call: what was asked before, and how it was answered. */
function ruleOfAnswers(requests: readonly RequestEntry[], isRevoked: boolean): Rule {
  const revoked = isRevoked ? "an acknowledged revocation ends a grant" : undefined;
  const notByPolicy: Rule = {
    rule: revoked ?? "without a grant nothing is allowed by policy",
    isMet: (decision) => !isByPolicy(decision),
  };
  if (requests.some(({ fact, undelivered }) => fact.known === undefined || undelivered.known === undefined))
    return notByPolicy;
  const unclaimed = requests.filter(({ undelivered }) => undelivered.known === true);
  const [answer] = unclaimed;
  const isTooOld = () => answer !== undefined && performance.now() - answer.answeredAt > RETURN_MS;
  if (isTooOld()) return notByPolicy;
  if (answer !== undefined && unclaimed.length === 1) {
    // Taken by this call, unless the gate ends before it is sent.
    answer.undelivered.begin(false);
    return {
      rule: "an answer given while its agent was away is worth the next same call",
      // On its way it may have become too old.
      isMet: ({ stage, status }) => isTooOld() || (stage === "approval" && status === answer.answered),
    };
  }
  if (unclaimed.length > 0) return notByPolicy;
  const waiting = requests.find(({ fact }) => fact.known === "pending");
  if (waiting !== undefined)
    return {
      rule: "a waiting request is joined by the same call",
      isMet: ({ pending }) => pending?.token === waiting.token,
    };
  const ended = new Set(requests.map(({ token }) => token));
  return {
    rule: revoked ?? (ended.size > 0 ? ASKED_ANEW : "what needs an answer is asked"),
    isMet: ({ outcome, pending }) =>
      outcome === "approval_required" && pending !== undefined && !ended.has(pending.token),
  };
}

function grantsFor(ledger: Ledger, call: DrivenCall, requests: readonly RequestEntry[]): GrantEntry[] {
  const byAnswers = requests.map(({ token }) => ledger.grants.get(`approval:${token}`));
  return [call.grant, ...byAnswers].filter((grant) => grant !== undefined);
}

function isAllowed({ outcome }: Decision): boolean {
  return outcome === "allowed";
}

function isByPolicy({ outcome, stage }: Decision): boolean {
  return outcome === "allowed" && stage === "policy";
}
