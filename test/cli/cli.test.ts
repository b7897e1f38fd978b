import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CAPABILITIES, LEVELS } from "../../ipc/contract/decision.ts";
import { POLICY_TABLE } from "../../main/decide/policy/policy.ts";
import { tokenOf } from "../support/agent-connection.ts";
import { LAUNCHER, runGate, StartedProcess } from "../support/gate-process.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const WRITE = { executor: "Write", args: { file_path: "/tmp/notes/a.txt", content: "hello" } };

function commandsIn(home: TemporaryHome) {
  return (...args: string[]) => runGate(home, args);
}

describe("policy", () => {
  it("registry, table and check without a target need no gate, and leave nothing behind", async () => {
    const home = temporaryHome();
    const run = commandsIn(home);
    const [registry, table, ...checks] = await Promise.all([
      run("policy", "registry"),
      run("policy", "table"),
      run("policy", "check", "Supervised", "fs:write"),
      run("policy", "check", "readonly", "fs:write"),
      run("policy", "check", "Full", "code:exec"),
    ]);
    expect(registry.lines.map(({ name }) => name)).toEqual([...CAPABILITIES]);
    expect(table.lines).toEqual(LEVELS.map((level) => ({ level, ...POLICY_TABLE[level] })));
    expect(checks.map(({ stdout }) => stdout)).toEqual(["approval_required\n", "denied\n", "approval_required\n"]);
    for (const { code, stderr } of [registry, table, ...checks])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(readdirSync(home.home)).toEqual([]);
  });

  it.each(["without a running gate", "with one"])(
    "grant, grants, check with a target and revoke work %s",
    async (where) => {
      const home = temporaryHome();
      if (where === "with one") await startGate({ home });
      const run = commandsIn(home);
      // Without a gate it is what the last one left.
      const code = where === "with one" ? 0 : 3;
      const stderr = expect.stringMatching(code === 0 ? /^no grant\n$/ : /no gate is running/);
      expect(await run("policy", "grants")).toMatchObject({ code, stdout: "", stderr });
      const given = await run("policy", "grant", "fs:write", "~/docs/**", "--expires", "2h");
      expect(given.code).toBe(0);
      expect(given.lines).toMatchObject([{ capability: "fs:write", target: `${home.home}/docs/**`, agent_id: null }]);
      const left = Date.parse(String(given.lines[0]?.expires_at)) - Date.now();
      expect(left).toBeGreaterThan(7_000_000);
      expect(left).toBeLessThan(7_200_001);
      const id = String(given.lines[0]?.id);
      const check = (target: string, ...more: string[]) =>
        run("policy", "check", "Supervised", "fs:write", "--target", target, ...more);
      const answers = await (where === "with one"
        ? Promise.all([check("~/docs/a.txt"), check("~/other"), check("~/docs/a.txt", "--sender", "somebody")])
        : inTurn([
            () => check("~/docs/a.txt"),
            () => check("~/other"),
            () => check("~/docs/a.txt", "--sender", "somebody"),
          ]));
      expect(answers.map(({ stdout }) => stdout)).toEqual(["allowed\n", "approval_required\n", "approval_required\n"]);
      expect(await run("policy", "revoke", id)).toMatchObject({ code: 0, stdout: "revoked\n" });
      expect(await run("policy", "revoke", id)).toMatchObject({ code: 0, stdout: "no-op\n" });
      expect((await run("policy", "grants")).lines).toEqual([]);
      expect((await run("policy", "grants", "--all")).lines).toMatchObject([
        { id: Number(id), revoked_at: expect.any(String) },
      ]);
      expect((await run("policy", "grants", "--all", "--sender", "somebody")).lines).toEqual([]);
    },
  );

  it("refuses what can't be granted with 4, and what isn't a command with 2", async () => {
    const home = temporaryHome();
    await startGate({ home });
    const run = commandsIn(home);
    const results = await Promise.all([
      run("policy", "grant", "code:exec", "ls"),
      run("policy", "grant", "fs:read", "/**"),
      run("policy", "grant", "fs:read", "~/x", "--agent", "nobody"),
      run("policy", "grant", "fs:read", "~/x", "--expires", "soon"),
      run("policy", "grant", "fs:everything", "~/x"),
      run("policy", "check", "Root", "fs:read"),
      run("policy", "revoke", "all"),
      run("policy", "abolish"),
      run("policy", "grants", "--everything"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([4, 4, 4, 2, 2, 2, 2, 2, 2]);
    for (const { stdout, stderr } of results) {
      expect(stdout).toBe("");
      expect(stderr).not.toBe("");
    }
    expect((await run("policy", "grants", "--all")).lines).toEqual([]);
  });
});

async function inTurn<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (const task of tasks) results.push(await task());
  return results;
}

describe("approvals", () => {
  it("list, approve, reject and cleanup answer waiting requests; words on stderr, JSON lines on stdout", async () => {
    const gate = await startGate();
    const run = commandsIn(gate.home);
    const agent = await gate.agent();
    expect(await run("approvals", "list")).toMatchObject({ code: 0, stdout: "", stderr: "nothing is waiting\n" });
    const first = await agent.ask(WRITE);
    const second = await agent.ask({ executor: "Bash", args: { command: "make \u202e\u009b2J" } });
    const list = await run("approvals", "list");
    expect(list.stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(list.lines[0]).toMatchObject({ args: { command: "make \u202e\u009b2J" } });
    expect(list.lines.map(({ token }) => token)).toEqual([tokenOf(second.decision), tokenOf(first.decision)]);
    expect(list.lines[1]).toMatchObject({ status: "pending", agent_name: "tester", args: WRITE.args });

    const [approved, rejected] = await Promise.all([
      run(
        "approvals",
        "approve",
        tokenOf(first.decision),
        "--permanent",
        "--target",
        "/tmp/notes/*",
        "--expires",
        "30d",
      ),
      run("approvals", "reject", tokenOf(second.decision), "--message", "use npm test"),
    ]);
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringMatching(/^approved: /) });
    expect(approved.lines).toMatchObject([{ status: "approved", territory_concession: "permanent", args: null }]);
    expect(rejected).toMatchObject({ code: 0, stderr: expect.stringMatching(/^denied: /) });
    expect(await first.final()).toMatchObject({ outcome: "allowed" });
    expect(await second.final()).toMatchObject({ outcome: "denied", reason: expect.stringContaining("use npm test") });
    expect((await gate.operator.call("grants.list", {}))[0]).toMatchObject({
      target: "/tmp/notes/*",
      agent_name: "tester",
    });
    expect((await run("approvals", "list", "--all")).lines.map(({ status }) => status)).toEqual([
      "rejected",
      "approved",
    ]);
    expect((await run("approvals", "cleanup")).lines).toEqual([{ expired: 0 }]);
  });

  it("answer while no gate runs: the next start knows", async () => {
    const gate = await startGate();
    const token = tokenOf((await (await gate.agent("tester", "Supervised", { session: "s" })).ask(WRITE)).decision);
    await gate.close();
    const run = commandsIn(gate.home);
    expect((await run("approvals", "list")).lines).toMatchObject([{ token }]);
    expect((await run("approvals", "approve", token)).code).toBe(0);
    const restarted = await startGate({ home: gate.home });
    expect((await (await restarted.agent("tester", "Supervised", { session: "s" })).ask(WRITE)).decision).toMatchObject(
      {
        outcome: "allowed",
        status: "approved",
      },
    );
  });

  it("refuse with 4 what the gate refuses, with 2 what makes no sense, and change nothing", async () => {
    const gate = await startGate();
    const run = commandsIn(gate.home);
    const agent = await gate.agent();
    const token = tokenOf((await agent.ask({ executor: "Bash", args: { command: "make" } })).decision);
    const results = await Promise.all([
      run("approvals", "approve", "0123456789abcdef"),
      run("approvals", "approve", token, "--permanent"),
      run("approvals", "approve", token, "--session", "--permanent"),
      run("approvals", "approve", token, "--target", "/tmp/*"),
      run("approvals", "approve", token, "--session", "--expires", "later"),
      run("approvals", "approve"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([4, 4, 2, 2, 2, 2]);
    expect(results[0]?.stderr).toContain("unknown token");
    expect(results[1]?.stderr).toContain("only be approved once");
    expect(await gate.waiting()).toEqual([token]);
  });
});

describe("agents", () => {
  it.each(["without a running gate", "with one"])("pair, list, level and revoke work %s", async (where) => {
    const home = temporaryHome();
    if (where === "with one") await startGate({ home });
    const run = commandsIn(home);
    expect(await run("agents", "list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("connect claude-code"),
    });
    const paired = await run("agents", "pair", "worker", "--level", "supervised");
    expect(paired.code).toBe(0);
    const tokenFile = String(paired.lines[0]?.token_file);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(paired.stdout + paired.stderr).not.toContain(readFileSync(tokenFile, "utf8").trim());
    expect(await run("agents", "pair", "worker", "--level", "Full")).toMatchObject({ code: 4, stdout: "" });
    expect((await run("agents", "level", "worker", "ReadOnly")).lines).toMatchObject([
      { name: "worker", level: "ReadOnly" },
    ]);
    expect((await run("agents", "list")).lines).toMatchObject([
      { name: "worker", level: "ReadOnly", revoked_at: null },
    ]);
    expect((await run("agents", "revoke", "worker")).lines).toMatchObject([
      { name: "worker", revoked_at: expect.any(String) },
    ]);
    expect(existsSync(tokenFile)).toBe(false);
    expect((await run("agents", "revoke", "worker")).code).toBe(4);
  });

  it("pair lets a waiting agent in, and revoke turns one away", async () => {
    const gate = await startGate();
    const run = commandsIn(gate.home);
    const [welcome, unwelcome] = [await gate.connect(), await gate.connect()];
    await welcome.hello("welcome");
    await unwelcome.hello("unwelcome");
    expect((await run("agents", "list")).lines).toMatchObject([{ name: "welcome" }, { name: "unwelcome" }]);
    await Promise.all([run("agents", "pair", "welcome", "--level", "Full"), run("agents", "revoke", "unwelcome")]);
    expect((await welcome.next("hello.ok")).data.level).toBe("Full");
    await unwelcome.closed;
  });

  it("refuse a name or a level that isn't one with 2", async () => {
    const run = commandsIn(temporaryHome());
    const results = await Promise.all([
      run("agents", "pair", "worker"),
      run("agents", "pair", "worker", "--level", "Root"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2]);
    expect((await run("agents", "pair", "../worker", "--level", "Full")).code).toBe(2);
  });
});

describe("audit", () => {
  it("tail gives the last lines, oldest first, and verify exits with 5 once a line was changed", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    for (let count = 0; count < 5; count++) await agent.ask({ executor: "time_now" });
    const run = commandsIn(gate.home);
    const [tail, verified] = await Promise.all([run("audit", "tail", "-n", "3"), run("audit", "verify")]);
    expect(tail.lines).toHaveLength(3);
    for (const line of tail.lines) expect(line).toMatchObject({ event: "decision", executor: "time_now" });
    expect(verified).toMatchObject({ code: 0, lines: [{ ok: true, files: 1, lines: 6 }] });
    await gate.close();

    const [name = ""] = readdirSync(gate.paths.auditDir);
    const file = join(gate.paths.auditDir, name);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [...lines.slice(0, 2), lines[2]?.replace("allowed", "denied"), ...lines.slice(3)].join("\n"));
    const broken = await run("audit", "verify");
    // The change itself, that checkpoints had to begin anew for it, and the one that was signed before.
    expect(broken).toMatchObject({
      code: 5,
      lines: [
        { file: name, line: 4, kind: "changed" },
        { file: name, line: 7, kind: "restarted" },
        { file: name.replace("jsonl", "checkpoints"), kind: "rewritten" },
        { ok: false },
      ],
    });
    expect((await run("audit", "tail", "-n", "none")).code).toBe(2);
  });

  it("tail -f prints the lines as they come, until it is interrupted", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    const follower = new StartedProcess(process.execPath, [LAUNCHER, "audit", "tail", "-f"], { env: gate.home.env });
    await follower.printed(/agent\.paired/);
    const { decision } = await agent.ask({ executor: "time_now" });
    await follower.printed(new RegExp(decision.decision_id));
    await gate.close();
    await follower.printed(/waiting for the gate/);
    await follower.end("SIGINT");
    expect(follower.child.signalCode).toBe("SIGINT");
  });
});

describe("status and doctor", () => {
  it("status gives the running gate in one line, and exits with 3 where none runs", async () => {
    const gate = await startGate();
    const agent = await gate.agent();
    await agent.ask({ executor: "time_now" });
    await agent.ask(WRITE);
    const { code, lines } = await runGate(gate.home, ["status"]);
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      {
        pid: process.pid,
        agents_connected: ["tester"],
        approvals_pending: 1,
        decisions: { allowed: 1, denied: 0, asked: 1 },
        audit_write_failures: 0,
      },
    ]);
    await gate.close();
    expect(await runGate(gate.home, ["status"])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("metnos-gate start"),
    });
  });

  it("doctor says what is wrong and what to do, changes nothing, and exits with 5 until all is well", async () => {
    const home = temporaryHome();
    const run = commandsIn(home);
    const before = await run("doctor");
    expect(before.code).toBe(5);
    const failed = before.lines.filter(({ ok }) => ok === false);
    expect(failed.map(({ check }) => check).sort()).toEqual(["claude-code hook", "gate"]);
    for (const { fix } of failed) expect(fix).toContain("metnos-gate");
    expect(readdirSync(home.home)).toEqual([]);

    await run("connect", "claude-code");
    await startGate({ home });
    const after = await run("doctor");
    expect(after.lines.filter(({ ok }) => ok === false)).toEqual([]);
    expect(after.code).toBe(0);
  });

  it("doctor names a database whose absence keeps the gate from starting, as the gate does", async () => {
    const home = temporaryHome();
    const gate = await startGate({ home });
    await gate.operator.call("safety.pause", { reason: "lunch" });
    await gate.close();
    rmSync(home.paths.safety_db);
    const { code, lines } = await runGate(home, ["doctor"]);
    expect(code).toBe(5);
    expect(lines).toContainEqual({
      check: "databases",
      ok: false,
      detail: expect.stringContaining(`the safety database ${home.paths.safety_db} is missing`),
      fix: expect.stringContaining("--accept-empty safety"),
    });
  });

  it("doctor names a database that can't be used", async () => {
    const home = temporaryHome();
    mkdirSync(home.paths.state_dir, { recursive: true, mode: 0o700 });
    writeFileSync(home.paths.grants_db, "not a database ".repeat(100));
    const { code, lines } = await runGate(home, ["doctor"]);
    expect(code).toBe(5);
    expect(lines).toContainEqual(
      expect.objectContaining({
        check: "grants database",
        ok: false,
        detail: expect.stringContaining(home.paths.grants_db),
      }),
    );
  });
});

