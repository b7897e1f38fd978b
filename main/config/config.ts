import { z } from "zod";
import type { Env } from "../../ipc/base/paths.ts";
import { levelSchema } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { LANGUAGES } from "../../ipc/contract/language.ts";
import { absolutePath } from "../base/config-values.ts";
import { fileError } from "../base/files/file-errors.ts";
import { isKept } from "../decide/confinement/environment.ts";
import { costSections } from "../decide/costs/config.ts";
import { flowConfigSchema } from "../decide/flow/config.ts";
import { rateConfigSchema } from "../decide/rate/config.ts";
import {
  checkReviewConfig,
  judgeConfigSchema,
  longestReviewSeconds,
  reviewSections,
} from "../decide/reviews/config.ts";
import { safetyConfigSchema } from "../decide/safety/config.ts";
import { channelSections } from "./channels.ts";
import { readToml } from "./toml-file.ts";

/** `[receipts]` of gate.toml: where the newest checkpoint of the trail goes each day. */
const receiptsConfigSchema = z.strictObject({
  /** To these channels, and to the system's log (`journal`: by the gate's own output). */
  send_checkpoint: z.array(z.enum(["telegram", "ntfy", "journal"])).default(["journal"]),
  /** Added to this file, best on another disk. */
  checkpoint_file: absolutePath.optional(),
});

/** gate.toml: every key optional (docs/configuration.md). The environment's variables win over it. */
export const configSchema = z
  .strictObject({
    language: z.enum(LANGUAGES).default("en"),
    approvals: z
      .strictObject({
        /** Seconds a request waits for an answer. */
        ttl_seconds: z.number().int().min(10).max(86_400).default(600),
        /** Seconds a grant for a session lasts at the most. */
        session_seconds: z.number().int().min(60).max(604_800).default(86_400),
        /** Days that a request is kept after its end; 0: for good. */
        keep: z.number().int().min(0).max(36_500).default(400),
        db: absolutePath.optional(),
      })
      .prefault({}),
    grants: z
      .strictObject({
        db: absolutePath.optional(),
        /** A grant that nobody used for so many days is revoked; 0: never. */
        stale_after_days: z.number().int().min(0).max(3650).default(90),
      })
      .prefault({}),
    rate: rateConfigSchema.prefault({}),
    flow: flowConfigSchema.prefault({}),
    ...costSections,
    ...channelSections,
    receipts: receiptsConfigSchema.prefault({}),
    ...reviewSections,
    audit: z
      .strictObject({
        /** The outcome of calls that change something while the trail can't be written. */
        on_failure: z.enum(["deny", "allow"]).default("deny"),
        /** Days from a month's end until it is put into an archive; 0: only by the user. */
        keep: z.number().int().min(0).max(36_500).default(400),
      })
      .prefault({}),
    activity: z
      .strictObject({
        /** What is kept of each call: its line without values, the whole of it, or nothing on the disk. */
        keep: z.enum(["line", "whole", "nothing"]).default("line"),
        /** For how many days. */
        days: z.number().int().min(1).max(3650).default(30),
      })
      .prefault({}),
    notifications: z
      .strictObject({
        /** Desktop notifications with buttons, where there is a session bus. */
        enabled: z.boolean().default(true),
      })
      .prefault({}),
    box: z
      .strictObject({
        /** Run commands that aren't clear in a box instead of asking, where that can be done. */
        enabled: z.boolean().default(true),
        /** Files and folders outside a project that every box may read. */
        reads: z.array(absolutePath).max(64).default([]),
        /** Environment variables that every box gets beside the usual ones. */
        environment: z
          .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/))
          .max(64)
          .default([]),
        /** Limits of a run; those of memory, files and time are for each of its processes. */
        processes: z.number().int().min(16).max(1_000_000).default(1024),
        /** 0: none. */
        memory_mb: z
          .number()
          .int()
          .min(0)
          .max(1_048_576)
          .refine((mb) => mb === 0 || mb >= 64, "must be 0, or 64 at least")
          .default(8192),
        file_mb: z.number().int().min(1).max(1_048_576).default(4096),
        open_files: z.number().int().min(64).max(1_048_576).default(4096),
        cpu_seconds: z.number().int().min(1).max(604_800).default(3600),
        /** Of its own /tmp, which is memory. */
        tmp_mb: z.number().int().min(16).max(1_048_576).default(2048),
      })
      .prefault({}),
    undo: z
      .strictObject({
        /** Keep what a project was before calls that can change it, so that they can be taken back. */
        enabled: z.boolean().default(true),
        /** Deny a call that couldn't be taken back, instead of saying so. */
        require: z.boolean().default(false),
        /** Of one project; a larger one isn't kept as a whole. */
        max_files: z.number().int().min(100).max(1_000_000).default(100_000),
        /** Of what is kept of one project. */
        max_bytes: z.number().int().min(1_048_576).max(1_099_511_627_776).default(2_147_483_648),
        /** For how many days. */
        days: z.number().int().min(1).max(365).default(7),
      })
      .prefault({}),
    safety: safetyConfigSchema.prefault({}),
    agents: z
      .strictObject({
        /** The level that `connect` pairs at when none is given. */
        default_level: levelSchema.default("Supervised"),
      })
      .prefault({}),
    metrics: z
      .strictObject({
        /** Serve the gate's metrics at /metrics on the page's port, without a link. */
        enabled: z.boolean().default(false),
      })
      .prefault({}),
    web: z
      .strictObject({
        /** Of the page in a browser, on 127.0.0.1; 0: any free port. */
        port: z.number().int().min(0).max(65_535).default(0),
        /** Seconds that a browser may use the page after it opened a link. */
        session_seconds: z.number().int().min(300).max(604_800).default(43_200),
      })
      .prefault({}),
    update: z
      .strictObject({
        /** Where the desktop app asks for the newest version, when the user wants it to; left out: nowhere. */
        url: z.url({ protocol: /^https$/, error: "expected an address that begins with https://" }).optional(),
      })
      .prefault({}),
    socket: z
      .strictObject({
        /** Connections at the same time on gate.sock. */
        max_connections: z.number().int().min(1).max(10_000).default(2048),
        /** A client that leaves more bytes unread for ten seconds, and reads nothing of them, is dropped. */
        max_unread_bytes: z.number().int().min(65_536).max(67_108_864).default(4_194_304),
      })
      .prefault({}),
  })
  .superRefine((config, context) => {
    checkReviewConfig(config, (path, message) => context.addIssue({ code: "custom", path, message }));
    for (const [name, { key_env }] of Object.entries(config.models))
      if (key_env !== undefined && isKept(key_env, config.box.environment)) {
        const message = `every box gets the variable ${key_env}: a key has to be in another one`;
        context.addIssue({ code: "custom", path: ["models", name, "key_env"], message });
      }
    for (const name of ["telegram", "ntfy"] as const) {
      const { token_env } = config[name];
      if (token_env === undefined || !isKept(token_env, config.box.environment)) continue;
      const message = `every box gets the variable ${token_env}: a token has to be in another one`;
      context.addIssue({ code: "custom", path: [name, "token_env"], message });
    }
  });
