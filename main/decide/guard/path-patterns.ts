/**
 * Baseline deny patterns for paths: the required eleven, as they are (docs/decisions/requirements-vaglio.md, "Baseline patterns").
 * Not configurable: changing one is an edit here.
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
