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
