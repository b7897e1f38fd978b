import { z } from "zod";
import type { GatePaths } from "../../ipc/base/paths.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { type JudgeSetUp, judgeSetUpSchema, type SetUp } from "../../ipc/contract/settings.ts";
import { checkReviewConfig, LLM_JUDGE, modelConfigSchema } from "../decide/reviews/config.ts";
import type { Config, ConfigSources } from "./config.ts";

/** What is set up on a surface as a whole: a Telegram bot, and a model as judge. Their secrets are in files of their own (0600). */

export const setUpSchema = z.strictObject({
  telegram: z.literal(true).optional(),
  judge: z.strictObject({ ...judgeSetUpSchema.shape, has_key: z.boolean() }).optional(),
});
export type StoredSetUp = z.infer<typeof setUpSchema>;

/** What the model is called that was set up so. */
const MODEL = "judge";

export type SecretFiles = Pick<GatePaths, "telegramToken" | "judgeKey">;

/** What sets this part for good, so that no surface can; null where one can. */
export function whyFixed(part: keyof SetUp, { file, environment }: ConfigSources): SetUp["judge"]["fixed_by"] {
  if (part === "telegram")
    return file.has("telegram.token_env") || file.has("telegram.token_file") ? "gate.toml" : null;
  if (environment.has("judge.kind")) return "environment";
  const isNamed = (key: string) => ["judge.kind", "judge.model"].includes(key) || key.startsWith("models.");
  return [...file].some(isNamed) ? "gate.toml" : null;
}

/** Makes `config` what gate.toml and this say together: gate.toml wins. */
export function applySetUp(config: Config, sources: ConfigSources, files: SecretFiles, setUp: StoredSetUp): void {
  if (whyFixed("telegram", sources) === null)
    config.telegram.token_file = setUp.telegram === true ? files.telegramToken : undefined;
  if (whyFixed("judge", sources) === null) Object.assign(config, judgeSections(config, sources, files, setUp.judge));
}

/**
 * The same of a judge that isn't stored yet.
 * @throws GateError `invalid_setting`, in a sentence without a value
 */
export function checkJudge(
  config: Config,
  sources: ConfigSources,
  files: SecretFiles,
  judge: NonNullable<StoredSetUp["judge"]>,
): void {
  const model = modelConfigSchema.safeParse(modelOf(judge, files));
  if (!model.success) {
    const [issue] = model.error.issues;
    throw new GateError("invalid_setting", `${issue?.path.join(".")}: ${issue?.message}`);
  }
  checkReviewConfig({ ...config, ...judgeSections(config, sources, files, judge) }, (_path, message) => {
    throw new GateError("invalid_setting", message);
  });
}

function judgeSections(
  { judge }: Config,
  { file }: ConfigSources,
  files: SecretFiles,
  chosen: StoredSetUp["judge"],
): Pick<Config, "judge" | "models"> {
  const online = file.has("judge.online") ? judge.online : chosen?.online === true;
  if (chosen === undefined) return { judge: { ...judge, kind: "rule-based-v1", model: undefined, online }, models: {} };
  const models = { [MODEL]: modelConfigSchema.parse(modelOf(chosen, files)) };
  return { judge: { ...judge, kind: LLM_JUDGE, model: MODEL, online }, models };
}

function modelOf({ dialect, base_url, model, has_key }: NonNullable<StoredSetUp["judge"]>, files: SecretFiles): object {
  return { dialect, base_url, model, ...(has_key ? { key_file: files.judgeKey } : {}) };
}

/** A stored key goes to the server that it was given for, and to no other one. */
export function isSameServer(a: JudgeSetUp | undefined, b: JudgeSetUp): boolean {
  return a !== undefined && URL.parse(a.base_url)?.origin === URL.parse(b.base_url)?.origin;
}
