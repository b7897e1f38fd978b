/**
 * True where a rule with this pattern may be about a line: all words of the pattern are in it. A rule for files may mean a command that
 * touches them. @param beforeEach called before each word is looked for: both may be long
 */
export function mayMean(pattern: string, line: string, beforeEach = (): void => undefined): boolean {
  return pattern
    .split(/[\s*?:/~"'\\[\]{}]+/)
    .filter((word) => word !== "" && word !== ".")
    .every((word) => {
      beforeEach();
      return line.includes(word);
    });
}
