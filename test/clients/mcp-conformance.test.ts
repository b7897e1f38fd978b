import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startAnsweringGate } from "../../conformance/answering-gate.ts";
import { compareClient, compareServers, differencesOf, summaryOf } from "../../conformance/compare.ts";
import { CLIENTS, clientsFolder } from "./clients.ts";
import { installedClient } from "./installed-client.ts";

/** Some of MCP's own scenarios, without the proxy and with it; `npm run conformance` runs all of them. */

describe("the proxy changes nothing of what MCP's own suite finds", () => {
  const program = installedClient("mcp-conformance");
  if (program === undefined) return;
  const packages = join(clientsFolder(), CLIENTS["mcp-conformance"].folder);

  it("of a server that asks in the middle of a call, one that asks by its result, and one that wants arguments in headers", async () => {
    const gate = await startAnsweringGate();
    onTestFinished(() => gate.close());
    const setting = { suite: { program, env: process.env }, packages, gate };
    const rows = [
      ...(await compareServers(setting, "2025-11-25", ["tools-call-sampling"])),
      ...(await compareServers(setting, "2026-07-28", ["input-required-result-multi-round"])),
      await compareClient(setting, "2026-07-28", "http-custom-headers"),
    ];
    expect(rows.flatMap(differencesOf)).toEqual([]);
    const found = rows.map(({ without, through }) => [without, ...Object.values(through)].map(summaryOf));
    expect(found).toEqual([Array(3).fill("2 passed"), Array(3).fill("4 passed"), Array(2).fill("18 passed")]);
    // A call by each of two proxies; one whose further rounds aren't asked about again, the same; two calls of a client.
    expect(gate.answered).toBe(6);
  });
});
