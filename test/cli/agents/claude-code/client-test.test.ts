import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../../cli/agents/claude-code/adapter.ts";
import { checkClient } from "../../../../cli/agents/client-check.ts";
import { testClient } from "../../../../cli/agents/client-test/client-test.ts";
import { writeLauncher } from "../../../../cli/hook/launcher.ts";
import { testedClients, testedClientsFile } from "../../../../ipc/base/tested-clients.ts";
import { boxAgents } from "../../../../main/box/service/box-service.ts";
import { fakeClaude } from "../../../support/fake-claude.ts";
import { runGate } from "../../../support/gate-process.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../../../support/temporary-home.ts";

/** A home that Claude Code was connected in. */
function connected(): TemporaryHome {
  const home = temporaryHome();
  writeLauncher(home.env);
  return home;
}

const recordIn = ({ paths }: TemporaryHome) => testedClients(paths.state_dir, "claude-code");
const stateIn = ({ paths }: TemporaryHome) =>
  boxAgents(paths.state_dir, [{ name: "claude-code", level: "Supervised", supports: undefined }])[0]?.state;

describe("the test of a client", () => {
  it("passes one that runs what it is given, continues in its folder and calls the hook after it", async () => {
    const home = connected();
    const file = fakeClaude("none");
    const { size, mtimeMs } = statSync(file);
    const tested = { file, size, mtime_ms: mtimeMs, version: "9.8.7", passed: true, problem: null };
    expect(await testClient("claude-code", file, home.env)).toMatchObject({ tested });
    expect(recordIn(home)).toMatchObject([tested]);
    expect(stateIn(home)).toBe("confined");
    expect(statSync(testedClientsFile(home.paths.state_dir, "claude-code")).mode & 0o777).toBe(0o600);
    utimesSync(file, 1, 1);
    expect(stateIn(home)).toBe("untested");
  });

  it.each([
    ["runs_the_call", "it ran a call itself instead of what it was given for it"],
    ["runs_both", "it ran a call itself instead of what it was given for it"],
    ["loses_the_folder", "a call wasn't run in the folder that the one before had ended in"],
    ["reports_the_call", "it doesn't say what it ran"],
    ["calls_no_hook_after", "it called no hook after a call (PostToolUse)"],
    ["takes_failure_for_success", "it took a command that failed for one that didn't"],
  ] as const)("fails one that %s", async (fault, problem) => {
    const home = connected();
    expect(await testClient("claude-code", fakeClaude(fault), home.env)).toMatchObject({
      tested: { passed: false, problem },
    });
    expect(stateIn(home)).toBe("failed");
  });

  it("fails one that doesn't end in time, and ends it", async () => {
    const home = connected();
    const problem = "it didn't end within 3 s";
    expect(await testClient("claude-code", fakeClaude("hangs"), home.env, 3000)).toMatchObject({
      tested: { passed: false, problem },
    });
  });

  it("of a client gives it none of the user's keys, settings and proxies", async () => {
    const home = connected();
    const file = join(tempFolder(), "claude");
    const seen = join(home.home, "seen");
    writeFileSync(file, `#!/bin/sh\n/usr/bin/env >'${seen}'\n`, { mode: 0o755 });
    const keys = {
      ANTHROPIC_AUTH_TOKEN: "secret",
      HTTPS_PROXY: "http://proxy",
      CLAUDE_CODE_USE_BEDROCK: "1",
      MY_KEY: "secret",
    };
    await testClient("claude-code", file, {
      ...home.env,
      ...keys,
      ANTHROPIC_API_KEY: "secret",
      ANTHROPIC_BASE_URL: "https://elsewhere",
    });
    const text = readFileSync(seen, "utf8");
    expect(text).toMatch(/^ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(text).toMatch(/^ANTHROPIC_API_KEY=sk-ant-test$/m);
    for (const name of Object.keys(keys)) expect(text).not.toContain(name);
    for (const place of ["secret", "elsewhere", `=${home.home}`]) expect(text).not.toContain(place);
  });

  it("leaves untested what is no client, or isn't there, and records nothing", async () => {
    const home = connected();
    for (const file of ["/bin/true", "/nowhere/claude"])
      expect(await testClient("claude-code", file, home.env)).toEqual({ untested: expect.any(String) });
    expect(existsSync(testedClientsFile(home.paths.state_dir, "claude-code"))).toBe(false);
    expect(
      await checkClient({ adapter: claudeCode, client: undefined, anew: true, env: { ...home.env, PATH: "/nowhere" } }),
    ).toEqual({
      client: undefined,
      detail: "untested: there is no claude on PATH",
    });
  });

  it("is made once for each file, by doctor, and anew by connect", async () => {
    const home = connected();
    const client = fakeClaude("none");
    const check = (anew: boolean) => checkClient({ adapter: claudeCode, client, anew, env: home.env });
    const first = (await check(false)).client?.tested_at;
    expect((await check(false)).client?.tested_at).toBe(first);
    expect((await check(true)).client?.tested_at).not.toBe(first);
    const [known] = recordIn(home);
    utimesSync(client, 1, 1);
    expect((await check(false)).client?.mtime_ms).toBe(1000);
    expect(recordIn(home)).toHaveLength(1);
    expect(known?.mtime_ms).not.toBe(1000);
  });
});

describe("what the user learns of the client", () => {
  it("is said by connect, which connects whatever it is", async () => {
    const home = temporaryHome();
    const { code, stderr } = await runGate(home, ["connect", "claude-code", "--client", "/nowhere/claude"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("confined commands: untested: ")]);
    expect(existsSync(join(home.home, ".claude/settings.json"))).toBe(true);
  });

  it("is said by doctor, which fails for one that can't be trusted with a call, and names those that have changed", async () => {
    const home = connected();
    const good = fakeClaude("none");
    expect(await checkClient({ adapter: claudeCode, client: good, anew: false, env: home.env })).toMatchObject({
      detail: `claude 9.8.7 runs what it is given for a call, so its commands can be confined (${good})`,
    });
    utimesSync(good, 1, 1);
    const { lines } = await runGate(home, ["doctor", "--client", fakeClaude("runs_the_call")]);
    expect(lines.find(({ check }) => check === "claude-code client")).toMatchObject({
      ok: false,
      detail: expect.stringMatching(
        /^the commands of claude 9\.8\.7 can't be confined: .*; changed or gone since its test: claude 9\.8\.7/,
      ),
      fix: expect.stringContaining("connect claude-code"),
    });
  });
});

describe("an agent's state", () => {
  it("is its level's first, then its client's, and of any other agent what it said of itself", () => {
    const { paths } = temporaryHome();
    mkdirSync(paths.state_dir, { recursive: true });
    const agents = [
      { name: "claude-code", level: "ReadOnly", supports: true },
      { name: "claude-code", level: "Full", supports: true },
      { name: "mine", level: "Supervised", supports: true },
      { name: "mine", level: "Supervised", supports: false },
      { name: "mine", level: "Supervised", supports: undefined },
    ] as const;
    const states = boxAgents(paths.state_dir, agents).map(({ state, client }) => [state, client]);
    expect(states).toEqual(["read-only", "untested", "confined", "untested", "untested"].map((state) => [state, null]));
  });
});
