const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/;

/**
 * Refuses a version that doesn't come after the current one, by the rules of semantic versioning.
 * @throws Error with what is wrong
 */
export function refuseVersion(next: string, current: string): void {
  const [to, from] = [partsOf(next), partsOf(current)];
  const difference = to.numbers.map((number, index) => number - (from.numbers[index] ?? 0)).find((by) => by !== 0);
  if (difference !== undefined && difference > 0) return;
  // The same numbers: a version without a mark comes after those with one.
  if (difference === undefined && from.mark !== undefined && to.mark !== from.mark) {
    if (to.mark === undefined || to.mark.localeCompare(from.mark, "en", { numeric: true }) > 0) return;
  }
  throw new Error(`${next} does not come after ${current}`);
}

function partsOf(version: string): { numbers: number[]; mark: string | undefined } {
  const found = VERSION.exec(version);
  if (found === null) throw new Error(`"${version}" is no version: MAJOR.MINOR.PATCH, or with -MARK`);
  const [, major, minor, patch, mark] = found;
  return { numbers: [major, minor, patch].map(Number), mark };
}
