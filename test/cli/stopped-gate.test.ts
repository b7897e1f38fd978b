import { describe, expect, it } from "vitest";
import { runGate, startServe } from "../support/gate-process.ts";
import { temporaryHome } from "../support/temporary-home.ts";

/** A gate that is there and answers nothing: stopped by a debugger, or waiting for its memory. */
async function stoppedGate() {
  const home = temporaryHome();
  const gate = await startServe(home);
  gate.child.kill("SIGSTOP");
  return { home, gate, pid: gate.child.pid ?? 0 };
}

/** Beyond the three seconds: this machine's starting of a command. */
const LIMIT_MS = 20_000;

describe("a gate that doesn't answer", () => {
  it("is named by its process after three seconds, by each command, and nothing is done once it runs again", async () => {
    const { home, gate, pid } = await stoppedGate();
    const commands = [["status"], ["approvals", "list"], ["policy", "grants"], ["start", "--no-browser"], ["watch"]];
    const look = async (args: string[]) => {
      const began = performance.now();
      const { code, stdout, stderr } = await runGate(home, args);
      expect({ args, code, stdout }).toEqual({ args, code: 3, stdout: "" });
      expect(stderr).toContain(`metnos-gate: the gate (pid ${pid}) doesn't answer`);
      const ms = performance.now() - began;
      expect(ms).toBeGreaterThan(2900);
      expect(ms).toBeLessThan(LIMIT_MS);
    };
    await Promise.all(commands.map(look));
    expect((await runGate(home, ["pause"])).code).toBe(3);
    gate.child.kill("SIGCONT");
    expect(await runGate(home, ["safety", "status"])).toMatchObject({
      code: 0,
      lines: [{ pause: { is_paused: false } }],
    });
  });

  it.each(["safety pause", "pause", "pause tester"])(
    "can't be paused by `%s`: it says how its agents are stopped otherwise",
    async (command) => {
      const { home, gate, pid } = await stoppedGate();
      const { code, stderr } = await runGate(home, command.split(" "));
      expect(code).toBe(3);
      expect(stderr).toContain("nothing is paused");
      expect(stderr).toContain(`kill ${pid} ends it`);
      expect(stderr).toContain(`kill -9 ${pid} ends it at once`);
      // As it says: it ends once it runs again.
      gate.child.kill("SIGTERM");
      gate.child.kill("SIGCONT");
      expect(await gate.exited).toBe(0);
      expect((await runGate(home, ["status"])).code).toBe(3);
    },
  );
});
