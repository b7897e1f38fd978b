import { inside } from "./inside-tool.ts";
import { anything, count, flag, named, object, text } from "./json-schema.ts";
import type { ManifestSource } from "./manifest.ts";

/** OpenCode's own tools. Its MCP tools, those of plugins, and whatever is not here: see catalog.ts. */
export const OPENCODE_EXECUTORS: readonly ManifestSource[] = [
  {
    name: "bash",
    needs: [
      { capability: "code:exec", target: { from: "command", args: ["command"], is_shell: true, has_comments: true } },
    ],
    // The plugin puts `workdir` into the call's working directory.
    args_schema: object({ command: named }, { timeout: count, workdir: text, description: text }),
    content_args: ["description"],
    verb: { en: "run", it: "esegua" },
    critical: true,
  },
  {
    name: "read",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "filePath" } }],
    args_schema: object({ filePath: named }, { offset: count, limit: count }),
    verb: { en: "read", it: "legga" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "write",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "filePath" } }],
    args_schema: object({ filePath: named, content: text }),
    content_args: ["content"],
    verb: { en: "write", it: "scriva" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "edit",
    needs: [{ capability: "fs:write", target: { from: "path", arg: "filePath" } }],
    args_schema: object({ filePath: named, oldString: text, newString: text }, { replaceAll: flag }),
    content_args: ["oldString", "newString"],
    verb: { en: "edit", it: "modifichi" },
    reversibility: "partial",
    critical: true,
  },
  {
    // In the place of `write` and `edit` for some models.
    name: "apply_patch",
    needs: [{ capability: "fs:write", target: { from: "patch", arg: "patchText" } }],
    args_schema: object({ patchText: named }),
    content_args: ["patchText"],
    verb: { en: "change files", it: "cambi file" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "glob",
    needs: [{ capability: "fs:read", target: { from: "glob", arg: "pattern", path_arg: "path", access: "list" } }],
    args_schema: object({ pattern: named }, { path: named }),
    verb: { en: "look for files", it: "cerchi file" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "grep",
    needs: [{ capability: "fs:read", target: { from: "path", arg: "path", is_tree: true, or_cwd: true } }],
    args_schema: object({ pattern: text }, { path: named, include: text }),
    content_args: ["pattern"],
    verb: { en: "search", it: "cerchi" },
    reversibility: "reversible",
    critical: false,
    skip_judge: true,
  },
  {
    name: "webfetch",
    needs: [{ capability: "network:http", target: { from: "url", arg: "url" } }],
    args_schema: object({ url: named }, { format: text, timeout: count }),
    verb: { en: "fetch", it: "scarichi" },
    reversibility: "reversible",
    critical: false,
  },
  {
    name: "websearch",
    // The search runs at its provider; the query is what leaves. One name represents it.
    needs: [{ capability: "network:http", target: { from: "fixed", value: "web-search" } }],
    args_schema: object({ query: text }, { numResults: anything }),
    content_args: ["query"],
    verb: { en: "search the web", it: "cerchi sul web" },
    reversibility: "reversible",
    critical: false,
  },
  {
    name: "task",
    // What the subagent does passes the gate call by call; starting one costs online model calls.
    needs: [{ capability: "llm:online", target: { from: "none" } }],
    args_schema: object({}, { description: text, prompt: text, subagent_type: text }),
    content_args: ["prompt", "description"],
    verb: { en: "start a subagent", it: "avvii un sottoagente" },
    reversibility: "reversible",
    critical: false,
  },
  inside("todowrite", "update its to-do list", "aggiorni la sua lista", ["todos"]),
  inside("todoread", "read its to-do list", "legga la sua lista"),
  inside("skill", "read the skill", "legga la skill"),
  inside("question", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("plan_enter", "plan", "pianifichi"),
  inside("plan_exit", "show its plan", "mostri il suo piano", ["plan"]),
  // What the model called that doesn't exist, or with arguments that don't fit: it only reads why.
  inside("invalid", "read that its call was not valid", "legga che la sua chiamata non era valida", ["error"]),
];
