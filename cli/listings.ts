import { homeFolder } from "../ipc/base/paths.ts";
import { shortenHome } from "../ipc/base/visible-text.ts";
import type { ActivityEntry, DayRow } from "../ipc/contract/activity.ts";
import type { SpentToday } from "../ipc/contract/costs.ts";
import { type Capability, LEVELS, type Outcome, type TraceStep } from "../ipc/contract/decision.ts";
import type { KeptToolView } from "../ipc/contract/mcp.ts";
import type {
  AgentView,
  ApprovalView,
  AuditLine,
  GrantView,
  MarkedSession,
  PairingRequest,
  RefusalView,
} from "../ipc/contract/operator-api.ts";
import type { PolicyOverride } from "../ipc/contract/policy-overrides.ts";
import type { SafetyRuleView, ViolationView } from "../ipc/contract/safety.ts";
import { confinedMark, outsideText } from "../ipc/words/box-words.ts";
import { callFacts, quietText } from "../ipc/words/card-facts.ts";
import { seenName } from "../ipc/words/hazard-words.ts";
import { plainSummary } from "../ipc/words/plain-lines.ts";
import { amountText } from "../ipc/words/price-words.ts";
import { resultText } from "../ipc/words/result-words.ts";
import { RULE_WORDS } from "../ipc/words/rule-words.ts";
import type { SubjectPolicy } from "../main/decide/policy/policy.ts";
import { shortTokens } from "./short-tokens.ts";
import type { Column } from "./table.ts";
import { clockText, momentText, spanText, tookText } from "./times.ts";

/** The columns of each listing, as a terminal shows it. @param now Unix milliseconds */

export function approvalColumns(listed: readonly ApprovalView[], now: number): Column<ApprovalView>[] {
  const short = shortTokens(listed.map(({ token }) => token));
  const isEnded = listed.some(({ status }) => status !== "pending");
  return [
    { title: "TOKEN", text: ({ token }) => short.get(token) ?? token },
    { title: "AGE", text: ({ created_at }) => spanText(now - Date.parse(created_at)), isRight: true },
    { title: "STATUS", text: ({ status }) => (isEnded ? status : "") },
    { title: "AGENT", text: ({ agent_name }) => agent_name, shrinksTo: 8, isFirstToGo: true },
    {
      title: "WHAT",
      text: (view) => `${view.action_verb} ${plainSummary(view.target_summary)}`,
      shrinksTo: 24,
      wraps: true,
    },
    { title: "EFFECT", text: effectOf, shrinksTo: 20, wraps: true, isRed: (view) => hazardsText(view) !== "" },
  ];
}

function hazardsText({ description }: ApprovalView): string {
  return callFacts(description, "en", homeFolder(process.env)).hazards.join("; ");
}

/** Its hazards; what it does, where it goes and what it leaves behind; then that it is confined, or that it asks not to be. */
function effectOf({ description, confined }: ApprovalView): string {
  const { hazards, ...quiet } = callFacts(description, "en", homeFolder(process.env), confined);
  const box =
    confined !== null
      ? [confinedMark("en")]
      : description?.outside === undefined
        ? []
        : [outsideText(description.outside.reason, "en")];
  return [...hazards, quietText(quiet), ...box].filter((text) => text !== "").join("; ");
}

export function agentColumns(now: number): Column<AgentView | PairingRequest>[] {
  const of = (use: (agent: AgentView) => string) => (row: AgentView | PairingRequest) =>
    "agent_id" in row ? use(row) : "";
  return [
    { title: "NAME", text: ({ name }) => name, shrinksTo: 12 },
    { title: "LEVEL", text: of(({ level }) => level) },
    {
      title: "STATE",
      text: (row) => ("agent_id" in row ? agentState(row, now) : "waits to be paired"),
      shrinksTo: 12,
    },
    { title: "TODAY", text: of(({ calls_today }) => String(calls_today)), isRight: true },
    { title: "SINCE", text: (row) => momentText("agent_id" in row ? row.paired_at : row.requested_at, now) },
  ];
}