export type Config = z.output<typeof configSchema>;

/**
 * Reads the configuration; a missing file means the defaults.
 * @throws GateError `invalid_config`, naming file, line and key
 */
export function loadConfig(file: string, env: Env = process.env): Config {
  return loadConfigWithSources(file, env).config;
}

/** Seconds until an agent has its answer, at the most: the judges are asked, then the user. */
export function longestAnswerSeconds(config: Config): number {
  return longestReviewSeconds(config) + config.approvals.ttl_seconds;
}

/** The keys (`judge.threshold`) that are set, by source. */
export interface ConfigSources {
  file: ReadonlySet<string>;
  environment: ReadonlySet<string>;
}

/** The configuration, and which of its keys are set where. @throws GateError as `loadConfig` */
export function loadConfigWithSources(file: string, env: Env): { config: Config; sources: ConfigSources } {
  const read = readConfigFile(file);
  const config = withEnvironment(read?.config ?? configSchema.parse({}), env);
  const environment = new Set<string>();
  if (env.METNOS_JUDGE_THRESHOLD) environment.add("judge.threshold");
  if (env.METNOS_JUDGE_LLM_THRESHOLD) environment.add("judge.llm_threshold");
  if (env.METNOS_JUDGE_KIND) environment.add("judge.kind");
  return { config, sources: { file: new Set(read?.keys), environment } };
}

/** The keys, such as `judge.threshold`, of every value in a parsed file. */
function keysIn(table: object, prefix = ""): string[] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? keysIn(value, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

function readConfigFile(file: string): { config: Config; keys: string[] } | undefined {
  try {
    const read = readToml(file, configSchema, HINT);
    return read && { config: read.table, keys: keysIn(read.source) };
  } catch (error) {
    throw fileError(error, "the configuration", file, "invalid_config");
  }
}

function withEnvironment(config: Config, env: Env): Config {
  const { METNOS_JUDGE_KIND: kind } = env;
  const judge = { ...config.judge };
  judge.threshold = fractionOf(env, "METNOS_JUDGE_THRESHOLD") ?? judge.threshold;
  judge.llm_threshold = fractionOf(env, "METNOS_JUDGE_LLM_THRESHOLD") ?? judge.llm_threshold;
  if (kind) {
    const parsed = judgeConfigSchema.shape.kind.safeParse(kind);
    if (!parsed.success)
      throw invalid(`METNOS_JUDGE_KIND: there is no judge ${JSON.stringify(kind)}, only rule-based-v1 and llm-v1`);
    judge.kind = parsed.data;
  }
  return { ...config, judge };
}

function fractionOf(env: Env, name: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw invalid(`${name}: expected a number from 0 to 1`);
  return value;
}

const HINT = "see docs/configuration.md";

function invalid(message: string): GateError {
  return new GateError("invalid_config", message, HINT);
}
