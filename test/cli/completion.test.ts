import { expect, test } from "vitest";
import { tokenOf } from "../support/agent-connection.ts";
import { LAUNCHER, runGate, StartedProcess } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

/** What a real bash proposes for the last of these words, once it has read the script. */
async function proposed(home: TemporaryHome, ...words: string[]): Promise<string[]> {
  const script = `source <("$0" completion bash)
COMP_WORDS=(metnos-gate "$@"); COMP_CWORD=$#
_metnos_gate
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const bash = new StartedProcess("bash", ["-c", script, LAUNCHER, ...words], { env: home.env });
  expect([await bash.exited, bash.stderr]).toEqual([0, ""]);
  return bash.stdout.split("\n").filter((word) => word !== "");
}

test("bash completes commands, options, choices, levels and capabilities without a gate, and says nothing where one is missing", async () => {
  const home = temporaryHome();
  const [commands, below, options, levels, capabilities, reaches, tokens] = await Promise.all([
    proposed(home, "app"),
    proposed(home, "approvals", ""),
    proposed(home, "approve", "--pe"),
    proposed(home, "agents", "pair", "x", "--level", "S"),
    proposed(home, "policy", "check", "Full", "fs"),
    proposed(home, "approve", "--reach", "tr"),
    proposed(home, "approve", ""),
  ]);
  expect(commands).toEqual(["approvals", "approve"]);
  expect(below).toEqual(expect.arrayContaining(["list", "approve", "reject", "cleanup"]));
  expect(options).toEqual(["--permanent"]);
  expect(levels).toEqual(["Supervised"]);
  expect(capabilities).toEqual(["fs:read", "fs:write"]);
  expect(reaches).toEqual(["tree"]);
  expect(tokens.filter((word) => !word.startsWith("--"))).toEqual([]);
});

test("bash completes the tokens that wait and the agents' names", async () => {
  const gate = await startGate();
  const agent = await gate.agent();
  const { decision } = await agent.ask({ executor: "Bash", args: { command: "make" } });
  expect(await proposed(gate.home, "deny", tokenOf(decision).slice(0, 2))).toEqual([tokenOf(decision).slice(0, 6)]);
  expect(await proposed(gate.home, "agents", "level", "t")).toEqual(["tester"]);
});

test("zsh and fish get a script, too, and no other shell", async () => {
  const home = temporaryHome();
  expect((await runGate(home, ["completion", "zsh"])).stdout).toMatch(/^#compdef metnos-gate/);
  expect((await runGate(home, ["completion", "fish"])).stdout).toMatch(/^complete -c metnos-gate /);
  expect(await runGate(home, ["completion", "csh"])).toMatchObject({ code: 2, stdout: "" });
});
