import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { allAdapters } from "../../cli/agents/adapters.ts";
import type { Check } from "../../cli/check.ts";
import { recordedSelfTests } from "../../cli/self-test/record.ts";
import { selfTests } from "../../cli/self-test/self-test.ts";
import { agentTokenFile, gatePaths } from "../../ipc/base/paths.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { installedClient } from "./installed-client.ts";

/** `doctor --self-test` with the real clients. */

describe("doctor --self-test", () => {
  const programs = { claude: installedClient("claude-code"), codex: installedClient("codex") };
  const others = { gemini: installedClient("gemini"), opencode: installedClient("opencode") };
  const all = Object.entries({ ...programs, ...others });
  if (all.some(([, program]) => program === undefined)) return;

  it("has each real client run two calls: the model reads why the one is denied, the other runs; nothing but their results is left, in the user's home or beside it", async () => {
    const folder = tempFolder();
    const env = { HOME: join(folder, "home"), PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}` };
    mkdirSync(join(folder, "bin"));
    mkdirSync(gatePaths(env).agentTokensDir, { recursive: true });
    for (const [name, program = ""] of all) symlinkSync(program, join(folder, "bin", name));
    for (const { name } of await allAdapters())
      writeFileSync(agentTokenFile(gatePaths(env), name), "of another gate\n");
    const before = readdirSync(env.HOME, { recursive: true });
    const checks: Check[] = [];
    for await (const check of selfTests({ env })) checks.push(check);
    expect(checks).toEqual(
      ["claude-code", "codex", "gemini", "opencode"].map((name) => ({
        check: `self-test ${name}`,
        ok: true,
        detail: expect.stringContaining(
          "what the gate denies doesn't run, and its model reads why; what it allows runs",
        ),
      })),
    );
    const { state_dir } = gatePaths(env);
    const kept = [".", ...all.map((_, at) => `${checks[at]?.check.slice("self-test ".length)}.json`)];
    const records = kept.map((name) => relative(env.HOME, join(state_dir, "self-tests", name)));
    expect(readdirSync(env.HOME, { recursive: true }).sort()).toEqual([...before, ...records].sort());
    const version = expect.stringMatching(/^passed today .* \d+\.\d+\.\d+, /);
    expect(await recordedSelfTests({ env })).toEqual(checks.map((check) => ({ ...check, detail: version })));
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`metnos-self-test-${process.pid}-`))).toEqual([]);
  });
});
