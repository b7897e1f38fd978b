import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { CalledTool } from "../executors/called-tool.ts";
import { callHash } from "../executors/canonical.ts";

/** So long a hook's call stands for the proxy's, in milliseconds. */
const TTL_MS = 120_000;
/** More of one agent are forgotten, the oldest first: such a call is asked about twice. */
const MAX_PER_AGENT = 256;

interface HookAnswer {
  call_hash: string;
  call_id: string | undefined;
  /** Null where nobody had announced the tool. */
  pin: string | null;
  noted_at: number;
}

/**
 * What was allowed to a client's hook, for the proxy that carries the same call out: it isn't asked about twice. Each is used once, by
 * the same agent for the same executor and arguments, and it lifts no denial.
 */
export class HookAnswers {
  readonly #now: () => number;
  readonly #answers = new Map<string, HookAnswer[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A call of a hook was allowed. */
  note(agent_id: string, call: ProposedCall, tool: CalledTool | undefined): void {
    if (call.context?.mcp !== undefined || !call.executor.startsWith("mcp__")) return;
    const answers = this.#fresh(agent_id);
    if (answers.length >= MAX_PER_AGENT) answers.shift();
    const { call_id } = call.context ?? {};
    answers.push({
      call_hash: callHash(call.executor, call.args),
      call_id,
      pin: tool?.pin ?? null,
      noted_at: this.#now(),
    });
    this.#answers.set(agent_id, answers);
  }

  /** Whether the hook's call that this proxy's call carries out was allowed. Uses it up. */
  take(agent_id: string, call: ProposedCall, tool: CalledTool): boolean {
    const answers = this.#fresh(agent_id);
    if (answers.length === 0 || call.context?.mcp === undefined) return false;
    const call_hash = callHash(call.executor, call.args);
    const { call_id } = call.context;
    const index = answers.findIndex(
      (answer) =>
        answer.call_hash === call_hash &&
        (answer.call_id === undefined || call_id === undefined || answer.call_id === call_id) &&
        // Asked about without its definition: then it must be none that has changed.
        (answer.pin === null ? tool.state !== "changed" : answer.pin === tool.pin),
    );
    if (index === -1) return false;
    answers.splice(index, 1);
    return true;
  }

  /** The pairing of an agent has ended. */
  forget(agent_id: string): void {
    this.#answers.delete(agent_id);
  }

  #fresh(agent_id: string): HookAnswer[] {
    const since = this.#now() - TTL_MS;
    const answers = (this.#answers.get(agent_id) ?? []).filter(({ noted_at }) => noted_at >= since);
    if (answers.length === 0) this.#answers.delete(agent_id);
    else this.#answers.set(agent_id, answers);
    return answers;
  }
}
