import { z } from "zod";

/** Agents whose own tools, hooks and settings are known here, by the name that `connect` pairs them under. */
export const KNOWN_AGENTS = ["claude-code", "codex", "gemini", "opencode"] as const;
export type KnownAgent = (typeof KNOWN_AGENTS)[number];

/** Whose tools an executor's name can mean: the same name is another tool in another agent. */
export const agentKindSchema = z.enum([...KNOWN_AGENTS, "generic"]);
export type AgentKind = z.infer<typeof agentKindSchema>;

/** The kind of the agent that is paired under this name. */
export function agentKindOf(name: string): AgentKind {
  return KNOWN_AGENTS.find((known) => known === name) ?? "generic";
}
