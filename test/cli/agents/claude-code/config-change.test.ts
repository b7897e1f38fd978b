import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configChange } from "../../../../cli/agents/claude-code/config-change.ts";
import { ourEntries } from "../../../../cli/agents/claude-code/entries.ts";
import { launcherFile } from "../../../../cli/hook/launcher.ts";
import { runHook } from "../../../support/hook-process.ts";
import { temporaryHome } from "../../../support/temporary-home.ts";

/** A home whose user's settings hold the gate's hook, and a project in it. */
function connected() {
  const { home, env } = temporaryHome();
  const cwd = join(home, "project");
  for (const folder of [join(home, ".claude"), join(cwd, ".claude")]) mkdirSync(folder, { recursive: true });
  const user = join(home, ".claude/settings.json");
  const { PreToolUse } = ourEntries(launcherFile(env), 600);
  const ours = { hooks: { PreToolUse: [{ matcher: "*", hooks: PreToolUse }] } };
  writeFileSync(user, JSON.stringify(ours));
  const project = join(cwd, ".claude/settings.json");
  const input = (source: string, filePath: string) =>
    JSON.stringify({ hook_event_name: "ConfigChange", source, file_path: filePath, cwd });
  return {
    cwd,
    env,
    ours,
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
    const { ours, user, project, change } = connected();
    expect(change("user_settings", user, JSON.stringify({ ...ours, model: "opus" }))).toEqual({});
    expect(change("user_settings", user, "{}")).toEqual(BLOCK);
    writeFileSync(project, JSON.stringify(ours));
    expect(change("user_settings", user, "{}")).toEqual({});
  });

  it("is blocked as long as another file would switch the gate off: Claude Code reads all of them anew", () => {
    const { cwd, env, user, project, input } = connected();
    const local = join(cwd, ".claude/settings.local.json");
    writeFileSync(local, "{}");
    for (const text of [
      '{"disableAllHooks": true}',
      '{"env": {"LD_PRELOAD": "./evil.so"}}',
      '\uFEFF{"disableAllHooks": true}',
    ]) {
      writeFileSync(project, text);
      const blocked = { ...BLOCK, reason: expect.stringContaining(project) };
      expect(configChange(input("local_settings", local), env)).toEqual(blocked);
      const below = JSON.stringify({ source: "user_settings", file_path: user, cwd: join(cwd, "src/deep") });
      expect(configChange(below, env)).toEqual(blocked);
    }
    writeFileSync(project, "{}");
    expect(configChange(input("local_settings", local), env)).toEqual({});
  });

  it.each([
    { async: true },
    { asyncRewake: true },
    { once: true },
    { if: "Bash(ls)" },
    { timeout: 0.001 },
    { onFailure: "allow" },
  ])("is blocked where a hook equal to the gate's would take its place: %o", (weaker) => {
    const { ours, project, change } = connected();
    const [hook, blocking] = ours.hooks.PreToolUse[0]?.hooks ?? [];
    for (const twin of [hook, blocking]) {
      const hooks = { PreToolUse: [{ hooks: [{ ...twin, ...weaker }] }] };
      expect(change("project_settings", project, JSON.stringify({ hooks }))).toEqual(BLOCK);
    }
    expect(change("project_settings", project, JSON.stringify(ours))).toEqual({});
  });

  it("is blocked where the gate would be called for some tools only, or something else in its name", () => {
    const { ours, user, change } = connected();
    const [group] = ours.hooks.PreToolUse;
    const other = { ...group?.hooks[0], command: "true # metnos-gate-hook" };
    for (const changed of [
      { ...group, matcher: "Read" },
      { ...group, hooks: [other] },
    ])
      expect(change("user_settings", user, JSON.stringify({ hooks: { PreToolUse: [changed] } }))).toEqual(BLOCK);
  });

  it("that adds another hook before tools takes effect, and the user is informed of it", () => {
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

describe("a change of the settings while a client runs that was started with the gate's hooks", () => {
  it("takes effect though no file holds them, unless it turns hooks off", () => {
    const { env, project, user, input } = connected();
    writeFileSync(user, "{}");
    writeFileSync(project, '{"model":"x"}');
    const changed = (argv: string[]) => configChange(input("project_settings", project), env, argv);
    expect(changed([])).toMatchObject({ decision: "block" });
    expect(changed(["--launched"])).toEqual({});
    writeFileSync(project, '{"disableAllHooks":true}');
    expect(changed(["--launched"])).toMatchObject({ decision: "block" });
  });
});
