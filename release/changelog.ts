/** CHANGELOG.md in the format of Keep a Changelog: https://keepachangelog.com/en/1.1.0/ */

const UNRELEASED = "## [Unreleased]";

/**
 * Moves what is under "Unreleased" to a version.
 * @param date of the release, YYYY-MM-DD
 * @throws Error where there is no such section, it is empty, or the version has one already
 */
export function releaseChangelog(text: string, version: string, date: string): string {
  const lines = text.split("\n");
  const begin = lines.indexOf(UNRELEASED);
  if (begin === -1) throw new Error(`CHANGELOG.md has no line "${UNRELEASED}"`);
  if (lines.some((line) => line.startsWith(`## [${version}]`))) throw new Error(`CHANGELOG.md has ${version} already`);
  const after = lines.slice(begin + 1);
  const length = after.findIndex((line) => /^## |^\[[^\]]+\]: /.test(line));
  const changes = length === -1 ? after : after.slice(0, length);
  if (!changes.some((line) => /^\s*[-*] \S/.test(line))) throw new Error("nothing is under Unreleased in CHANGELOG.md");
  return [...lines.slice(0, begin + 1), "", `## [${version}] - ${date}`, ...after].join("\n");
}
