import { anything, count, flag, text } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";
import {
  EDIT,
  fetches,
  finds,
  inside,
  patches,
  reads,
  runs,
  searches,
  searchesWeb,
  startsAgent,
  writes,
} from "./tool-shapes.ts";

/** OpenCode's own tools. Its MCP tools, those of plugins, and whatever is not here: see catalog.ts. */
export const OPENCODE_EXECUTORS: readonly BuiltInManifest[] = [
  // The plugin puts `workdir` into the call's working directory.
  runs("bash", { timeout: count, workdir: text, description: text }, { content_args: ["description"] }),
  reads("read", "filePath", { offset: count, limit: count }),
  writes("write", "filePath", { content: text }),
  writes("edit", "filePath", { oldString: text, newString: text }, { replaceAll: flag }, { verb: EDIT }),
  // In the place of `write` and `edit` for some models.
  patches("apply_patch", "patchText", "cambi file"),
  finds("glob", "path"),
  searches("grep", "path", { include: text }),
  fetches("webfetch", { format: text, timeout: count }),
  searchesWeb("websearch", { numResults: anything }),
  startsAgent("task", { description: text, prompt: text, subagent_type: text }, ["prompt", "description"]),
  inside("todowrite", "update its to-do list", "aggiorni la sua lista", ["todos"]),
  inside("todoread", "read its to-do list", "legga la sua lista"),
  inside("skill", "read the skill", "legga la skill"),
  inside("question", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("plan_enter", "plan", "pianifichi"),
  inside("plan_exit", "show its plan", "mostri il suo piano", ["plan"]),
  // What the model called that doesn't exist, or with arguments that don't fit: it only reads why.
  inside("invalid", "read that its call was not valid", "legga che la sua chiamata non era valida", ["error"]),
];
