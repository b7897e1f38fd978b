import { onTestFinished } from "vitest";

/** The process's own time zone, until the test has finished. */
export function inZone(zone: string): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
}
