import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { PendingCall } from "../../ipc/contract/agent-port.ts";
import type { Decision, Level } from "../../ipc/contract/decision.ts";
import { openCore } from "../../main/core/core.ts";
import type { Reviewer } from "../../main/decide/stages/examination.ts";
import { HeldJudge, judgedBy } from "./judged-calls.ts";
import { ManualClock } from "./manual-clock.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

export const BY = localPrincipal();
/** What the calls write: nothing that is kept holds it. */
export const SECRET = "hunter2-is-the-word";

export interface JudgedCoreOptions {
  level?: Level;
  judges?: Reviewer[];
  config?: string;
  home?: TemporaryHome;
  clock?: ManualClock;
}

/** A gate's core with judges that the test holds, and one agent that writes files below its home. */
export async function judgedCore({
  level = "Full",
  judges = [new HeldJudge()],
  config,
  ...options
}: JudgedCoreOptions = {}) {
  const { home = temporaryHome(config), clock = new ManualClock() } = options;
  const log: string[] = [];
  const core = await openCore({ env: home.env, clock, log: (line) => log.push(line) });
  let isOpen = true;
  const close = () => {
    if (isOpen) core.close();
    isOpen = false;
  };
  onTestFinished(close);
  judgedBy(core, ...judges);
  const agent = core.agents.named("tester") ?? core.agents.pair("tester", level).agent;
  const folder = join(home.home, "work");
  mkdirSync(folder, { recursive: true });

  /** Sends a write of this file: `decisions` are those that its agent gets, in order; `next` is the next one. */
  const write = (file = "a.txt", session = "s1", content = SECRET) => {
    const args = { path: join(folder, file), content };
    const call = { intent: `write ${content}`, executor: "fs_write", args, context: { cwd: folder } };
    const decisions: Decision[] = [];
    const waiting: ((decision: Decision) => void)[] = [];
    const state: { pending: PendingCall | undefined } = { pending: undefined };
    const take = (decision: Decision | undefined, pending: PendingCall | undefined) => {
      state.pending = pending;
      if (decision === undefined) return;
      decisions.push(decision);
      waiting.shift()?.(decision);
    };
    const decided = core.gate.decide(
      call,
      { agent, level: agent.level, session, principal: BY },
      (decision, pending) => {
        core.gate.record();
        take(decision.current, pending);
        core.gate.publish();
      },
    );
    core.gate.record();
    take(decided.decision?.current, decided.pending);
    core.gate.publish();
    const next = () =>
      decisions.length > 0
        ? Promise.resolve(decisions[decisions.length - 1] as Decision)
        : new Promise<Decision>((resolve) => waiting.push(resolve));
    return { decisions, next, state };
  };
  return { core, home, clock, agent, folder, write, log, close };
}

/** Whatever was begun in this turn of the event loop, and what follows from it, has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
