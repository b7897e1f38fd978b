import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configChange } from "../../../cli/claude-code/config-change.ts";
import { ourEntries } from "../../../cli/claude-code/entries.ts";
import { runHook } from "../../support/hook-process.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const { PreToolUse } = ourEntries("/state/hook/metnos-gate-hook", 600);
const OURS = { hooks: { PreToolUse: [{ matcher: "*", hooks: PreToolUse }] } };

/** A home whose user's settings hold the gate's hook, and a project in it. */
function connected() {
  const { home, env } = temporaryHome();
  const cwd = join(home, "project");
  for (const folder of [join(home, ".claude"), join(cwd, ".claude")]) mkdirSync(folder, { recursive: true });
  const user = join(home, ".claude/settings.json");
  writeFileSync(user, JSON.stringify(OURS));
  const project = join(cwd, ".claude/settings.json");
  const input = (source: string, file_path: string) =>
    JSON.stringify({ hook_event_name: "ConfigChange", source, file_path, cwd });
  return {
    env,
    user,
    project,
    input,
    change: (source: string, file: string, text: string) => {
      writeFileSync(file, text);
      return configChange(input(source, file), env);
    },
  };
}

const BLOCK = { decision: "block", reason: expect.stringContaining("Metnos Gate: ") };

describe("a change of the settings while a session runs", () => {
  it.each([
    '{"disableAllHooks": true}',
    '{"disableAllHooks": "true"}',
    '{"disableAllHooks": true, "hooks": {"PreToolUse": "x"}}',
    '{"env": {"NODE_OPTIONS": "--max-old-space-size=99 --require ./evil.cjs"}}',
    '{"env": {"METNOS_RUNTIME_DIR": "/tmp"}}',
    '{"env": {"CLAUDE_CODE_SIMPLE": "1"}}',
    '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "./evil"}}',
    '{"env": {"LD_PRELOAD": "./evil.so"}}',
    '{"env": {"CLAUDE_CONFIG_DIR": "/tmp"}}',
    "{",
    "[]",
  ])("is blocked, with the file's name: %s", (text) => {
    const { project, change } = connected();
    for (const source of ["project_settings", "local_settings"])
      expect(change(source, project, text)).toEqual({ ...BLOCK, reason: expect.stringContaining(project) });
  });

  it.each([
    "{}",
    "",
    '{"disableAllHooks": false}',
    '{"model": "opus", "env": {"NODE_ENV": "test", "NODE_OPTIONS": "--max-old-space-size=4096", "PATH": "/x"}}',
    '{"env": {"CLAUDE_CODE_SIMPLE": "0"}}',
  ])("takes effect where it doesn't bear on the gate: %s", (text) => {
    const { project, change } = connected();
    expect(change("project_settings", project, text)).toEqual({});
  });

  it("is blocked where it takes the gate's hook out of the last file that holds it", () => {
    const { user, project, change } = connected();
    expect(change("user_settings", user, JSON.stringify({ ...OURS, model: "opus" }))).toEqual({});
    expect(change("user_settings", user, "{}")).toEqual(BLOCK);
    writeFileSync(project, JSON.stringify(OURS));
    expect(change("user_settings", user, "{}")).toEqual({});
  });

  it("that adds another hook before tools takes effect, and the user is told of it", () => {
    const { project, change } = connected();
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./other.sh" }] }] };
    expect(change("project_settings", project, JSON.stringify({ hooks }))).toEqual({
      systemMessage: expect.stringContaining("./other.sh"),
    });
  });

  it("of skills, or by an administrator, is none of the gate's business; one that it can't read is blocked", () => {
    const { env, project, input } = connected();
    expect(configChange(input("skills", project), env)).toEqual({});
    expect(configChange(input("policy_settings", project), env)).toEqual({});
    for (const text of ["", "x", "{}", '{"source":"user_settings"}']) expect(configChange(text, env)).toEqual(BLOCK);
  });

  it("is answered by the hook's own process", async () => {
    const { env, project, input } = connected();
    writeFileSync(project, '{"disableAllHooks": true}');
    const run = runHook(input("project_settings", project), env, { args: ["config-change"] });
    expect(JSON.parse((await run.ended).output)).toEqual(BLOCK);
  });
});
