// Imports nothing, so that the hook can use it while no gate runs.

/**
 * Baseline deny patterns for paths: the required eleven, as they are (docs/decisions/requirements-vaglio.md, "Baseline patterns").
 * Not configurable: changing one is an edit here.
 */
export const FORBIDDEN_PATH_PATTERNS: readonly RegExp[] = [
  /(^|\/)\.ssh(\/|$)/,
  /^\/etc\/(passwd|shadow|sudoers)/,
  /^\/etc\/ssh(\/|$)/,
  /^\/root(\/|$)/,
  /^\/boot(\/|$)/,
  /^\/sys(\/|$)/,
  /^\/proc(\/[0-9]|$)/,
  /^\/dev\/(sd|nvme|mmcblk|loop)/,
  /\.aws\/credentials/,
  /\.config\/[^/]+\/credentials\.env/,
  /\.gnupg(\/|$)/,
];

/** All of them at once: one look for the many strings that violate none. */
const ANY_FORBIDDEN_PATH = new RegExp(FORBIDDEN_PATH_PATTERNS.map((pattern) => pattern.source).join("|"));

/** The source of the first pattern that `text` violates, or undefined. A trailing newline hides nothing. */
export function forbiddenPath(text: string): string | undefined {
  const line = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (!ANY_FORBIDDEN_PATH.test(line)) return undefined;
  for (const pattern of FORBIDDEN_PATH_PATTERNS) {
    if (pattern.test(line)) return pattern.source.replaceAll("\\/", "/");
  }
  return undefined;
}

/**
 * Baseline deny patterns for commands: the required six, as they are (docs/decisions/requirements-vaglio.md, "Baseline patterns").
 * Not configurable: changing one is an edit here.
 * Reading the command as a shell would comes on top.
 */
export const DANGEROUS_SHELL_PATTERNS: readonly RegExp[] = [
  /\brm\s+-rf?\s+\/(\s|$)/,
  /\brm\s+-rf?\s+~(\s|$|\/)/,
  /\bmkfs\b/,
  /\bdd\s+.*\bof=\/dev\//,
  /:\s*\(\s*\)\s*\{\s*:\|:&\s*\}/,
  /\bchmod\s+-?R?\s*0?77[0-9]\s+\//,
];

const DD = DANGEROUS_SHELL_PATTERNS[3];

/** The source of the first pattern that `command` violates, or undefined. Linear in its length, whatever it holds. */
export function dangerousCommand(command: string): string | undefined {
  // Runs of white space count as one: none of the patterns can distinguish them, and none has to backtrack over them.
  const squeezed = command.replace(/\s{2,}/g, (run) => (run.includes("\n") ? "\n" : " "));
  for (const pattern of DANGEROUS_SHELL_PATTERNS) {
    const fires = pattern === DD ? writesDeviceWithDd(squeezed) : pattern.test(squeezed);
    if (fires) return pattern.source.replaceAll("\\/", "/");
  }
  return undefined;
}

/** The `dd` pattern in linear time: of several `dd` that are followed by the same rest of a line, the first sees the most of it. */
function writesDeviceWithDd(command: string): boolean {
  const start = /\bdd\s+/g;
  let seenTo = 0;
  while (start.test(command)) {
    // The white space after a `dd` may end its line: then the rest of the next one counts.
    if (start.lastIndex < seenTo) continue;
    const newline = command.indexOf("\n", start.lastIndex);
    seenTo = newline === -1 ? command.length : newline;
    if (/\bof=\/dev\//.test(command.slice(start.lastIndex, seenTo))) return true;
  }
  return false;
}

/** The strings in a call's arguments, each with its argument's name, also nested ones. */
export interface FoundString {
  key: string;
  value: string;
}

/** Every string value in `args`; those below the keys in `except` are left out. Keys of nested objects are not values. */
export function stringsIn(args: Record<string, unknown>, except: readonly string[] = []): FoundString[] {
  const found: FoundString[] = [];
  for (const key in args) {
    if (except.includes(key)) continue;
    const value = args[key];
    if (typeof value === "string") found.push({ key, value });
    else if (typeof value === "object" && value !== null) collect(key, value, found);
  }
  return found;
}

function collect(key: string, root: object, found: FoundString[]): void {
  const waiting: object[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const child of Object.values(value)) {
      if (typeof child === "string") found.push({ key, value: child });
      else if (typeof child === "object" && child !== null) waiting.push(child);
    }
  }
}
