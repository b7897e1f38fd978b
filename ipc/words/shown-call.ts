import type { DescribedChange, Description, StandsFor } from "../contract/description.ts";
import type { ApprovalView } from "../contract/operator-api.ts";

/**
 * What of a call its description shows whole, the same on every surface: all the rest is shown beside it, before an approval. What is
 * not surely shown counts as not shown.
 */
export interface ShownCall {
  /** What is asked about, where that is a file that is read or an address; `host`: where its host begins and ends in the text. */
  object: { kind: "path"; text: string } | { kind: "url"; text: string; host: readonly [number, number] } | null;
  /** The arguments that neither the description, the object nor the agent's reason show whole. */
  beside: Readonly<Record<string, unknown>>;
}

/** What a surface has printed of a call, each part up to its end. */
export interface Printed {
  /** Names of the arguments whose values are read in full. */
  args: ReadonlySet<string>;
  /** Also what of a file that is there would be lost. */
  changes: boolean;
  /** The texts that names in the call stand for. */
  scripts: ReadonlySet<StandsFor>;
}

/**
 * Whether a surface shows all that a yes covers: every argument, what would be lost in files, and all that names in the call run. One that
 * doesn't offers a no and a way to look at it, and nothing else.
 */
export function isShownWhole(
  { args, description }: Pick<ApprovalView, "args" | "description">,
  printed: Printed,
): boolean {
  if (args === null || Object.keys(args).some((name) => !printed.args.has(name))) return false;
  const { changes = [], stands_for = [] } = description ?? {};
  const isSeen = ({ status, left_out }: DescribedChange) =>
    printed.changes ? left_out === 0 : status === "new" || status === "edits";
  const isRead = (one: StandsFor) =>
    one.sha256 !== null && one.lines.length === one.total_lines && !one.unread?.length && printed.scripts.has(one);
  return changes.every(isSeen) && stands_for.every(isRead);
}

type Asking = Pick<ApprovalView, "args" | "capabilities" | "cwd" | "description" | "intent">;

/** A longer one isn't shown whole in its line: it counts as an argument like another. */
const REASON_CHARACTERS = 300;

export function shownCall(asking: Asking): ShownCall {
  const { description, cwd } = asking;
  const entries = Object.entries(asking.args ?? {});
  if (description === null) return { object: null, beside: Object.fromEntries(entries) };
  const reason = reasonOf(asking);
  const object = objectOf(entries, asking, description);
  const beside = entries.filter(([name, value]) => {
    if (name === "description" && value === reason) return reason.length > REASON_CHARACTERS;
    if (typeof value === "string" && value === object?.text) return false;
    if (description.request !== null && name === "method" && value === description.request.method) return false;
    return !isInCommands(name, value, description) && !isInChanges(value, description.changes, cwd);
  });
  return { object, beside: Object.fromEntries(beside) };
}

/**
 * Why, in the agent's own words; "" where it says nothing. Commands carry it as an argument; for other tools an argument of that name is
 * what they work with.
 */
export function reasonOf({ intent, args, description }: Pick<Asking, "args" | "description" | "intent">): string {
  if (intent.trim() !== "") return intent;
  const said = description?.kind === "command" ? args?.description : undefined;
  return typeof said === "string" ? said : "";
}

function objectOf(
  entries: readonly (readonly [string, unknown])[],
  { capabilities }: Asking,
  { kind, request }: Description,
): ShownCall["object"] {
  for (const [, value] of entries) {
    if (typeof value !== "string") continue;
    const host = request === null ? null : hostIn(value, request.host);
    if (host !== null) return { kind: "url", text: value, host };
    const isRead = kind === "read" && capabilities.some(({ target }) => target === value);
    if (isRead && value.includes("/")) return { kind: "path", text: value };
  }
  if (request === null) return null;
  const text = request.host + request.path;
  return { kind: "url", text, host: [0, request.host.length] };
}

/** Where this host is in an address, as a browser would read it: never what only looks like one before an `@`. */
function hostIn(text: string, host: string): readonly [number, number] | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const start = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0].length;
  if (url === null || start === undefined || ![url.host, url.hostname].includes(host)) return null;
  const authority = /^[^/?#\\]*/.exec(text.slice(start))?.[0] ?? "";
  const begin = start + authority.lastIndexOf("@") + 1;
  return [begin, start + authority.length];
}

function isInCommands(name: string, value: unknown, { commands }: Description): boolean {
  return commands.some(({ arg, text }) => arg === name && text === commandText(value));
}

