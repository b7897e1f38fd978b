import { parse } from "smol-toml";
import type { NamedScripts } from "./script-runners.ts";

/** The lines that a name in a project's file stands for. Nothing of it is run, or expanded. */

/** Names that are followed within one file: what a script calls in turn. */
const MAX_FOLLOWED = 12;

/** What names stand for in the text of such a file, line by line; null where it doesn't name them. No names: the file's first. */
export function scriptsIn(
  text: string,
  {
    form,
    names,
    hasHooks,
  }: Pick<NamedScripts, "names" | "hasHooks"> & { form: Exclude<NamedScripts["form"], "taskfile"> },
): string[] | null {
  switch (form) {
    case "scripts":
      return packageLines(text, names, hasHooks);
    case "tasks":
      return tasksIn(text, "tasks", names);
    case "aliases":
      return aliasLines(text, names);
    case "lists":
      return listedLines(text, names);
    case "rules":
      return recipeLines(text, names, makefile);
    case "recipes":
      return recipeLines(text, names, justfile);
  }
}

/** What is before a line that belongs to another name: `pretest: `. */
export const OTHER_NAME = /^\S+: /;

function packageLines(text: string, names: readonly string[], hasHooks: boolean): string[] | null {
  const scripts = objectIn(text, "scripts");
  const [name] = names;
  if (scripts === null || name === undefined || typeof scripts[name] !== "string") return null;
  const lines: string[] = [];
  const seen = new Set<string>();
  const add = (one: string, isFirst: boolean) => {
    const hooks = hasHooks ? ([`pre${one}`, one, `post${one}`] as const) : ([one] as const);
    for (const key of hooks) {
      const line = Object.hasOwn(scripts, key) ? scripts[key] : undefined;
      if (typeof line !== "string" || seen.has(key) || seen.size >= MAX_FOLLOWED) continue;
      seen.add(key);
      const own = line.split("\n");
      const isPlain = isFirst && key === one && !own.some((text) => OTHER_NAME.test(text));
      lines.push(...(isPlain ? own : [`${key}: ${line}`]));
      for (const match of line.matchAll(/\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+|run-script\s+)([\w:.-]+)/g))
        add(match[1] ?? "", false);
    }
  };
  add(name, true);
  return lines;
}

function tasksIn(text: string, key: string, [name]: readonly string[]): string[] | null {
  const tasks = objectIn(text, key);
  const task = name === undefined || tasks === null ? undefined : tasks[name];
  if (typeof task === "string") return task.split("\n");
  const command = typeof task === "object" && task !== null && "command" in task ? task.command : undefined;
  return typeof command === "string" ? command.split("\n") : null;
}

/** composer's: a line, or a list of them; `@name` is another one of the file. What is a class's method is PHP, and no line. */
function listedLines(text: string, [name]: readonly string[]): string[] | null {
  const scripts = objectIn(text, "scripts");
  const lines: string[] = [];
  const seen = new Set<string>();
  const add = (key: string, before: string): boolean => {
    const value = scripts !== null && Object.hasOwn(scripts, key) ? scripts[key] : undefined;
    const all = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
    if (all.length === 0) return false;
    if (seen.has(key) || seen.size >= MAX_FOLLOWED) return true;
    seen.add(key);
    for (const line of all) {
      const other = /^@([\w:.-]+)/.exec(line)?.[1] ?? "";
      if (add(other, `${other}: `)) continue;
      const own = line.replace(/^@(?=php |putenv |composer )/, "");
      lines.push((before === "" && OTHER_NAME.test(own) ? `${key}: ` : before) + own);
    }
    return true;
  };
  return name !== undefined && add(name, "") ? lines : null;
}

function aliasLines(text: string, [name]: readonly string[]): string[] | null {
  try {
    const { alias } = parse(text);
    const value =
      typeof alias === "object" && !Array.isArray(alias) && name !== undefined
        ? (alias as Record<string, unknown>)[name]
        : undefined;
    if (typeof value === "string") return [`cargo ${value}`];
    return Array.isArray(value) ? [`cargo ${value.filter((word) => typeof word === "string").join(" ")}`] : null;
  } catch {
    return null; // not TOML: it names nothing
  }
}

