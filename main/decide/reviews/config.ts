import { plainWords } from "@metnos-gate/shell-reading";
import { z } from "zod";
import { agentKindSchema } from "../../../ipc/contract/agent-kind.ts";
import { capabilitySchema } from "../../../ipc/contract/decision.ts";
import { JUDGE_KINDS, type JudgeKind } from "../../../ipc/contract/judges.ts";
import { agentNameSchema } from "../../../ipc/contract/wire.ts";
import { absolutePath, variableName } from "../../base/config-values.ts";
import { isLoopback } from "../../targets/host.ts";
import { readListedHost } from "../../targets/listed-host.ts";

/** The sections of gate.toml about judges: `[judge]`, `[models.NAME]`, `[[validators]]`, `[judge_agents.NAME]`, `[[mcp_tools]]`. */

const nameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "letters, digits, '.', '_' or '-'");
const fraction = z.number().min(0).max(1);
const executorName = z.string().min(1).max(200);

/** Which calls a judge looks at: those that fit every key that is given. Without `capabilities` and `executors`: critical ones, and those that send something away. */
const whenSchema = z.strictObject({
  capabilities: z.array(capabilitySchema).min(1).optional(),
  executors: z.array(executorName).min(1).max(256).optional(),
  /** Names of agents, or their kinds. */
  agents: z
    .array(z.union([agentNameSchema, agentKindSchema]))
    .min(1)
    .max(256)
    .optional(),
});
export type When = z.output<typeof whenSchema>;

const sendSchema = z.enum(["keys", "redacted", "full"]);
export type Send = z.output<typeof sendSchema>;

/** What of the arguments goes to a model where `[judge]` leaves it open. */
export function sendToModel(configured: Send | undefined, isOnline: boolean): Send {
  return configured ?? (isOnline ? "keys" : "redacted");
}

/** The kind of judge that asks a model; also its name where gate.toml names no model. */
export const LLM_JUDGE = "llm-v1" satisfies JudgeKind;

export const judgeConfigSchema = z.strictObject({
  kind: z.enum(JUDGE_KINDS).default("rule-based-v1"),
  /** Of the rules: a score below it is denied; in [0, 1]. */
  threshold: fraction.default(0.3),
  /** The same of the model. The score of a model that can't be asked is 0.5. */
  llm_threshold: fraction.default(0.45),
  /** The name of a model below; without one each of its answers is the fallback. */
  model: nameSchema.optional(),
  /** Models on other machines may be asked, by the judge and by judge agents. */
  online: z.boolean().default(false),
  /** What of the arguments is sent: their names; their values, with secrets masked and contents cut; or all. Left out: by the model's host. */
  send: sendSchema.optional(),
  /** First one word, of at most so many tokens; a reason only where that word isn't a clear yes. */
  stage1_max_tokens: z.number().int().min(1).max(64).optional(),
  /** The user may allow a call once in spite of a judge. */
  override: z.boolean().default(false),
  when: whenSchema.default({}),
});

export const modelConfigSchema = z
  .strictObject({
    dialect: z.enum(["anthropic", "openai"]),
    /** Up to where `/messages` or `/chat/completions` is added, such as http://127.0.0.1:11434/v1. */
    base_url: z
      .url({ protocol: /^https?$/, abort: true, error: "expected an address such as http://127.0.0.1:11434/v1" })
      .refine(hasNoSecret, "a key in the address would be shown: use key_env or key_file"),
    /** Its name at the provider. */
    model: z.string().min(1).max(200),
    /** The environment variable of the gate that holds the key. */
    key_env: variableName.optional(),
    /** A file of yours that nobody else can read (0600), which holds the key. */
    key_file: absolutePath.optional(),
    /** For a million tokens, in whatever currency. */
    input_price: z.number().min(0).default(0),
    output_price: z.number().min(0).default(0),
    /** Of one question, the retry included. */
    timeout_seconds: z.number().min(0.1).max(300).default(10),
    max_tokens: z.number().int().min(16).max(32_768).default(512),
    /** Beyond it the model isn't asked until midnight, local time. */
    calls_per_day: z.number().int().min(1).optional(),
    cost_per_day: z.number().positive().optional(),
  })
  .refine(({ key_env, key_file }) => key_env === undefined || key_file === undefined, {
    path: ["key_file"],
    message: "key_env or key_file, not both",
  });
export type ModelConfig = z.output<typeof modelConfigSchema>;

