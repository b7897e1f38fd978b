import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { guardedOffline } from "../../../cli/hook/offline-guard.ts";
import { loadConfig } from "../../../main/config/config.ts";
import { gatePathsWith } from "../../../main/config/gate-paths.ts";
import { guard } from "../../../main/decide/guard/guard.ts";
import { configuredFiles } from "../../../main/decide/places/configured-files.ts";
import { GateFiles, hiddenFromBoxes } from "../../../main/decide/places/gate-files.ts";
import { prepared } from "../../support/proposed-calls.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

/** A home whose gate.toml names a key file in it and a judge agent's program, and a project with links to them. */
function withConfiguredFiles() {
  const own = temporaryHome();
  const file = join(own.home, "private/model.key");
  const cwd = join(own.home, "project");
  for (const folder of [dirname(file), cwd, dirname(own.paths.configFile)]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, "sk-test", { mode: 0o600 });
  symlinkSync(file, join(cwd, "notes.txt"));
  const program = join(own.home, "judges/no-fridays.py");
  mkdirSync(dirname(program));
  writeFileSync(program, "print(1)");
  symlinkSync(program, join(cwd, "tool.py"));
  writeFileSync(
    own.paths.configFile,
    `[models.small]\ndialect = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\nkey_file = "${file}"\n[judge_agents.fridays]\nkind = "command"\ncommand = ["/usr/bin/python3", "-I", "${program}"]\n`,
  );
  return { ...own, cwd, file };
}

describe("a key file and a judge agent's program that gate.toml names are the gate's own", () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ["Read", { file_path: "~/private/model.key" }, true],
    ["Read", { file_path: "notes.txt" }, true],
    ["Write", { file_path: "~/private/model.key", content: "sk-other" }, true],
    ["Bash", { command: "cat ~/private/model.key" }, true],
    ["Bash", { command: "cp notes.txt /tmp/copy" }, true],
    ["Bash", { command: "mv ~/private ~/elsewhere" }, true],
    ["Grep", { pattern: "sk-", path: "~/private" }, true],
    ["Read", { file_path: "~/private/another.key.txt" }, false],
    ["Read", { file_path: "README.md" }, false],
    ["Write", { file_path: "~/judges/no-fridays.py", content: "print(1)" }, true],
    ["Write", { file_path: "tool.py", content: "print(1)" }, true],
    ["Edit", { file_path: "~/judges/no-fridays.py", old_string: "0", new_string: "1" }, true],
    ["Bash", { command: "cp tool.py ~/judges/no-fridays.py" }, true],
    ["Bash", { command: "mv ~/judges ~/elsewhere" }, true],
    ["Bash", { command: "chmod -x ~/judges/no-fridays.py" }, true],
    ["Write", { file_path: "~/judges/notes.txt", content: "" }, false],
    ["Read", { file_path: "~/judges/no-fridays.py" }, false],
  ])("%s %j: denied is %s, with a gate and without", (executor, args, isDenied) => {
    const { home, env, cwd } = withConfiguredFiles();
    const paths = gatePathsWith(loadConfig(join(home, ".config/metnos/gate.toml"), env), env);
    const { call, executor: found, needs } = prepared(home, executor, args, { context: { cwd } });
    const inside = guard(call, found, needs, { home, env, gateFiles: new GateFiles(paths, home) });
    expect(inside !== null).toBe(isDenied);
    expect(guardedOffline({ intent: "", executor, args, context: { cwd } }, "claude-code", env)).toEqual(inside);
  });

  it("a channel's secrets and the file of kept checkpoints are touched by no agent, and shown in no box", () => {
    const own = temporaryHome();
    const place = (name: string) => join(own.home, "elsewhere", name);
    mkdirSync(place("link"), { recursive: true });
    for (const name of ["token", "pin", "kept", "link/overrides.toml"])
      writeFileSync(place(name), "x", { mode: 0o600 });
    mkdirSync(dirname(own.paths.policy_overrides), { recursive: true });
    symlinkSync(place("link/overrides.toml"), own.paths.policy_overrides);
    const config = {
      telegram: { token_file: place("token"), pin_file: place("pin") },
      ntfy: { token_file: join(own.paths.configDir, "ntfy") },
      receipts: { checkpoint_file: place("kept") },
    };
    const paths = { ...own.paths, ...configuredFiles(config) };
    const files = new GateFiles(paths, own.home);
    const hidden = hiddenFromBoxes(paths);
    for (const name of ["token", "pin", "kept", "link/overrides.toml"]) {
      expect([name, files.contains(place(name))]).toEqual([name, true]);
      expect(hidden).toContain(realpathSync(place(name)));
    }
    // What is in a hidden folder is hidden with it: nothing can be put over it there.
    expect(hidden).not.toContain(join(own.paths.configDir, "ntfy"));
    expect(hidden).toContain(realpathSync(own.paths.configDir));
  });

  it("a configuration that can't be read names none, and the rest is guarded all the same", () => {
    const { env, cwd, paths } = withConfiguredFiles();
    writeFileSync(paths.configFile, "not [ toml");
    const offline = (args: Record<string, unknown>) =>
      guardedOffline({ intent: "", executor: "Read", args, context: { cwd } }, "claude-code", env);
    expect(offline({ file_path: "~/private/model.key" })).toBeNull();
    expect(offline({ file_path: "~/.config/metnos/gate.toml" })).not.toBeNull();
  });

  it.each([
    undefined,
    null,
    "x",
    [],
    { a: null },
    { a: { key_file: 7 } },
    { a: { key_file: "relative", command: ["relative", 7] } },
  ])("no key file is named by %j", (models) => {
    expect(configuredFiles({ models, judge_agents: models })).toEqual({ keyFiles: [], judgePrograms: [] });
  });
});
