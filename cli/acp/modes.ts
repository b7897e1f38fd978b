import { isObject, type Json } from "../../ipc/base/json-object.ts";

/** The modes of agents: in some of them they ask nobody. */

/** Modes in which the agents that are known ask before what changes anything. Other ones are asked about. */
const ASKING = new Set(["default", "manual", "plan", "ask", "build", "architect", "read-only", "readonly", "dontAsk"]);

/** Words in the ids and names of modes that run things without a question. */
const SKIPPING =
  /bypass|yolo|auto|accept|full[-_ ]?access|danger|skip|unattended|never[-_ ]?ask|dont[-_ ]?ask|no[-_ ]?(?:approval|confirm|prompt)|allow[-_ ]?all|approve[-_ ]?all|unrestricted|trust/i;

export type ModeKind = "asks" | "skips" | "unknown";

/** @param id what the mode is set by */
export function modeKind(id: string): ModeKind {
  if (ASKING.has(id) || ASKING.has(lastPart(id))) return "asks";
  return skipsPermission(id) ? "skips" : "unknown";
}

export function skipsPermission(id: string): boolean {
  return !ASKING.has(id) && SKIPPING.test(id);
}

/** Some agents name their modes by addresses: `https://.../session-modes#ask`. */
function lastPart(id: string): string {
  return /[#/]([^#/]+)$/.exec(id)?.[1] ?? id;
}

/** Settings of a session that have nothing to do with who is asked, by the category that the agent gives them. */
const OTHER_CATEGORIES = new Set(["model", "model_config", "thought_level"]);

/** What choosing this value of a session's setting means. `category`: as the agent has listed it, if it has. */
export function settingKind(config: string, category: string | undefined, value: unknown): ModeKind {
  if (category !== undefined && OTHER_CATEGORIES.has(category)) return "asks";
  if (category !== "mode" && config !== "mode" && !skipsPermission(config) && !PERMISSION.test(config)) return "asks";
  if (typeof value === "boolean") return value ? "skips" : "asks";
  return typeof value === "string" ? modeKind(value) : "unknown";
}

const PERMISSION = /permission|approv|sandbox|confirm/i;

/** A session's settings by id, with their categories and values, in both versions of the protocol. */
export function settingsIn(
  options: unknown,
): { id: string; category: string | undefined; value: unknown; values: string[] }[] {
  if (!Array.isArray(options)) return [];
  return options.filter(isObject).flatMap((option) => {
    const id = option.configId ?? option.id;
    if (typeof id !== "string") return [];
    const category = typeof option.category === "string" ? option.category : undefined;
    return [{ id, category, value: option.currentValue, values: valuesIn(option.options) }];
  });
}

function valuesIn(options: unknown): string[] {
  if (!Array.isArray(options)) return [];
  return options.filter(isObject).flatMap((option) => {
    if (typeof option.value === "string") return [option.value];
    return valuesIn(option.options);
  });
}

export interface SessionModes {
  current: string;
  /** What the agent calls it for its user; empty where it doesn't. */
  currentName: string;
  available: string[];
}

/** The mode that a session is in, and those that it could be in. */
export function modesIn(modes: unknown): SessionModes | undefined {
  if (!isObject(modes) || typeof modes.currentModeId !== "string") return undefined;
  const listed = Array.isArray(modes.availableModes) ? modes.availableModes.filter(isObject) : [];
  const name = listed.find(({ id }) => id === modes.currentModeId)?.name;
  return {
    current: modes.currentModeId,
    currentName: typeof name === "string" ? name : "",
    available: listed.flatMap((mode: Json) => (typeof mode.id === "string" ? [mode.id] : [])),
  };
}

/** Of these modes those in which the agent asks, the usual one first. */
export function askingModes(modes: readonly string[]): string[] {
  const usual = ["default", "manual", "ask", "build", "read-only"];
  const place = (mode: string) => (usual.includes(mode) ? usual.indexOf(mode) : usual.length);
  return modes.filter((mode) => modeKind(mode) === "asks").sort((a, b) => place(a) - place(b));
}