export const validatorConfigSchema = z.strictObject({
  type: z.literal("semantic"),
  judge_agent: nameSchema,
  criteria: z.string().min(1).max(16_384),
  min_score: fraction.default(0.7),
  min_confidence: fraction.default(0),
  timeout_seconds: z.number().min(0.1).max(3600).default(300),
  when: whenSchema.default({}),
});
export type ValidatorConfig = z.output<typeof validatorConfigSchema>;

export const judgeToolSchema = z.discriminatedUnion("name", [
  z.strictObject({
    name: z.literal("cmd.run"),
    /** Whole commands, compared word by word: `npm test` isn't `npm test -- -u`. */
    allowlist: z.array(z.string().min(1).max(1024)).min(1).max(64),
    timeout_seconds: z.number().min(0.1).max(600).default(60),
  }),
  z.strictObject({ name: z.literal("ast_grep.search") }),
  z.strictObject({ name: z.literal("fs.read") }),
]);
export type JudgeToolConfig = z.output<typeof judgeToolSchema>;

/** `registry.example.org`, `*.example.com`, `api.example.com:8443`; without a port: 443 and 80. */
const hostsSchema = z.array(z.string().max(260)).max(32).default([]);

export const judgeAgentConfigSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("model"),
    model: nameSchema,
    /** Beside the validator's criteria. */
    prompt: z.string().min(1).max(32_768),
    tools: z.array(judgeToolSchema).max(3).default([]),
    /** Questions to the model for one call. */
    max_steps: z.number().int().min(1).max(50).default(8),
    /** That the commands of `cmd.run` may reach. */
    hosts: hostsSchema,
  }),
  z.strictObject({
    kind: z.literal("command"),
    /** Your own program and its arguments, started without a shell: payload on stdin, GradientResult on stdout. */
    command: z.tuple([absolutePath], z.string().max(4096)),
    hosts: hostsSchema,
  }),
]);
export type JudgeAgentConfig = z.output<typeof judgeAgentConfigSchema>;

/** Whether a judge agent starts anything: a program, or the tools of a model. */
export function needsBox(agent: JudgeAgentConfig): boolean {
  return agent.kind === "command" || agent.tools.length > 0;
}

const mcpName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,100}$/, "1 to 100 letters, digits, '.', '_' or '-'")
  .refine((name) => !name.startsWith("mcp__"), "the name alone: the tool is called mcp__SERVER__TOOL by itself");

export const mcpToolConfigSchema = z
  .strictObject({
    server: mcpName,
    tool: mcpName,
    /** Your word for it: it changes nothing, wherever. */
    changes_nothing: z.boolean().default(false),
    /** The model and the validators don't look at it; guard and policy do. */
    skip_judge: z.boolean().default(false),
  })
  .refine(({ skip_judge, changes_nothing }) => !skip_judge || changes_nothing, {
    path: ["skip_judge"],
    message: "only of a tool that changes nothing (changes_nothing = true)",
  })
  .refine(({ skip_judge, server, tool }) => !skip_judge || isUnambiguous(`${server}__${tool}`), {
    path: ["skip_judge"],
    message:
      "its name could be that of another server's tool, too: neither may have '__' in it, nor '_' where they meet",
  });
export type McpToolConfig = z.output<typeof mcpToolConfigSchema>;

/** Agents name a tool `mcp__SERVER__TOOL`: true where that can be read in one way only. */
function isUnambiguous(name: string): boolean {
  return name.indexOf("__") === name.lastIndexOf("__");
}

/** These sections, beside the others of gate.toml. */
export const reviewSections = {
  judge: judgeConfigSchema.prefault({}),
  models: z.record(nameSchema, modelConfigSchema).default({}),
  validators: z.array(validatorConfigSchema).max(32).default([]),
  judge_agents: z.record(nameSchema, judgeAgentConfigSchema).default({}),
  mcp_tools: z.array(mcpToolConfigSchema).max(1024).default([]),
};
const reviewConfigSchema = z.strictObject(reviewSections);
export type ReviewConfig = z.output<typeof reviewConfigSchema>;

type AddIssue = (path: (string | number)[], message: string) => void;

