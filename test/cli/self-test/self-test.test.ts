import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Check } from "../../../cli/check.ts";
import { recordedSelfTests, recordSelfTest } from "../../../cli/self-test/record.ts";
import { selfTests } from "../../../cli/self-test/self-test.ts";
import { agentTokenFile, gatePaths } from "../../../ipc/base/paths.ts";
import { type Fault, writeFaultyClient } from "../../support/faulty-client.ts";
import { runGate } from "../../support/gate-process.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

/** A home in which Gemini CLI was connected, and a program of its name alone on PATH. */
function seat(fault: Fault) {
  const folder = tempFolder();
  const [bin, notes] = [join(folder, "bin"), join(folder, "notes.json")];
  const env = { HOME: join(folder, "home"), PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  mkdirSync(bin);
  mkdirSync(gatePaths(env).agentTokensDir, { recursive: true });
  writeFileSync(agentTokenFile(gatePaths(env), "gemini"), "a token\n");
  const program = join(bin, "gemini");
  writeFaultyClient(program, notes, fault);
  const noted = () =>
    JSON.parse(readFileSync(notes, "utf8")) as { env: Record<string, string>; cwd: string; pid: number };
  return { env, noted, program };
}

async function geminiCheck(env: Record<string, string>, timeoutMs?: number): Promise<Check | undefined> {
  const checks: Check[] = [];
  for await (const check of selfTests({ env, ...(timeoutMs === undefined ? {} : { timeoutMs }) })) checks.push(check);
  return checks.find(({ check }) => check === "self-test gemini");
}

it.each([
  ["asks nobody", "it ran a call that the gate denies", "don't let this Gemini CLI work"],
  ["runs nothing", "it did not ask the gate, and ran neither call: no such tool", "don't let this Gemini CLI work"],
  [
    "ends at once",
    "it called no tool: it ended with 3 (no licence\\u{202e} here)",
    "see whether gemini starts by itself",
  ],
] as const)("a client that %s fails, with what to do", async (fault, detail, fix) => {
  const { env } = seat(fault);
  expect(await geminiCheck(env)).toMatchObject({
    ok: false,
    detail: expect.stringContaining(detail),
    fix: expect.stringMatching(new RegExp(`^${fix}.*doctor --self-test$`)),
  });
});

it("a client that hangs is ended after its time, with all that the test made", async () => {
  const { env, noted } = seat("hangs");
  expect(await geminiCheck(env, 1500)).toMatchObject({
    ok: false,
    detail: expect.stringContaining("it called no tool: it didn't end within 1.5 s"),
  });
  const { pid, cwd } = noted();
  await expect.poll(() => existsSync(`/proc/${pid}/cwd`)).toBe(false);
  expect(existsSync(cwd)).toBe(false);
});

it("what is the user's reaches no client that is tested: no key, proxy or setting, no folder of theirs", async () => {
  const { env, noted } = seat("ends at once");
  const before = readdirSync(env.HOME, { recursive: true });
  const ofUser = {
    GEMINI_API_KEY: "the user's",
    OPENAI_API_KEY: "the user's",
    HTTPS_PROXY: "http://the-users.example",
    NODE_OPTIONS: "--no-warnings",
    XDG_CONFIG_HOME: join(env.HOME, "the-users"),
    METNOS_GATE_SOCKET: join(env.HOME, "the-users"),
    METNOS_AGENT_TOKEN: "the user's",
  };
  await geminiCheck({ ...env, ...ofUser });
  const started = noted();
  expect(JSON.stringify(started)).not.toContain("the user's");
  expect(JSON.stringify(started)).not.toContain("the-users");
  expect(Object.keys(started.env)).not.toContain("NODE_OPTIONS");
  expect(started.env.HOME?.startsWith(join(tmpdir(), "metnos-self-test-"))).toBe(true);
  expect(started.cwd.startsWith(`${started.env.HOME}/`)).toBe(true);
  expect(readdirSync(env.HOME, { recursive: true })).toEqual(before);
});

it("what isn't installed, and what isn't connected, is not tested, and no failure", async () => {
  const { env } = seat("ends at once");
  const checks: Check[] = [];
  const unpaired = { ...env, HOME: tempFolder() };
  for await (const check of selfTests({ env: unpaired })) checks.push(check);
  expect(checks.map(({ ok, detail }) => [ok, detail.replace(/\(.*/, "")])).toEqual([
    [true, "not tested: there is no claude on PATH"],
    [true, "not tested: there is no codex on PATH"],
    [true, "not tested: not connected "],
    [true, "not tested: there is no opencode on PATH"],
  ]);
});

it("doctor says when this very client last passed, and which other one did where its file has changed", async () => {
  const { env, program } = seat("ends at once");
  const fix = expect.stringMatching(/ doctor --self-test$/);
  writeFileSync(program, "#!/bin/sh\necho gemini-cli 9.9.8\n");
  // A process that begins meanwhile may hold the file open for a moment: until then it can't be run.
  await expect
    .poll(() => recordedSelfTests({ env }))
    .toEqual([
      { check: "self-test gemini", ok: true, detail: `gemini 9.9.8 has not been tested here: ${program}`, fix },
    ]);
  recordSelfTest({ env, name: "gemini", program, version: "9.9.8", problem: null });
  const passed = expect.stringMatching(/^passed today \d\d:\d\d \(gemini 9\.9\.8, .*\)$/);
  expect(await recordedSelfTests({ env })).toEqual([{ check: "self-test gemini", ok: true, detail: passed }]);
  writeFileSync(program, "#!/bin/sh\necho gemini-cli 9.9.9\n");
  utimesSync(program, 1, 1);
  const changed =
    /^gemini 9\.9\.9 is another program than the one that passed today \d\d:\d\d \(gemini 9\.9\.8\): .*gemini$/;
  await expect
    .poll(() => recordedSelfTests({ env }))
    .toEqual([{ check: "self-test gemini", ok: true, detail: expect.stringMatching(changed), fix }]);
});

it("doctor fails for a client that failed, and keeps nothing of one that made no call", async () => {
  const failed = seat("asks nobody");
  await geminiCheck(failed.env);
  expect(await recordedSelfTests({ env: failed.env })).toMatchObject([
    { ok: false, detail: expect.stringMatching(/^failed today .*: it ran a call that the gate denies$/) },
  ]);
  const silent = seat("ends at once");
  await geminiCheck(silent.env);
  expect(await recordedSelfTests({ env: silent.env })).toMatchObject([
    { ok: true, detail: expect.stringContaining("has not been tested here") },
  ]);
});

it("connect tests the client that it has connected, and says so by its exit code; untested, it starts none", async () => {
  const { program, noted } = seat("asks nobody");
  const untested = await runGate(temporaryHome(), ["connect", "gemini", "--client", program, "--untested"]);
  expect(untested.code).toBe(0);
  expect(() => noted()).toThrow("ENOENT");
  const { code, stderr } = await runGate(temporaryHome(), ["connect", "gemini", "--client", program]);
  expect([code, stderr]).toEqual([5, expect.stringContaining("FAIL  self-test gemini: it ran a call that the gate")]);
  expect(stderr).toContain("don't let this Gemini CLI work");
});
