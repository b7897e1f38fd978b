import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ourEntries } from "../../../../cli/agents/claude-code/entries.ts";
import { claudeCodeChecks } from "../../../../cli/agents/claude-code/hook-check.ts";
import { writeLauncher } from "../../../../cli/hook/launcher.ts";
import type { Json } from "../../../../ipc/base/json-object.ts";
import { temporaryHome } from "../../../support/temporary-home.ts";

const TTL_SECONDS = 600;

/** A home in which Claude Code was connected, and a project in it whose settings can be written. */
function connected() {
  const { home, env } = temporaryHome();
  const launcher = writeLauncher(env);
  const { PreToolUse, PostToolUse, PostToolUseFailure, ...others } = ourEntries(launcher, TTL_SECONDS);
  const ours = {
    hooks: {
      PreToolUse: [{ matcher: "*", hooks: PreToolUse }],
      PostToolUse: [{ matcher: "*", hooks: PostToolUse }],
      PostToolUseFailure: [{ matcher: "*", hooks: PostToolUseFailure }],
      ...Object.fromEntries(Object.entries(others).map(([event, hooks]) => [event, [{ hooks }]])),
    },
  };
  const managedFolder = join(home, "managed");
  const files = {
    user: join(home, ".claude/settings.json"),
    project: join(home, "project/.claude/settings.json"),
    local: join(home, "project/.claude/settings.local.json"),
    managed: join(managedFolder, "managed-settings.json"),
    fragment: join(managedFolder, "managed-settings.d/10-hooks.json"),
  };
  const write = (file: keyof typeof files, settings: Json | string) => {
    mkdirSync(dirname(files[file]), { recursive: true });
    writeFileSync(files[file], typeof settings === "string" ? settings : JSON.stringify(settings));
  };
  write("user", ours);
  const checks = () => claudeCodeChecks({ cwd: join(home, "project"), env, managedFolder }, launcher, TTL_SECONDS);
  const details = () => checks().map(({ ok, detail }) => `${ok ? "ok" : "FAIL"} ${detail}`);
  return { files, launcher, ours, write, checks, details };
}

