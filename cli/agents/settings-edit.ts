import { rmSync } from "node:fs";
import type { Json } from "../../ipc/base/json-object.ts";
import type { ConnectResult } from "./adapter.ts";
import { backUp, backupFile, parseSettings, readText, serialised, writeSettings } from "./settings-file.ts";

/** A JSON settings file in which something of ours is put, or taken out of it, and everything else stays as it was. */

export interface SettingsEdit {
  file: string;
  /** The events whose hooks must be lists, where the file has hooks. */
  events: readonly string[];
  /** The settings as they are to be. Equal ones are not written. */
  change(settings: Json): Json;
  /** True if it holds something of ours already: then it is no original to keep a copy of. */
  holdsOurs(settings: Json): boolean;
}

/** @throws GateError `invalid_settings` if the file isn't a JSON object, or its hooks aren't in a form that can be kept */
export function putIntoSettings({ file, events, change, holdsOurs }: SettingsEdit): ConnectResult {
  const text = readText(file);
  const settings = parseSettings(file, text, events);
  const wanted = change(settings);
  if (JSON.stringify(wanted) === JSON.stringify(settings)) return { file, changed: false, backup: null };
  const backup = text === undefined ? null : backUp(file, text, holdsOurs(settings));
  writeSettings(file, serialised(wanted, text));
  return { file, changed: true, backup };
}

/** Where nothing else has changed since, the very bytes are restored; a file that it leaves empty and that we had made is deleted. @throws GateError as above */
export function takeOutOfSettings({ file, events, change }: Omit<SettingsEdit, "holdsOurs">): ConnectResult {
  const text = readText(file);
  const settings = parseSettings(file, text, events);
  const wanted = change(settings);
  if (text === undefined || JSON.stringify(wanted) === JSON.stringify(settings))
    return { file, changed: false, backup: null };
  const backup = backupFile(file);
  const before = readText(backup);
  if (before === undefined && Object.keys(wanted).length === 0) {
    rmSync(file);
    return { file, changed: true, backup: null };
  }
  const isAsBefore =
    before !== undefined && JSON.stringify(parseSettings(backup, before, events)) === JSON.stringify(wanted);
  writeSettings(file, isAsBefore ? before : serialised(wanted, text));
  if (isAsBefore) rmSync(backup);
  return { file, changed: true, backup: isAsBefore || before === undefined ? null : backup };
}
