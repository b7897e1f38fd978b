import { ownCommand } from "../../ipc/base/own-command.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import type { SessionEvent } from "../../ipc/contract/session-events.ts";
import type { Core } from "./core.ts";

/** What an agent's client says of its own sessions: it informs, and it ends what was remembered for one. It lets nothing through. */

export function noteSessionEvent(core: Core, agent_id: string, session: string, event: SessionEvent): void {
  switch (event.kind) {
    case "prompt":
      return core.words.note(agent_id, { session, turn: event.turn, text: event.text });
    case "ended":
      return endSession(core, agent_id, session);
    case "other-hooks":
      return noteOtherHooks(core, agent_id, event.hooks);
    // A call says itself for whom it is and where it runs: nothing is kept of these.
    case "subagent-started":
    case "subagent-ended":
    case "cwd-changed":
      return;
  }
}

/** They are no failure, but a call that one of them changes runs other than it was allowed. */
function noteOtherHooks({ agents, alarms, other_hooks }: Core, agent_id: string, hooks: readonly string[]): void {
  const agent = agents.get(agent_id)?.name;
  if (agent === undefined || !other_hooks.isNews(agent_id, hooks)) return;
  alarms.raise({
    code: "other_hooks",
    subject: agent,
    message: `${agent} has other hooks before its tools: ${hooks.map((hook) => visible(hook)).join(", ")}`,
    hint: `see them with: ${ownCommand("doctor")}; connect ${agent} with --managed to let none of them run`,
  });
}

/**
 * A session of an agent is over: what waits in it is withdrawn, and what was granted, refused and said in it ends. One that comes back under
 * its name is asked about anew. @throws SQLite's error; what was granted doesn't count all the same
 */
export function endSession(core: Core, agent_id: string, session: string): void {
  const { agents, audit, gate, grants, rate, publish } = core;
  gate.endSession(agent_id, session);
  rate.endSession(agent_id, session);
  const ended = grants.endSession(agent_id, session);
  const had_refusals = gate.broker.registry.refusals.end(agent_id, session);
  if (ended > 0) publish({ type: "grants.changed", data: {} });
  if (had_refusals) publish({ type: "refusals.changed", data: {} });
  // Only what changed anything: an agent that says it of sessions without number writes no lines.
  if (ended === 0 && !had_refusals) return;
  const agent = agents.get(agent_id)?.name ?? "none";
  audit.append({ event: "session.ended", ts: audit.time(), agent, grants: ended, had_refusals });
}
