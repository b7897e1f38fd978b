import { rmSync } from "node:fs";
import { z } from "zod";
import { type Env, type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import {
  type JudgeSetUp,
  type Setting,
  type SettingKey,
  type SetUp,
  settingValues,
} from "../../ipc/contract/settings.ts";
import { errorCode } from "../base/errors.ts";
import { writeDurably } from "../base/files/durable-file.ts";
import { fileError } from "../base/files/file-errors.ts";
import { type Config, type ConfigSources, loadConfigWithSources } from "./config.ts";
import {
  applySetUp,
  checkJudge,
  isSameServer,
  type SecretFiles,
  type StoredSetUp,
  setUpSchema,
  whyFixed,
} from "./set-up.ts";

/** The settings chosen on a surface. gate.toml and the environment override them. */

const chosenSchema = z
  .strictObject({
    "approvals.ttl_seconds": settingValues["approvals.ttl_seconds"],
    "notifications.enabled": settingValues["notifications.enabled"],
    language: settingValues.language,
    "judge.threshold": settingValues["judge.threshold"],
    set_up: setUpSchema,
  })
  .partial();
type Chosen = z.infer<typeof chosenSchema>;
type ChosenKey = Exclude<keyof Chosen, "set_up">;

const WHAT = "the file of the settings that were chosen,";

const WHY_NOT = {
  environment: "an environment variable sets it for this gate",
  "gate.toml": "gate.toml sets it; take the key out there to choose it here",
};

type SettingsFiles = SecretFiles & Pick<GatePaths, "chosenFile">;

/** Start at login: by the desktop app, or by the session's own services. */
export interface LoginItem {
  isEnabled(): boolean;
  setEnabled(isEnabled: boolean): void;
}

export class Settings {
  readonly #files: SettingsFiles;
  readonly #config: Config;
  readonly #sources: ConfigSources;
  readonly #chosen: Chosen;
  /** A problem with the file that the user should know of, or undefined. */
  readonly warning: string | undefined;

  /**
   * Reads the chosen settings into `config`, which is read anew for each use.
   * @throws GateError `invalid_config`, naming the file
   */
  constructor(files: SettingsFiles, config: Config, sources: ConfigSources) {
    const file = files.chosenFile;
    this.#files = files;
    this.#config = config;
    this.#sources = sources;
    const chosen = readChosen(file);
    this.#chosen = chosen ?? {};
    if (chosen === undefined)
      this.warning = `${file} is empty: the settings chosen before are lost, the defaults apply`;
    for (const key of Object.keys(this.#chosen)) if (key !== "set_up") this.#apply(key as ChosenKey);
    if (this.#chosen.set_up !== undefined) applySetUp(config, sources, files, this.#chosen.set_up);
  }

  setUp(): SetUp {
    const { telegram, judge } = this.#chosen.set_up ?? {};
    const { has_key = false, ...chosen } = judge ?? {};
    return {
      telegram: { is_set_up: telegram === true, fixed_by: whyFixed("telegram", this.#sources) },
      judge: {
        is_set_up: judge !== undefined,
        fixed_by: whyFixed("judge", this.#sources),
        chosen: judge === undefined ? null : (chosen as JudgeSetUp),
        has_key,
      },
    };
  }

  /** True where it is another bot than before. @throws GateError `fixed_setting`, `file_unusable` */
  setUpTelegram(token: string | null): boolean {
    this.#requireFree("telegram");
    const file = this.#files.telegramToken;
    const before = this.#chosen.set_up?.telegram === true ? botOf(readIfThere(file)) : undefined;
    if (token !== null) writeDurably(file, `${token}\n`, "the bot's token");
    this.#storeSetUp({ ...this.#chosen.set_up, telegram: token === null ? undefined : true });
    if (token === null) rmSync(file, { force: true });
    return before !== (token === null ? undefined : botOf(token));
  }

  /** @throws GateError `fixed_setting`, `invalid_setting`, `file_unusable` */
  setUpJudge(judge: JudgeSetUp | null, key: string | null | undefined): void {
    this.#requireFree("judge");
    const file = this.#files.judgeKey;
    const before = this.#chosen.set_up?.judge;
    const keeps = judge !== null && key === undefined && before?.has_key === true && isSameServer(before, judge);
    const chosen = judge === null ? undefined : { ...judge, has_key: keeps || typeof key === "string" };
    if (chosen !== undefined) checkJudge(this.#config, this.#sources, this.#files, chosen);
    if (judge !== null && typeof key === "string") writeDurably(file, `${key}\n`, "the model's key");
    this.#storeSetUp({ ...this.#chosen.set_up, judge: chosen });
    if (chosen?.has_key !== true) rmSync(file, { force: true });
  }

  #requireFree(part: keyof SetUp): void {
    const fixed = whyFixed(part, this.#sources);
    if (fixed !== null) throw new GateError("fixed_setting", `${part} can't be set up here: ${WHY_NOT[fixed]}`);
  }

  #storeSetUp(setUp: StoredSetUp): void {
    this.#store({ ...this.#chosen, set_up: setUp });
    applySetUp(this.#config, this.#sources, this.#files, setUp);
  }

  list(loginItem: LoginItem | undefined): Setting[] {
    return (Object.keys(settingValues) as SettingKey[]).map((key) => this.#view(key, loginItem));
  }

  /** @throws GateError `invalid_setting`, `fixed_setting` */
  set(key: SettingKey, value: string | number | boolean, loginItem: LoginItem | undefined): Setting {
    const parsed = settingValues[key].safeParse(value);
    if (!parsed.success)
      throw new GateError("invalid_setting", `${key}: ${parsed.error.issues[0]?.message ?? "not valid"}`);
    const { can_change, why_not } = this.#view(key, loginItem);
    if (!can_change) throw new GateError("fixed_setting", `${key} can't be changed here: ${why_not}`);
    if (key === "start_at_login") loginItem?.setEnabled(value === true);
    else this.#choose(key as ChosenKey, value);
    return this.#view(key, loginItem);
  }

  #choose(key: ChosenKey, value: string | number | boolean): void {
    this.#store({ ...this.#chosen, [key]: value });
    this.#apply(key);
  }

  #store(wanted: object): void {
    const chosen = chosenSchema.parse(wanted);
    writeDurably(this.#files.chosenFile, `${JSON.stringify(chosen, null, 2)}\n`, WHAT);
    Object.assign(this.#chosen, chosen);
  }

  #view(key: SettingKey, loginItem: LoginItem | undefined): Setting {
    if (key === "start_at_login") {
      const whyNot =
        loginItem === undefined ? "nothing here starts services: only the desktop app can start at login" : null;
      return {
        key,
        value: loginItem?.isEnabled() ?? false,
        source: "default",
        can_change: whyNot === null,
        why_not: whyNot,
      };
    }
    const source = this.#sourceOf(key);
    const whyNot = { ...WHY_NOT, chosen: null, default: null }[source];
    const onlyOne = key === "judge.kind" ? "it is chosen by setting up a model, here or in gate.toml" : null;
    return {
      key,
      value: this.#value(key),
      source,
      can_change: (whyNot ?? onlyOne) === null,
      why_not: whyNot ?? onlyOne,
    };
  }

  #sourceOf(key: SettingKey): Setting["source"] {
    if (this.#sources.environment.has(key)) return "environment";
    if (this.#sources.file.has(key)) return "gate.toml";
    if (key === "judge.kind") return this.#chosen.set_up?.judge === undefined ? "default" : "chosen";
    return key in this.#chosen ? "chosen" : "default";
  }

  #value(key: Exclude<SettingKey, "start_at_login">): string | number | boolean {
    const { approvals, notifications, language, judge } = this.#config;
    return {
      "approvals.ttl_seconds": approvals.ttl_seconds,
      "notifications.enabled": notifications.enabled,
      language,
      "judge.kind": judge.kind,
      "judge.threshold": judge.threshold,
    }[key];
  }

  #apply(key: ChosenKey): void {
    if (this.#sources.environment.has(key) || this.#sources.file.has(key)) return;
    const { [key]: value } = this.#chosen;
    if (value === undefined) return;
    const [section, name] = key.split(".") as [keyof Config, string | undefined];
    const holder = (name === undefined ? this.#config : this.#config[section]) as Record<string, unknown>;
    holder[name ?? section] = value;
  }
}

/** gate.toml, with what was chosen on a surface. @throws GateError `invalid_config` */
export function loadChosenConfig(env: Env): Config {
  const paths = gatePaths(env);
  const { config, sources } = loadConfigWithSources(paths.configFile, env);
  new Settings(paths, config, sources);
  return config;
}

/** A token begins with its bot's number. */
const botOf = (token: string): string | undefined => token.split(":")[0];

function readIfThere(file: string): string {
  try {
    return readRegularFile(file);
  } catch {
    return "";
  }
}

/** The content of the file; undefined for an empty one, which a crash of an earlier version could leave. */
function readChosen(file: string): Chosen | undefined {
  let text: string;
  try {
    text = readRegularFile(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {};
    throw fileError(error, WHAT, file, "invalid_config");
  }
  if (text.trim() === "") return undefined;
  try {
    return chosenSchema.parse(JSON.parse(text));
  } catch (error) {
    const what = error instanceof z.ZodError ? (error.issues[0]?.message ?? "not valid") : "it is not valid JSON";
    throw new GateError("invalid_config", `${file}: ${what}`, "correct it, or remove it to go back to the defaults", {
      cause: error,
    });
  }
}
