import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, runGate } from "../support/gate-process.ts";
import { givePort } from "../support/own-port.ts";
import { startGate } from "../support/running-gate.ts";
import { temporaryHome } from "../support/temporary-home.ts";
import { Pty } from "../support/watched.ts";

/** A folder for PATH with programs of these names, which do nothing and fail. */
function programs(home: string, ...names: string[]): string {
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of names) writeFileSync(join(bin, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  return [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
}

test("without arguments, on a terminal, it starts a gate, connects the agents that it may, and says where the page is", async () => {
  const home = temporaryHome();
  givePort(home);
  const env = { ...home.env, PATH: programs(home.home, "claude", "codex") };
  const pty = new Pty([LAUNCHER], env, 160, 60);
  await pty.shows("Connect Claude Code? [Y/n]");
  expect(pty.screen).toMatch(/Agents that were found:\n +Claude Code .*\/bin\/claude\n +Codex .*\/bin\/codex\n/);
  pty.type("\r");
  await pty.shows("Connect Codex? [Y/n]");
  expect(pty.screen).toContain(
    "no session of Claude Code has to be restarted: those that run ask the gate from now on, too",
  );
  expect(readFileSync(join(home.home, ".claude/settings.json"), "utf8")).toContain("PreToolUse");
  pty.type("n\r");
  await pty.shows("(demo)? [y/N]");
  expect(pty.screen).toContain("Later: ");
  expect(existsSync(join(home.home, ".codex"))).toBe(false);
  expect(pty.screen).toMatch(/its page is at +http:\/\/127\.0\.0\.1:\d+\/\?token=/);
  pty.type("\r");
  await pty.shows("Ctrl+C ends it");
  expect((await runGate(home, ["status"])).code).toBe(0);
  pty.type("\u0003");
  await pty.closed;
  expect((await runGate(home, ["status"])).code).toBe(3);
});

test("where a gate runs already it says so, offers the same, lets the demo in by itself, and leaves that gate running", async () => {
  const gate = await startGate();
  const asked: string[] = [];
  gate.operator.subscribe(
    ({ data }) => {
      asked.push((data as { executor: string }).executor);
      const { token } = data as { token: string };
      void gate.operator.call("approvals.resolve", { token, decision: "rejected" });
    },
    ["approval.waiting"],
  );
  const pty = new Pty([LAUNCHER], { ...gate.home.env, PATH: programs(gate.home.home) }, 160, 60);
  await pty.shows("(demo)? [y/N]");
  expect(pty.screen).toContain("A gate is running already (process ");
  expect(pty.screen).toContain("None of Claude Code, Codex, Gemini CLI, OpenCode is on PATH.");
  pty.type("y\r");
  await pty.closed;
  expect(asked).toHaveLength(5);
  expect(pty.screen).toMatch(/demo-\w+ is gone/);
  expect((await gate.operator.call("status", {})).pid).toBe(process.pid);
});

test("a gate that can't start asks nothing, and says why", async () => {
  const home = temporaryHome();
  mkdirSync(home.paths.configDir, { recursive: true });
  writeFileSync(home.paths.configFile, "approvals = 3\n");
  const pty = new Pty([LAUNCHER], { ...home.env, PATH: programs(home.home, "claude") }, 160, 30);
  await pty.closed;
  expect(pty.screen).toContain("gate.toml, line 1: approvals: expected a table");
  expect(pty.screen).not.toContain("Connect");
});

test("a terminal whose input ends connects nothing, and the gate runs on", async () => {
  const home = temporaryHome();
  givePort(home);
  const pty = new Pty([LAUNCHER], { ...home.env, PATH: programs(home.home, "claude") }, 160, 60);
  await pty.shows("Connect Claude Code? [Y/n]");
  pty.type("\u0004");
  await pty.shows("Ctrl+C ends it");
  expect(existsSync(join(home.home, ".claude"))).toBe(false);
  expect((await runGate(home, ["status"])).code).toBe(0);
});

test("not on a terminal it prints its help, as before", async () => {
  const { code, stdout } = await runGate(temporaryHome(), []);
  expect([code, stdout]).toEqual([0, expect.stringContaining("Usage: metnos-gate")]);
});
