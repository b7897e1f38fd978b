import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startGate } from "../support/running-gate.ts";
import { installedClient } from "./installed-client.ts";
import { bash, OpenCodeSeat } from "./opencode-seat.ts";

describe("OpenCode", () => {
  const program = installedClient("opencode");
  if (program === undefined) return;
  it("debug", async () => {
    const seat = await OpenCodeSeat.connected(await startGate(), program);
    writeFileSync(join(seat.project, ".env"), "FROM_ENV=yes\n");
    const { client, api } = await seat.start(
      { turns: [bash("echo one $FROM_ENV"), bash(`cat ${seat.key}`)] },
      { words: ["run", "--auto", "--print-logs", "go"] },
    );
    await client.ended;
    console.log(api.results, api.tools, client.output.slice(-6000));
    console.log(await seat.checks());
    expect(1).toBe(1);
  }, 100_000);
});
