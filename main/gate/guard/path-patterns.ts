/**
 * The floor for paths: the seed's eleven patterns, as they are (seed 000). Not configurable: changing one is an edit here.
 * Imports nothing, so that the hook can use it while no gate runs.
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

/** The source of the first pattern that `text` violates, or undefined. A trailing newline hides nothing. */
export function forbiddenPath(text: string): string | undefined {
  const line = text.endsWith("\n") ? text.slice(0, -1) : text;
  for (const pattern of FORBIDDEN_PATH_PATTERNS) {
    if (pattern.test(line)) return pattern.source.replaceAll("\\/", "/");
  }
  return undefined;
}
