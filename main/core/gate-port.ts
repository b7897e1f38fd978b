import { timingSafeEqual } from "node:crypto";
import { isAbsolute, normalize } from "node:path";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { localPrincipal } from "../../ipc/base/paths.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import type {
  AgentPort,
  CallSource,
  CheckedSubject,
  Decided,
  Deliver,
  Greeted,
  InTurn,
  PendingCall,
  Ran,
  Refusal,
  UnsentDecision,
} from "../../ipc/contract/agent-port.ts";
import type { Confined, Decision } from "../../ipc/contract/decision.ts";
import { isoSeconds } from "../../ipc/contract/iso-seconds.ts";
import { MAX_MCP_TOOLS, type McpTools } from "../../ipc/contract/mcp.ts";
import type { Pause } from "../../ipc/contract/safety.ts";
import type { SessionEvent } from "../../ipc/contract/session-events.ts";
import {
  CONFINE,
  type GateMessage,
  type Hello,
  type ProposedCall,
  type SafetyVerdict,
} from "../../ipc/contract/wire.ts";
import { TOKEN_REQUIRED } from "../../ipc/socket/agent-answers.ts";
import type { AgentPause } from "../agents/index.ts";
import { VERSION } from "../base/version.ts";
import type { Declaration } from "../decide/confinement/declaration.ts";
import type { Untaken } from "../decide/mcp/announced-tools.ts";
import { handedBy } from "../decide/places/further-needs.ts";
import type { Subject } from "../decide/stages/examination.ts";
import { AGENT_PAUSED } from "../decide/stages/safety.ts";
import type { Core } from "./core.ts";
import { noteRan, noteReport, noteTriedMore, noteUnasked } from "./reported-calls.ts";

/** Limits on agents' unread output; `maxBytes` is in the configuration. */
export const AGENT_UNREAD = { pauseBytes: 256 * 1024, total_bytes: 32 * 1024 * 1024, patienceMs: 10_000 };

const unreadable = () =>
  ({
    code: "agent_unreadable",
    message: "the gate can't read this agent's entry in its database",
    hint: `ask the user: ${ownCommand("agents list")} says what to do`,
  }) as const;

/** Why a proxy's tools aren't taken: its calls are then of tools that nothing describes. */
const UNTAKEN: Readonly<Record<Untaken, Refusal>> = {
  "other-server": {
    code: "invalid_message",
    message: "this connection has announced the tools of another server",
    hint: "open another connection for it",
  },
  "too-many": {
    code: "invalid_message",
    message: `a connection may announce ${MAX_MCP_TOOLS} tools`,
    hint: "leave some out: they are asked about each time",
  },
  "too-long": {
    code: "invalid_message",
    message: "the definitions that this agent's connections have announced are too long to take more",
    hint: "close a connection, or leave some out: they are asked about each time",
  },
};

interface Later {
  call: ProposedCall;
  source: CallSource;
  deliver: Deliver;
  later: InTurn;
}

/** The part of the gate that agents can call: they can ask, and nothing else. */
export class GatePort implements AgentPort {
  readonly gate_version = VERSION;
  readonly #core: Core;
  readonly #log: (line: string) => void;
  readonly #principal = localPrincipal();
  readonly #boxed: BoxedAgent | undefined;

  /** @param boxed the one agent whose socket this is for, and which runs in a box as a whole */
  constructor(core: Core, log: (line: string) => void, boxed?: BoxedAgent) {
    this.#core = core;
    this.#log = log;
    this.#boxed = boxed;
  }

  greet(hello: Hello): ReturnType<AgentPort["greet"]> {
    return this.#boxed === undefined ? this.#greeted(hello) : this.#greetedFromBox(hello, this.#boxed);
  }

