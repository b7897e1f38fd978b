import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { codexChecks } from "../../cli/agents/codex/hook-check.ts";
import { launcherFile } from "../../cli/hook/launcher.ts";
import { hasOtherShell } from "../../main/hooks/codex/dialect.ts";
import { startGate } from "../support/running-gate.ts";
import { CodexSeat, command, TTL_SECONDS } from "./codex-run.ts";
import { installedClient } from "./installed-client.ts";
import { mustHold, startGateBehind } from "./must-hold.ts";

/** The real Codex behind a real gate; its model alone is a pretended one. */

const GATE = new URL("../../bin/metnos-gate.js", import.meta.url).pathname;
const MCP_SERVER = new URL("codex-mcp-server.mjs", import.meta.url).pathname;

const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

describe("codex", () => {
  const binary = installedClient("codex");
  if (binary === undefined) return;

  let seat: CodexSeat;
  const home = process.env.HOME;
  beforeEach(async () => {
    const gate = await startGate();
    await gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    seat = await CodexSeat.take(gate, binary);
    return () => {
      process.env.HOME = home;
    };
  });

  const made = (name: string) => existsSync(join(seat.project, name));
  const grantProject = async () => {
    for (const capability of ["fs:read", "fs:write"] as const)
      await seat.gate.operator.call("grants.add", { capability, target: `${seat.project}/**` });
  };
  const checks = () =>
    codexChecks({ cwd: seat.project, env: seat.gate.home.env, answerSeconds: TTL_SECONDS, client: binary });
  /** Answers with the command, as another process. */
  const answerByCommand = async (...words: string[]) => {
    const { data } = await seat.gate.event(({ type }) => type === "approval.waiting");
    const token = (data as { token: string }).token;
    expect(await seat.gate.operator.call("approvals.list", {})).toMatchObject([{ token, user_words: "go" }]);
    const args = [GATE, ...words.slice(0, 1), token, ...words.slice(1)];
    await promisify(execFile)(process.execPath, args, { env: seat.gate.home.env });
  };

  it("asks the gate before each tool: what it allows runs, what it denies doesn't, with the reason", async () => {
    const answered = answerByCommand("approve");
    const [allowed, approved, denied, one, two, image] = await seat.results([
      [command("echo one")],
      [command("touch made.txt")],
      [command(`cat ${seat.key}`)],
      // At once.
      [command("echo first"), command("echo second"), { name: "view_image", input: { path: seat.key } }],
    ]);
    await answered;
    expect(allowed).toContain("one");
    const cards = await seat.gate.operator.call("approvals.list", { include_resolved: true, limit: 10 });
    expect([approved, made("made.txt")], JSON.stringify(cards)).toEqual([
      expect.stringContaining("exited with code 0"),
      true,
    ]);
    expect(denied).toContain("Metnos Gate: guard: forbidden path");
    expect([one, two]).toEqual([expect.stringContaining("first"), expect.stringContaining("second")]);
    expect(image).toContain("Metnos Gate: guard: forbidden path");
    expect(await seat.decisions()).toMatchObject({ allowed: 4, denied: 2, asked: 1 });
  });

  it("asks for each file of a patch, by the tool as in a command", async () => {
    await grantProject();
    const key = join("..", ".ssh", "id_rsa");
    const [added, moved, denied, unsure] = await seat.results([
      [{ name: "apply_patch", input: patch("*** Add File: src/a.txt", "+one", "*** Add File: b.txt", "+b") }],
      [command(`apply_patch <<'END'\n${patch("*** Update File: src/a.txt", "*** Move to: c.txt", "-one", "+two")}END`)],
      [{ name: "apply_patch", input: patch("*** Add File: d.txt", "+d", `*** Update File: ${key}`, "-the key", "+x") }],
      [command(`apply_patch <<'END'\n${patch("*** Add File: d.txt", "+d", ` *** Delete File: ${key}`)}END`)],
    ]);
    expect(added).toContain("Success");
    expect([moved, made("src/a.txt")]).toEqual([expect.stringContaining("Success"), false]);
    expect(readFileSync(join(seat.project, "c.txt"), "utf8")).toBe("two\n");
    for (const result of [denied, unsure]) expect(result).toContain("Metnos Gate: guard: forbidden path");
    expect([made("b.txt"), made("d.txt"), existsSync(seat.key)]).toEqual([true, false, true]);
    expect(await seat.decisions()).toMatchObject({ allowed: 2, denied: 2, asked: 0 });
  });

  it("asks before the tools of MCP servers and of subagents; a refusal's words are read by the model", async () => {
    writeFileSync(
      seat.config,
      `${seat.read(seat.config)}\n[mcp_servers.probe]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(MCP_SERVER)}]\n`,
    );
    const rejected = answerByCommand("deny", "--message", "not on a Friday");
    const [mcp] = await seat.results([[{ name: "echo", namespace: "mcp__probe", input: { text: "hello" } }]]);
    await rejected;
    expect(mcp).toContain("not on a Friday");
    await grantProject();
    await seat.gate.operator.call("grants.add", { capability: "llm:online", target: "*" });
    const run = await seat.start({
      script: [
        [{ name: "spawn_agent", namespace: "multi_agent_v1", input: { message: "work" } }],
        [command("while [ ! -e ended.txt ]; do sleep 0.1; done")],
      ],
      subagent: [[command(`cat ${seat.key}`)], [command("touch ended.txt")]],
    });
    const answered = seat.answerNext("approved");
    const [started] = await run.results();
    await answered;
    expect(started).toContain("agent_id");
    expect([made("ended.txt"), await seat.decisions()]).toMatchObject([true, { denied: 2 }]);
  });

  it("has no program that the model types into later", async () => {
    const [started, typed] = await seat.results([
      [command("cat", { tty: true })],
      [{ name: "write_stdin", input: { session_id: 1, chars: "touch typed.txt\n" } }],
    ]);
    expect(started).toContain("disabled");
    expect(typed).not.toContain("exited with code 0");
    expect(made("typed.txt")).toBe(false);
  });

  it("runs no line in another shell than the user's own, by whatever way its model names it", async () => {
    const [tools, ran] = [join(seat.project, "tools"), join(seat.project, "ran.txt")];
    mkdirSync(tools);
    for (const name of ["sh", "pwsh"]) writeFileSync(join(tools, name), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    seat.gate.home.env.PATH = `${tools}:${seat.gate.home.env.PATH}`;
    const [own, ...others] = await seat.results([
      [command("echo one")],
      [command("echo two", { shell: "sh" })],
      [command("echo three", { shell: "/usr/bin/pwsh" })],
    ]);
    expect(own).toContain("one");
    for (const result of others) expect(result).toContain("leave `shell` out");
    const answered = seat.answerNext("rejected");
    const input = `text(String(await tools.exec_command({ cmd: "echo two", shell: "pwsh" }).catch((error) => error)));`;
    const [scripted] = await seat.results([[{ name: "exec", input }]], { model: "gpt-6.1-sol" });
    await answered;
    expect(scripted).toContain("the user said no");
    expect(existsSync(ran)).toBe(false);
  });

  // There each of them is asked about, as no record says which shell it names.
  it.skipIf(hasOtherShell(process.env.PATH))(
    "asks before what a script of its model calls, where that is how the model works",
    async () => {
      const script = `for (const cmd of ["echo one", ${JSON.stringify(`cat ${seat.key}`)}]) {
      try { text(JSON.stringify(await tools.exec_command({ cmd }))); } catch (error) { text(String(error)); }
    }
    text(String(await tools.exec_command({ cmd: "cat", tty: true }).catch((error) => error)));`;
      const [result] = await seat.results([[{ name: "exec", input: script }]], { model: "gpt-6.1-sol" });
      expect(result).toContain("one");
      expect(result).toContain("Metnos Gate: guard: forbidden path");
      expect(result).toContain("disabled");
      expect(await seat.decisions()).toMatchObject({ denied: 1 });
    },
  );

  it("denies everything while no gate runs, and says how to start it", async () => {
    await seat.gate.close();
    const [result, key] = await seat.results([[command("touch made.txt")], [command(`cat ${seat.key}`)]]);
    expect([result, made("made.txt")]).toEqual([expect.stringContaining("tell the user to start it with"), false]);
    expect(key).toContain("Metnos Gate: guard: forbidden path");
  });

  it("runs nothing while the gate's hook is missing, crashes, or says something else or nothing", async () => {
    const launcher = launcherFile(seat.gate.home.env);
    const text = readFileSync(launcher, "utf8");
    const broken: [string, () => void][] = [
      ["missing", () => undefined],
      ["a folder", () => mkdirSync(launcher)],
      ...["", "#!/bin/sh\nkill -9 $$\n", "#!/bin/sh\necho fine\n", "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexit 2\n"].map(
        (script): [string, () => void] => [script, () => writeFileSync(launcher, script, { mode: 0o700 })],
      ),
    ];
    const beforeTurn = (turn: number) => {
      rmSync(launcher, { recursive: true, force: true });
      const change = broken[turn]?.[1];
      if (change === undefined) writeFileSync(launcher, text, { mode: 0o700 });
      else change();
    };
    const script = broken.map((_, at) => [command(`touch made-${at}.txt`)]);
    const results = await seat.results([...script, [command("echo whole")]], { beforeTurn });
    for (const [at, [what]] of broken.entries())
      expect([what, results[at], made(`made-${at}.txt`)]).toEqual([
        what,
        expect.stringContaining("without an answer of its hook"),
        false,
      ]);
    expect(results.at(-1)).toContain("whole");
  });

  it("ended while the user is asked, its card is removed at once", async () => {
    const asked = seat.gate.event(({ type }) => type === "approval.waiting");
    const run = await seat.start({ script: [[command("touch made.txt")]] });
    await asked;
    const closed = seat.gate.event(({ type }) => type === "approval.closed");
    const { pid } = run.child;
    if (pid === undefined) throw new Error("it was started");
    const killedAt = Date.now();
    process.kill(pid, "SIGKILL");
    expect((await closed).data).toMatchObject({ status: "cancelled" });
    expect(Date.now() - killedAt).toBeLessThan(5000);
  });

  it("a trusted project that switches hooks off is what doctor reports", async () => {
    expect(await checks()).toMatchObject([
      { check: "codex hook", ok: true },
      { check: "codex web search", ok: true },
    ]);
    const project = join(seat.project, ".codex/config.toml");
    writeFileSync(
      seat.config,
      `${seat.read(seat.config)}\n[projects.${JSON.stringify(seat.project)}]\ntrust_level = "trusted"\n`,
    );
    writeFileSync(project, "[features]\nhooks = false\n");
    const [result] = await seat.results([[command("echo one")]]);
    expect(result).toContain("one");
    expect((await seat.decisions()).allowed).toBe(0);
    expect((await checks())[0]).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`switched off here: ${project}`),
    });
    writeFileSync(project, "[features]\nunified_exec_tty = true\n");
    expect((await checks())[0]).toMatchObject({ ok: false, detail: expect.stringContaining("types into later") });
    writeFileSync(project, '[shell_environment_policy.set]\nBASH_ENV = "./evil.sh"\nEDITOR = "vi"\n');
    expect(await checks()).toMatchObject([
      { ok: false, detail: expect.stringContaining(`another BASH_ENV than the gate knows of: ${project}`) },
      { check: "codex web search" },
    ]);
  });

  it("another hook before the gate's takes its trust away, which doctor reports and connect mends", async () => {
    const { hooks } = JSON.parse(seat.read(seat.hooks));
    const other = { matcher: "*", hooks: [{ type: "command", command: "cat >/dev/null" }] };
    writeFileSync(seat.hooks, JSON.stringify({ hooks: { PreToolUse: [other, ...hooks.PreToolUse] } }));
    expect((await checks())[0]).toMatchObject({ ok: false, detail: expect.stringContaining("lets everything run") });
    expect(await seat.connect()).toMatchObject({ changed: true });
    expect((await checks())[0]).toMatchObject({ ok: true });
    const [denied] = await seat.results([[command(`cat ${seat.key}`)]]);
    expect(denied).toContain("guard: forbidden path");
  });

  it("a no's words, a card that expires, a hook that waits in vain, grants and their ends, a gate that is killed, and Ctrl+C are what they are", async () => {
    const behind = await startGateBehind();
    await behind.gate.operator.call("agents.pair", { name: "codex", level: "Supervised" });
    const held = await CodexSeat.take(behind.gate, binary);
    await behind.gate.operator.call("grants.add", { capability: "fs:read", target: `${held.project}/**` });
    const turn = (file: string) => [{ name: "apply_patch", input: patch(`*** Add File: ${file}`, "+x") }];
    await mustHold(
      {
        project: held.project,
        hasLauncher: true,
        endsSessions: true,
        write: (files, beforeTurn) => held.results(files.map(turn), { beforeTurn }),
        continued: async (files) =>
          (await held.start({ script: files.slice(-1).map(turn), words: ["resume", "--last"] })).child,
      },
      behind,
    );
  });
});