/** What one section says of another has to be there, and nothing twice: `addIssue` gets the place and a sentence. */
export function checkReviewConfig(config: ReviewConfig, addIssue: AddIssue): void {
  checkNames(config, addIssue);
  for (const [name, model] of Object.entries(config.models)) checkKey(name, model, addIssue);
  for (const [name, agent] of Object.entries(config.judge_agents))
    checkAgent(name, agent, config.judge.online, addIssue);
  addTwice(
    config.mcp_tools,
    ({ server, tool }) => `${server}/${tool}`,
    (index, tool) => addIssue(["mcp_tools", index, "tool"], `${tool} is there twice`),
  );
}

function checkNames(config: ReviewConfig, addIssue: AddIssue): void {
  const requireModel = (name: string, path: (string | number)[]) => {
    const model = Object.hasOwn(config.models, name) ? config.models[name] : undefined;
    if (model === undefined) addIssue(path, `there is no [models.${inToml(name)}]`);
    else if (isOnline(model) && !config.judge.online)
      addIssue(path, `${name} is on another machine: that needs online = true in [judge]`);
  };
  if (config.judge.model !== undefined) requireModel(config.judge.model, ["judge", "model"]);
  for (const [index, { judge_agent }] of config.validators.entries())
    if (!Object.hasOwn(config.judge_agents, judge_agent))
      addIssue(["validators", index, "judge_agent"], `there is no [judge_agents.${inToml(judge_agent)}]`);
  for (const [name, agent] of Object.entries(config.judge_agents))
    if (agent.kind === "model") requireModel(agent.model, ["judge_agents", name, "model"]);
}

const NO_HOST = "each has to be a host: registry.example.org, *.example.com or api.example.com:8443";
const HOSTS_ARE_ONLINE = "what a judge agent sees can be sent to its hosts: that needs online = true in [judge]";
const HOSTS_OF_NOTHING = "only the commands of cmd.run reach hosts, and it has no such tool";
const NOT_PLAIN =
  "each has to be one whole command of plain words, without variables, patterns, redirections or a second command";

function checkAgent(name: string, agent: JudgeAgentConfig, isOnline: boolean, addIssue: AddIssue): void {
  const place = ["judge_agents", name];
  const tools = agent.kind === "model" ? agent.tools : [];
  if (agent.hosts.some((host) => readListedHost(host) === null)) addIssue([...place, "hosts"], NO_HOST);
  if (agent.hosts.length > 0) {
    if (!isOnline) addIssue([...place, "hosts"], HOSTS_ARE_ONLINE);
    if (agent.kind === "model" && !tools.some(({ name }) => name === "cmd.run"))
      addIssue([...place, "hosts"], HOSTS_OF_NOTHING);
  }
  for (const [index, tool] of tools.entries())
    if (tool.name === "cmd.run" && !tool.allowlist.every((command) => plainWords(command) !== null))
      addIssue([...place, "tools", index, "allowlist"], NOT_PLAIN);
  addTwice(
    tools,
    (tool) => tool.name,
    (index, tool) => addIssue([...place, "tools", index, "name"], `${tool} is there twice`),
  );
}

/** A key for another machine isn't sent in the clear. */
function checkKey(name: string, model: ModelConfig, addIssue: AddIssue): void {
  const hasKey = model.key_env !== undefined || model.key_file !== undefined;
  if (hasKey && isOnline(model) && URL.parse(model.base_url)?.protocol !== "https:")
    addIssue(["models", name, "base_url"], "a key is sent to another machine by https only");
}

function addTwice<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  add: (index: number, name: string) => void,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const name = nameOf(item);
    if (seen.has(name)) add(index, name);
    seen.add(name);
  }
}

/** A name as a word of a TOML key. */
function inToml(name: string): string {
  return name.includes(".") ? `"${name}"` : name;
}

/** Seconds that all judges together may take for one call. */
export function longestReviewSeconds({ judge, models, validators }: ReviewConfig): number {
  const model = judge.kind === LLM_JUDGE && judge.model !== undefined ? models[judge.model] : undefined;
  const questions = judge.stage1_max_tokens === undefined ? 1 : 2;
  const byModel = (model?.timeout_seconds ?? 0) * questions;
  return Math.ceil(validators.reduce((sum, { timeout_seconds }) => sum + timeout_seconds, byModel));
}

/** Whether what is sent to a model leaves this machine. */
export function isOnline({ base_url }: Pick<ModelConfig, "base_url">): boolean {
  return !isLoopback(URL.parse(base_url)?.hostname ?? "");
}

function hasNoSecret(url: string): boolean {
  const { username, password, search, hash } = new URL(url);
  return username === "" && password === "" && search === "" && hash === "";
}
