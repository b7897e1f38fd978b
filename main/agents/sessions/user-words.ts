import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { keepLatest } from "../../base/keep-latest.ts";

/**
 * What the user asked for, in the user's own words, as the agent's client says: for cards and judges. In memory only, and of each agent for
 * itself: no agent can speak for another's user. Nothing is let through by it.
 */

/** Messages of one session: a call names the one that it belongs to, which is one of the last. */
export const KEPT_TURNS = 8;
/** Of all sessions of one agent, in characters. The oldest go first. */
export const MAX_CHARACTERS = 256 * 1024;
/** A client is one agent: there are few. */
const MAX_AGENTS = 64;

/** On whose behalf a call is looked at. */
interface Asker {
  agent: { agent_id: string } | null;
  session?: string | undefined;
}

interface Prompt {
  session: string;
  turn: string;
  text: string;
}

export class UserWords {
  /** By agent, each one's last message last. */
  readonly #agents = new Map<string, Prompt[]>();

  /** The user has said something. The same turn again: as it is said now. */
  note(agentId: string, { session, turn, text }: Prompt): void {
    const others = (this.#agents.get(agentId) ?? []).filter((one) => one.session !== session || one.turn !== turn);
    const prompts = [...others, { session, turn, text }];
    const ofSession = prompts.filter((one) => one.session === session);
    const [first] = ofSession;
    if (ofSession.length > KEPT_TURNS && first !== undefined) prompts.splice(prompts.indexOf(first), 1);
    for (let kept = charactersIn(prompts); kept > MAX_CHARACTERS; kept = charactersIn(prompts)) prompts.shift();
    keepLatest(this.#agents, agentId, prompts, MAX_AGENTS);
  }

  /**
   * What the user asked for in the turn that a call names; of a call that names none, in the last turn of its session. Null where that
   * isn't known: another turn's words would be wrong.
   */
  of({ context }: Pick<ProposedCall, "context">, { agent, session = "" }: Asker): string | null {
    if (agent === null || this.#agents.size === 0) return null;
    const prompts = this.#agents.get(agent.agent_id) ?? [];
    const turn = context?.turn;
    const found = prompts.findLast((one) => one.session === session && (turn === undefined || one.turn === turn));
    return found === undefined || found.text.trim() === "" ? null : found.text;
  }

  /** Whether the user has said anything in this session, as its client says, that is still known here. */
  hasSpoken(agentId: string, session: string): boolean {
    return this.#agents.get(agentId)?.some((one) => one.session === session) === true;
  }

  /** A session is over, or, without one, an agent's pairing. */
  end(agentId: string, session?: string): void {
    const left =
      session === undefined ? [] : (this.#agents.get(agentId) ?? []).filter((one) => one.session !== session);
    if (left.length === 0) this.#agents.delete(agentId);
    else this.#agents.set(agentId, left);
  }
}

/** What is kept of each, whatever its length. */
const EACH = 128;

function charactersIn(prompts: readonly Prompt[]): number {
  return prompts.reduce((sum, { session, turn, text }) => sum + EACH + session.length + turn.length + text.length, 0);
}