/** Keeps what a text was last parsed as until the decision is made: lines of a file's scripts name others in it. */
function parsedOnce<T>(parse: (text: string) => T): (text: string) => T {
  let last: { text: string; all: T } | undefined;
  return (text) => {
    if (last?.text !== text) {
      last = { text, all: parse(text) };
      queueMicrotask(() => {
        last = undefined;
      });
    }
    return last.all;
  };
}

const parsed = parsedOnce((text): unknown => JSON.parse(text));

function objectIn(text: string, key: string): Record<string, unknown> | null {
  try {
    const all = parsed(text);
    const inner: unknown = typeof all === "object" && all !== null ? (all as Record<string, unknown>)[key] : undefined;
    return typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : null;
  } catch {
    return null; // not JSON: it names nothing
  }
}

interface Rule {
  head: string;
  needs: string[];
  lines: string[];
}

/** The rules of these targets, what they need first; without a target the file's first. */
function recipeLines(text: string, names: readonly string[], rulesOf: typeof makefile): string[] | null {
  const rules = rulesOf(text);
  const first = [...rules.keys()].find((name) => !name.startsWith("."));
  const wanted = names.length > 0 ? names : first === undefined ? [] : [first];
  const lines: string[] = [];
  const seen = new Set<string>();
  const add = (name: string) => {
    const rule = rules.get(name);
    if (rule === undefined || seen.has(name) || seen.size >= MAX_FOLLOWED) return;
    seen.add(name);
    for (const need of rule.needs) add(need);
    lines.push(rule.head);
    for (const line of rule.lines) lines.push(line);
  };
  for (const name of wanted) add(name);
  return seen.size === 0 ? null : lines;
}

/** More lines than a file that anybody reads has. */
const MAX_LINES = 20_000;
/** Lines that are kept, of all rules together: a line counts for each name of its rule. */
const MAX_KEPT = 50_000;
/** Names that a rule is looked up by, and that it may need. */
const MAX_NAMES = 50;

const makefile = parsedOnce((text) => rulesIn(text, /^\t/));
const justfile = parsedOnce((text) => rulesIn(text, /^[ \t]/));

function rulesIn(text: string, indented: RegExp): Map<string, Rule> {
  const rules = new Map<string, Rule>();
  let open = new Set<Rule>();
  let kept = 0;
  for (const line of text.split("\n", MAX_LINES)) {
    if (indented.test(line)) {
      kept += open.size;
      if (kept <= MAX_KEPT) for (const rule of open) rule.lines.push(line);
      continue;
    }
    if (line.trim() === "") continue;
    const head = headOf(line);
    open = new Set();
    if (head === null) continue;
    // make: several targets; just: a recipe and its parameters. Both are found by each of their words.
    for (const name of head.names) {
      const rule = rules.get(name) ?? { head: line, needs: [], lines: [] };
      for (const need of head.needs) if (rule.needs.length < MAX_NAMES) rule.needs.push(need);
      rules.set(name, rule);
      open.add(rule);
    }
  }
  return rules;
}

/** `a b: c d`; null for any other line. Looked at once from the left, however long it is. */
function headOf(line: string): { names: string[]; needs: string[] } | null {
  const colon = line.search(/[:=#]/);
  if (colon === -1 || colon > 500 || line.length > 2500 || line[colon] !== ":" || line.includes("=", colon))
    return null;
  const before = line.slice(line.startsWith("@") ? 1 : 0, colon);
  if (before.trim() === "" || /^\s/.test(before)) return null;
  const words = line
    .slice(line[colon + 1] === ":" ? colon + 2 : colon + 1)
    .replace(/[#;].*$/, "")
    .split(/[\s()]+/);
  return {
    names: before.trimEnd().split(/\s+/).slice(0, MAX_NAMES),
    needs: words.filter((word) => /^[\w./-]+$/.test(word)).slice(0, MAX_NAMES),
  };
}
