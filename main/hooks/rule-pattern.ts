/** True where a rule with this pattern may be about a line: all words of the pattern are in it. A rule for files may mean a command that touches them. */
export function mayMean(pattern: string, line: string): boolean {
  return pattern
    .split(/[\s*?:/~"'\\[\]{}]+/)
    .filter((word) => word !== "" && word !== ".")
    .every((word) => line.includes(word));
}
