import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gemini } from "../../cli/agents/gemini/adapter.ts";
import { hookName } from "../../cli/agents/gemini/entries.ts";
import { launcherFile } from "../../cli/hook/launcher.ts";
import { startGate } from "../support/running-gate.ts";
import { killed } from "./client-process.ts";
import { ANSWER_SECONDS, GeminiSeat, shell } from "./gemini-seat.ts";
import { installedClient } from "./installed-client.ts";
import { withOneSecond, withoutPipes } from "./launcher-changes.ts";
import { mustHold, startGateBehind } from "./must-hold.ts";

/** The real Gemini CLI behind a real gate; its model alone is a pretended one. */

describe("Gemini CLI", () => {
  const program = installedClient("gemini");
  if (program === undefined) return;
  const connected = async () => GeminiSeat.connected(await startGate(), program);
  /** Of its settings. */
  const checksIn = async ({ gate, project }: GeminiSeat) => {
    const checks = await gemini.checks({ cwd: project, env: gate.home.env, answerSeconds: ANSWER_SECONDS });
    return checks.filter(({ check }) => check !== "gemini client");
  };

  it("asks the gate before each tool: what it allows runs, what it denies doesn't, and the model reads why; what waits runs once it is approved", async () => {
    const seat = await connected();
    const made = (name: string) => existsSync(join(seat.project, name));
    mkdirSync(join(seat.project, "below"));
    const answered = seat.answer(["approved"], ["rejected", "not on a Friday"], ["approved"], ["approved"]);
    const [allowed, key, approved, rejected, below, mcp] = await seat.results([
      shell("echo one"),
      shell(`cat ${seat.key}`),
      shell("touch approved"),
      shell("touch rejected"),
      shell("touch here", { dir_path: "below" }),
      { name: "mcp_echo_say", input: { text: "hello" } },
    ]);
    const cards = await answered;
    expect(allowed).toMatchObject({ is_error: false, text: expect.stringContaining("one") });
    expect(key).toMatchObject({ is_error: true, text: expect.stringContaining("Metnos Gate: guard: forbidden path") });
    expect([approved?.is_error, made("approved")]).toEqual([false, true]);
    expect(rejected).toMatchObject({ is_error: true, text: expect.stringContaining("not on a Friday") });
    expect(made("rejected")).toBe(false);
    expect(below).toMatchObject({ is_error: false });
    expect([made("below/here"), cards[2]?.cwd]).toEqual([true, join(seat.project, "below")]);
    expect(mcp).toMatchObject({ is_error: false, text: expect.stringContaining("said: hello") });
    expect(cards.map(({ executor }) => executor)).toEqual([...Array(3).fill("run_shell_command"), "mcp__echo__say"]);
    expect(new Set(cards.map(({ session }) => session)).size).toBe(1);
    expect(cards.map(({ user_words }) => user_words)).toEqual(cards.map(() => "go"));
  });

  it("asks before each of several calls at once, before those of a subagent, and before its own file tools", async () => {
    const seat = await connected();
    writeFileSync(join(seat.project, "notes.txt"), "old\n");
    const path = join(seat.project, "made.txt");
    await seat.gate.operator.call("grants.add", { capability: "fs:read", target: `${seat.project}/**` });
    await seat.gate.operator.call("grants.add", { capability: "llm:online", target: "*" });
    const answered = seat.answer(["approved"], ["approved"]);
    const results = await seat.results({
      turns: [
        [shell("echo first"), shell(`head ${seat.key}`), { name: "read_file", input: { file_path: "notes.txt" } }],
        { name: "write_file", input: { file_path: path, content: "new\n" } },
        { name: "replace", input: { file_path: path, old_string: "new", new_string: "newer", instruction: "i" } },
        { name: "read_file", input: { file_path: "n%6ftes.txt" } },
        { name: "invoke_agent", input: { agent_name: "generalist", prompt: "p" } },
      ],
      subagent: [shell(`tail ${seat.key}`)],
    });
    const cards = await answered;
    expect(results.map(({ is_error }) => is_error)).toEqual([false, true, false, false, false, true, false]);
    expect(readFileSync(path, "utf8")).toBe("newer\n");
    expect(cards.map(({ description }) => description?.changes.map(({ status }) => status))).toEqual([
      ["new"],
      ["edits"],
    ]);
    expect(results[5]?.text).toContain("Gemini would read its % as an encoded character");
    // The subagent's call, and the one of the three.
    const { decisions } = await seat.gate.operator.call("status", {});
    expect(decisions.denied).toBe(2);
  });

  it("starts no program by a pattern that git would take for an option, and searches no folder above the one that it names", async () => {
    const seat = await connected();
    execFileSync("git", ["init", "-q"], { cwd: seat.project });
    mkdirSync(join(seat.project, "src"));
    for (const file of ["a.txt", "src/b.txt"]) writeFileSync(join(seat.project, file), "needle\n");
    // Without ripgrep, as on a machine that has none, it searches by git.
    seat.projectSettings({ tools: { useRipgrep: false } });
    await seat.gate.operator.call("grants.add", { capability: "fs:read", target: `${seat.project}/**` });
    const search = (input: Record<string, string>) => ({ name: "grep_search", input });
    const [option, above, plain] = await seat.results([
      search({ pattern: "-Otouch made; true", include_pattern: "needle" }),
      search({ pattern: "needle", dir_path: "src", include_pattern: "../a.txt" }),
      search({ pattern: "needle", dir_path: "src" }),
    ]);
    expect(existsSync(join(seat.project, "made"))).toBe(false);
    expect(option).toMatchObject({ is_error: true, text: expect.stringContaining("begins with a dash") });
    expect(above).toMatchObject({ is_error: true, text: expect.stringContaining("name that folder in dir_path") });
    expect(plain).toMatchObject({ is_error: false, text: expect.stringContaining("b.txt") });
  });

  it("runs nothing where the hook's launcher is gone, fails, is killed or says nothing, nor where nobody answers, nor without a gate", async () => {
    const seat = await connected();
    const launcher = launcherFile(seat.gate.home.env);
    const whole = readFileSync(launcher, "utf8");
    const damages = [
      () => rmSync(launcher),
      () => writeFileSync(launcher, "#!/bin/sh\nexit 1\n", { mode: 0o700 }),
      () => writeFileSync(launcher, "#!/bin/sh\nkill -9 $$\n"),
      () => writeFileSync(launcher, withoutPipes(whole).replace(/^answer=.*$/m, "answer=")),
      () => writeFileSync(launcher, withOneSecond(whole)),
      async () => {
        writeFileSync(launcher, whole);
        await seat.gate.close();
      },
    ];
    const results = await seat.results({
      turns: damages.map((_, turn) => shell(`touch made-${turn}`)),
      beforeTurn: async (turn) => damages[turn]?.(),
    });
    for (const result of results)
      expect(result).toMatchObject({ is_error: true, text: expect.stringContaining("Metnos Gate: ") });
    expect(results.at(-2)?.text).toContain("nobody answered within 1 s");
    expect(results.at(-1)?.text).toContain("tell the user to start it with");
    expect(damages.filter((_, turn) => existsSync(join(seat.project, `made-${turn}`)))).toEqual([]);
  });

  it.each([
    ["all hooks", { enabled: false }],
    ["the gate's by its name", { disabled: [hookName()] }],
  ])(
    "a project that switches off %s is what doctor reports, and `run` does not start it there",
    async (_, hooksConfig) => {
      const seat = await connected();
      expect(await checksIn(seat)).toMatchObject([{ check: "gemini hook", ok: true }]);
      seat.projectSettings({ hooksConfig });
      expect(await checksIn(seat)).toMatchObject([{ ok: false, detail: expect.stringContaining("switched off here") }]);
      const [unasked] = await seat.results([shell(`cat ${seat.key}`)]);
      expect(unasked?.text).toContain("the key");
      const { decisions } = await seat.gate.operator.call("status", {});
      expect(decisions).toMatchObject({ allowed: 0, denied: 0 });
      const launch = gemini.launch({
        answerSeconds: ANSWER_SECONDS,
        cwd: seat.project,
        env: seat.gate.home.env,
        args: [],
      });
      await expect(launch).rejects.toThrow("would not ask the gate here: switched off here");
    },
  );

  it("what a project's .env sets reaches neither the shell of the hook nor the hook", async () => {
    const seat = await connected();
    const evil = join(seat.project, "evil.sh");
    writeFileSync(evil, `touch ${seat.project}/reached\necho '{"decision":"allow"}'\nexit 0\n`);
    const variables = [
      `BASH_ENV=${evil}`,
      `ENV=${evil}`,
      `METNOS_RUNTIME_DIR=${seat.project}`,
      "METNOS_AGENT_TOKEN=none",
    ];
    writeFileSync(
      join(seat.project, ".env"),
      `${variables.join("\n")}\nNODE_OPTIONS=--require=/nonexistent\nSHELLOPTS=noexec\n`,
    );
    const [denied] = await seat.results([shell(`cat ${seat.key}`)]);
    expect(denied).toMatchObject({ is_error: true, text: expect.stringContaining("guard: forbidden path") });
    expect((await seat.gate.operator.call("status", {})).decisions.denied).toBe(1);
  });

  it("sees what another hook of the user's made of a call; doctor names that one, and one of the project that comes after", async () => {
    const seat = await connected();
    const rewriting = (name: string, command: string) => ({
      matcher: "*",
      hooks: [
        {
          type: "command",
          name,
          command: `echo '${JSON.stringify({ decision: "allow", hookSpecificOutput: { tool_input: { command } } })}'`,
        },
      ],
    });
    const settings = JSON.parse(readFileSync(seat.settings, "utf8"));
    settings.hooks.BeforeTool.unshift(rewriting("earlier", `cat ${seat.key}`));
    seat.write(seat.settings, settings);
    expect(await checksIn(seat)).toMatchObject([
      { check: "gemini hook", ok: true },
      { check: "gemini other hooks", detail: expect.stringContaining(`earlier (${seat.settings})`) },
    ]);
    const [denied] = await seat.results([shell("echo one")]);
    expect(denied).toMatchObject({ is_error: true, text: expect.stringContaining("guard: forbidden path") });
    seat.projectSettings({ hooks: { BeforeTool: [rewriting("later", "echo smuggled")] } });
    expect((await checksIn(seat))[1]?.detail).toContain(`later (${seat.project}/.gemini/settings.json)`);
  });

  it("calls no hook in a folder that the user doesn't trust, and runs nothing there without a terminal: doctor says so", async () => {
    const seat = await connected();
    const settings = JSON.parse(readFileSync(seat.settings, "utf8"));
    settings.security.folderTrust.enabled = true;
    seat.write(seat.settings, settings);
    seat.write(join(seat.gate.home.home, ".gemini/trustedFolders.json"), {
      [seat.gate.home.home]: "TRUST_FOLDER",
      [seat.project]: "DO_NOT_TRUST",
    });
    expect(await checksIn(seat)).toMatchObject([
      { ok: false, detail: expect.stringContaining("not to trust this folder") },
    ]);
    const { client } = await seat.start({ turns: [shell("touch made")] });
    await client.ended;
    expect([client.child.exitCode, existsSync(join(seat.project, "made"))]).toEqual([55, false]);
  });

  it("killed while the user is asked, its card is removed at once", async () => {
    const seat = await connected();
    const asked = seat.gate.event(({ type }) => type === "approval.waiting");
    const { client } = await seat.start({ turns: [shell("touch made")] });
    await asked;
    const closed = seat.gate.event(({ type }) => type === "approval.closed");
    const { pid } = client.child;
    if (pid === undefined) throw new Error("it was started");
    // The client alone, not the shell that waits for the hook: Gemini runs in a child of the process that was started.
    const killedAt = Date.now();
    for (const geminiPid of [...childrenOf(pid), pid]) killed(geminiPid);
    expect((await closed).data).toMatchObject({ status: "cancelled" });
    expect(Date.now() - killedAt).toBeLessThan(5000);
  });

  it("a no's words, a card that expires, a hook that waits in vain, grants and their ends, a gate that is killed, and Ctrl+C are what they are", async () => {
    const behind = await startGateBehind();
    const seat = await GeminiSeat.connected(behind.gate, program);
    const write = (file: string) => ({
      name: "write_file",
      input: { file_path: join(seat.project, file), content: "x" },
    });
    await mustHold(
      {
        project: seat.project,
        hasLauncher: true,
        endsSessions: true,
        write: async (files, beforeTurn) =>
          (await seat.results({ turns: files.map(write), beforeTurn })).map(({ text }) => text),
        continued: async (files) => {
          const args = ["--approval-mode", "yolo", "--resume", "latest"];
          return (await seat.start({ turns: files.map(write) }, { args })).client.child;
        },
      },
      behind,
    );
  });
});

/** The processes that a process has started, from Linux's /proc. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .map(Number)
    .filter((child) => child > 0);
}
