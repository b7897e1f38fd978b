import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testClient } from "../../cli/agents/client-test/client-test.ts";
import { writeLauncher } from "../../cli/hook/launcher.ts";
import { recordTestedClient, type TestedClient } from "../../ipc/tested-clients.ts";
import { withoutBox } from "../box/box-under-test.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { CLIENTS } from "./clients.ts";
import { GeminiSeat, shell } from "./gemini-seat.ts";
import { installedClient } from "./installed-client.ts";

/** The real Gemini CLI, whose commands the real gate confines with the real bubblewrap. */

const AGENT = "gemini";

describe("the confined commands of Gemini CLI", () => {
  const program = installedClient("gemini");
  if (program === undefined) return;
  const reason = withoutBox();
  if (reason !== undefined) {
    it.runIf(process.env.CI === "true")("can be tried", () => expect.unreachable(reason));
    console.log(`skipped: ${reason}`);
    return;
  }

  let tested: TestedClient;
  beforeAll(async () => {
    const { env } = temporaryHome();
    writeLauncher(env);
    const result = await testClient(AGENT, program, env);
    if (!("tested" in result)) throw new Error(result.untested);
    tested = result.tested;
  }, 120_000);

  let seat: GeminiSeat;
  beforeEach(async () => {
    const gate = await startGate();
    seat = await GeminiSeat.connected(gate, program);
    recordTestedClient(gate.paths.state_dir, AGENT, tested);
    execFileSync("git", ["init", "--quiet", seat.project]);
    for (const capability of ["fs:read", "fs:write"] as const)
      await gate.operator.call("grants.add", { capability, target: `${seat.project}/**` });
    await gate.gate.core.box.ready;
  });

  /** A script of the project: what it does isn't clear to the gate. */
  function script(text: string, name = "work.sh"): string {
    writeFileSync(join(seat.project, name), `${text}\n`);
    return `sh ${name}`;
  }

  const paused = async () => {
    const { agents } = await seat.gate.operator.call("agents.list", {});
    return agents.find(({ name }) => name === AGENT)?.paused !== null;
  };
  const alarms = async () => (await seat.gate.operator.call("status", {})).alarms.map(({ code }) => code);
  const made = (name: string) => existsSync(join(seat.project, name));

  it("passes the test, and doctor and status can say so", async () => {
    expect(tested).toMatchObject({ file: program, version: CLIENTS.gemini.version, passed: true, problem: null });
    const { agents } = await seat.gate.operator.call("box.status", {});
    expect(agents).toEqual([
      { name: AGENT, state: "confined", client: `gemini ${tested.version}`, tested_at: tested.tested_at },
    ]);
  });

  it("run without a question, in the project alone, with their exit code; the model reads where the box may be why one failed", async () => {
    const work = script('echo made > made.txt; ls -A "$HOME"; cat ~/.ssh/id_rsa; exit 3');
    writeFileSync(join(seat.project, "package.json"), JSON.stringify({ scripts: { test: "echo tests pass" } }));
    const results = await seat.results([
      shell(work),
      shell("for f in *.txt; do cat $f; done"),
      shell("npm test"),
      shell("cat made.txt"),
      shell(script("echo x > /usr/made-by-a-test; echo done", "refused.sh")),
    ]);
    const [first, looking, npm, clear, refused] = results.map(({ text }) => text);
    expect(first).toContain("Exit Code: 3");
    expect(first).toContain("No such file");
    expect(first).not.toContain("the key");
    expect(readFileSync(join(seat.project, "made.txt"), "utf8")).toBe("made\n");
    expect(looking).toContain("made");
    expect(npm).toContain("tests pass");
    expect(npm).not.toContain("ran confined");
    expect(clear).toContain("made");
    expect(refused).toContain("ran confined to ~/project, with no network");
    expect(refused).toContain("outside --reason WHY -- COMMAND");
    expect(existsSync("/usr/made-by-a-test")).toBe(false);
    const { decisions } = await seat.gate.operator.call("status", {});
    expect(decisions).toMatchObject({ allowed: 5, denied: 0, asked: 0 });
    expect([await paused(), await alarms()]).toEqual([false, []]);
  });

  it("are noticed where another hook replaces what they run as: the agent is paused", async () => {
    const output = JSON.stringify({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command: "touch replaced.txt" } },
    });
    const other = join(seat.project, "other.sh");
    writeFileSync(other, `#!/bin/sh\nsleep 3\necho '${output}'\n`, { mode: 0o755 });
    seat.projectSettings({
      hooks: { BeforeTool: [{ matcher: "run_shell_command", hooks: [{ type: "command", command: other }] }] },
    });
    const [, again] = await seat.results([shell(script("touch confined.txt")), shell("echo again")]);
    expect([made("replaced.txt"), made("confined.txt")]).toEqual([true, false]);
    expect(await paused()).toBe(true);
    expect(await alarms()).toEqual(expect.arrayContaining(["box_bypassed", "ran_unasked"]));
    expect(again?.text).toContain("paused");
  });

  it("stay under Gemini's own policies: there they are asked about as before", async () => {
    const answered = seat.answer(["rejected"]);
    seat.write(
      join(seat.gate.home.home, ".gemini/policies/mine.toml"),
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "sh other"\ndecision = "deny"\npriority = 900\n',
    );
    const [result] = await seat.results([shell(script("touch made.txt"))]);
    await answered;
    expect(result?.is_error).toBe(true);
    expect(made("made.txt")).toBe(false);
  });

  it("are not confined in another version of the client than the one that was tested", async () => {
    recordTestedClient(seat.gate.paths.state_dir, AGENT, { ...tested, size: tested.size + 1 });
    const answered = seat.answer(["rejected"]);
    const [result] = await seat.results([shell(script("touch made.txt"))]);
    await answered;
    expect([result?.is_error, made("made.txt")]).toEqual([true, false]);
  });
});
