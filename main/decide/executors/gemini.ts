import { inside } from "./inside-tool.ts";
import { anything, count, flag, named, object, text } from "./json-schema.ts";
import type { ManifestSource } from "./manifest.ts";

/** Gemini CLI's own tools, as its BeforeTool hook names them. Its MCP tools, and whatever is not here: see catalog.ts. */
export const GEMINI_EXECUTORS: readonly ManifestSource[] = [
  {
    name: "run_shell_command",
    needs: [
      { capability: "code:exec", target: { from: "command", args: ["command"], is_shell: true, has_comments: true } },
    ],
    // Its hook puts `dir_path` into the call's working directory.
    args_schema: object(
      { command: named },
      { dir_path: named, is_background: flag, delay_ms: count, description: text },
    ),
    content_args: ["description"],
    verb: { en: "run", it: "esegua" },
    critical: true,
  },
  {
    name: "read_file",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "file_path" } }],
    args_schema: object({ file_path: named }, { start_line: count, end_line: count }),
    verb: { en: "read", it: "legga" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "write_file",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "file_path" } }],
    args_schema: object({ file_path: named, content: text }),
    content_args: ["content"],
    verb: { en: "write", it: "scriva" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "replace",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "file_path" } }],
    args_schema: object(
      { file_path: named, old_string: text, new_string: text },
      { instruction: text, allow_multiple: flag },
    ),
    content_args: ["old_string", "new_string", "instruction"],
    verb: { en: "edit", it: "modifichi" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "list_directory",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "dir_path", or_cwd: true, access: "list" } }],
    args_schema: object({}, { dir_path: named, ignore: anything }),
    verb: { en: "list", it: "elenchi" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "glob",
    needs: [{ capability: "fs:read", target: { from: "glob", arg: "pattern", path_arg: "dir_path", access: "list" } }],
    args_schema: object({ pattern: named }, { dir_path: named }),
    verb: { en: "look for files", it: "cerchi file" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "grep_search",
    aliases: ["search_file_content"],
    needs: [{ capability: "fs:read", target: { from: "path", arg: "dir_path", is_tree: true, or_cwd: true } }],
    args_schema: object({ pattern: text }, { dir_path: named, include_pattern: text, exclude_pattern: text }),
    content_args: ["pattern", "exclude_pattern"],
    verb: { en: "search", it: "cerchi" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "web_fetch",
    // The URLs are in the prompt, as free text; one of its forms has a URL instead.
    needs: [{ capability: "network:http", target: { from: "urls", args: ["prompt", "url"] } }],
    args_schema: object({}, { prompt: text, url: named }),
    content_args: ["prompt"],
    verb: { en: "fetch", it: "scarichi" },
    reversibility: "reversible",
    critical: false,
  },
  {
    name: "google_web_search",
    // The search runs at Google; the query is what leaves. One name represents it.
    needs: [{ capability: "network:http", target: { from: "fixed", value: "web-search" } }],
    args_schema: object({ query: text }),
    content_args: ["query"],
    verb: { en: "search the web", it: "cerchi sul web" },
    reversibility: "reversible",
    critical: false,
  },
  {
    name: "invoke_agent",
    // What the subagent does passes the gate call by call; starting one costs online model calls.
    needs: [{ capability: "llm:online", target: { from: "none" } }],
    args_schema: object({}, { agent_name: text, prompt: text }),
    content_args: ["prompt"],
    verb: { en: "start a subagent", it: "avvii un sottoagente" },
    reversibility: "reversible",
    critical: false,
  },
  inside("write_todos", "update its to-do list", "aggiorni la sua lista", ["todos"]),
  inside("update_topic", "say what it is doing", "dica che cosa sta facendo", ["title", "summary", "strategic_intent"]),
  inside("complete_task", "hand back its result", "consegni il suo risultato", ["result", "response", "report"]),
  inside("enter_plan_mode", "plan", "pianifichi", ["reason"]),
  inside("ask_user", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("get_internal_docs", "read its own manual", "legga il suo manuale"),
  inside("list_background_processes", "list its commands", "elenchi i suoi comandi"),
  inside("read_background_output", "read its command's output", "legga l'uscita del suo comando"),
];