describe("connect claude-code", () => {
  it("lets no agent in that had asked under this name: the token is for the hook", async () => {
    const gate = await startGate();
    const squatter = await gate.connect();
    expect((await squatter.hello("claude-code")).type).toBe("hello.pairing");
    expect((await commandsIn(gate.home)("connect", "claude-code")).code).toBe(0);
    expect((await squatter.next("error")).data.code).toBe("token_required");
    await squatter.closed;
    expect((await gate.operator.call("status", {})).agents_connected).toEqual([]);
  });

  it("writes the hook and pairs the agent; twice changes nothing; --remove takes it out; the rest of the file stays", async () => {
    const home = temporaryHome();
    const run = commandsIn(home);
    const file = join(home.home, ".claude/settings.json");
    mkdirSync(join(home.home, ".claude"));
    const own = {
      model: "opus",
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "my-own" }] }] },
    };
    writeFileSync(file, JSON.stringify(own));
    const first = await run("connect", "claude-code");
    expect(first).toMatchObject({
      code: 0,
      lines: [{ file, changed: true, agent: { name: "claude-code", level: "Supervised" } }],
    });
    expect(JSON.parse(readFileSync(String(first.lines[0]?.backup), "utf8"))).toEqual(own);
    const connected = readFileSync(file, "utf8");
    expect(connected).toContain(join(home.paths.state_dir, "hook/metnos-gate-hook"));
    expect(JSON.parse(connected)).toMatchObject({ model: "opus" });
    expect(statSync(join(home.paths.agentTokensDir, "claude-code.token")).mode & 0o777).toBe(0o600);

    expect(await run("connect", "claude-code")).toMatchObject({ code: 0, lines: [{ changed: false }] });
    expect(readFileSync(file, "utf8")).toBe(connected);
    expect((await run("agents", "list")).lines).toHaveLength(1);

    expect(await run("connect", "claude-code", "--remove")).toMatchObject({ code: 0, lines: [{ changed: true }] });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(own);
    expect(await run("connect", "claude-code", "--remove")).toMatchObject({ code: 0, lines: [{ changed: false }] });
  });

  it("refuses an agent that there is no adapter for with 2", async () => {
    const { code, stderr } = await runGate(temporaryHome(), ["connect", "skynet"]);
    expect(code).toBe(2);
    expect(stderr).toContain("claude-code");
  });
});

describe("the command itself", () => {
  it("prints its version on stdout, and exits with 2 for what isn't a command", async () => {
    const run = commandsIn(temporaryHome());
    const [version, unknown, help] = await Promise.all([run("--version"), run("nonsense"), run("--help")]);
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(help.stdout).toMatch(/Exit codes: 0 .* 1 .* 2 .* 3 .* 4 .* 5 /);
  });
});
