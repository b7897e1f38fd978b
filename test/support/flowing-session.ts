import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { Decision, Level, Requirement } from "../../ipc/contract/decision.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { openCore } from "../../main/core/core.ts";
import { ManualClock } from "./manual-clock.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

export interface FlowOptions {
  level?: Level;
  agent?: string;
  config?: string;
  home?: TemporaryHome;
  clock?: ManualClock;
  /** Beside reading and writing the project. */
  grants?: Requirement[];
}

/** A gate's core with one agent that works in a project, with ordinary grants, and whose user has said something in each session. */
export async function flowingCore({
  level = "Full",
  agent: name = "claude-code",
  config,
  ...options
}: FlowOptions = {}) {
  const { home = temporaryHome(config), clock = new ManualClock() } = options;
  const project = join(home.home, "shop");
  mkdirSync(project, { recursive: true });
  execFileSync("git", ["init", "-q", project]);
  const log: string[] = [];
  const core = await openCore({ env: home.env, clock, log: (line) => log.push(line) });
  let isOpen = true;
  const close = () => {
    if (isOpen) core.close();
    isOpen = false;
  };
  onTestFinished(close);
  const agent = core.agents.named(name) ?? core.agents.pair(name, level).agent;
  const by = localPrincipal();
  const grant = (capability: Requirement["capability"], target: string) =>
    core.grants.recordGrant({ ...by, capability, target, granted_by: "test", agent: agent.agent_id });
  grant("fs:read", `${project}/**`);
  grant("fs:write", `${project}/**`);
  for (const { capability, target } of options.grants ?? []) grant(capability, target);

  const says = (text: string, session = "s1") => core.words.note(agent.agent_id, { session, turn: "t1", text });
  /** Sends a call: its first decision, with the request's view where the user is asked. */
  const call = (executor: string, args: Record<string, unknown>, { session = "s1" } = {}) => {
    const decisions: Decision[] = [];
    const decided = core.gate.decide(
      { intent: "", executor, args, context: { cwd: project } },
      { agent, level, session, principal: by },
      (decision) => void decisions.push(decision.current),
    );
    core.gate.record();
    core.gate.publish();
    const first = decided.decision?.current ?? decisions[0];
    if (first === undefined) throw new Error("no decision");
    const token = first.pending?.token;
    const view = (): ApprovalView => {
      const found = token === undefined ? undefined : core.gate.broker.registry.getPending(token);
      if (found === undefined) throw new Error("nothing waits");
      return core.gate.broker.view(found);
    };
    const answer = (decision: "approved" | "rejected", scope?: "session" | "permanent") => {
      if (token === undefined) throw new Error("nothing waits");
      core.gate.answer({ token, decision, ...(scope === undefined ? {} : { scope }) }, by);
      core.gate.record();
      core.gate.publish();
      return decisions.at(-1);
    };
    return { decision: first, outcome: first.outcome, rule: first.explain.rule, view, answer };
  };
  const put = (path: string, text: string) => {
    const file = path.startsWith("/") ? path : join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return { core, clock, home, project, agent, log, call, says, put, close };
}
