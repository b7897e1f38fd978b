import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { claudeCode } from "../../cli/agents/claude-code/adapter.ts";
import { startGate } from "../support/running-gate.ts";
import { TRIED_CLAUDE_CODES } from "./clients.ts";
import { installedClient } from "./installed-client.ts";
import { bash, Seat, TTL_SECONDS } from "./seat.ts";

/** What the real Claude Code tells a real gate of its sessions, and of what became of its calls. */

describe.each(TRIED_CLAUDE_CODES)("%s", (name) => {
  const binary = installedClient(name);
  if (binary === undefined) return;

  let seat: Seat;
  const home = process.env.HOME;
  beforeEach(async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "claude-code", level: "Supervised" });
    seat = new Seat(gate, binary);
    return () => {
      process.env.HOME = home;
    };
  });

  const reported = async () => {
    const entries = (await seat.gate.operator.call("activity.list", {})).entries;
    return entries.map(({ executor, reported }) => [executor, reported?.state, reported?.ran_other ?? false]).reverse();
  };

  it("what became of each call is known, and none counts as another than was allowed", async () => {
    const file = join(seat.project, "a.txt");
    writeFileSync(file, "one\n");
    await seat.gate.operator.call("grants.add", { capability: "fs:write", target: `${seat.project}/**` });
    await seat.gate.operator.call("grants.add", { capability: "fs:read", target: `${seat.project}/**` });
    await seat.results([
      bash("echo one"),
      { name: "Read", input: { file_path: file } },
      { name: "Edit", input: { file_path: file, old_string: "one", new_string: "two" } },
      { name: "Write", input: { file_path: join(seat.project, "b.txt"), content: "text  \n" } },
      bash("cat none.txt"),
    ]);
    await expect.poll(reported, { timeout: 20_000 }).toEqual([
      ["Bash", "ok", false],
      ["Read", "ok", false],
      ["Edit", "ok", false],
      ["Write", "ok", false],
      ["Bash", "failed", false],
    ]);
  });

  it("a project's own hook is named to the user; a call that it changes is known to have run other than allowed", async () => {
    const hook = join(seat.project, "fmt.sh");
    const answer = {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "echo another" },
      },
    };
    // Later than the gate's: the last answer that changes a call counts.
    writeFileSync(hook, `#!/bin/sh\nsleep 1\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 });
    seat.projectSettings({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: hook }] }] } });
    const [result] = await seat.results([bash("echo one")]);
    const codes = async () => (await seat.gate.operator.call("status", {})).alarms.map(({ code }) => code).sort();
    expect(result?.text).toBe("another");
    await expect.poll(codes, { timeout: 20_000 }).toEqual(["other_hooks", "ran_other_than_allowed"]);
  });

  it("started by `run`, it holds without a file of the user's, before a project that turns hooks off", async () => {
    rmSync(join(seat.gate.home.home, ".claude/settings.json"));
    seat.projectSettings({ disableAllHooks: true });
    const { env } = seat.gate.home;
    const { args } = await claudeCode.launch({ answerSeconds: TTL_SECONDS, cwd: seat.project, env, args: [] });
    const [allowed, denied] = await seat.results([bash("echo one"), seat.readKey], { args });
    expect(allowed).toEqual({ text: "one", is_error: false });
    expect(denied).toMatchObject({ is_error: true, text: expect.stringContaining("guard: forbidden path") });
  });
});
