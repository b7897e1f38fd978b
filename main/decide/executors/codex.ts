import { inside } from "./inside-tool.ts";
import { named, object, text } from "./json-schema.ts";
import type { ManifestSource } from "./manifest.ts";

/** A subagent: what it does passes the gate call by call, starting one costs online model calls. */
const subagent = (name: string): ManifestSource => ({
  name,
  needs: [{ capability: "llm:online", target: { from: "none" } }],
  args_schema: object({}, { message: text }),
  content_args: ["message", "items"],
  verb: { en: "start a subagent", it: "avvii un sottoagente" },
  reversibility: "reversible",
  critical: false,
});

/** What a subagent gets to know while it runs. */
const toSubagent = (name: string): ManifestSource =>
  inside(name, "write to a subagent", "scriva a un sottoagente", ["message", "items"]);

/**
 * Codex's own tools, by the names that its hook gives them; a tool of a namespace is named by both without anything between them.
 * `write_stdin`, `web_search` and the script of its code mode have no hook.
 */
export const CODEX_EXECUTORS: readonly ManifestSource[] = [
  {
    name: "Bash",
    needs: [
      { capability: "code:exec", target: { from: "command", args: ["command"], is_shell: true, has_comments: true } },
    ],
    args_schema: object({ command: named }),
    verb: { en: "run", it: "esegua" },
    critical: true,
    // `write_stdin`, where the user leaves it on.
    keeps_input: true,
  },
  {
    name: "apply_patch",
    needs: [{ capability: "fs:write", target: { from: "patch", arg: "patch" } }],
    args_schema: object({ patch: named }),
    content_args: ["patch"],
    verb: { en: "change files", it: "modifichi dei file" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "view_image",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "path" } }],
    args_schema: object({ path: named }, { detail: text }),
    verb: { en: "look at the picture", it: "guardi l'immagine" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
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
