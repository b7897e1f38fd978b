import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { errorCode } from "../../base/errors.ts";
import { fileError } from "../../base/files/file-errors.ts";
import { type AgentKind, agentKindSchema } from "./agent-kind.ts";
import type { CalledTool } from "./called-tool.ts";
import { CLAUDE_CODE_EXECUTORS } from "./claude-code.ts";
import { CODEX_EXECUTORS } from "./codex.ts";
import { COMMON_TOOLS } from "./common-tools.ts";
import { GEMINI_EXECUTORS } from "./gemini.ts";
import { INTERNAL_EXECUTORS } from "./internal.ts";
import { type ExecutorManifest, type ManifestSource, manifestSchema } from "./manifest.ts";
import { OPENCODE_EXECUTORS } from "./opencode.ts";

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

/** Finds what an executor's name means, in an agent of a kind; `any`: in whichever has it. */
export class ExecutorCatalog {
  readonly #executors = new Map<AgentKind | "any", Map<string, Executor>>();
  readonly #internal = new Map<string, Executor>();

  /** `own` are the user's manifests; they may redefine built-in names. */
  constructor(own: readonly ExecutorManifest[] = []) {
    for (const source of COMMON_TOOLS) this.#add(manifestSchema.parse(source), ["generic"]);
    for (const source of OPENCODE_EXECUTORS) this.#add(manifestSchema.parse(source), ["opencode"]);
    for (const source of GEMINI_EXECUTORS) this.#add(manifestSchema.parse(source), ["gemini"]);
    for (const source of CODEX_EXECUTORS) this.#add(manifestSchema.parse(source), ["codex"]);
    for (const source of CLAUDE_CODE_EXECUTORS) this.#add(manifestSchema.parse(source), kindsWith(source));
    for (const manifest of own) this.#add(manifest, manifest.agents ?? agentKindSchema.options);
    for (const [name, source] of Object.entries(INTERNAL_EXECUTORS))
      this.#internal.set(name, ready(manifestSchema.parse(source), true));
  }

  #add(manifest: ExecutorManifest, kinds: readonly AgentKind[]): void {
    const executor = ready(manifest, true);
    for (const kind of [...kinds, "any"] as const) {
      const executors = this.#executors.get(kind) ?? new Map<string, Executor>();
      this.#executors.set(kind, executors);
      for (const name of [manifest.name, ...manifest.aliases]) executors.set(name, executor);
    }
  }

  /** What nothing describes counts as `code:exec`: asked about every time, never guessed. MCP tools among them. */
  find(name: string, kind: AgentKind | "any"): Executor {
    return this.#executors.get(kind)?.get(name) ?? this.#internal.get(name) ?? ready(undescribed(name), false);
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
export function loggedNameOf(name: string, is_described: boolean): string {
  return is_described || PLAIN_NAME.test(name) ? name : `(unnamed:${name.length})`;
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

function ready(manifest: ExecutorManifest, is_described: boolean): Executor {
  let schema: z.ZodType | undefined;
  return {
    manifest,
    is_described,
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
