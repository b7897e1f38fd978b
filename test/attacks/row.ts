import type { World } from "./world.ts";

/** One attack: a call, and what becomes of it. */

/** How a call is decided: at a level, with or without grants. */
export const SETTINGS = ["readonly", "supervised", "granted", "full"] as const;
export type Setting = (typeof SETTINGS)[number];

export type Got = "denied" | "asked" | "allowed";
/** `asked or denied`: both are right, allowed never is. */
export type Expected = Readonly<Record<Setting, Got | "asked or denied">>;

export interface ToolCall {
  executor: string;
  args: Readonly<Record<string, unknown>>;
}

export interface AttackRow {
  id: string;
  call: ToolCall;
  why: string;
  expected: Expected;
  /** Below the home folder; `proj` where left out. */
  cwd?: string;
  /** What the row's world holds besides the usual; it then has a separate world. */
  prepare?: (world: World) => void;
  /** `capability target`, in place of the ordinary grants on the project. */
  grants?: readonly string[];
}

export type Entry = Omit<AttackRow, "id" | "call" | "expected"> & {
  expected?: Expected;
  /** A command line for `Bash`. */
  command?: string;
  call?: ToolCall;
};

/** Numbers a section's rows: `C1.1`, `C1.2` and so on. Add new ones at its end, so that the others keep their numbers. */
export function section(name: string, expected: Expected, entries: readonly Entry[]): AttackRow[] {
  return entries.map(({ command, call, ...entry }, index) => {
    const made = call ?? (command === undefined ? undefined : bash(command));
    if (made === undefined) throw new Error(`${name}.${index + 1} has neither a command nor a call`);
    return { expected, ...entry, id: `${name}.${index + 1}`, call: made };
  });
}

/** Several command lines that are attacks for one reason. */
export const commands = (why: string, lines: readonly string[], more: Partial<Entry> = {}): Entry[] =>
  lines.map((command) => ({ ...more, command, why }));

export const bash = (command: string): ToolCall => ({ executor: "Bash", args: { command } });
export const tool = (executor: string, args: ToolCall["args"]): ToolCall => ({ executor, args });
export const write = (filePath: string, content = "x"): ToolCall => tool("Write", { file_path: filePath, content });
export const edit = (filePath: string): ToolCall =>
  tool("Edit", { file_path: filePath, old_string: "a", new_string: "b" });
export const read = (filePath: string): ToolCall => tool("Read", { file_path: filePath });

const expected = (readonly: Got, supervised: Got, granted: Got, full: Got): Expected => ({
  readonly,
  supervised,
  granted,
  full,
});

/** It runs code, or something that runs later: no grant covers it, and Full asks as well. */
export const CODE = expected("denied", "asked", "asked", "asked");
/** The guard denies it. */
export const DENIED = expected("denied", "denied", "denied", "denied");
/** A read that is asked about by name each time. */
export const READ_EACH_TIME = expected("asked", "asked", "asked", "asked");
/** A read outside of what was granted. */
export const READ_OUTSIDE = expected("asked", "asked", "asked", "allowed");
/** A write, or a request, outside of what was granted. */
export const CHANGE_OUTSIDE = expected("denied", "asked", "asked", "allowed");
/** A write inside of what was granted. */
export const CHANGE_INSIDE = expected("denied", "asked", "allowed", "allowed");
/** Whether the guard denies it or the operator is asked is left open: of a read. */
export const READ_NEVER_ALLOWED: Expected = {
  readonly: "asked or denied",
  supervised: "asked or denied",
  granted: "asked or denied",
  full: "asked or denied",
};
/** The same of a change. */
export const NEVER_ALLOWED: Expected = {
  readonly: "denied",
  supervised: "asked or denied",
  granted: "asked or denied",
  full: "asked or denied",
};

export const ORDINARY_GRANTS: readonly string[] = ["fs:read {home}/proj/**", "fs:write {home}/proj/**"];
export const HOME_GRANTS: readonly string[] = ["fs:read {home}/**", "fs:write {home}/**"];
export const withHost = (host: string): readonly string[] => [...ORDINARY_GRANTS, `network:http ${host}`];
