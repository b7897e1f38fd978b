import { anything, count, flag, named, object, text } from "./json-schema.ts";
import type { BuiltInManifest } from "./manifest.ts";
import {
  ASKS_OUTSIDE,
  EDIT,
  fetches,
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

/** Claude Code's own tools. `mcp__*` and whatever is not here: see catalog.ts. */
export const CLAUDE_CODE_EXECUTORS: readonly BuiltInManifest[] = [
  runs("Bash", { timeout: count, run_in_background: flag, description: text }, { content_args: ["description"] }),
  reads("Read", "file_path", { offset: count, limit: count }),
  reads("NotebookRead", "notebook_path", {}, { verb: { en: "read the notebook", it: "legga il notebook" } }),
  lists("LS", "path"),
  writes("Write", "file_path", { content: text }),
  writes("Edit", "file_path", { old_string: text, new_string: text }, { replace_all: flag }, { verb: EDIT }),
  writes("MultiEdit", "file_path", { edits: { type: "array" } }, {}, { verb: EDIT }),
  writes(
    "NotebookEdit",
    "notebook_path",
    {},
    { new_source: text },
    {
      content_args: ["new_source"],
      verb: { en: "edit the notebook", it: "modifichi il notebook" },
    },
  ),
  finds("Glob", "path"),
  searches("Grep", "path", { glob: text }),
  fetches("WebFetch", { prompt: text }, ["prompt"]),
  searchesWeb("WebSearch", { allowed_domains: anything, blocked_domains: anything }),
  startsAgent("Task", { prompt: text, description: text, subagent_type: text }, ["prompt", "description"], {
    aliases: ["Agent"],
  }),
  inside("TodoWrite", "update its to-do list", "aggiorni la sua lista", ["todos"]),
  inside("TaskCreate", "update its task list", "aggiorni la sua lista", ["subject", "description"]),
  inside("TaskUpdate", "update its task list", "aggiorni la sua lista", ["subject", "description"]),
  inside("TaskList", "read its task list", "legga la sua lista"),
  inside("TaskGet", "read its task list", "legga la sua lista"),
  inside("EnterPlanMode", "plan", "pianifichi"),
  inside("ExitPlanMode", "show its plan", "mostri il suo piano", ["plan"]),
  inside("AskUserQuestion", "ask you something", "ti chieda qualcosa", ["questions"]),
  inside("BashOutput", "read its command's output", "legga l'uscita del suo comando"),
  inside("TaskOutput", "read its command's output", "legga l'uscita del suo comando"),
  inside("KillShell", "stop its own command", "fermi il suo comando"),
  inside("TaskStop", "stop its own command", "fermi il suo comando"),
  inside("ToolSearch", "look for its tools", "cerchi i suoi strumenti", ["query"]),
  inside("ReportFindings", "report what it found", "riferisca cosa ha trovato", ["findings"]),
  inside("ListAgents", "list its agents", "elenchi i suoi agenti"),
  // What it does then passes the gate call by call, in this session.
  inside("ScheduleWakeup", "wake up later", "si risvegli più tardi", ["prompt", "reason"]),
  inside("CronList", "list its schedule", "elenchi i suoi orari"),
  inside("CronDelete", "take something off its schedule", "tolga qualcosa dai suoi orari"),
  {
    name: "CronCreate",
    agents: ["claude-code"],
    // Like a subagent: online model calls, later and again.
    needs: [{ capability: "llm:online", target: { from: "none" } }],
    args_schema: object({ prompt: text }, { cron: text, recurring: flag, durable: flag }),
    content_args: ["prompt"],
    runs_later: true,
    verb: { en: "schedule a prompt", it: "programmi un prompt" },
    ...ASKS_OUTSIDE,
  },
  {
    name: "SendMessage",
    agents: ["claude-code"],
    // To another agent, which then acts on it with its own tools.
    needs: [{ capability: "channel:out", target: { from: "exact", arg: "to" } }],
    args_schema: object({ to: named }),
    content_args: ["message", "summary"],
    verb: { en: "send a message to the agent", it: "invii un messaggio all'agente" },
    critical: true,
  },
  runs(
    "Monitor",
    {},
    {
      agents: ["claude-code"],
      // One of them: what it does with both isn't known. A web socket counts as running code, whatever its address.
      args_schema: {
        ...object({}, { description: text }),
        oneOf: [object({ command: named }), object({ ws: anything })],
      },
      content_args: ["description"],
      verb: { en: "run and watch", it: "esegua e osservi" },
    },
  ),
  {
    name: "Skill",
    agents: ["claude-code"],
    // Commands in the skill's text run without any hook: approving the skill is approving them.
    needs: [{ capability: "code:exec", target: { from: "command", args: ["skill"] } }],
    args_schema: object({ skill: named }, { args: text }),
    content_args: ["args"],
    verb: { en: "use the skill", it: "usi la skill" },
    critical: true,
    hazard: "runs-unasked",
  },
  {
    name: "Workflow",
    agents: ["claude-code"],
    // A script of its own, and subagents.
    needs: [
      { capability: "code:exec", target: { from: "command", args: ["name", "scriptPath"] } },
      { capability: "llm:online", target: { from: "none" } },
    ],
    args_schema: object({}),
    content_args: ["script", "args", "title", "description"],
    verb: { en: "run the workflow", it: "esegua il workflow" },
    critical: true,
  },
  {
    name: "EnterWorktree",
    agents: ["claude-code"],
    // Runs git, and with it the hooks of the project.
    needs: [{ capability: "code:exec", target: { from: "command", args: ["name", "path"] } }],
    args_schema: object({}, { name: text, path: text }),
    verb: { en: "work in a worktree of its own", it: "lavori in un worktree suo" },
    reversibility: "partial",
    critical: true,
  },
  {
    name: "AgentInWorktree",
    agents: ["claude-code"],
    // An Agent with `isolation`, as the hook says it: Claude Code runs git for it, and 2.1.197 with it the hooks of the project.
    needs: [
      { capability: "code:exec", target: { from: "command", args: ["isolation"] } },
      { capability: "llm:online", target: { from: "none" } },
    ],
    args_schema: object({}, { prompt: text, description: text, subagent_type: text }),
    content_args: ["prompt", "description"],
    verb: { en: "start a subagent in a worktree of its own", it: "avvii un sottoagente in un worktree suo" },
    critical: true,
  },
  {
    name: "ExitWorktree",
    agents: ["claude-code"],
    needs: [{ capability: "code:exec", target: { from: "command", args: ["action"] } }],
    args_schema: object({}, { action: text, discard_changes: flag }),
    verb: { en: "leave its worktree", it: "lasci il suo worktree" },
    critical: true,
  },
  {
    name: "DesignSync",
    agents: ["claude-code"],
    // Reads and sends files, by a method that its service defines.
    needs: [{ capability: "code:exec", target: { from: "command", args: ["method"] } }],
    args_schema: object({}),
    verb: { en: "synchronize a design", it: "sincronizzi un design" },
    critical: true,
  },
];
