import type { McpTools } from "../../../ipc/contract/mcp.ts";
import { MAX_MCP_TOOLS } from "../../../ipc/contract/mcp.ts";
import { mcpExecutor } from "../../../ipc/contract/mcp-names.ts";
import { type Definition, definitionOf } from "./definition.ts";

/** What the proxies' connections say now: kept while each is open, within bounds for each agent. */

/** A tool as a connection announced it. */
export interface AnnouncedTool extends Definition {
  server: string;
  /** What the server is: SHA-256 (hex) of what the proxy starts. */
  source: string;
  /** Of what this connection had announced of it before, the last definition that was another; null where there is none. */
  earlier: string | null;
}

interface Announcement {
  agent_id: string;
  server: string;
  source: string;
  /** What the server isn't known to offer any more; back under another definition, it has changed. */
  withdrawn: Map<string, AnnouncedTool>;
  /** By the tool's own name. */
  tools: Map<string, AnnouncedTool>;
  /** By the executor's name; null where several tools have it. */
  executors: Map<string, AnnouncedTool | null>;
  /** Of the definitions that are kept. */
  characters: number;
}

/** Of the definitions of all an agent's connections. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Why an announcement isn't taken. */
export type Untaken = "other-server" | "too-many" | "too-long";

export class AnnouncedTools {
  readonly #announcements = new Map<number, Announcement>();

  /** Adds to what the connection announced; an empty list takes it all back. It stays in front of the server that it named first. */
  add(connection: number, agentId: string, { server, source, tools }: McpTools): AnnouncedTool[] | Untaken {
    const known = this.#announcements.get(connection);
    if (known !== undefined && (known.server !== server || known.source !== source)) return "other-server";
    const definitions = tools.map(definitionOf);
    if (namesOf(known, definitions).size > MAX_MCP_TOOLS) return "too-many";
    const characters = definitions.reduce((sum, { name, text }) => sum + name.length + (text?.length ?? 0), 0);
    if (this.#charactersOf(agentId) + characters > MAX_CHARACTERS) return "too-long";
    const announcement = known ?? {
      agent_id: agentId,
      server,
      source,
      withdrawn: new Map(),
      tools: new Map(),
      executors: new Map(),
      characters: 0,
    };
    if (tools.length === 0) withdrawAll(announcement);
    for (const definition of definitions) addTool(announcement, definition);
    announcement.characters = charactersIn(announcement);
    announcement.executors = byExecutor(announcement);
    this.#announcements.set(connection, announcement);
    return definitions.flatMap(({ name }) => announcement.tools.get(name) ?? []);
  }

  end(connection: number): void {
    this.#announcements.delete(connection);
  }

  /** The tool that a connection announced under these names. */
  of(connection: number, server: string, tool: string): AnnouncedTool | undefined {
    const announcement = this.#announcements.get(connection);
    return announcement?.server === server ? announcement.tools.get(tool) : undefined;
  }

  /** The one tool that an executor's name means among all that the agent's connections announced; undefined where they differ. */
  named(agentId: string, executor: string): AnnouncedTool | undefined {
    let found: AnnouncedTool | undefined;
    for (const announcement of this.#announcements.values()) {
      if (announcement.agent_id !== agentId) continue;
      const tool = announcement.executors.get(executor);
      if (tool === undefined) continue;
      if (tool === null || (found !== undefined && !isSame(found, tool))) return undefined;
      // Of two connections the one that saw it change.
      if (found === undefined || tool.earlier !== null) found = tool;
    }
    return found;
  }

  /** The user has seen what it is now: that it was another one before is known. */
  acknowledge(agentId: string, { server, source, name, pin }: Omit<AnnouncedTool, "earlier" | "text">): void {
    for (const announcement of this.#announcements.values()) {
      const tool = announcement.tools.get(name);
      if (announcement.agent_id === agentId && announcement.server === server && announcement.source === source)
        if (tool?.pin === pin) tool.earlier = null;
    }
  }

  #charactersOf(agentId: string): number {
    let characters = 0;
    for (const one of this.#announcements.values()) if (one.agent_id === agentId) characters += one.characters;
    return characters;
  }
}

function namesOf(known: Announcement | undefined, definitions: readonly Definition[]): Set<string> {
  const { tools, withdrawn } = known ?? { tools: new Map<string, never>(), withdrawn: new Map<string, never>() };
  return new Set([...tools.keys(), ...withdrawn.keys(), ...definitions.map(({ name }) => name)]);
}

function withdrawAll({ tools, withdrawn }: Announcement): void {
  for (const [name, tool] of tools) withdrawn.set(name, tool);
  tools.clear();
}

function addTool({ server, source, tools, withdrawn }: Announcement, definition: Definition): void {
  const before = tools.get(definition.name) ?? withdrawn.get(definition.name);
  withdrawn.delete(definition.name);
  const isOther = before !== undefined && before.pin !== definition.pin;
  const earlier = isOther ? (before.text ?? "") : (before?.earlier ?? null);
  tools.set(definition.name, { ...definition, server, source, earlier });
}

function byExecutor({ server, tools }: Announcement): Announcement["executors"] {
  const executors: Announcement["executors"] = new Map();
  for (const tool of tools.values()) {
    const executor = mcpExecutor(server, tool.name);
    executors.set(executor, executors.has(executor) ? null : tool);
  }
  return executors;
}

function charactersIn({ tools, withdrawn }: Announcement): number {
  return [...tools.values(), ...withdrawn.values()].reduce((sum, tool) => sum + lengthOf(tool), 0);
}

const lengthOf = ({ name, text, earlier }: AnnouncedTool) => name.length + (text?.length ?? 0) + (earlier?.length ?? 0);

function isSame(a: AnnouncedTool, b: AnnouncedTool): boolean {
  return a.server === b.server && a.source === b.source && a.name === b.name && a.pin === b.pin;
}