describe("doctor, of Claude Code's hook in this folder", () => {
  it("says where it is, and that all is well", () => {
    const { files, checks } = connected();
    expect(checks()).toEqual([{ check: "claude-code hook", ok: true, detail: `in ${files.user}` }]);
  });

  it("says that it is switched off by the strongest file that says anything of it", () => {
    const { files, ours, write, details } = connected();
    const off = (file: string) => [`FAIL switched off here: ${file} has disableAllHooks`];
    write("user", { ...ours, disableAllHooks: true });
    expect(details()).toEqual(off(files.user));
    write("project", { disableAllHooks: false });
    expect(details()).toEqual([`ok in ${files.user}`]);
    write("local", { disableAllHooks: true });
    expect(details()).toEqual(off(files.local));
    write("managed", { disableAllHooks: true });
    expect(details()).toEqual(off(files.managed));
    write("user", {});
    expect(details()).toEqual(["FAIL not installed"]);
  });

  it("takes a stronger file's false for an answer only where Claude Code can't find a fault with that file", () => {
    const { files, write, details } = connected();
    write("project", `\uFEFF${JSON.stringify({ disableAllHooks: true })}`);
    const off = [`FAIL switched off here: ${files.project} has disableAllHooks`];
    expect(details()).toEqual(off);
    write("local", { disableAllHooks: null });
    expect(details()).toEqual(off);
    write("local", { disableAllHooks: false, permissions: 5 });
    expect(details()).toEqual(off);
    write("local", { disableAllHooks: false });
    expect(details()).toEqual([`ok in ${files.user}`]);
  });

  it("says that a hook of the gate is weakened, in the user's settings or by an equal one of a project", () => {
    const { files, ours, write, details } = connected();
    const [group] = ours.hooks.PreToolUse;
    const [hook, blocking] = group?.hooks ?? [];
    for (const weaker of [{ async: true }, { if: "Bash(ls)" }, { once: true }, { asyncRewake: true }]) {
      const weakened = [{ ...group, hooks: [{ ...hook, ...weaker }, blocking] }];
      write("user", { hooks: { ...ours.hooks, PreToolUse: weakened } });
      expect(details()).toEqual([
        expect.stringContaining(`FAIL a hook of the gate in ${files.user} is not waited for`),
      ]);
      write("user", ours);
      write("project", { hooks: { ...ours.hooks, PreToolUse: weakened } });
      expect(details()).toEqual([
        expect.stringContaining(`FAIL a hook of the gate in ${files.project} is not waited for`),
      ]);
      write("project", {});
    }
    const narrow = [
      { ...group, matcher: "Bash", hooks: [hook] },
      { ...group, hooks: [blocking] },
    ];
    write("user", { hooks: { ...ours.hooks, PreToolUse: narrow } });
    expect(details()).toEqual([`FAIL the hook in ${files.user} is not called for every tool`]);
  });

  it("an administrator's hook takes precedence over a project that turns hooks off; only theirs counts where they say so", () => {
    const { files, ours, write, details } = connected();
    write("managed", { allowManagedHooksOnly: true });
    expect(details()).toEqual([`FAIL switched off here: ${files.managed} has allowManagedHooksOnly`]);
    write("fragment", ours);
    write("project", { disableAllHooks: true });
    expect(details()).toEqual([`ok in ${files.fragment} and ${files.user}`]);
  });

  it("names the variables that can switch it off or reach into it", () => {
    const { files, write, details } = connected();
    write("project", {
      env: { CLAUDE_CODE_SIMPLE: "1", LD_PRELOAD: "x.so", SHELL: "/srv/bash", ZDOTDIR: "/srv", NODE_ENV: "test" },
    });
    expect(details()).toEqual([
      expect.stringContaining(`FAIL ${files.project} sets CLAUDE_CODE_SIMPLE, LD_PRELOAD, SHELL, ZDOTDIR, which`),
    ]);
    write("project", { env: { SHELL: "/bin/bash" } });
    expect(details()).toEqual([expect.stringContaining("ok in")]);
  });

  it("says that the entry isn't this version's, isn't for every tool, or calls what doesn't run", () => {
    const { files, launcher, ours, write, details } = connected();
    const earlier = { type: "command", command: "'/old/node' '/old/metnos-gate.js' hook claude-code --wait 615" };
    write("user", { hooks: { PreToolUse: [{ matcher: "*", hooks: [earlier] }] } });
    expect(details()).toEqual([`FAIL the hook in ${files.user} is not the one that this version writes`]);
    const [group] = ours.hooks.PreToolUse;
    write("user", { hooks: { ...ours.hooks, PreToolUse: [{ ...group, matcher: "Bash" }] } });
    expect(details()).toEqual([`FAIL the hook in ${files.user} is not called for every tool`]);
    const PostToolUseFailure = [{ ...ours.hooks.PostToolUseFailure[0], matcher: "Bash" }];
    write("user", { hooks: { ...ours.hooks, PostToolUseFailure } });
    expect(details()).toEqual([`FAIL the hook in ${files.user} is not called after each call`]);
    write("user", ours);
    chmodSync(launcher, 0o600);
    expect(details()).toEqual([expect.stringContaining(`FAIL the hook's launcher ${launcher} does not run`)]);
    writeFileSync(launcher, "");
    chmodSync(launcher, 0o700);
    expect(details()).toEqual([expect.stringContaining(`FAIL the hook's launcher ${launcher} does not run`)]);
    rmSync(launcher);
    expect(details()).toEqual([expect.stringContaining(`FAIL the hook's launcher ${launcher} does not run`)]);
  });

  it("says that the entry is written for judges and answers that took less time", () => {
    const { files, launcher, ours, write, details } = connected();
    const { PreToolUse } = ourEntries(launcher, TTL_SECONDS - 60);
    write("user", { hooks: { ...ours.hooks, PreToolUse: [{ matcher: "*", hooks: PreToolUse }] } });
    expect(details()).toEqual([
      `FAIL the hook in ${files.user} waits for 540 s, but by gate.toml the judges and you may take 600 s together`,
    ]);
  });

  it("names a file that Claude Code can't read, and so ignores", () => {
    const { files, write, details } = connected();
    write("local", "{");
    expect(details()).toEqual([`FAIL ${files.local} is not valid JSON: Claude Code ignores it`]);
  });

  it("names other hooks before tools, and plugins that may have some", () => {
    const { files, ours, write, checks } = connected();
    const other = { matcher: "Bash", hooks: [{ type: "command", command: "./mine.sh" }] };
    write("user", { hooks: { ...ours.hooks, PreToolUse: [...ours.hooks.PreToolUse, other] } });
    write("project", { enabledPlugins: { "tidy@market": true, "off@market": false } });
    expect(checks()).toMatchObject([
      { check: "claude-code hook", ok: true },
      { check: "claude-code other hooks", ok: true, detail: expect.stringMatching(/mine\.sh.*tidy@market$/) },
    ]);
    expect(checks()[1]?.detail).toContain(files.user);
  });

  it("names a hook that only mentions the gate's launcher", () => {
    const { files, write, checks } = connected();
    const command = "./rewrite.sh # metnos-gate-hook hook claude-code";
    write("project", { hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] } });
    const named = checks().find(({ check }) => check === "claude-code other hooks");
    expect(named?.detail).toContain(`${command} (${files.project})`);
  });
});
