import { existsSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isObject, type Json } from "../../../ipc/base/json-object.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { withoutComments } from "../../../main/hooks/json-comments.ts";
import { readText, writeSettings } from "../../agents/settings-file.ts";
import { type Member, memberAt } from "../../json-members.ts";
import type { ServerEntry, SettingsPlace } from "./places.ts";

/** Changes what starts a client's servers in its settings, and no other byte of them. */

export interface Changed {
  file: string;
  /** The names of the servers whose words are other ones now. */
  changed: string[];
  /** The names of those that are left: not started by words. */
  left: string[];
}

export interface JsonEdit {
  place: SettingsPlace;
  /** The words of an entry as they are to be. */
  wordsFor(entry: ServerEntry & { words: readonly string[] }): readonly string[];
  /** Where this leaves the file as it was before ours, the very bytes are restored. */
  isRemoval: boolean;
}

/** @throws GateError `invalid_settings` if the file isn't a JSON object */
export function editServers({ place, wordsFor, isRemoval }: JsonEdit): Changed {
  const { file } = place;
  const text = readText(file) ?? "{}";
  const settings = parsed(file, text);
  const changed: string[] = [];
  const left: string[] = [];
  let edited = text;
  for (const entry of place.entries(settings)) {
    const name = entry.path.at(-1) ?? "";
    const { words } = entry;
    if (words === undefined) {
      left.push(name);
      continue;
    }
    const wanted = wordsFor({ ...entry, words });
    if (isDeepStrictEqual(wanted, words)) continue;
    edited = withMembers(file, edited, entry.path, place.members(wanted));
    changed.push(name);
  }
  if (changed.length > 0) write(file, text, edited, isRemoval);
  return { file, changed, left };
}

/** The text with other values for some members of the object at `path`. */
function withMembers(file: string, text: string, path: readonly string[], members: Json): string {
  let edited = text;
  for (const [key, value] of Object.entries(members)) {
    const plain = withoutComments(edited);
    const member = memberAt(plain, [...path, key]);
    if (member !== undefined) {
      edited = edited.slice(0, member.valueStart) + JSON.stringify(value) + edited.slice(member.valueEnd);
      continue;
    }
    const object = memberAt(plain, path);
    if (object === undefined) throw invalid(`${file}: ${path.join(".")} is there twice`);
    // An entry has a command; its arguments may be left out.
    edited = inserted(edited, object, key, value);
  }
  return checked(file, text, edited, path, members);
}

function inserted(text: string, { valueStart }: Member, key: string, value: unknown): string {
  return `${text.slice(0, valueStart + 1)}${JSON.stringify(key)}: ${JSON.stringify(value)}, ${text.slice(valueStart + 1)}`;
}

/** What the edit was to change has changed, and nothing else. */
function checked(file: string, before: string, after: string, path: readonly string[], members: Json): string {
  const wanted = parsed(file, before);
  let object: unknown = wanted;
  for (const key of path) object = isObject(object) ? object[key] : undefined;
  if (isObject(object)) Object.assign(object, members);
  if (!isDeepStrictEqual(parsed(file, after), wanted))
    throw invalid(`${file} can't be changed without changing more of it`);
  return after;
}

function write(file: string, before: string, after: string, isRemoval: boolean): void {
  const backup = `${file}.metnos-mcp-backup`;
  const original = readText(backup);
  if (isRemoval) {
    const isAsBefore =
      original !== undefined && isDeepStrictEqual(parsed(backup, original), withoutEmptyArgs(file, after, original));
    writeSettings(file, isAsBefore ? original : after);
    if (isAsBefore) rmSync(backup);
    return;
  }
  if (!existsSync(backup)) writeSettings(backup, before);
  writeSettings(file, after);
}

/** Arguments that weren't there before, and are none. */
function withoutEmptyArgs(file: string, text: string, original: string): unknown {
  const [now, before] = [parsed(file, text), parsed(file, original)];
  const walk = (value: unknown, earlier: unknown): void => {
    if (!isObject(value) || !isObject(earlier)) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === "args" && isDeepStrictEqual(child, []) && earlier.args === undefined) delete value.args;
      else walk(child, earlier[key]);
    }
  };
  walk(now, before);
  return now;
}

function parsed(file: string, text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(withoutComments(text));
  } catch (error) {
    throw invalid(`${file} is not valid JSON`, error);
  }
  if (!isObject(value)) throw invalid(`${file} is not a JSON object`);
  return value;
}

function invalid(message: string, cause?: unknown): GateError {
  return new GateError("invalid_settings", message, "mend it first; it was left as it is", { cause });
}