  #greetedFromBox({ agent: { name }, token = "" }: Hello, boxed: BoxedAgent): ReturnType<AgentPort["greet"]> {
    const agent = this.#core.agents.get(boxed.agent_id);
    const isPaired = agent !== undefined && agent.revoked_at === null;
    if (!isPaired || agent.name !== name || !isSameText(token, boxed.token)) return { refused: NOT_THIS_AGENT };
    this.#core.agents.noteSeen(agent.agent_id);
    return { agent_id: agent.agent_id, level: agent.level } satisfies Greeted;
  }

  #greeted({ agent: { name }, token, supports = [] }: Hello): ReturnType<AgentPort["greet"]> {
    const { agents, box } = this.#core;
    if (agents.unreadable().includes(name)) return { refused: unreadable() };
    if (token !== undefined) {
      const agent = agents.authenticate(name, token);
      if (agent === undefined) {
        return {
          refused: {
            code: "bad_token",
            message: "this token is not this agent's",
            hint: `ask the user to pair it: ${ownCommand(`agents pair ${name} --level Supervised`)}`,
          },
        };
      }
      agents.noteSeen(agent.agent_id);
      box.greeted(name, supports.includes(CONFINE));
      return { agent_id: agent.agent_id, level: agent.level } satisfies Greeted;
    }
    if (agents.named(name) !== undefined) return { refused: TOKEN_REQUIRED };
    return { pairing: true };
  }

  /** Once the history of its repository was looked through, where that has just begun. */
  decide(call: ProposedCall, source: CallSource, deliver: Deliver, later: InTurn): Decided {
    const before = this.#core.histories.before(call, source.agent_id);
    const asked = { call, source, deliver, later };
    return before === undefined ? this.#decide(asked) : this.#decideAfter(before, asked);
  }

  #decideAfter(before: Promise<unknown>, asked: Later): Decided {
    const { deliver, later } = asked;
    let decided: Decided | undefined;
    let isGone = false;
    /** As it is known now. */
    const decide = () => {
      decided ??= this.#decide(asked);
      return decided;
    };
    void before.then(() =>
      later(() => {
        if (decided !== undefined || isGone) return;
        const { decision, pending } = decide();
        if (decision !== undefined) deliver(decision, pending);
      }),
    );
    return {
      pending: {
        token: null,
        cancel(reason) {
          const { decision, pending } = decide();
          return pending === undefined ? (decision ?? null) : pending.cancel(reason);
        },
        // Nobody gets the answer any more: none is made.
        disconnect(reason) {
          isGone = true;
          decided?.pending?.disconnect(reason);
        },
      },
    };
  }

  #decide({ call, source, deliver, later }: Later): Decided {
    const { gate } = this.#core;
    if (this.#boxed === undefined) return gate.decide(call, this.#subject(source), deliver, later);
    const toBox = ({ decision, pending }: Decided): Decided => ({
      ...(decision === undefined ? {} : { decision: sentToBox(decision) }),
      ...(pending === undefined ? {} : { pending: pendingInBox(pending) }),
    });
    return toBox(
      gate.decide(
        call,
        this.#subject(source),
        (decision, pending) => deliver(sentToBox(decision), pending === undefined ? undefined : pendingInBox(pending)),
        later,
      ),
    );
  }

  withdraw(agentId: string, token: string, reason: string): Decision | undefined {
    return this.#core.gate.waiting.withdrawLeft(agentId, token, reason);
  }

  preview(call: ProposedCall, source: CallSource): Decision {
    return this.#core.gate.preview(call, this.#subject(source));
  }

  ran(agentId: string, session: string, ran: Ran): ReturnType<AgentPort["ran"]> {
    const { agents, undo } = this.#core;
    const confined = this.#ran(agentId, ran);
    const undone = undo?.unreported.take({ agent: agents.get(agentId)?.name ?? null, session });
    return { ...confined, ...(undone === undefined ? {} : { undone }) };
  }

  #ran(agentId: string, { call_id: id, ok, duration_ms, input, unasked, refused }: Ran): { confined: Confined | null } {
    const { activity, box, later, undo } = this.#core;
    const callId = this.#boxed === undefined ? box.callIdOf(agentId, id) : id;
    const decisionId = activity.reports.decisionOf(agentId, callId);
    const isUnasked = unasked === true && decisionId === undefined;
    // Codex doesn't say how.
    if (decisionId !== undefined) for (const each of [undo, later]) each?.ended(decisionId);
    if (isUnasked && this.#boxed === undefined) box.ranUnasked(agentId);
    if (isUnasked && input !== undefined) noteUnasked(this.#core, agentId, input);
    else if (input !== undefined) noteRan(this.#core, agentId, callId, input);
    if (refused === true && !isUnasked) noteTriedMore(this.#core, agentId, callId);
    if (ok !== undefined && !isUnasked) noteReport(this.#core, agentId, { call_id: callId }, { ok, duration_ms });
    // Calls from a box are given no words to run: what was given to the same agent elsewhere is none of them.
    return this.#boxed === undefined ? box.ran(agentId, id) : { confined: null };
  }

  announce({ agent_id, connection }: CallSource, tools: McpTools): ReturnType<AgentPort["announce"]> {
    const announced = this.#core.mcp.announce(connection, agent_id, tools);
    return typeof announced === "string" ? { refused: UNTAKEN[announced] } : { tools: announced };
  }

  connectionEnded(connection: number): void {
    this.#core.mcp.connectionEnded(connection);
  }

  async check(subject: CheckedSubject, agentId: string): Promise<SafetyVerdict> {
    const agent = this.#core.agents.get(agentId)?.name ?? "none";
    const verdict = await this.#filtered(subject, agent);
    return this.#core.agent_pauses.isPaused(agentId) ? { ...verdict, allowed: false, is_paused: true } : verdict;
  }

  #filtered(subject: CheckedSubject, agent: string): Promise<SafetyVerdict> {
    const { filter } = this.#core.safety;
    switch (subject.type) {
      case "goal":
        return filter.checkGoal(subject.goal, agent);
      case "subtask":
        return filter.checkSubtask(subject.subtask, agent);
      case "graph":
        return filter.checkGraph(subject.graph, agent);
    }
  }

  paused(agentId: string): GateMessage<"safety.paused"> | null {
    const { agent_pauses, safety } = this.#core;
    return pausedMessage(safety.pause.state()) ?? agentPausedMessage(agent_pauses.of(agentId));
  }

  outcome(agentId: string, decisionId: string, ok: boolean): void {
    noteReport(this.#core, agentId, { decision_id: decisionId }, { ok });
  }

  sessionEnded(agentId: string, session: string): void {
    endSession(this.#core, agentId, session);
  }

  sessionEvent(agentId: string, session: string, event: SessionEvent): void {
    noteSessionEvent(this.#core, agentId, session, event);
  }

  pairingRequested(name: string, version: string | null): void {
    this.#log(
      `pairing requested by ${name}: ${ownCommand(`agents pair ${name} --level Supervised`)} (or ReadOnly, Full)`,
    );
    const requestedAt = isoSeconds(Date.now());
    this.#core.publish({ type: "pairing.requested", data: { name, version, requested_at: requestedAt } });
  }

  record(): void {
    // If the process was suspended between deciding and sending, this ends every connection, and nothing is written.
    this.#core.storage.watch.lossByNow();
    this.#core.gate.record();
  }

  publish(): void {
    this.#core.gate.publish();
  }

  failed(what: string, error: unknown): void {
    this.#core.failed(what, error);
  }

  dropped(reason: string, count: number): void {
    this.#log(`dropped ${count === 1 ? "a client" : `${count} clients`}: ${reason}`);
  }

  #subject({ agent_id, session, can_confine, connection }: CallSource): Subject {
    const agent = this.#core.agents.get(agent_id);
    if (agent === undefined) throw new Error("a greeted agent is always known");
    const subject = { agent, level: agent.level, session, principal: this.#principal, connection };
    if (this.#boxed === undefined) return { ...subject, can_confine };
    return { ...subject, can_confine: false, agentBox: this.#boxed.declaration };
  }
}

/** An agent that runs in a box as a whole. */
export interface BoxedAgent {
  agent_id: string;
  /** Of its run alone. */
  token: string;
  /** What its box shows. */
  declaration: Declaration;
}

const NOT_THIS_AGENT: Refusal = {
  code: "bad_token",
  message: "this socket is another agent's, which runs in a box",
  hint: "start the agent again",
};

function isSameText(said: string, expected: string): boolean {
  const [a, b] = [Buffer.from(said), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** It runs what it is allowed as it is: for the rest of the gate the call is a confined one. */
function sentToBox(decision: UnsentDecision): UnsentDecision {
  return {
    get current() {
      return decision.current;
    },
    get sent() {
      const { confined: _, ...sent } = decision.sent;
      return sent;
    },
  };
}

function pendingInBox(pending: PendingCall): PendingCall {
  return {
    get token() {
      return pending.token;
    },
    cancel(reason) {
      const decision = pending.cancel(reason);
      return decision === null ? null : sentToBox(decision);
    },
    disconnect: (reason) => pending.disconnect(reason),
  };
}

/** The message to agents about a pause; null while there is none. */
export function pausedMessage({ reason, since, until }: Pause): GateMessage<"safety.paused"> | null {
  return reason === null || since === null ? null : { reason, since, until };
}

/** The message to an agent that is paused by itself; null while it isn't. */
export function agentPausedMessage(pause: AgentPause | null): GateMessage<"safety.paused"> | null {
  return pause === null ? null : { reason: AGENT_PAUSED, since: pause.since, until: pause.until };
}

// What an agent's client says of its own sessions: it informs, and it ends what was remembered for one. It lets nothing through.

function noteSessionEvent(core: Core, agentId: string, session: string, event: SessionEvent): void {
  switch (event.kind) {
    case "prompt":
      core.undo?.see(event.cwd);
      return core.words.note(agentId, { session, turn: event.turn, text: event.text });
    case "began":
      return noteInstructions(core, agentId, event.cwd);
    case "ended":
      return endSession(core, agentId, session);
    case "other-hooks":
      return noteOtherHooks(core, agentId, event.hooks);
    case "cwd-changed":
      return core.undo?.see(event.cwd);
    // A call says itself for whom it is: nothing is kept of these.
    case "subagent-started":
    case "subagent-ended":
      return;
  }
}

/** Files in one sentence. */
const MAX_NAMED = 3;

/** A client reads instructions by itself: nothing is left to be asked about by then. */
function noteInstructions({ agents, alarms, home }: Core, agentId: string, cwd: string): void {
  const agent = agents.get(agentId)?.name;
  const handed = agent === undefined || !isAbsolute(cwd) ? [] : handedBy(normalize(cwd), home);
  if (agent === undefined || handed.length === 0) return;
  const names = handed.slice(0, MAX_NAMED).map((name) => visible(name));
  const more = handed.length > MAX_NAMED ? ` and ${handed.length - MAX_NAMED} more` : "";
  alarms.raise({
    code: "instructions_hand_secret",
    subject: agent,
    message: `instructions that ${agent} reads as it begins in ${visible(cwd)} hand its model ${names.join(", ")}${more}`,
    hint: "take that out of CLAUDE.md, AGENTS.md or what these import, and begin a new session",
  });
}

/** They are no failure, but a call that one of them changes runs other than it was allowed. */
function noteOtherHooks({ agents, alarms, other_hooks }: Core, agentId: string, hooks: readonly string[]): void {
  const agent = agents.get(agentId)?.name;
  if (agent === undefined || !other_hooks.isNews(agentId, hooks)) return;
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
function endSession(core: Core, agentId: string, session: string): void {
  const { agents, audit, gate, grants, rate, publish } = core;
  gate.endSession(agentId, session);
  rate.endSession(agentId, session);
  const ended = grants.endSession(agentId, session);
  const hadRefusals = gate.broker.registry.refusals.end(agentId, session);
  if (ended > 0) publish({ type: "grants.changed", data: {} });
  if (hadRefusals) publish({ type: "refusals.changed", data: {} });
  // Only what changed anything: an agent that says it of sessions without number writes no lines.
  if (ended === 0 && !hadRefusals) return;
  const agent = agents.get(agentId)?.name ?? "none";
  audit.append({ event: "session.ended", ts: audit.time(), agent, grants: ended, had_refusals: hadRefusals });
}
