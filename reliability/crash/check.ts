import { readFileSync } from "node:fs";
import { agentTokenFile, type GatePaths } from "../../ipc/base/paths.ts";
import type { ApprovalStatus } from "../../ipc/contract/decision.ts";
import type { AgentView, ApprovalView, GrantView } from "../../ipc/contract/operator-api.ts";
import type { Pause } from "../../ipc/contract/safety.ts";
import type { Setting } from "../../ipc/contract/settings.ts";
import { Fact } from "./fact.ts";
import type { AgentEntry, Ledger, RequestEntry } from "./ledger.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Compares the state that a restarted gate reports with what was acknowledged and received before it was killed. An act that was on its way is taken
 * as the gate reports it: it may have happened or not, but nothing else may.
 */
export function checkSnapshot(ledger: Ledger, snapshot: Snapshot, paths: GatePaths): void {
  checkPause(ledger, snapshot.pause);
  checkAgents(ledger, snapshot.agents, paths);
  checkRequests(ledger, snapshot.requests);
  checkGrants(ledger, snapshot.grants);
  checkSettings(ledger, snapshot.settings);
  for (const { file, line, problem } of snapshot.trail.problems)
    ledger.violateOnce("trail_broken", `${file}:${line}: ${problem}`);
}

function checkPause(ledger: Ledger, { is_paused }: Pause): void {
  const was = ledger.pause.possible.join(" or ");
  const is = is_paused ? "paused" : "running";
  if (!ledger.pause.adopt(is)) ledger.violate(is_paused ? "invented" : "lost", `the gate is ${is}; it was ${was}`);
  // A paused gate withdraws waiting requests as it starts.
  if (is_paused) {
    ledger.mayWithdraw();
    ledger.hasWithdrawn();
  }
}

function checkAgents(ledger: Ledger, views: readonly AgentView[], paths: GatePaths): void {
  for (const { name } of views) if (!ledger.agents.has(name)) ledger.violate("invented", `agent ${name} is paired`);
  for (const agent of ledger.agents.values()) {
    const view = views.find(({ name, revoked_at }) => name === agent.name && revoked_at === null);
    const was = agent.fact.possible.join(" or ");
    const isNew = agent.agent_id === "";
    const is = view === undefined ? "unpaired" : "paired";
    if (!agent.fact.adopt(is))
      ledger.violate(is === "paired" ? "invented" : "lost", `agent ${agent.name} is ${is}; it was ${was}`);
    if (view === undefined) continue;
    checkAgentPause(ledger, agent, view.paused !== null);
    if (agent.agent_id !== "" && agent.agent_id !== view.agent_id)
      ledger.violate("invented", `agent ${agent.name} has another id`);
    agent.agent_id = view.agent_id;
    if (!isNew) continue;
    agent.token = tokenOf(paths, agent.name);
    if (agent.token === "") ledger.violate("half_done", `agent ${agent.name} is paired without a token`);
  }
}

function checkAgentPause(ledger: Ledger, agent: AgentEntry, isPaused: boolean): void {
  if (!agent.paused.adopt(isPaused))
    ledger.violate(isPaused ? "invented" : "lost", `agent ${agent.name} is ${isPaused ? "" : "not "}paused`);
  if (!isPaused) return;
  ledger.mayWithdraw(agent);
  ledger.hasWithdrawn(agent);
}

function tokenOf(paths: GatePaths, name: string): string {
  try {
    return readFileSync(agentTokenFile(paths, name), "utf8").trim();
  } catch {
    return ""; // reported by the caller
  }
}