/** Words that are joined with blanks say the same only where no word holds one. */
function commandText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return null;
  return value.every((word) => typeof word === "string" && /^\S+$/.test(word)) ? value.join(" ") : null;
}

function isInChanges(value: unknown, changes: readonly DescribedChange[], cwd: string | null): boolean {
  if (changes.length === 0 || changes.some(({ left_out }) => left_out > 0)) return false;
  if (Array.isArray(value)) return value.every((one) => isInChanges(one, changes, cwd));
  if (typeof value === "object" && value !== null) {
    return Object.values(value).every((one) => one === false || one === null || isInChanges(one, changes, cwd));
  }
  if (typeof value !== "string") return false;
  return (
    value === "" ||
    isPatch(value, changes) ||
    changes.some(
      (change) =>
        isPathOf(value, change.path, cwd) || isOnSide(value, change, "added") || isOnSide(value, change, "removed"),
    )
  );
}

function isPathOf(value: string, path: string, cwd: string | null): boolean {
  if (value === path) return true;
  if (cwd === null || value.startsWith("/") || value.split("/").includes("..")) return false;
  return `${cwd}/${value.replace(/^(?:\.\/)+/, "")}` === path;
}

/** Enough attempts for text that a file really holds; of what repeats itself more often, the call's own text is shown, too. */
const MOST_PLACES = 200;

/**
 * Whether this text is what is there before or after the change. Its first and its last line may be parts of lines. Lines outside of the
 * hunks are the same in both files, where there were two: of them nothing would be done.
 */
function isOnSide(text: string, { hunks, status }: DescribedChange, side: "added" | "removed"): boolean {
  const hasGaps =
    (status === "edits" || status === "replaces") && hunks.every(({ old_start, new_start }) => old_start && new_start);
  const known = linesOnSide(hunks, side);
  const wanted = text.replace(/\n$/, "").split("\n");
  const end = wanted.length - 1;
  const matches = (index: number, line: string) => {
    const part = wanted[index] ?? "";
    if (status === "new" || (index > 0 && index < end)) return line === part;
    if (index === 0 && index === end) return line.includes(part);
    return index === 0 ? line.endsWith(part) : line.startsWith(part);
  };
  let places = 0;
  for (let anchor = 0; anchor <= Math.min(end, MOST_PLACES); anchor++) {
    for (const [number, line] of known) {
      if (!matches(anchor, line.text)) continue;
      if (places++ > MOST_PLACES) return false;
      const found = wanted.map((_, index) => known.get(number - anchor + index));
      if (found.some((line, index) => (line === undefined ? !hasGaps : !matches(index, line.text)))) continue;
      if (found.some((line) => line?.isChanged) || found.every((line) => line !== undefined)) return true;
    }
  }
  return false;
}

/** The lines before (`removed`) or after the change, by their numbers; hunks without a number never touch. */
function linesOnSide(
  hunks: DescribedChange["hunks"],
  side: "added" | "removed",
): ReadonlyMap<number, { text: string; isChanged: boolean }> {
  const known = new Map<number, { text: string; isChanged: boolean }>();
  let last = 0;
  for (const { lines, new_start, old_start } of hunks) {
    let at = (side === "added" ? new_start : old_start) ?? last + 2;
    for (const line of lines) {
      if (line.kind !== "same" && line.kind !== side) continue;
      known.set(at++, { text: line.text, isChanged: line.kind === side });
    }
    last = at - 1;
  }
  return known;
}

/** Whether all that this patch adds and removes, and the files that it names, are in the changes. */
function isPatch(text: string, changes: readonly DescribedChange[]): boolean {
  const all = (kind: "added" | "removed") =>
    new Set(
      changes.flatMap(({ hunks }) =>
        hunks.flatMap(({ lines }) => lines.filter((line) => line.kind === kind).map((line) => line.text)),
      ),
    );
  const [added, removed] = [all("added"), all("removed")];
  const lines = text.trim().split("\n");
  if (lines[0] !== "*** Begin Patch" || lines.at(-1) !== "*** End Patch") return false;
  return lines.slice(1, -1).every((line) => {
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1];
    if (file !== undefined) return changes.some(({ path }) => path === file || path.endsWith(`/${file}`));
    if (line.startsWith("+")) return added.has(line.slice(1));
    if (line.startsWith("-")) return removed.has(line.slice(1));
    return line === "" || line.startsWith(" ") || line.startsWith("@@");
  });
}
