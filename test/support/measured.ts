/**
 * How long something of the product takes, measured on a machine that may be busy with something else: that makes a measure longer,
 * never shorter.
 */

/** Milliseconds of this process's own CPU that `act` takes: other programs, and waiting for the processor, don't count. */
export function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Where a measure is not below its limit, it is taken so often at the most: what is slow by itself is slow each time. */
const MEASURES = 5;

/** The least of some measures, in milliseconds: taken anew until one is below `limitMs`. */
export async function least(limitMs: number, measure: () => number | Promise<number>): Promise<number> {
  let found = Number.POSITIVE_INFINITY;
  for (let taken = 0; taken < MEASURES && found >= limitMs; taken++) found = Math.min(found, await measure());
  return found;
}
