import { z } from "zod";
import { JUDGE_KINDS } from "./judges.ts";
import { LANGUAGES } from "./language.ts";

/** The settings that can be changed from a surface. Each key is one of gate.toml's; the file and the environment override it. */

export const settingValues = {
  "approvals.ttl_seconds": z.number().int().min(10).max(86_400),
  "notifications.enabled": z.boolean(),
  language: z.enum(LANGUAGES),
  "judge.kind": z.enum(JUDGE_KINDS),
  "judge.threshold": z.number().min(0).max(1),
  /** Only where a desktop app runs, or systemd or launchd. */
  start_at_login: z.boolean(),
} as const;
export type SettingKey = keyof typeof settingValues;

export const settingKeySchema = z.enum(Object.keys(settingValues) as [SettingKey, ...SettingKey[]]);

export const settingSchema = z.object({
  key: settingKeySchema,
  value: z.union([z.string(), z.number(), z.boolean()]),
  /** The value's source. */
  source: z.enum(["default", "chosen", "gate.toml", "environment"]),
  can_change: z.boolean(),
  /** One sentence, where it can't be changed here. */
  why_not: z.string().nullable(),
});
export type Setting = z.infer<typeof settingSchema>;

/** A model that judges, as it is set up on a surface. */
export const judgeSetUpSchema = z.strictObject({
  dialect: z.enum(["openai", "anthropic"]),
  base_url: z.string().max(2000),
  model: z.string().min(1).max(200),
  /** It may be on another machine. */
  online: z.boolean(),
});
export type JudgeSetUp = z.infer<typeof judgeSetUpSchema>;

const partSchema = z.object({
  is_set_up: z.boolean(),
  /** What sets it for good: no surface can. */
  fixed_by: z.enum(["gate.toml", "environment"]).nullable(),
});

/** What was set up on a surface as a whole; of its secrets only whether they are there. */
export const setUpSchema = z.object({
  telegram: partSchema,
  judge: partSchema.extend({ chosen: judgeSetUpSchema.nullable(), has_key: z.boolean() }),
});
export type SetUp = z.infer<typeof setUpSchema>;

/** Telegram's own form of a bot's token. */
export const BOT_TOKEN = /^\d{1,20}:[A-Za-z0-9_-]{20,128}$/;
export const botTokenSchema = z.string().regex(BOT_TOKEN, "this is no bot's token: it looks like 123456:AbC...");
/** Sent in a header. */
export const modelKeySchema = z.string().regex(/^[\x21-\x7e]{1,4000}$/, "a key is one line without spaces");
