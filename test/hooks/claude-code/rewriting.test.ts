import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeLauncher } from "../../../cli/hook/launcher.ts";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { payload } from "../../support/hook-process.ts";
import { PretendedClient } from "../../support/pretended-client.ts";
import { PretendedGate } from "../../support/pretended-gate.ts";
import { type TemporaryHome, temporaryHome } from "../../support/temporary-home.ts";

const CONFINED = { confined: { project: "/srv/project", network: false } };
const CONFINE = { confine: { argv: ["/the gate's/launcher", "run", "a1b2"] } };
const INPUT = { command: "npm test", description: "Run the tests", timeout: 5000, made_up: { kept: [1, null] } };

interface Setting {
  home: TemporaryHome;
  client: PretendedClient;
  project: string;
}

/** A client on record, behind a gate that allows each call. */
async function setting(decision: object = { ...CONFINED, ...CONFINE }) {
  const home = temporaryHome();
  const project = join(home.home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const gate = await PretendedGate.start(home, {
    hello: { type: "hello.ok", data: {} },
    "tool.call": { type: "tool.decision", data: { outcome: "allowed", reason: "fine", ...decision } },
  });
  const client = new PretendedClient(home);
  client.record();
  const launcher = writeLauncher(home.env);
  const ask = async (input: string, options: readonly string[] = []) => {
    const output = await client.call(launcher, ["hook", "claude-code"], input, options);
    const { hookSpecificOutput } = JSON.parse(output) as { hookSpecificOutput: Record<string, unknown> };
    return { answer: hookSpecificOutput, supports: gate.first("hello")?.supports };
  };
  const bash = (input: Record<string, unknown> = INPUT, more: Record<string, unknown> = {}) =>
    payload("Bash", input, { cwd: project, ...more });
  return { home, project, gate, client, ask, bash };
}

describe("a call that is allowed as a confined one", () => {
  it("is given the gate's words in its command's place, and every other field as it was", async () => {
    const { gate, ask, bash } = await setting();
    const { answer, supports } = await ask(bash());
    expect(supports).toEqual(["confine"]);
    expect(gate.first("tool.call")).toMatchObject({ context: { call_id: "use-1" } });
    expect(answer).toMatchObject({
      permissionDecision: "allow",
      updatedInput: { ...INPUT, command: confinedCommand(CONFINE.confine.argv) },
    });
    expect(Object.keys(answer.updatedInput as object)).toEqual(Object.keys(INPUT));
  });

  it("is given them as well where it is to continue in the background", async () => {
    const { ask, bash } = await setting();
    const { answer, supports } = await ask(bash({ ...INPUT, run_in_background: true }));
    expect(supports).toEqual(["confine"]);
    expect(answer.updatedInput).toEqual({
      ...INPUT,
      run_in_background: true,
      command: confinedCommand(CONFINE.confine.argv),
    });
  });

  it.each([
    ["has no words to run it with", CONFINED],
    ["has empty ones", { ...CONFINED, confine: { argv: [] } }],
    ["has something else in their place", { ...CONFINED, confine: { argv: ["a", 5] } }],
  ])("is denied where the decision %s", async (_, decision) => {
    const { ask, bash } = await setting(decision);
    const { answer } = await ask(bash());
    expect(answer.permissionDecision).toBe("deny");
    expect(answer.updatedInput).toBeUndefined();
  });

  it("is denied where the hook has not said that it could be", async () => {
    const { client, ask, bash } = await setting();
    client.record({ passed: false });
    const { answer, supports } = await ask(bash());
    expect([supports, answer.permissionDecision, answer.updatedInput]).toEqual([undefined, "deny", undefined]);
  });
});

describe("the hook says that a call can be confined", () => {
  const plain = { confined: undefined };

  it("not of a call without one command line, or without an id", async () => {
    const calls = [
      payload("Read", { file_path: "/srv/a" }),
      payload("Monitor", { command: "ls" }),
      payload("Bash", { command: "ls" }, { tool_use_id: undefined }),
      payload("Bash", { command: "ls" }, { tool_use_id: "../up" }),
      payload("Bash", { command: "ls" }, { cwd: undefined }),
    ];
    for (const call of calls) {
      const { ask } = await setting(plain);
      const { answer, supports } = await ask(call);
      expect([call, answer.permissionDecision, supports]).toEqual([call, "allow", undefined]);
    }
  });

  it.each<[string, (setting: Setting) => void]>([
    ["was changed since its test", ({ client }) => utimesSync(client.file, 1, 1)],
    ["has failed the test", ({ client }) => client.record({ passed: false, problem: "it ran the call itself" })],
    ["has another size than the one on record", ({ client }) => client.record({ size: 1 })],
    ["is not the one on record", ({ client, home }) => recordAnother(client, home)],
    ["has a record that can't be read", ({ home }) => writeRecord(home, "[{")],
    ["has a record of another form", ({ client, home }) => writeRecord(home, JSON.stringify([{ file: client.file }]))],
  ])("not where the client %s", async (_, change) => {
    const all = await setting(plain);
    change(all);
    const { answer, supports } = await all.ask(all.bash());
    expect([answer.permissionDecision, supports]).toEqual(["allow", undefined]);
  });

  it.each<[string, string, object]>([
    ["denies its command", "project/.claude/settings.json", { permissions: { deny: ["Bash(npm test:*)"] } }],
    ["asks about its command", ".claude/settings.json", { permissions: { ask: ["Bash(npm *)"] } }],
    ["denies every command", "project/.claude/settings.local.json", { permissions: { deny: ["Bash(*)"] } }],
    ["denies a file in the line", "project/.claude/settings.json", { permissions: { deny: ["Edit(./test/**)"] } }],
    ["is of a folder above", ".claude/settings.local.json", { permissions: { deny: ["Bash(npm:*)"] } }],
    ["can't be understood", ".claude/settings.json", { permissions: { deny: [{}] } }],
    ["has Claude Code's own sandbox", ".claude/settings.json", { sandbox: { enabled: true } }],
  ])("not where a rule of Claude Code's own %s: it would not see the line any more", async (_, file, settings) => {
    const { home, ask, bash } = await setting(plain);
    mkdirSync(join(home.home, ".claude"), { recursive: true });
    writeFileSync(join(home.home, file), JSON.stringify(settings));
    expect((await ask(bash())).supports).toBeUndefined();
  });

  it("where such rules are about other commands, or allow", async () => {
    const { project, ask, bash } = await setting(plain);
    const permissions = {
      deny: ["Bash(git push:*)", "Read(./.env)", "WebFetch"],
      ask: ["Bash(rm *)"],
      allow: ["Bash(npm:*)"],
    };
    writeFileSync(join(project, ".claude/settings.json"), JSON.stringify({ permissions }));
    expect((await ask(bash())).supports).toEqual(["confine"]);
  });

  it("not where the client was started with rules that no file shows", async () => {
    const askRule = JSON.stringify({ hooks: {}, permissions: { ask: ["Bash"] } });
    for (const options of [
      ["--disallowedTools"],
      ["--settings={}"],
      ["--settings", askRule],
      ["--settings", "a.json"],
    ]) {
      const { ask, bash } = await setting(plain);
      expect((await ask(bash(), options)).supports).toBeUndefined();
    }
  });

  it("where it was started with hooks alone, as `run` does", async () => {
    const { ask, bash } = await setting(plain);
    const hooks = JSON.stringify({ disableAllHooks: false, hooks: {} });
    expect((await ask(bash(), ["--settings", hooks])).supports).toEqual(["confine"]);
  });
});

function recordAnother(client: PretendedClient, home: TemporaryHome): void {
  writeRecord(home, "[]");
  client.record({ file: join(home.home, "claude") });
}

function writeRecord({ paths }: TemporaryHome, text: string): void {
  writeFileSync(join(paths.state_dir, "box/clients/claude-code.json"), text);
}
