import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { connectManaged, disconnectManaged } from "../../../../cli/agents/claude-code/adapter.ts";
import { claudeCodeChecks } from "../../../../cli/agents/claude-code/hook-check.ts";
import { launcherFile } from "../../../../cli/hook/launcher.ts";
import { temporaryHome } from "../../../support/temporary-home.ts";

const SECONDS = 600;

describe("the hooks in an administrator's settings", () => {
  let home: ReturnType<typeof temporaryHome>;
  let folder: string;
  const before = process.env.HOME;
  beforeEach(() => {
    home = temporaryHome();
    folder = join(home.home, "administrator's");
    process.env.HOME = home.home;
    return () => {
      process.env.HOME = before;
    };
  });

  /** Runs the commands as they are printed; here `sudo` is whoever runs the test. */
  const run = (todo: readonly string[] = []) => {
    const bin = join(home.home, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "sudo"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const { status, stderr } = spawnSync("/bin/sh", ["-ec", todo.join("\n")], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  };
  const checks = (project = home.home) =>
    claudeCodeChecks({ cwd: project, env: home.env, managedFolder: folder }, launcherFile(), SECONDS).map(
      ({ ok, detail }) => [ok, detail],
    );

  it("nothing is written there: the commands are printed, and once they ran there are none to run", () => {
    const { file, changed, todo } = connectManaged(SECONDS, folder);
    expect({ file, changed }).toEqual({
      file: join(folder, "managed-settings.d/50-metnos-gate.json"),
      changed: false,
    });
    expect(todo?.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(["sudo mkdir", "sudo install"]);
    expect(() => readFileSync(file)).toThrow();
    expect(disconnectManaged(folder).todo).toBeUndefined();
    run(todo);
    expect(connectManaged(SECONDS, folder).todo).toBeUndefined();
    expect(connectManaged(SECONDS + 1, folder).todo).toHaveLength(2);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    run(disconnectManaged(folder).todo);
    expect(disconnectManaged(folder).todo).toBeUndefined();
  });

  it("doctor is content with them, whatever a project's settings say, and names no hook that they keep out", () => {
    run(connectManaged(SECONDS, folder).todo);
    const project = join(home.home, "project");
    mkdirSync(join(project, ".claude"), { recursive: true });
    const other = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "/x" }] }] }, disableAllHooks: true };
    writeFileSync(join(project, ".claude/settings.json"), JSON.stringify(other));
    expect(checks(project)).toEqual([[true, expect.stringContaining("managed-settings.d/50-metnos-gate.json")]]);
  });
});
