import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRunWords } from "../../cli/commands/run.ts";
import { runGate } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";

/** A program under Claude Code's name, which prints its words. */
function pretendedClaude(home: string): string {
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 7\n', { mode: 0o755 });
  return bin;
}

it("run starts the client with the gate's hooks among its settings, and changes no file of the user's", async () => {
  const { home } = await startGate();
  const bin = pretendedClaude(home.home);
  const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
  const before = readdirSync(home.home);
  const { code, stdout, stderr } = await runGate({ ...home, env }, ["run", "claude", "-p", "--box"]);
  expect(code, stderr).toBe(7);
  const [option, settings = "{}", ...others] = stdout.trimEnd().split("\n");
  // Behind the agent's own words none is ours.
  expect([option, ...others]).toEqual(["--settings", "-p", "--box"]);
  const { disableAllHooks, hooks } = JSON.parse(settings);
  expect([disableAllHooks, Object.keys(hooks)]).toEqual([
    false,
    expect.arrayContaining(["PreToolUse", "ConfigChange"]),
  ]);
  expect(readdirSync(home.home)).toEqual(before);
});

it("run refuses where no gate runs, and says which agents there are", async () => {
  const { home } = await startGate();
  const unknown = await runGate(home, ["run", "nobody"]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("one of: claude-code") });
  const away = { ...home, env: { ...home.env, METNOS_RUNTIME_DIR: join(home.home, "none") } };
  expect(await runGate(away, ["run", "claude-code"])).toMatchObject({ code: 3, stdout: "" });
});

it("connect without a name lists what is installed, and whether it is connected", async () => {
  const { home, operator } = await startGate();
  const env = { ...home.env, PATH: `${pretendedClaude(home.home)}:/usr/bin:/bin` };
  const listed = async () => {
    const { stdout } = await runGate({ ...home, env }, ["connect"]);
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .find(({ agent }) => agent === "claude-code");
  };
  const program = join(home.home, "bin/claude");
  expect(await listed()).toMatchObject({ program, level: null, is_connected: false, problem: "not paired" });
  await operator.call("agents.pair", { name: "claude-code", level: "ReadOnly" });
  expect(await listed()).toMatchObject({ program, level: "ReadOnly", is_connected: false, problem: "not installed" });
});

it("run reads its own options only where they come first, and -- ends them", () => {
  expect(readRunWords(["--box", "--host", "a.example", "-p", "--box"])).toMatchObject({
    box: true,
    hosts: ["a.example"],
    args: ["-p", "--box"],
  });
  expect(readRunWords(["--", "--box"])).toMatchObject({ box: false, args: ["--box"] });
  expect(() => readRunWords(["--host", "a.example"])).toThrow("--host is for --box");
  expect(() => readRunWords(["--client"])).toThrow("needs a value");
});
