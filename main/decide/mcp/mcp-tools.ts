import type { McpTools as Announced, McpState, McpToolState } from "../../../ipc/contract/mcp.ts";
import { mcpExecutor } from "../../../ipc/contract/mcp-names.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import type { CalledTool, Caller } from "../executors/called-tool.ts";
import { callHash } from "../executors/canonical.ts";
import { type AnnouncedTool, AnnouncedTools, type Untaken } from "./announced-tools.ts";
import { isClassifiable } from "./definition.ts";
import type { KeptTool, McpToolStore } from "./tool-store.ts";

/**
 * What MCP tools are. The definitions are what agents' processes say, the pins and what the user said of them are stored by the user's
 * answers alone: a definition that isn't the one that the user saw is one that nothing was said of.
 */
export class McpTools {
  readonly store: McpToolStore;
  readonly hookAnswers: HookAnswers;
  readonly #announced = new AnnouncedTools();

  /** `now`: milliseconds that never go back. */
  constructor(store: McpToolStore, now: () => number = () => performance.now()) {
    this.store = store;
    this.hookAnswers = new HookAnswers(now);
  }

  /** A connection has said which tools its server offers. */
  announce(connection: number, agentId: string, tools: Announced): McpToolState[] | Untaken {
    const announced = this.#announced.add(connection, agentId, tools);
    if (typeof announced === "string") return announced;
    const kept = this.store.ofServer({ agent_id: agentId, server: tools.server, source: tools.source });
    return announced.map((tool) => ({ name: tool.name, pin: tool.pin, state: stateOf(tool, kept.get(tool.name)) }));
  }

  connectionEnded(connection: number): void {
    this.#announced.end(connection);
  }

  /**
   * The tool that a call is of. A proxy's call means a tool of its own connection; any other the one tool that the executor's name means
   * among all that its agent announced. Undefined where there is none, or more than one.
   */
  toolOf(call: ProposedCall, { agent, connection }: Caller): CalledTool | undefined {
    if (agent === null || !call.executor.startsWith("mcp__")) return undefined;
    const announced = this.#announcedFor(call, agent.agent_id, connection);
    if (announced === undefined) return undefined;
    const { server, source, name: tool, pin, text } = announced;
    const kept = this.store.find({ agent_id: agent.agent_id, server, source, tool });
    const state = stateOf(announced, kept);
    const before =
      state !== "changed" ? null : kept === undefined || kept.pin === pin ? announced.earlier : kept.definition;
    return { server, tool, source, pin, state, definition: text, before, is_classifiable: isClassifiable(announced) };
  }

  #announcedFor(
    { executor, context }: ProposedCall,
    agentId: string,
    connection: number | undefined,
  ): AnnouncedTool | undefined {
    if (context?.mcp === undefined) return this.#announced.named(agentId, executor);
    const { server, tool } = context.mcp;
    if (connection === undefined || mcpExecutor(server, tool) !== executor) return undefined;
    return this.#announced.of(connection, server, tool);
  }

  /**
   * The user allowed a call of this tool, and saw its definition. `only_looks`: they said that it only looks; otherwise a tool that is
   * what it was stays what they said. Returns whether anything is kept that wasn't. @throws GateError `database_*`
   */
  allowed(agentId: string, called: CalledTool, said: { only_looks: boolean; surface: Surface | null }): boolean {
    const { server, source, tool, pin, definition } = called;
    if (definition === null) return false;
    const kept = this.store.find({ agent_id: agentId, server, source, tool });
    const isKnown = kept?.pin === pin && called.state !== "changed";
    if (isKnown && (kept.state === "looks" || !said.only_looks)) return false;
    const state = said.only_looks ? "looks" : "known";
    this.store.keep({ agent_id: agentId, server, source, tool, pin, definition, state, surface: said.surface });
    this.#announced.acknowledge(agentId, { server, source, name: tool, pin });
    return true;
  }

  /** An agent isn't the one any more that was paired. @throws SQLite's error */
  endPairing(agentId: string): void {
    this.hookAnswers.forget(agentId);
    this.store.forgetAgent(agentId);
  }
}

function stateOf(tool: AnnouncedTool, kept: KeptTool | undefined): McpState {
  if (tool.earlier !== null) return "changed";
  if (kept === undefined) return "new";
  if (kept.pin !== tool.pin) return "changed";
  return kept.state === "looks" && !isClassifiable(tool) ? "known" : kept.state;
}

/** So long a hook's call stands for the proxy's, in milliseconds. */
const TTL_MS = 120_000;
/** More of one agent are forgotten, the oldest first: such a call is asked about twice. */
const MAX_PER_AGENT = 256;

interface HookAnswer {
  call_hash: string;
  call_id: string | undefined;
  /** Null where nobody had announced the tool. */
  pin: string | null;
  notedAt: number;
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
  note(agentId: string, call: ProposedCall, tool: CalledTool | undefined): void {
    if (call.context?.mcp !== undefined || !call.executor.startsWith("mcp__")) return;
    const answers = this.#fresh(agentId);
    if (answers.length >= MAX_PER_AGENT) answers.shift();
    const { call_id } = call.context ?? {};
    answers.push({
      call_hash: callHash(call.executor, call.args),
      call_id,
      pin: tool?.pin ?? null,
      notedAt: this.#now(),
    });
    this.#answers.set(agentId, answers);
  }

  /** Whether the hook's call that this proxy's call carries out was allowed. Uses it up. */
  take(agentId: string, call: ProposedCall, tool: CalledTool): boolean {
    const answers = this.#fresh(agentId);
    if (answers.length === 0 || call.context?.mcp === undefined) return false;
    const hash = callHash(call.executor, call.args);
    const { call_id } = call.context;
    const index = answers.findIndex(
      (answer) =>
        answer.call_hash === hash &&
        (answer.call_id === undefined || call_id === undefined || answer.call_id === call_id) &&
        // Asked about without its definition: then it must be none that has changed.
        (answer.pin === null ? tool.state !== "changed" : answer.pin === tool.pin),
    );
    if (index === -1) return false;
    answers.splice(index, 1);
    return true;
  }

  /** The pairing of an agent has ended. */
  forget(agentId: string): void {
    this.#answers.delete(agentId);
  }

  #fresh(agentId: string): HookAnswer[] {
    const since = this.#now() - TTL_MS;
    const answers = (this.#answers.get(agentId) ?? []).filter(({ notedAt }) => notedAt >= since);
    if (answers.length === 0) this.#answers.delete(agentId);
    else this.#answers.set(agentId, answers);
    return answers;
  }
}
