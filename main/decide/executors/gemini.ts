import { anything, count, flag, named, object, text } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";
import {
  ASKS_OUTSIDE,
  EDIT,
  finds,
  inside,
  lists,
  reads,
  runs,
  searches,
  searchesWeb,
  startsAgent,
  writes,
} from "./tool-shapes.ts";

/** Gemini CLI's own tools, as its BeforeTool hook names them. Its MCP tools, and whatever is not here: see catalog.ts. */
export const GEMINI_EXECUTORS: readonly BuiltInManifest[] = [
  // Its hook puts `dir_path` into the call's working directory.
  runs(
    "run_shell_command",
    { dir_path: named, is_background: flag, delay_ms: count, description: text },
    { content_args: ["description"] },
  ),
  reads("read_file", "file_path", { start_line: count, end_line: count }),
  writes("write_file", "file_path", { content: text }),
  writes(
    "replace",
    "file_path",
    { old_string: text, new_string: text },
    { instruction: text, allow_multiple: flag },
    { content_args: ["old_string", "new_string", "instruction"], verb: EDIT },
  ),
  lists("list_directory", "dir_path", { ignore: anything }),
  finds("glob", "dir_path"),
  searches(
    "grep_search",
    "dir_path",
    { include_pattern: text, exclude_pattern: text },
    {
      aliases: ["search_file_content"],
      content_args: ["pattern", "exclude_pattern"],
    },
  ),
  {
    name: "web_fetch",
    // The URLs are in the prompt, as free text; one of its forms has a URL instead.
    needs: [{ capability: "network:http", target: { from: "urls", args: ["prompt", "url"] } }],
    args_schema: object({}, { prompt: text, url: named }),
    content_args: ["prompt"],
    verb: { en: "fetch", it: "scarichi" },
    ...ASKS_OUTSIDE,
  },
  searchesWeb("google_web_search"),
  startsAgent("invoke_agent", { agent_name: text, prompt: text }, ["prompt"]),
  inside("write_todos", "update its to-do list", "aggiorni la sua lista", ["todos"]),
  inside("update_topic", "say what it is doing", "dica che cosa sta facendo", ["title", "summary", "strategic_intent"]),
  inside("complete_task", "hand back its result", "consegni il suo risultato", ["result", "response", "report"]),
  inside("enter_plan_mode", "plan", "pianifichi", ["reason"]),
  inside("ask_user", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("get_internal_docs", "read its own manual", "legga il suo manuale"),
  inside("list_background_processes", "list its commands", "elenchi i suoi comandi"),
  inside("read_background_output", "read its command's output", "legga l'uscita del suo comando"),
];
