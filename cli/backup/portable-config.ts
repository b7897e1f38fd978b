import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import { GateError } from "../../ipc/contract/gate-error.ts";

/** gate.toml for another machine: without the ntfy topic, which is a password, and without places of this one's databases. */

const LEFT_OUT = [
  ["ntfy", "topic"],
  ["ntfy", "server"],
  ["grants", "db"],
  ["approvals", "db"],
] as const;

type Table = Record<string, unknown>;

/**
 * The text with these lines as comments, and the keys that they are about.
 * @throws GateError `invalid_config` where such a key isn't on a line of its own; what the parser throws
 */
export function portableConfig(text: string): { text: string; left: string[] } {
  let now = text;
  const left: string[] = [];
  for (const [table, key] of LEFT_OUT) {
    const source = parse(now) as Table;
    const section = source[table] as Table | undefined;
    if (section === undefined || !(key in section)) continue;
    const { [key]: _, ...others } = section;
    now = withoutLine(now, key, { ...source, [table]: others }, `${table}.${key}`);
    left.push(`${table}.${key}`);
  }
  return { text: now, left };
}

/** The one line is a comment now, without its value, and nothing else has changed by that. */
function withoutLine(text: string, key: string, wanted: Table, name: string): string {
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (!line.includes(key)) continue;
    const changed = lines.with(at, `# ${name}: left out of the backup`).join("\n");
    try {
      if (isDeepStrictEqual(withoutEmpty(parse(changed) as Table), withoutEmpty(wanted))) return changed;
    } catch {
      // not this line
    }
  }
  throw new GateError(
    "invalid_config",
    `${name} in gate.toml can't be left out of the backup`,
    "write it on a line of its own: it is not for another machine",
  );
}

/** A table whose only key is left out may be gone with it. */
function withoutEmpty(table: Table): Table {
  const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(table).filter(([, value]) => !isEmpty(value)))));
}