function agentState({ revoked_at, is_connected, last_seen_at, paused }: AgentView, now: number): string {
  if (revoked_at !== null) return `revoked ${momentText(revoked_at, now)}`;
  if (paused !== null) return paused.until === null ? "paused" : `paused until ${momentText(paused.until, now)}`;
  if (is_connected) return "connected";
  return last_seen_at === null ? "never seen" : `seen ${spanText(now - Date.parse(last_seen_at))} ago`;
}

export function grantColumns(now: number): Column<GrantView>[] {
  return [
    { title: "ID", text: ({ id }) => String(id), isRight: true },
    { title: "CAPABILITY", text: ({ capability }) => capability },
    { title: "TARGET", text: ({ target }) => shortHome(target), shrinksTo: 16 },
    { title: "AGENT", text: ({ agent_name, agent_id }) => agent_name ?? agent_id ?? "all of yours", shrinksTo: 8 },
    { title: "GIVEN", text: ({ granted_at }) => momentText(granted_at, now) },
    { title: "ENDS", text: (grant) => endOf(grant, now) },
    {
      title: "LAST USED",
      text: ({ last_used_at }) => (last_used_at === null ? "never" : momentText(last_used_at, now)),
    },
  ];
}

/** `until`: how long it can be given back. */
export function staleColumns(now: number): Column<GrantView & { until: string }>[] {
  return [
    ...grantColumns(now).filter(({ title }) => title !== "ENDS"),
    { title: "REVOKED AT", text: ({ revoked_at }) => revoked_at ?? "" },
    { title: "UNTIL", text: ({ until }) => momentText(until, now) },
  ];
}

function endOf({ revoked_at, expires_at, session }: GrantView, now: number): string {
  if (revoked_at !== null) return `revoked ${momentText(revoked_at, now)}`;
  if (expires_at !== null) return momentText(expires_at, now);
  return session === null ? "when revoked" : "with its session";
}

export function refusalColumns(now: number): Column<RefusalView>[] {
  return [
    { title: "ID", text: ({ id }) => String(id), isRight: true },
    {
      title: "DENIED",
      text: ({ refuse, capability, executor }) => (refuse === "call" ? executor : (capability ?? "")),
    },
    { title: "TARGET", text: ({ target }) => shortHome(target), shrinksTo: 16 },
    { title: "AGENT", text: ({ agent_name, agent_id }) => agent_name ?? agent_id, shrinksTo: 8 },
    { title: "SESSION", text: ({ session }) => session, shrinksTo: 8 },
    { title: "ENDS", text: ({ expires_at }) => `with it, or ${momentText(expires_at, now)}` },
  ];
}

export function sessionColumns(now: number): Column<MarkedSession>[] {
  const seen = (by: MarkedSession["private"]) =>
    by === undefined ? "" : `${seenName(shortHome(by.what), "en")} (${momentText(by.at, now)})`;
  return [
    { title: "AGENT", text: ({ agent_name, agent_id }) => agent_name ?? agent_id, shrinksTo: 8 },
    {
      title: "SESSION",
      text: ({ session, is_own }) => (is_own ? session : `${session} (shared)`.trim()),
      shrinksTo: 8,
    },
    { title: "READ", text: (one) => seen(one.private), shrinksTo: 16 },
    { title: "TOOK IN", text: (one) => seen(one.untrusted), shrinksTo: 16 },
  ];
}

export function toolColumns(now: number): Column<KeptToolView>[] {
  return [
    { title: "ID", text: ({ id }) => String(id), isRight: true },
    { title: "SERVER", text: ({ server }) => server, shrinksTo: 8 },
    { title: "TOOL", text: ({ tool }) => tool, shrinksTo: 16 },
    { title: "IT", text: ({ state }) => (state === "looks" ? "only looks" : "is asked about") },
    { title: "AGENT", text: ({ agent_name, agent_id }) => agent_name ?? agent_id, shrinksTo: 8 },
    { title: "SAID", text: ({ decided_at }) => momentText(decided_at, now) },
  ];
}

export interface CapabilityRow {
  name: string;
  critical: boolean;
  default_approval: string;
  target_kind: string;
  description: string;
}

