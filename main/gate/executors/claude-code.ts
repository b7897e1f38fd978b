<<<<<<< HEAD
=======

import { inside } from "./inside-tool.ts";

>>>>>>> main

import { anything, count, flag, named, object, text } from "./json-schema.ts";
import type { ManifestSource } from "./manifest.ts";

/** Claude Code's own tools. `mcp__*` and whatever is not here: see catalog.ts. */
export const CLAUDE_CODE_EXECUTORS: readonly ManifestSource[] = [
  {
    name: "Bash",
    needs: [{ capability: "code:exec", target: { from: "command", args: ["command"], is_shell: true } }],
    args_schema: object({ command: named }, { timeout: count, run_in_background: flag, description: text }),
    content_args: ["description"],
    verb: { en: "run", it: "esegua" },
    critical: true,
  },
  {
    name: "Read",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "file_path" } }],
    args_schema: object({ file_path: named }, { offset: count, limit: count }),
    verb: { en: "read", it: "legga" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "NotebookRead",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "notebook_path" } }],
    args_schema: object({ notebook_path: named }),
    verb: { en: "read the notebook", it: "legga il notebook" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "LS",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "path", or_cwd: true, access: "list" } }],
    args_schema: object({}, { path: named }),
    verb: { en: "list", it: "elenchi" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "Write",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "file_path" } }],
    args_schema: object({ file_path: named, content: text }),
    content_args: ["content"],
    verb: { en: "write", it: "scriva" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "Edit",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "file_path" } }],
    args_schema: object({ file_path: named, old_string: text, new_string: text }, { replace_all: flag }),
    content_args: ["old_string", "new_string"],
    verb: { en: "edit", it: "modifichi" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "MultiEdit",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "file_path" } }],
    args_schema: object({ file_path: named, edits: { type: "array" } }),
    content_args: ["edits"],
    verb: { en: "edit", it: "modifichi" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "NotebookEdit",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "notebook_path" } }],
    args_schema: object({ notebook_path: named }, { new_source: text }),
    content_args: ["new_source"],
    verb: { en: "edit the notebook", it: "modifichi il notebook" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "Glob",
    needs: [{ capability: "fs:read", target: { from: "glob", arg: "pattern", path_arg: "path", access: "list" } }],
    args_schema: object({ pattern: named }, { path: named }),
    verb: { en: "look for files", it: "cerchi file" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "Grep",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "path", is_tree: true, or_cwd: true } }],
    args_schema: object({ pattern: text }, { path: named, glob: text }),
    content_args: ["pattern"],
    verb: { en: "search", it: "cerchi" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "WebFetch",
    needs: [{ capability: "network:http", target: { from: "url", arg: "url" } }],
    args_schema: object({ url: named }, { prompt: text }),
    content_args: ["prompt"],
    verb: { en: "fetch", it: "scarichi" },
    reversibility: "reversible",
    critical: false,
  },
  {
    name: "WebSearch",
    // The search runs at the agent's provider; the query is what leaves. One name represents it.
    needs: [{ capability: "network:http", target: { from: "fixed", value: "web-search" } }],
    args_schema: object({ query: text }, { allowed_domains: anything, blocked_domains: anything }),
    content_args: ["query"],
    verb: { en: "search the web", it: "cerchi sul web" },
    reversibility: "reversible",
    critical: false,
  },
  {
    name: "Task",
    aliases: ["Agent"],
    // What the subagent does passes the gate call by call; starting one costs online model calls.
    needs: [{ capability: "llm:online", target: { from: "none" } }],
    args_schema: object({}, { prompt: text, description: text, subagent_type: text }),
    content_args: ["prompt", "description"],
    verb: { en: "start a subagent", it: "avvii un sottoagente" },
    reversibility: "reversible",
    critical: false,
  },
  inside("TodoWrite", "update its to-do list", "aggiorni la sua lista", ["todos"]),
  inside("TaskCreate", "update its task list", "aggiorni la sua lista", ["subject", "description"]),
  inside("TaskUpdate", "update its task list", "aggiorni la sua lista", ["subject", "description"]),
  inside("TaskList", "read its task list", "legga la sua lista"),
  inside("TaskGet", "read its task list", "legga la sua lista"),
  inside("EnterPlanMode", "plan", "pianifichi"),
  inside("ExitPlanMode", "show its plan", "mostri il suo piano", ["plan"]),
  inside("AskUserQuestion", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("BashOutput", "read its command's output", "legga l'uscita del suo comando"),
  inside("KillShell", "stop its own command", "fermi il suo comando"),
];
