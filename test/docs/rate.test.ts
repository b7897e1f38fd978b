import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CAPABILITIES } from "../../ipc/contract/decision.ts";
import { DEFAULT_LIMITS, rateConfigSchema } from "../../main/decide/rate/config.ts";

const TEXT = readFileSync(new URL("../../docs/rate.md", import.meta.url), "utf8");

it("the document has the limit of each capability, and names those that have none", () => {
  const rows = [...TEXT.matchAll(/^\| `([a-z:]+)` \| (\d+) \| (\d+) \|/gm)].map(([, name, perMinute, capacity]) => [
    name,
    { per_minute: Number(perMinute), capacity: Number(capacity) },
  ]);
  expect(Object.fromEntries(rows)).toEqual(DEFAULT_LIMITS);
  const without = CAPABILITIES.filter((name) => !Object.hasOwn(DEFAULT_LIMITS, name));
  expect(TEXT).toContain(`${without.map((name) => `\`${name}\``).join(" and ")} touch nothing and have no budget`);
  expect(TEXT).toContain(`allowed ${rateConfigSchema.parse({}).same_call_per_minute} times within a minute`);
});
