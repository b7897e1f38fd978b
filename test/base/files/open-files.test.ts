import { expect, it } from "vitest";
import { openFilesFor } from "../../../main/base/files/open-files.ts";

it.each([64, 100, 300, 1024, 4096])("of %d files clients never hold so many that the gate has none left", (limit) => {
  const { max_connections, mostPairs } = openFilesFor(10_000, limit);
  // Two for the pipes, and one for the connection that asks for them.
  expect(max_connections + 3 * mostPairs).toBeLessThan(limit - 32);
  expect(max_connections).toBeGreaterThanOrEqual(8);
  expect(mostPairs).toBeGreaterThanOrEqual(2);
});

it("where enough files may be open, connections are what the configuration says", () => {
  expect(openFilesFor(2048, 65_536)).toEqual({ max_connections: 2048, mostPairs: 1024 });
  expect(openFilesFor(2048, Number.POSITIVE_INFINITY)).toEqual({ max_connections: 2048, mostPairs: 1024 });
});
