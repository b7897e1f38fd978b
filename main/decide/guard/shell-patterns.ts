/**
 * Baseline deny patterns for commands: the required six, as they are (docs/decisions/requirements-vaglio.md, "Baseline patterns").
 * Not configurable: changing one is an edit here.
 * Imports nothing, so that the hook can use it while no gate runs. Reading the command as a shell would comes on top.
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
  let seen_to = 0;
  while (start.test(command)) {
    // The white space after a `dd` may end its line: then the rest of the next one counts.
    if (start.lastIndex < seen_to) continue;
    const newline = command.indexOf("\n", start.lastIndex);
    seen_to = newline === -1 ? command.length : newline;
    if (/\bof=\/dev\//.test(command.slice(start.lastIndex, seen_to))) return true;
  }
  return false;
}
