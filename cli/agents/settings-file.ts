import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isObject, type Json } from "../../ipc/base/json-object.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";

/** A client's settings file: read as an object, written whole, with the file as it was beside it. */

/** @throws GateError `invalid_settings` if something else than a file is there, or a link that leads nowhere */
export function readText(file: string): string | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw invalid(`${file} is a link that leads nowhere`);
  if (!stat.isFile()) throw invalid(`${file} is not a file`);
  return readFileSync(file, "utf8");
}

/** @throws GateError `invalid_settings` if the text isn't a JSON object, or its hooks aren't in a form that can be kept */
export function parseSettings(file: string, text: string | undefined, events: readonly string[]): Json {
  if (text === undefined || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, error);
  }
  if (!isObject(value)) throw invalid(`${file} is not a JSON object`);
  const { hooks } = value;
  if (hooks !== undefined && !isObject(hooks)) throw invalid(`${file}: hooks is not an object`);
  for (const event of events) {
    const groups = hooks?.[event];
    if (groups !== undefined && !Array.isArray(groups)) throw invalid(`${file}: hooks.${event} is not a list`);
  }
  return value;
}

function invalid(message: string, cause?: unknown): GateError {
  return new GateError("invalid_settings", message, "mend it first; it was left as it is", { cause });
}

export function backupFile(file: string): string {
  return `${file}.metnos-backup`;
}

/** Keeps the file as it was before the gate first touched it; one that holds our hook already is no original. */
export function backUp(file: string, text: string, holdsOurs: boolean): string {
  const backup = backupFile(file);
  if (!(holdsOurs && existsSync(backup))) writeFileSync(backup, text, { mode: 0o600 });
  return backup;
}

/** The settings as text, indented as the file was. */
export function serialised(settings: Json, like: string | undefined): string {
  const indent = /^[{[]\r?\n([ \t]+)/.exec(like ?? "")?.[1] ?? "  ";
  return `${JSON.stringify(settings, null, indent)}${like === undefined || like.endsWith("\n") ? "\n" : ""}`;
}

/** Whole or not at all; through a symbolic link to the real file, whose mode is kept. */
export function writeSettings(file: string, text: string): void {
  const real = existsSync(file) ? realpathSync(file) : file;
  mkdirSync(dirname(real), { recursive: true, mode: 0o700 });
  const temporary = `${real}.metnos-new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  if (existsSync(real)) chmodSync(temporary, statSync(real).mode & 0o777);
  renameSync(temporary, real);
}
