import type { Decision } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { callHash, shareKey } from "../../decide/executors/canonical.ts";
import type { Reviewable } from "../../decide/stages/examination.ts";
import type { ApprovalBroker } from "./broker.ts";

/** More requests than this of one agent wait for nobody: the next one is refused. */
export const MAX_WAITING_PER_AGENT = 200;
/** And they are no longer than this, all together, in characters of JSON. */
export const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;

/** What a call counts for: all that is kept of it, its context too, in which an agent may write what it likes. In characters of JSON. */
export function quotaCharacters(call: ProposedCall): number {
  return JSON.stringify(call).length;
}

/** What each agent's waiting calls hold, those that share a card too; or those that are being judged. */
export class WaitingQuota {
  readonly #held = new Map<string, { calls: number; characters: number }>();

  /** Why this agent can't have another call wait; undefined if it can. */
  refusal(
    agent_id: string,
    characters: number,
    broker: Pick<ApprovalBroker, "waitingOf" | "recounted">,
  ): Pick<Decision, "outcome" | "reason" | "explain"> | undefined {
    const held = this.of(agent_id);
    const isFull = (waiting: number) => Math.max(held.calls, waiting) >= MAX_WAITING_PER_AGENT;
    const has_too_many = isFull(broker.waitingOf(agent_id)) && isFull(broker.recounted(agent_id));
    if (!has_too_many && held.characters + characters <= MAX_WAITING_CHARACTERS) return undefined;
    return {
      outcome: "denied",
      reason: has_too_many
        ? `${MAX_WAITING_PER_AGENT} requests of this agent wait already`
        : "the requests of this agent that wait already are too long to take another",
      explain: {
        rule: has_too_many ? "approval.too-many-waiting" : "approval.too-much-waiting",
        instead: "wait for their answers, or withdraw some",
      },
    };
  }

  of(agent_id: string): { calls: number; characters: number } {
    return this.#held.get(agent_id) ?? { calls: 0, characters: 0 };
  }

  /** Counts a waiting call. The function that is returned takes it off again, once. */
  add(agent_id: string, characters: number): () => void {
    const change = (calls: number, more: number) => {
      const held = this.of(agent_id);
      const sum = { calls: held.calls + calls, characters: held.characters + more };
      if (sum.calls > 0) this.#held.set(agent_id, sum);
      else this.#held.delete(agent_id);
    };
    change(1, characters);
    let is_held = true;
    return () => {
      if (is_held) change(-1, -characters);
      is_held = false;
    };
  }
}

/** What identical calls share. */
export function keysOf(x: Reviewable): { call_hash: string; share_key: string } {
  const { call, subject, executor, needs, confinement, repeated } = x;
  const call_hash = callHash(call.executor, call.args);
  const { mcp } = call.context ?? {};
  // Several tools of a server may have one executor's name: `a.b` and `a_b`.
  const named = mcp === undefined ? call_hash : JSON.stringify([call_hash, mcp.server, mcp.tool]);
  const agent_id = subject.agent?.agent_id ?? "";
  // Whether the same call may be made again and again is another question than whether it may be made, and one for its session.
  if (repeated !== undefined) return { call_hash, share_key: repeatedKey(agent_id, subject.session ?? "", call_hash) };
  return {
    call_hash,
    share_key: shareKey(agent_id, call.context ?? {}, named, needs, {
      box: confinement?.declaration,
      tool: executor.mcp,
    }),
  };
}

function repeatedKey(agent_id: string, session: string, call_hash: string): string {
  return JSON.stringify([agent_id, "repeated", session, call_hash]);
}
