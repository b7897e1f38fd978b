import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HAS_BUBBLEWRAP } from "../../support/boxes.ts";
import { agentsUnderTest, stateOf } from "./agents-under-test.ts";

const ANSWER = '{"score":1,"confidence":1,"reasoning":"fine","signals":[],"metadata":{}}';

describe.skipIf(!HAS_BUBBLEWRAP)("a judge agent that is a program of the user's", () => {
  it("gets the payload as JSON on its input, and what it prints is its final output", async () => {
    const { judge } = agentsUnderTest();
    expect(await judge(`read -r payload; echo "$payload"; echo '${ANSWER}'`)).toBe(`{"task":"look"}\n${ANSWER}\n`);
  });

  it("is started without a shell: its arguments are words, whatever is in them", async () => {
    const { agent, script, project } = agentsUnderTest();
    const command: [string, ...string[]] = [script(`printf '<%s>' "$@"`), "$(id) ; `id`", "a b", "*", ""];
    const { judge } = agent({ kind: "command", command, hosts: [] });
    const said = await judge({}, { cwd: project, agent_name: "w" }, new AbortController().signal);
    expect(said).toBe("<$(id) ; `id`><a b><*><>");
  });

  it("finds the workspace at /workspace and at its own path, and begins in it", async () => {
    const { judge, project } = agentsUnderTest();
    writeFileSync(join(project, "a.txt"), "of the project");
    expect(await judge(`pwd; cat a.txt /workspace/a.txt`)).toBe(`${project}\nof the projectof the project`);
  });

  it("says as mounts what is mounted, of a folder in a repository that repository", async () => {
    const { agent, script, project } = agentsUnderTest();
    const inner = join(project, "packages/one");
    mkdirSync(inner, { recursive: true });
    mkdirSync(join(project, ".git"));
    writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
    const looking = agent({ kind: "command", command: [script("pwd")], hosts: [] });
    const worker = { cwd: inner, agent_name: "w" };
    expect(looking.mounts(worker)).toEqual([
      { source: project, target: "/workspace", read_only: true },
      { source: project, target: project, read_only: true },
    ]);
    expect(await looking.judge({}, worker, new AbortController().signal)).toBe(`${project}\n`);
  });

  it("gets no files of a worker whose folder is the home, above it, shared, unknown, or holds keys", async () => {
    const { agent, script, home, folder, state_dir } = agentsUnderTest();
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id_ed25519"), "PRIVATE");
    symlinkSync(home, join(folder, "link"));
    const looking = agent({
      kind: "command",
      command: [script(`ls /workspace 2>&1; cat ~/.ssh/* 2>&1; pwd`)],
      hosts: [],
    });
    for (const cwd of [
      null,
      home,
      folder,
      "/",
      "/tmp",
      "/proc/self/cwd",
      join(home, ".ssh"),
      join(folder, "link"),
      state_dir,
    ]) {
      const worker = { cwd, agent_name: "w" };
      expect([cwd, looking.mounts(worker)]).toEqual([cwd, []]);
    }
    const said = await looking.judge({}, { cwd: join(home, ".ssh"), agent_name: "w" }, new AbortController().signal);
    expect(said).toContain("/workspace");
    expect(said).not.toContain("PRIVATE");
    expect(said).toMatch(/\/tmp\n$/);
  });

  it("fails with its exit code alone: nothing that it said is in the sentence", async () => {
    const { judge } = agentsUnderTest();
    await expect(judge("echo hunter2; echo hunter2 >&2; exit 3")).rejects.toThrow(
      /^agent failed: its program ended with the code 3$/,
    );
  });

  it("sees what its command names by absolute path, and nothing beside it", async () => {
    const { agent, script, folder, home } = agentsUnderTest();
    const settings = join(home, "judge/settings");
    mkdirSync(settings, { recursive: true });
    writeFileSync(join(settings, "a"), "setting ");
    writeFileSync(join(home, "judge/other"), "other");
    const program = script(`cat "$1"/a; ls ${home}/judge; ls ${folder}`);
    const { judge } = agent({ kind: "command", command: [program, settings], hosts: [] });
    const said = await judge({}, { cwd: null, agent_name: "w" }, new AbortController().signal);
    expect(said).toBe("setting settings\nhome\nprograms\n");
  });

  it("can't be one whose command names what no box shows: the home, the gate's folder", () => {
    const { agent, home, state_dir } = agentsUnderTest();
    for (const path of [home, join(state_dir, "judge"), "/proc/self/environ"]) {
      const configured = () => agent({ kind: "command", command: ["/bin/cat", path], hosts: [] });
      expect(configured, path).toThrow(/^\[judge_agents.agent\]: .* is never shown in a box$/);
    }
  });

  it("fails with a sentence where its program isn't there", async () => {
    const { agent, folder } = agentsUnderTest();
    const looking = agent({ kind: "command", command: [join(folder, "none")], hosts: [] });
    const judged = looking.judge({}, { cwd: null, agent_name: "w" }, new AbortController().signal);
    await expect(judged).rejects.toThrow(/^agent failed: its program isn't there/);
  });

  it("can't be configured where there is no bubblewrap: the error names it and says why", () => {
    const { agent, machine } = agentsUnderTest();
    const without = { ...machine(), makers: [] };
    const configured = () =>
      agent({ kind: "command", command: ["/bin/true"], hosts: [] }, undefined, { machine: without });
    expect(configured).toThrow("[judge_agents.agent]: it needs a box, and bubblewrap is missing");
  });

  it("fails with a sentence where the box doesn't work, and begins nothing", async () => {
    const { agent, folder } = agentsUnderTest();
    const probe = () => Promise.resolve({ problem: "container" as const, detail: "", fix: null, maker: null });
    const looking = agent({ kind: "command", command: ["/bin/touch", join(folder, "begun")], hosts: [] }, undefined, {
      probe,
    });
    const judged = looking.judge({}, { cwd: null, agent_name: "w" }, new AbortController().signal);
    await expect(judged).rejects.toThrow(/^judge agents can't run here: the box doesn't work \(container\)$/);
    expect(existsSync(join(folder, "begun"))).toBe(false);
  });

  it("gets neither the gate's environment nor a model's key nor an open file", async () => {
    const { judge } = agentsUnderTest({
      MODEL_KEY: "sk-secret",
      METNOS_STATE_DIR: "/somewhere",
      ANTHROPIC_API_KEY: "sk-secret",
      LANG: "C.UTF-8",
    });
    const said = await judge("env; cat /proc/1/environ /proc/1/cmdline; echo; ls /proc/self/fd");
    expect(said).toContain("LANG=C.UTF-8");
    expect(said).not.toMatch(/sk-secret|METNOS|_KEY=sk/);
    expect(said.split("\n").slice(-5)).toEqual(["0", "1", "2", "3", ""]);
  });

  it("finds secrets of the workspace empty, at both of its paths", async () => {
    const { judge, project } = agentsUnderTest();
    mkdirSync(join(project, "deep/er"), { recursive: true });
    for (const name of [".env", "deep/.env.production", "deep/er/.ENV"])
      writeFileSync(join(project, name), "PASSWORD=hunter2");
    const odd = Buffer.concat([Buffer.from(`${project}/deep/caf`), Buffer.from([0xe9])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from("/.env")]), "PASSWORD=hunter2");
    const said = await judge(`grep -rc '' . /workspace; grep -r hunter2 . /workspace; echo`);
    expect(said).not.toContain("hunter2");
    expect(said.match(/:0$/gm)).toHaveLength(8);
  });

  it("leaves the workspace byte for byte as it was, whatever a test program would write there", async () => {
    const { judge, project } = agentsUnderTest();
    writeFileSync(join(project, "a.txt"), "kept");
    chmodSync(project, 0o777);
    const before = stateOf(project);
    const said = await judge(`
      exec 2>&1
      echo x > a.txt; rm -f a.txt; mv a.txt b; ln a.txt c; ln -s a.txt d; chmod 0 a.txt; touch a.txt; mkdir e
      echo x > /workspace/a.txt; truncate -s 0 /proc/self/root${project}/a.txt; echo x > /proc/self/cwd/f
      echo written > /tmp/a && cat /tmp/a`);
    expect(said).toMatch(/written\n$/);
    expect(said.match(/Read-only file system/g)?.length).toBeGreaterThan(10);
    expect(stateOf(project)).toBe(before);
  });
});
