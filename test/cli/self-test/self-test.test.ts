import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Check } from "../../../cli/check.ts";
import { selfTests } from "../../../cli/self-test/self-test.ts";
import { agentTokenFile, gatePaths } from "../../../ipc/paths.ts";
import { type Fault, writeFaultyClient } from "../../support/faulty-client.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** A home in which Gemini CLI was connected, and a program of its name alone on PATH. */
function seat(fault: Fault) {
  const folder = tempFolder();
  const [bin, notes] = [join(folder, "bin"), join(folder, "notes.json")];
  const env = { HOME: join(folder, "home"), PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  mkdirSync(bin);
  mkdirSync(gatePaths(env).agent_tokens_dir, { recursive: true });
  writeFileSync(agentTokenFile(gatePaths(env), "gemini"), "a token\n");
  writeFaultyClient(join(bin, "gemini"), notes, fault);
  const noted = () =>
    JSON.parse(readFileSync(notes, "utf8")) as { env: Record<string, string>; cwd: string; pid: number };
  return { env, noted };
}

async function geminiCheck(env: Record<string, string>, timeout_ms?: number): Promise<Check | undefined> {
  const checks: Check[] = [];
  for await (const check of selfTests({ env, ...(timeout_ms === undefined ? {} : { timeout_ms }) })) checks.push(check);
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
  const of_user = {
    GEMINI_API_KEY: "the user's",
    OPENAI_API_KEY: "the user's",
    HTTPS_PROXY: "http://the-users.example",
    NODE_OPTIONS: "--no-warnings",
    XDG_CONFIG_HOME: join(env.HOME, "the-users"),
    METNOS_GATE_SOCKET: join(env.HOME, "the-users"),
    METNOS_AGENT_TOKEN: "the user's",
  };
  await geminiCheck({ ...env, ...of_user });
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
