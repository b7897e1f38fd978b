import { readFileSync } from "node:fs";
import { isAtOrBelow } from "@metnos-gate/shell-reading/files";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";

/**
 * Whether a box got the very files and folders that it was meant to get. Bubblewrap follows links when it starts, later than the
 * gate looked: what another box put in a file's place meanwhile could lead it anywhere. So the box's own shell compares its mounts
 * with what was meant, before anything else, and what is mounted can't be exchanged any more.
 */

interface HostMount {
  /** Major and minor number of its file system. */
  device: string;
  /** What of the file system is mounted, as the kernel writes it. */
  root: string;
  point: string;
}

/** The end of a run whose files changed while its box was made; the launcher's own code for a command that wasn't run. */
const NOT_RUN = 126;

/**
 * Lines of bash that end with 126, and say why, unless the binds of `arguments` (bubblewrap's) into folders that may be written,
 * and of these themselves, lead where they did when they were made.
 * @param reads binds into and of these, too: what a declaration shows beside its project
 * @param table /proc/self/mountinfo of the gate; with one character for each byte where the arguments are so
 */
export function mountChecks(
  args: readonly string[],
  reads: readonly string[] = [],
  table: string = readFileSync("/proc/self/mountinfo", "utf8"),
): string {
  const host = mountsOf(table);
  const binds = bindsOf(args);
  const writable = binds.filter(({ source, at, isWritable }) => isWritable && source === at).map(({ at }) => at);
  const meant = binds
    .filter(({ at }) => [...writable, ...reads].some((place) => isAtOrBelow(at, place)))
    .map(({ source, at }) => ` ${rootOf(source, host)} ${escaped(at)} `);
  return [
    "mapfile -d '' -t mounts </proc/self/mountinfo",
    `for mount in ${[...new Set(meant)].map(shellQuoted).join(" ")}; do`,
    `  [[ \${mounts[0]} == *"$mount"* ]] || { echo '${CHANGED}' >&2; exit ${NOT_RUN}; }`,
    "done",
    "unset mounts mount",
  ].join("\n");
}

const CHANGED = "metnos-gate: a file or folder was exchanged while the box was made: nothing was run, try again";

interface Bind {
  source: string;
  at: string;
  isWritable: boolean;
}

function bindsOf(args: readonly string[]): Bind[] {
  return args.flatMap((word, index) => {
    if (word !== "--bind" && word !== "--ro-bind") return [];
    const [source, at] = args.slice(index + 1, index + 3);
    return source === undefined || at === undefined ? [] : [{ source, at, isWritable: word === "--bind" }];
  });
}

/** What a mount's line says of `path` (real): the file system's number and the path in it. */
function rootOf(path: string, host: readonly HostMount[]): string {
  // Of several at one place the last counts.
  const mount = host.reduce<HostMount | undefined>(
    (best, one) => (isAtOrBelow(path, one.point) && one.point.length >= (best?.point.length ?? 0) ? one : best),
    undefined,
  );
  if (mount === undefined) return "";
  const top = mount.root === "/" ? "" : mount.root;
  const below = path.slice(mount.point === "/" ? 0 : mount.point.length);
  return `${mount.device} ${top + escaped(below) || "/"}`;
}

/** The table that was taken apart last: the kernel's is another text as soon as one mount is. */
let last: { table: string; mounts: readonly HostMount[] } | undefined;

function mountsOf(table: string): readonly HostMount[] {
  if (last?.table !== table) last = { table, mounts: takenApart(table) };
  return last.mounts;
}

function takenApart(table: string): HostMount[] {
  return table.split("\n").flatMap((line) => {
    const [, , device, root, point] = line.split(" ");
    return device === undefined || root === undefined || point === undefined
      ? []
      : [{ device, root, point: unescaped(point) }];
  });
}

/** The kernel writes these characters as their octal numbers. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
