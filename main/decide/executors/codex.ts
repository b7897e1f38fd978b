import { text } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";
import { inside, patches, reads, runs, startsAgent } from "./tool-shapes.ts";

const subagent = (name: string): BuiltInManifest => startsAgent(name, { message: text }, ["message", "items"]);

/** What a subagent gets to know while it runs. */
const toSubagent = (name: string): BuiltInManifest =>
  inside(name, "write to a subagent", "scriva a un sottoagente", ["message", "items"]);

/**
 * Codex's own tools, by the names that its hook gives them; a tool of a namespace is named by both without anything between them.
 * `write_stdin`, `web_search` and the script of its code mode have no hook.
 */
export const CODEX_EXECUTORS: readonly BuiltInManifest[] = [
  // `write_stdin`, where the user leaves it on.
  runs("Bash", {}, { keeps_input: true }),
  patches("apply_patch", "patch", "modifichi dei file"),
  reads("view_image", "path", { detail: text }, { verb: { en: "look at the picture", it: "guardi l'immagine" } }),
  subagent("spawn_agent"),
  subagent("multi_agent_v1spawn_agent"),
  subagent("collaborationspawn_agent"),
  toSubagent("send_input"),
  toSubagent("multi_agent_v1send_input"),
  inside("wait_agent", "wait for its subagents", "aspetti i suoi sottoagenti"),
  inside("multi_agent_v1wait_agent", "wait for its subagents", "aspetti i suoi sottoagenti"),
  inside("close_agent", "end a subagent", "chiuda un sottoagente"),
  inside("multi_agent_v1close_agent", "end a subagent", "chiuda un sottoagente"),
  inside("clocksleep", "wait", "aspetti"),
  inside("update_plan", "update its plan", "aggiorni il suo piano", ["explanation", "plan"]),
  inside("request_user_input", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("tool_search", "look for a tool", "cerchi uno strumento", ["query"]),
  inside("create_goal", "set its goal", "fissi il suo obiettivo", ["objective"]),
  inside("update_goal", "update its goal", "aggiorni il suo obiettivo", ["objective"]),
  inside("get_goal", "read its goal", "legga il suo obiettivo"),
  inside("list_mcp_resources", "list what MCP servers offer", "elenchi ciò che offrono i server MCP"),
  inside("list_mcp_resource_templates", "list what MCP servers offer", "elenchi ciò che offrono i server MCP"),
];
