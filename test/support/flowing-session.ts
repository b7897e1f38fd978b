import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { Decision, Level, Reach, Requirement } from "../../ipc/contract/decision.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import type { CallContext } from "../../ipc/contract/wire.ts";
import { type Core, openCore } from "../../main/core/core.ts";
import { BOX_CONNECT } from "../../main/decide/executors/internal.ts";
import { ManualClock } from "./manual-clock.ts";
import { type StandInBox, standInFor } from "./stand-in-box.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

export interface FlowOptions {
  level?: Level;
  agent?: string;
  config?: string;
  home?: TemporaryHome;
  clock?: ManualClock;
  /** Beside reading and writing the project. */
  grants?: Requirement[];
  /** Command lines are confined where they can be, by a box that runs nothing. */
  box?: boolean;
}

/** Where a call is made, and by whom. */
export interface CalledFrom {
  session?: string;
  /** As its client says; the project, where it says nothing. */
  cwd?: string;
  context?: Partial<CallContext>;
}

/** A gate's core with one agent that works in a project, with ordinary grants, and whose user has said something in each session. */
export async function flowingCore({
  level = "Full",
  agent: name = "claude-code",
  config,
  ...options
}: FlowOptions = {}) {
  const { home = temporaryHome(config), clock = new ManualClock() } = options;
  const project = projectIn(home.home, "shop");
  const log: string[] = [];
  const core = await openCore({ env: home.env, clock, log: (line) => log.push(line) });
  const box = options.box === true ? standInFor(core.box) : undefined;
  let isOpen = true;
  const close = () => {
    if (isOpen) core.close();
    isOpen = false;
  };
  onTestFinished(close);
  /** Another agent in the same project, with the same grants. */
  const seat = (of: string, at: Level = level, more = options.grants) =>
    seatIn(core, { agent: of, level: at, project, grants: more, box });
  const put = (path: string, text: string) => {
    const file = path.startsWith("/") ? path : join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return { ...seat(name), core, clock, home, project, log, put, close, seat, box };
}

/** Makes a Git project of this name: as `git init` does, as far as anybody looks. */
export function projectIn(home: string, name: string): string {
  const project = join(home, name);
  for (const folder of ["objects", "refs/heads", "hooks"])
    mkdirSync(join(project, ".git", folder), { recursive: true });
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(project, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  return project;
}

export interface SeatOptions {
  agent: string;
  level: Level;
  project: string;
  /** What it may read and write unasked; its project, where none is named. */
  folder?: string;
  grants?: readonly Requirement[] | undefined;
  box?: StandInBox | undefined;
}

/** One agent of a core, paired where it isn't yet, and what it asks. */
export function seatIn(core: Core, { agent: name, level, project, folder = project, grants = [], box }: SeatOptions) {
  const agent = core.agents.named(name) ?? core.agents.pair(name, level).agent;
  const by = localPrincipal();
  const grant = (capability: Requirement["capability"], target: string) =>
    core.grants.recordGrant({ ...by, capability, target, granted_by: "test", agent: agent.agent_id });
  grant("fs:read", `${folder}/**`);
  grant("fs:write", `${folder}/**`);
  for (const { capability, target } of grants) grant(capability, target);

  const says = (text: string, session = "s1") => core.words.note(agent.agent_id, { session, turn: "t1", text });
  /** Sends a call: its first decision, with the request's view where the user is asked. */
  const call = (executor: string, args: Record<string, unknown>, from: CalledFrom = {}) => {
    const { session = "s1", cwd = project, context = {} } = from;
    const decisions: Decision[] = [];
    const decided = core.gate.decide(
      { intent: "", executor, args, context: { cwd, ...context } },
      { agent, level, session, principal: by, ...(box === undefined ? {} : { can_confine: true }) },
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
    const answer = (decision: "approved" | "rejected", scope?: "session" | "permanent", reach?: Reach) => {
      if (token === undefined) throw new Error("nothing waits");
      const wider = { ...(scope === undefined ? {} : { scope }), ...(reach === undefined ? {} : { reach }) };
      core.gate.answer({ token, decision, ...wider }, by);
      core.gate.record();
      core.gate.publish();
      return decisions.at(-1);
    };
    return { decision: first, outcome: first.outcome, rule: first.explain.rule, view, answer };
  };
  /** What a program in a box asks for: one host. */
  const reach = (url: string, from: CalledFrom = {}) =>
    call(BOX_CONNECT, { url, description: "npm test", method: "CONNECT" }, from);
  return { agent, call, says, grant, reach };
}