export const CAPABILITY_COLUMNS: readonly Column<CapabilityRow>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "CRITICAL", text: ({ critical }) => (critical ? "yes" : "no") },
  { title: "ASKED", text: ({ default_approval }) => default_approval.replaceAll("_", " ") },
  { title: "TARGET", text: ({ target_kind }) => target_kind.replaceAll("_", " ") },
  { title: "DESCRIPTION", text: ({ description }) => description, shrinksTo: 20 },
];

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  allowed: "allowed",
  approval_required: "asks",
  denied: "denied",
};

/** The policy table, as it is for somebody. What is stricter than the table of all is marked, with its line, or its ID where it is by hand. */
export const POLICY_COLUMNS: readonly Column<{ capability: Capability; own: SubjectPolicy }>[] = [
  { title: "", text: ({ capability }) => capability },
  ...LEVELS.map((level) => ({
    title: level,
    text: ({ capability, own }: { capability: Capability; own: SubjectPolicy }) => {
      const override = own.override(level, capability);
      const mark = override === undefined ? "" : ` *${override.line ?? `ID ${override.by_hand?.id}`}`;
      return `${OUTCOME_WORDS[own.table[level][capability]]}${mark}`;
    },
  })),
];

export const OVERRIDE_COLUMNS: readonly Column<PolicyOverride & { agents: readonly string[] }>[] = [
  { title: "LINE", text: ({ line }) => (line === null ? "" : String(line)), isRight: true },
  { title: "ID", text: ({ by_hand }) => (by_hand === undefined ? "" : String(by_hand.id)), isRight: true },
  { title: "FOR", text: ({ profile }) => profile, shrinksTo: 16 },
  { title: "LEVEL", text: ({ level }) => level },
  { title: "CAPABILITY", text: ({ capability }) => capability },
  { title: "TABLE", text: ({ before }) => OUTCOME_WORDS[before] },
  { title: "HERE", text: ({ outcome }) => OUTCOME_WORDS[outcome] },
  { title: "AGENTS", text: ({ agents }) => agents.join(", ") || "none", shrinksTo: 8 },
];

export const SPENT_COLUMNS: readonly Column<SpentToday>[] = [
  { title: "AGENT", text: ({ agent_name }) => agent_name, shrinksTo: 12 },
  { title: "CALLS", text: ({ calls }) => String(calls), isRight: true },
  { title: "TODAY", text: ({ amount, currency }) => amountText(amount, currency, "en"), isRight: true },
];

/**
 * What happened, to whom, and why; of events that aren't decisions, their other fields.
 * @param lines what is kept of calls, by their decisions @param hasMatched why: with what matched, word for word
 */
export function auditColumns(lines: Readonly<Record<string, string>>, hasMatched = false): Column<AuditLine>[] {
  const why = (line: AuditLine) => (hasMatched ? `${whyOf(line)}: ${field(line, "reason")}` : whyOf(line));
  return [
    { title: "TIME", text: ({ ts }) => clockText(ts) },
    { title: "EVENT", text: (line) => field(line, "outcome") || line.event },
    { title: "AGENT", text: (line) => field(line, "agent"), shrinksTo: 8 },
    { title: "WHAT", text: (line) => lines[field(line, "decision_id")] ?? auditSubject(line), shrinksTo: 24 },
    { title: "WHY", text: why, shrinksTo: 16, wraps: true },
  ];
}

/** One sentence for each rule; the gate's own words where a line names none, as one of an earlier version does. */
function whyOf(line: AuditLine): string {
  const words: Readonly<Record<string, string | undefined>> = RULE_WORDS.en;
  const rule = field(line, "rule");
  return (Object.hasOwn(words, rule) ? words[rule] : undefined) ?? field(line, "reason");
}

export function activityColumns(now: number): Column<ActivityEntry>[] {
  return [
    { title: "TIME", text: ({ ts }) => momentText(new Date(ts * 1000).toISOString(), now).replace(/^today /, "") },
    { title: "AGENT", text: ({ agent_name }) => agent_name, shrinksTo: 8 },
    { title: "OUTCOME", text: ({ result }) => resultText(result, "en") },
    { title: "WHAT", text: ({ line }) => line },
    { title: "PROJECT", text: ({ project }) => (project === null ? "" : shortHome(project)), shrinksTo: 6 },
  ];
}

