import { z } from "zod";
import { readRegularFile } from "../../ipc/base/regular-file.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { type Setting, type SettingKey, settingValues } from "../../ipc/contract/settings.ts";
import { errorCode } from "../base/errors.ts";
import { writeDurably } from "../base/files/durable-file.ts";
import { fileError } from "../base/files/file-errors.ts";
import type { Config, ConfigSources } from "./config.ts";

/** The settings chosen on a surface. gate.toml and the environment override them. */

const chosenSchema = z
  .strictObject({
    "approvals.ttl_seconds": settingValues["approvals.ttl_seconds"],
    "notifications.enabled": settingValues["notifications.enabled"],
    language: settingValues.language,
    "judge.threshold": settingValues["judge.threshold"],
  })
  .partial();
type Chosen = z.infer<typeof chosenSchema>;
type ChosenKey = keyof Chosen;

const WHAT = "the file of the settings that were chosen,";

/** Start at login: by the desktop app, or by the session's own services. */
export interface LoginItem {
  isEnabled(): boolean;
  setEnabled(isEnabled: boolean): void;
}

export class Settings {
  readonly #file: string;
  readonly #config: Config;
  readonly #sources: ConfigSources;
  readonly #chosen: Chosen;
  /** A problem with the file that the user should know of, or undefined. */
  readonly warning: string | undefined;

  /**
   * Reads the chosen settings into `config`, which is read anew for each use.
   * @throws GateError `invalid_config`, naming the file
   */
  constructor(file: string, config: Config, sources: ConfigSources) {
    this.#file = file;
    this.#config = config;
    this.#sources = sources;
    const chosen = readChosen(file);
    this.#chosen = chosen ?? {};
    if (chosen === undefined)
      this.warning = `${file} is empty: the settings chosen before are lost, the defaults apply`;
    for (const key of Object.keys(this.#chosen) as ChosenKey[]) this.#apply(key);
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
    const chosen = chosenSchema.parse({ ...this.#chosen, [key]: value });
    writeDurably(this.#file, `${JSON.stringify(chosen, null, 2)}\n`, WHAT);
    Object.assign(this.#chosen, chosen);
    this.#apply(key);
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
    const whyNot = {
      environment: `an environment variable sets it for this gate`,
      "gate.toml": `gate.toml sets it; take the key out there to choose it here`,
      chosen: null,
      default: null,
    }[source];
    const onlyOne = key === "judge.kind" ? "only gate.toml chooses the judge: its model is named there" : null;
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