function checkRequests(ledger: Ledger, views: readonly ApprovalView[]): void {
  const found = new Map(views.map((view) => [view.token, view]));
  for (const request of ledger.requests.values()) {
    const view = found.get(request.token);
    if (view === undefined) {
      ledger.violate("lost", `request ${request.token} is missing`);
      ledger.requests.delete(request.token);
    } else checkRequest(ledger, request, view);
  }
  for (const [token, fact] of ledger.features.requests) checkFeatureRequest(ledger, token, fact, found.get(token));
  const ofDriven = views.filter(({ agent_id }) => !ledger.features.agentIds.has(agent_id));
  const byCall = Map.groupBy(ofDriven, ({ agent_id, call_hash }) => `${agent_id} ${call_hash}`);
  for (const [key, requests] of byCall) {
    const sent = ledger.sent.get(key) ?? 0;
    if (requests.length > sent)
      ledger.violate("invented", `${requests.length} requests for a call that was sent ${sent} times`);
  }
  for (const view of views) {
    // Asked for by a call whose first decision never arrived: it can't have been answered.
    const isKnown = ledger.requests.has(view.token) || ledger.features.requests.has(view.token);
    const isExpected = isKnown || view.status === "pending" || view.status === "cancelled";
    if (!isExpected) ledger.violate("invented", `request ${view.token} is ${view.status}, but was not answered`);
  }
}

function checkFeatureRequest(
  ledger: Ledger,
  token: string,
  fact: Fact<ApprovalStatus>,
  view: ApprovalView | undefined,
): void {
  const was = fact.possible.join(" or ");
  if (view === undefined || !fact.adopt(view.status))
    ledger.violate("lost", `request ${token} is ${view?.status ?? "missing"}; it was ${was}`);
  if (view?.status !== "pending") return;
  for (const status of ["cancelled", "expired"] as const) fact.begin(status);
  if (ledger.features.deniedByPhone.has(token)) fact.begin("rejected");
}

function checkRequest(ledger: Ledger, request: RequestEntry, view: ApprovalView): void {
  request.wasLeft = false;
  const was = request.fact.possible;
  const isLost = was.length === 1 && view.status === "pending";
  if (!request.fact.adopt(view.status))
    ledger.violate(isLost ? "lost" : "invented", `request ${view.token} is ${view.status}; it was ${was.join(" or ")}`);
  if (view.status === "pending") {
    request.answered = undefined;
    request.undelivered.done(false);
  }
  const scopes = request.territory.possible.join(" or ");
  if (!request.territory.adopt(view.territory_concession))
    ledger.violate("lost", `the answer to ${view.token} was for ${scopes}, not ${view.territory_concession}`);
}

function checkGrants(ledger: Ledger, views: readonly GrantView[]): void {
  const found = Map.groupBy(views, ({ granted_by, target }) =>
    granted_by?.startsWith("approval:") ? granted_by : target,
  );
  for (const [key, same] of found) {
    if (!ledger.grants.has(key)) ledger.violate("invented", `grant ${same[0]?.id} (${key})`);
    if (same.length > 1) ledger.violate("invented", `${same.length} grants of one act (${key})`);
  }
  for (const grant of ledger.grants.values()) {
    const view = found.get(grant.key)?.[0];
    const was = grant.fact.possible.join(" or ");
    const is = view === undefined ? "absent" : view.revoked_at === null ? "active" : "revoked";
    if (!grant.fact.adopt(is))
      ledger.violate(is === "active" ? "invented" : "lost", `grant ${grant.key} is ${is}; it was ${was}`);
    if (view !== undefined && grant.id !== undefined && grant.id !== view.id)
      ledger.violate("invented", `grant ${grant.key} has another id`);
    grant.id = view?.id;
  }
  for (const { token, fact, territory } of ledger.requests.values())
    if (fact.known === "approved" && territory.known !== "none" && !found.has(`approval:${token}`))
      ledger.violate("lost", `request ${token} was approved for longer, and there is no grant`);
}

function checkSettings(ledger: Ledger, settings: readonly Setting[]): void {
  for (const { key, value } of settings) {
    const fact = ledger.settings.get(key);
    if (fact === undefined) {
      ledger.settings.set(key, new Fact<string | number | boolean>(value));
      continue;
    }
    const was = fact.possible.join(" or ");
    if (!fact.adopt(value)) ledger.violate("lost", `${key} is ${value}; it was ${was}`);
  }
}