export const DAY_COLUMNS: readonly Column<DayRow>[] = [
  { title: "AGENT", text: ({ agent_name }) => agent_name, shrinksTo: 8 },
  { title: "PROJECT", text: ({ project }) => (project === null ? "" : shortHome(project)), shrinksTo: 10 },
  { title: "CALLS", text: ({ total }) => String(total), isRight: true },
  { title: "BY ITSELF", text: ({ calls }) => String(calls.allowed), isRight: true },
  { title: "YOU APPROVED", text: ({ calls }) => String(calls.approved), isRight: true },
  { title: "YOU DENIED", text: ({ calls }) => String(calls.rejected), isRight: true },
  { title: "DENIED", text: ({ calls }) => String(calls.denied), isRight: true },
  { title: "NO ANSWER", text: ({ calls }) => numberText(calls.unanswered), isRight: true },
  { title: "WAITS", text: ({ calls }) => numberText(calls.waiting), isRight: true },
  { title: "FILES", text: ({ files }) => numberText(files.count), isRight: true },
  { title: "HOSTS", text: ({ hosts }) => numberText(hosts.count), isRight: true },
  {
    title: "COST",
    text: ({ costs }) => costs.map(({ amount, currency }) => amountText(amount, currency, "en")).join(", "),
    isRight: true,
  },
];

const numberText = (count: number): string => (count === 0 ? "" : String(count));

const SHOWN_ELSEWHERE = new Set(["event", "ts", "seq", "prev", "agent", "outcome", "reason"]);

function auditSubject(line: AuditLine): string {
  if (line.event === "decision" || line.event === "plan") {
    const { capabilities } = line;
    return [field(line, "executor"), Array.isArray(capabilities) ? capabilities.join(", ") : ""].join(" ").trim();
  }
  if (line.event === "outcome") return outcomeText(line);
  const others = Object.entries(line).filter(([key, value]) => !SHOWN_ELSEWHERE.has(key) && typeof value !== "object");
  return others.map(([key, value]) => `${key} ${String(value)}`).join(", ");
}

/** What an agent reported: `Bash ok after 1.2 s`. */
function outcomeText(line: AuditLine): string {
  const { ok, ms } = line;
  const after = typeof ms === "number" ? ` after ${tookText(ms)}` : "";
  return `${field(line, "executor")} ${ok === true ? "ok" : "failed"}${after}`.trim();
}

function field(line: AuditLine, name: string): string {
  const value = line[name];
  return typeof value === "string" ? value : "";
}

export function violationColumns(now: number): Column<ViolationView>[] {
  return [
    { title: "ID", text: ({ id }) => String(id), isRight: true },
    { title: "WHEN", text: ({ detected_at }) => momentText(detected_at, now) },
    { title: "RULE", text: ({ rule_id }) => rule_id, shrinksTo: 8 },
    { title: "SEVERITY", text: ({ severity }) => severity },
    { title: "AGENT", text: ({ agent_name }) => agent_name, shrinksTo: 8 },
    { title: "TIMES", text: ({ times }) => String(times), isRight: true },
    { title: "DETAIL", text: ({ detail }) => detail, shrinksTo: 16 },
    { title: "SEEN", text: ({ acknowledged_at }) => (acknowledged_at === null ? "no" : "yes") },
  ];
}

export const RULE_COLUMNS: readonly Column<SafetyRuleView>[] = [
  { title: "RULE", text: ({ rule_id }) => rule_id, shrinksTo: 8 },
  { title: "SEVERITY", text: ({ severity }) => severity },
  { title: "OF A", text: ({ subject_type }) => subject_type },
  { title: "DESCRIPTION", text: ({ description }) => description, shrinksTo: 20 },
];

export const TRACE_COLUMNS: readonly Column<TraceStep>[] = [
  { title: "STAGE", text: ({ stage }) => stage },
  { title: "OUTCOME", text: ({ outcome }) => outcome },
  { title: "DETAIL", text: ({ detail }) => detail, shrinksTo: 20 },
];

function shortHome(path: string): string {
  return shortenHome(path, homeFolder(process.env));
}
