import { onceOfText } from "./once-of-text.ts";

/** What a task of a Taskfile runs, read by its indentation: YAML as people write it there. What is written otherwise is no line. */

const MAX_LINES = 5000;
const MAX_LINE = 2000;
/** Tasks that are followed: what a task needs, and those that it calls. */
const MAX_FOLLOWED = 12;

interface Task {
  lines: string[];
  /** Tasks that run with it. */
  needs: string[];
}

/** The lines of these tasks and of those that they need; without a name of `default`. Null where none is there. */
export function taskLines(text: string, names: readonly string[]): string[] | null {
  const tasks = tasksOf(text);
  const lines: string[] = [];
  const seen = new Set<string>();
  const add = (name: string) => {
    const task = tasks.get(name);
    if (task === undefined || seen.has(name) || seen.size >= MAX_FOLLOWED) return;
    seen.add(name);
    for (const need of task.needs) add(need);
    lines.push(...task.lines);
  };
  for (const name of names.length > 0 ? names : ["default"]) add(name);
  return seen.size === 0 ? null : lines;
}

const tasksOf = onceOfText(tasksIn);

function tasksIn(text: string): Map<string, Task> {
  const tasks = new Map<string, Task>();
  let isInside = false;
  let atTask = -1;
  let task: Task | undefined;
  let key = "";
  let atKey = -1;
  /** A text of several lines, and how far it is indented. */
  let block: { at: number; lines: string[] } | undefined;
  const end = () => {
    if (block !== undefined && block.lines.length > 0) task?.lines.push(block.lines.join("\n"));
    block = undefined;
  };
  for (const line of text.split("\n", MAX_LINES)) {
    const at = line.search(/[^ ]/);
    if (block !== undefined && (at === -1 || at > block.at)) {
      block.lines.push(line.trim());
      continue;
    }
    if (at === -1 || line[at] === "#" || line.length > MAX_LINE) continue;
    end();
    if (at === 0) isInside = /^tasks:\s*$/.test(line);
    if (!isInside || at === 0) continue;
    if (atTask === -1) atTask = at;
    if (at === atTask) {
      const [, quoted, name = quoted, own = ""] =
        /^\s*(?:["']([^"']+)["']|([^\s"'][^:]*(?::[^\s:][^:]*)*)):(?:\s+(.*))?$/.exec(line) ?? [];
      task = { lines: [], needs: [] };
      if (name !== undefined) tasks.set(name, task);
      key = "cmds";
      atKey = -1;
      block = startOf(own, at, task);
      continue;
    }
    const [, dash, named, value = ""] = /^\s*(- +)?(?:(\w+):(?: +|$))?(.*)$/.exec(line) ?? [];
    if (atKey === -1) atKey = at;
    if (at === atKey && dash === undefined && named !== undefined) key = named;
    if (task === undefined) continue;
    if (named === "task" || key === "deps") task.needs.push(...namesIn(value));
    else if (key === "cmds" || key === "cmd") {
      const isLine =
        named === "cmd" || named === "cmds" || named === "defer" || (dash !== undefined && named === undefined);
      if (isLine) block = startOf(value, at, task);
    }
  }
  end();
  return tasks;
}

/** Adds a line, or begins one that continues below. */
function startOf(value: string, at: number, task: Task): { at: number; lines: string[] } | undefined {
  if (/^[|>][-+\d]*\s*$/.test(value)) return { at, lines: [] };
  if (value.startsWith("["))
    task.lines.push(
      ...value
        .slice(1)
        .split(/,\s*|\]/)
        .map(unquoted)
        .filter(Boolean),
    );
  else if (value !== "" && !value.startsWith("{")) task.lines.push(unquoted(value));
  return undefined;
}

/** `[a, b]`, `a`. */
const namesIn = (value: string): string[] =>
  value
    .split(/[[\],\s]+/)
    .map(unquoted)
    .filter(Boolean);

function unquoted(value: string): string {
  const text = value.trim();
  const inner = /^(["'])(.*)\1$/s.exec(text);
  if (inner === null) return text;
  return inner[1] === "'" ? (inner[2] ?? "").replaceAll("''", "'") : (inner[2] ?? "").replace(/\\(["\\])/g, "$1");
}
