import type { Confined, Decision, Level } from "./decision.ts";
import type { McpToolState, McpTools } from "./mcp.ts";
import type { SessionEvent } from "./session-events.ts";
import type { UndoneNote } from "./undo.ts";
import type {
  GateMessage,
  Goal,
  Hello,
  ProposedCall,
  RanCall,
  SafetyVerdict,
  Subtask,
  TaskGraph,
  WireError,
} from "./wire.ts";

/** What the agent socket needs of the gate: the only part of the gate that it can call. */

export interface Greeted {
  agent_id: string;
  level: Level;
}

export type Refusal = Omit<WireError, "id">;

/** A decision that may still become a denial, until it is recorded. */
export interface UnsentDecision {
  /** As it is recorded and shown. */
  readonly current: Decision;
  /** As its agent gets it, read when the answer is encoded: an allowed confined call with the words that run it. */
  readonly sent: Decision;
}

/** Who sends a call. */
export interface CallSource {
  agent_id: string;
  session: string;
  /** It said in its hello that it runs a call only as `confine` says. */
  can_confine: boolean;
  /** The connection that it comes over. */
  connection: number;
}

/** A call that waits for an answer, or is being judged. The last one of those that share a request to leave withdraws it. */
export interface PendingCall {
  /** Null while it is being judged: nobody is asked yet. */
  token: string | null;
  /** The agent needs no answer any more. Returns the decision that it gets; null where it has got one. */
  cancel(reason: string): UnsentDecision | null;
  /** The agent has disconnected: its request is withdrawn soon, and can't be answered meanwhile. */
  disconnect(reason: string): void;
}

/** What an agent says of a call that has run. */
export interface Ran {
  /** The client's own id of the call. */
  call_id: string;
  /** Left out: how it ended isn't said. */
  ok?: boolean | undefined;
  duration_ms?: number | undefined;
  /** What ran, by the client's own account. */
  input?: RanCall | undefined;
  /** It ran, and the gate was never asked about it. */
  unasked?: true | undefined;
  /** It was kept from something that is there outside of its box, as its output says. */
  refused?: true | undefined;
}

/** What is known of a call at once. */
export interface Decided {
  /** Left out while the call is being judged. */
  decision?: UnsentDecision;
  /** Left out where the decision is final. */
  pending?: PendingCall;
}

/**
 * Takes a later decision on a call. With `pending` the user is asked, and the final one follows: called twice at the most, of a call
 * that is judged and then asked about.
 */
export type Deliver = (decision: UnsentDecision, pending?: PendingCall) => void;

/** Does what is left of a call that had to wait, in its agent's turn. */
export type InTurn = (act: () => void) => void;

/** What the safety filter checks. */
export type CheckedSubject =
  | { type: "goal"; goal: Goal }
  | { type: "subtask"; subtask: Subtask }
  | { type: "graph"; graph: TaskGraph };

/** What the socket needs of the gate. */
export interface AgentPort {
  gate_version: string;
  /** Accepts a paired agent, refuses it, or (`pairing`) asks the user first. */
  greet(hello: Hello): Greeted | { pairing: true } | { refused: Refusal };
  /** @param later what that throws is answered as an error */
  decide(call: ProposedCall, source: CallSource, deliver: Deliver, later: InTurn): Decided;
  /** Withdraws a request of this agent that no connection waits for, left by an earlier gate. Undefined if there is none. */
  withdraw(agentId: string, token: string, reason: string): Decision | undefined;
  preview(call: ProposedCall, source: CallSource): Decision;
  /**
   * A call of this agent has run: whether that was in the box that it was allowed for. With `ok` it is a report, too; with `input` it is
   * compared with what was allowed. `undone`: what the user took back of this session's meanwhile.
   */
  ran(agentId: string, session: string, ran: Ran): { confined: Confined | null; undone?: UndoneNote };
  /** A proxy of this agent has said which tools its server offers; or why that can't be taken. */
  announce(source: CallSource, tools: McpTools): { tools: McpToolState[] } | { refused: Refusal };
  /** A connection has ended: what it had announced counts no more. */
  connectionEnded(connection: number): void;
  check(subject: CheckedSubject, agentId: string): Promise<SafetyVerdict>;
  /** The pause, of the gate or of this agent alone, for an agent that has just been greeted; null while there is none. */
  paused(agentId: string): GateMessage<"safety.paused"> | null;
  /** An agent reports what became of a call. Changes nothing where it isn't one that this agent was allowed. */
  outcome(agentId: string, decisionId: string, ok: boolean): void;
  /** A session that the gate had named has ended. */
  sessionEnded(agentId: string, session: string): void;
  /** The agent's client says what happened in a session of this agent. */
  sessionEvent(agentId: string, session: string, event: SessionEvent): void;
  pairingRequested(name: string, version: string | null): void;
  /**
   * Records every decision so far in the trail: called before its answers are encoded. A decision that rests on what can't be stored, or
   * must not go unrecorded and can't be recorded, is a denial from then on.
   */
  record(): void;
  /** Publishes the decisions to the surfaces: called in the same turn of the event loop, once the answers are sent. */
  publish(): void;
  /** Logs an unexpected error. */
  failed(what: string, error: unknown): void;
  /** Logs that so many clients were dropped for this reason. */
  dropped(reason: string, count: number): void;
}
