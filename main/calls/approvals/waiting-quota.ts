import { hash } from "node:crypto";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { Declaration } from "../../decide/confinement/declaration.ts";
import type { CalledTool } from "../../decide/executors/called-tool.ts";
import { callHash } from "../../decide/executors/canonical.ts";
import type { Reviewable } from "../../decide/stages/examination.ts";
import type { ResolvedRequirement } from "../../targets/target.ts";
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
    agentId: string,
    characters: number,
    broker: Pick<ApprovalBroker, "waitingOf" | "recounted">,
  ): Pick<Decision, "outcome" | "reason" | "explain"> | undefined {
    const held = this.of(agentId);
    const isFull = (waiting: number) => Math.max(held.calls, waiting) >= MAX_WAITING_PER_AGENT;
    const hasTooMany = isFull(broker.waitingOf(agentId)) && isFull(broker.recounted(agentId));
    if (!hasTooMany && held.characters + characters <= MAX_WAITING_CHARACTERS) return undefined;
    return {
      outcome: "denied",
      reason: hasTooMany
        ? `${MAX_WAITING_PER_AGENT} requests of this agent wait already`
        : "the requests of this agent that wait already are too long to take another",
      explain: {
        rule: hasTooMany ? "approval.too-many-waiting" : "approval.too-much-waiting",
        instead: "wait for their answers, or withdraw some",
      },
    };
  }

  of(agentId: string): { calls: number; characters: number } {
    return this.#held.get(agentId) ?? { calls: 0, characters: 0 };
  }

  /** Counts a waiting call. The function that is returned takes it off again, once. */
  add(agentId: string, characters: number): () => void {
    const change = (calls: number, more: number) => {
      const held = this.of(agentId);
      const sum = { calls: held.calls + calls, characters: held.characters + more };
      if (sum.calls > 0) this.#held.set(agentId, sum);
      else this.#held.delete(agentId);
    };
    change(1, characters);
    let isHeld = true;
    return () => {
      if (isHeld) change(-1, -characters);
      isHeld = false;
    };
  }
}

/** What identical calls share. */
export function keysOf(x: Reviewable): { call_hash: string; share_key: string } {
  const { call, subject, executor, needs, confinement, repeated, flow } = x;
  const called = callHash(call.executor, call.args);
  const { mcp } = call.context ?? {};
  // Several tools of a server may have one executor's name: `a.b` and `a_b`.
  const named = mcp === undefined ? called : JSON.stringify([called, mcp.server, mcp.tool]);
  const agentId = subject.agent?.agent_id ?? "";
  // Whether the same call may be made again and again is another question than whether it may be made, and one for its session.
  if (repeated !== undefined)
    return { call_hash: called, share_key: repeatedKey(agentId, subject.session ?? "", called) };
  // So is what one session has seen; it is kept as a hash, as its values are the user's.
  if (flow !== undefined) {
    const seen = hash("sha256", JSON.stringify(flow), "hex");
    return { call_hash: called, share_key: JSON.stringify([agentId, "flow", subject.session ?? "", called, seen]) };
  }
  return {
    call_hash: called,
    share_key: shareKey(agentId, call.context ?? {}, named, needs, {
      box: confinement?.declaration,
      tool: executor.mcp,
    }),
  };
}

/**
 * What identical calls share: who asks, from where, in which mode, for what, and where that leads. A link that was moved makes it
 * another call; in plan mode no grant answers for it; what runs confined shares only the same box, and a server's tool only what it is now.
 */
export function shareKey(
  agentId: string,
  { cwd = "", mode = "" }: Pick<NonNullable<ProposedCall["context"]>, "cwd" | "mode">,
  callHash: string,
  needs: readonly ResolvedRequirement[],
  { box, tool }: { box?: Declaration | undefined; tool?: CalledTool | undefined } = {},
): string {
  const ofTool = tool === undefined ? [] : [[tool.server, tool.tool, tool.source, tool.pin, tool.state]];
  const ledTo =
    box === undefined && tool === undefined ? needs : [needs, ...(box === undefined ? [] : [box]), ...ofTool];
  return JSON.stringify([agentId, cwd, mode, callHash, hash("sha256", JSON.stringify(ledTo), "hex")]);
}

function repeatedKey(agentId: string, session: string, callHash: string): string {
  return JSON.stringify([agentId, "repeated", session, callHash]);
}
