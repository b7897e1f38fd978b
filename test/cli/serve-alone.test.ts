import { describe, expect, it } from "vitest";
import { runGate } from "../support/gate-process.ts";
import { temporaryHome } from "../support/temporary-home.ts";

describe("serve, which the launcher starts without the other commands", () => {
  it("says of itself what the whole command says of it", async () => {
    const home = temporaryHome();
    const [alone, whole] = await Promise.all([runGate(home, ["serve", "--help"]), runGate(home, ["help", "serve"])]);
    expect(alone).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage: metnos-gate serve [options]") });
    expect(alone.stdout).toBe(whole.stdout);
  });

  it("refuses what it doesn't know as the other commands do", async () => {
    const { code, stderr } = await runGate(temporaryHome(), ["serve", "--wbe"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown option '--wbe'\n\s+did you mean --web\? see: .*serve --help/);
  });
});
