import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { type AgentKind, agentKindSchema } from "../../../ipc/contract/agent-kind.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { fileError } from "../../base/files/file-errors.ts";
import type { CalledTool } from "./called-tool.ts";
import { CLAUDE_CODE_EXECUTORS } from "./claude-code.ts";
import { COMMON_TOOLS } from "./common-tools.ts";
import { GEMINI_EXECUTORS } from "./gemini.ts";
import { INTERNAL_EXECUTORS } from "./internal.ts";
import { anything, count, flag, text } from "./json-schema.ts";
import { type BuiltInManifest, type ExecutorManifest, type ManifestSource, manifestSchema } from "./manifest.ts";
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

/** What each executor's name means: the built-in manifests of each kind of agent, and those that the user wrote. */

/** OpenCode's own tools. Its MCP tools, those of plugins, and whatever is not here count as running code. */
const OPENCODE_EXECUTORS: readonly BuiltInManifest[] = [
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

/** A manifest that is ready to use. `validate` returns null, or what doesn't fit (names of arguments, never their values). */
export interface Executor {
  manifest: ExecutorManifest;
  is_described: boolean;
  validate(args: Record<string, unknown>): string | null;
  /** Of a server's tool that a proxy has announced: what is known of it. */
  mcp?: CalledTool;
}

/**
 * The kinds of agents that have one of Claude Code's tools. Other agents may call their own alike where the name still needs
 * something; what touches nothing in Claude Code is, under the same name elsewhere, nothing that is known.
 */
function kindsWith({ needs, agents }: ManifestSource): readonly AgentKind[] {
  if (agents !== undefined) return agents;
  return needs.length > 0 ? ["claude-code", "generic"] : ["claude-code"];
}

/** Names that nothing describes are the agent's own words: one that is longer than this, or has other characters, could carry a value. */
const PLAIN_NAME = /^[A-Za-z0-9_.:/-]{1,64}$/;

/** An executor that somebody described. Most of the built-in ones are never called, and parsing all takes a tenth of a gate's start. */
class Described {
  readonly #manifest: () => ExecutorManifest;
  #executor: Executor | undefined;

  constructor(manifest: () => ExecutorManifest) {
    this.#manifest = manifest;
  }

  get executor(): Executor {
    this.#executor ??= ready(this.#manifest(), true);
    return this.#executor;
  }
}

/** Finds what an executor's name means, in an agent of a kind; `any`: in whichever has it. */
export class ExecutorCatalog {
  readonly #executors = new Map<AgentKind | "any", Map<string, Described>>();
  readonly #internal = new Map<string, Described>();

  /** `own` are the user's manifests; they may redefine built-in names. */
  constructor(own: readonly ExecutorManifest[] = []) {
    for (const [kind, sources] of Object.entries(BUILT_IN) as [AgentKind, readonly BuiltInManifest[]][])
      for (const source of sources) {
        const kinds = kind === "claude-code" ? kindsWith(source) : [kind];
        this.#add(source, new Described(() => manifestSchema.parse(source)), kinds);
      }
    for (const manifest of own)
      this.#add(manifest, new Described(() => manifest), manifest.agents ?? agentKindSchema.options);
    for (const [name, source] of Object.entries(INTERNAL_EXECUTORS))
      this.#internal.set(name, new Described(() => manifestSchema.parse(source)));
  }

  #add({ name, aliases = [] }: ManifestSource, described: Described, kinds: readonly AgentKind[]): void {
    for (const kind of [...kinds, "any"] as const) {
      const executors = this.#executors.get(kind) ?? new Map<string, Described>();
      this.#executors.set(kind, executors);
      for (const one of [name, ...aliases]) executors.set(one, described);
    }
  }

  /** What nothing describes counts as `code:exec`: asked about every time, never guessed. MCP tools among them. */
  find(name: string, kind: AgentKind | "any"): Executor {
    const described = this.#executors.get(kind)?.get(name) ?? this.#internal.get(name);
    return described?.executor ?? ready(undescribed(name), false);
  }

  /** What an agent of this kind can call that is described here, in alphabetical order. */
  names(kind: AgentKind | "any"): string[] {
    return [...(this.#executors.get(kind)?.keys() ?? [])].sort();
  }

  /** The name as the log and the trail keep it: one that nothing describes only where it is short and plain. */
  loggedName(name: string, kind: AgentKind | "any"): string {
    return loggedNameOf(name, this.#executors.get(kind)?.has(name) === true || this.#internal.has(name));
  }
}

/** An executor's name as the log, the trail and the history keep it. */
export function loggedNameOf(name: string, isDescribed: boolean): string {
  return isDescribed || PLAIN_NAME.test(name) ? name : `(unnamed:${name.length})`;
}

/** Reads the user's manifests, one TOML file each. A missing folder means none. */
export function loadOwnExecutors(folder: string): ExecutorManifest[] {
  let names: string[];
  try {
    names = readdirSync(folder)
      .filter((name) => name.endsWith(".toml"))
      .sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw fileError(error, "the folder of your executors", folder, "executors_unreadable");
  }
  return names.map((name) => loadManifest(join(folder, name)));
}

function loadManifest(file: string): ExecutorManifest {
  let text = "";
  try {
    text = readRegularFile(file);
    return manifestSchema.parse(parse(text));
  } catch (error) {
    if (error instanceof TomlError) {
      throw new GateError(
        "invalid_executor",
        `${file}, line ${error.line}: not valid TOML`,
        "see docs/configuration.md",
        { cause: error },
      );
    }
    if (error instanceof z.ZodError) {
      const issue = error.issues[0];
      throw new GateError(
        "invalid_executor",
        `${file}${lineOfKey(text, issue?.path[0])}: ${issue?.path.join(".") || "file"}: ${issue?.message}`,
        "see docs/configuration.md",
        { cause: error },
      );
    }
    throw fileError(error, "the executor", file, "invalid_executor");
  }
}

/** Where a key of the file itself is set, as it is usually written; nothing where it isn't found. */
function lineOfKey(text: string, key: PropertyKey | undefined): string {
  const lines = text.split("\n");
  const index = lines.findIndex((line) => line.split("=", 1)[0]?.trim() === key && line.includes("="));
  return index === -1 ? "" : `, line ${index + 1}`;
}

function ready(manifest: ExecutorManifest, isDescribed: boolean): Executor {
  let schema: z.ZodType | undefined;
  return {
    manifest,
    is_described: isDescribed,
    validate(args) {
      schema ??= z.fromJSONSchema(manifest.args_schema as Parameters<typeof z.fromJSONSchema>[0]);
      const result = schema.safeParse(args);
      return result.success ? null : result.error.issues.map(issueText).join("; ");
    },
  };
}

/** Says which argument and which kind was expected; zod's own messages may quote the value. */
function issueText(issue: z.core.$ZodIssue): string {
  const where = issue.path.join(".") || "args";
  switch (issue.code) {
    case "invalid_type":
      return `${where}: expected ${issue.expected}`;
    case "too_small":
      return `${where}: too short or too small`;
    case "too_big":
      return `${where}: too long or too large`;
    case "invalid_union":
      return `${where}: fits none of the forms that are allowed`;
    default:
      return `${where}: does not fit (${issue.code})`;
  }
}

function undescribed(name: string): ExecutorManifest {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  return {
    name,
    aliases: [],
    needs: [{ capability: "code:exec", target: { from: "command", args: ["command", "cmd"] } }],
    args_schema: { type: "object" },
    content_args: [],
    verb: mcp
      ? { en: "call the MCP tool", it: "chiami lo strumento MCP" }
      : { en: "use the tool", it: "usi lo strumento" },
    reversibility: "irreversible",
    critical: true,
    skip_judge: false,
    scope: {},
  };
}

const subagent = (name: string): BuiltInManifest => startsAgent(name, { message: text }, ["message", "items"]);

/** What a subagent gets to know while it runs. */
const toSubagent = (name: string): BuiltInManifest =>
  inside(name, "write to a subagent", "scriva a un sottoagente", ["message", "items"]);

/**
 * Codex's own tools, by the names that its hook gives them; a tool of a namespace is named by both without anything between them.
 * `write_stdin`, `web_search` and the script of its code mode have no hook.
 */
const CODEX_EXECUTORS: readonly BuiltInManifest[] = [
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

/** What the agents of each kind can call; generic: what the protocol names. Of a name that several have, `any` means the last one's. */
const BUILT_IN: Readonly<Record<AgentKind, readonly BuiltInManifest[]>> = {
  generic: COMMON_TOOLS,
  opencode: OPENCODE_EXECUTORS,
  gemini: GEMINI_EXECUTORS,
  codex: CODEX_EXECUTORS,
  "claude-code": CLAUDE_CODE_EXECUTORS,
};
