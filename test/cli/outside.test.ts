import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LAUNCHER, runGate, StartedProcess } from "../support/gate-process.ts";
import { temporaryHome } from "../support/temporary-home.ts";

describe("outside", () => {
  it("runs the command with its own input, output and exit code, and leaves nothing behind", async () => {
    const home = temporaryHome();
    const script = 'cat; echo "$0 $1" >&2; exit 7';
    const words = ["outside", "--reason", "it needs the network", "--", "sh", "-c", script, "--reason", "--", "x"];
    const { code, stdout, stderr } = await runGate(home, words, "given\n");
    expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: "given\n", stderr: "--reason --\n" });
    expect(readdirSync(home.home)).toEqual([]);
  });

  it("ends by the signal that the command ended by, and passes on one that it is sent", async () => {
    const home = temporaryHome();
    const start = (script: string) =>
      new StartedProcess(process.execPath, [LAUNCHER, "outside", "sh", "-c", script], { env: home.env });
    const killed = start("kill -KILL $$");
    const ended = new Promise<unknown>((done) => killed.child.once("exit", (_code, signal) => done(signal)));
    const stopped = start("trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done");
    await stopped.printed(/ready/);
    expect(await stopped.end("SIGTERM")).toBe(9);
    expect(await ended).toBe("SIGKILL");
  });

  it("says what is wrong: no command, an option that it doesn't have, no such program, one that can't be run", async () => {
    const home = temporaryHome();
    const [nothing, dashes, unknown, missing, line, folder, help] = await Promise.all(
      [["--reason", "x"], ["--"], ["--now", "ls"], ["--", "no-such-program"], ["ls && ls"], ["/"], ["--help"]].map(
        (words) => runGate(home, ["outside", ...words]),
      ),
    );
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing to run") });
    expect(dashes).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing to run") });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("--now") });
    expect(missing).toMatchObject({ code: 127, stderr: 'metnos-gate: there is no program "no-such-program"\n' });
    expect(line).toMatchObject({ code: 127, stderr: expect.stringContaining("sh -c 'LINE'") });
    expect(folder).toMatchObject({ code: 126, stderr: expect.stringContaining("can't be run") });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("--reason <text>") });
  });
});
