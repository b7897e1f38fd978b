import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../cli/output.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { CHECKOUT, LAUNCHER, runGate, StartedProcess, startServe } from "../support/gate-process.ts";
import { payload, runHook } from "../support/hook-process.ts";
import { givePort } from "../support/own-port.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

/** `metnos-gate start` without a tray. `node`: Node's own flags, which the gate gets, too. */
async function start(home: TemporaryHome, node: readonly string[] = []): Promise<StartedProcess> {
  givePort(home);
  const env = { ...home.env, ELECTRON_OVERRIDE_DIST_PATH: join(home.home, "nowhere") };
  const started = new StartedProcess(process.execPath, [...node, LAUNCHER, "start"], { env });
  await started.printed(/the audit trail is/);
  return started;
}

/** The running gate's own process, which is not the one that was started. */
async function gatePid(home: TemporaryHome): Promise<number> {
  const { operator_socket, operatorToken } = home.paths;
  const operator = await OperatorClient.connect(operator_socket, operatorToken);
  const { pid } = await operator.call("status", {});
  await operator.close();
  return pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The gate's process is killed; resolves with the next one's once it answers, and how long that took in milliseconds. */
async function killed(home: TemporaryHome, pid: number): Promise<{ next: number; ms: number }> {
  const from = performance.now();
  process.kill(pid, "SIGKILL");
  for (;;) {
    const next = await gatePid(home).catch(() => undefined);
    if (next !== undefined && next !== pid) return { next, ms: performance.now() - from };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const linksIn = (text: string) => text.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];

describe("a gate that metnos-gate start runs, and that is killed", () => {
  it("is back within 2 s and answers the hook that was waiting; killed again, it ends with a sentence", async () => {
    const home = temporaryHome();
    const from = performance.now();
    const started = await start(home);
    const startMs = performance.now() - from;
    await runGate(home, ["agents", "pair", "claude-code", "--level", "Supervised"]);
    const first = await gatePid(home);
    const hook = runHook(payload("Bash", { command: "make" }), home.env);
    await started.printed(/approval_required claude-code/);
    const { next, ms } = await killed(home, first);
    // On a machine that is busy with something else, no slower than a start there.
    expect(ms).toBeLessThan(Math.max(2000, 2 * startMs));
    expect(next).not.toBe(started.child.pid);

    await started.printed(/ALARM gate_restarted/);
    const [waiting] = (await runGate(home, ["approvals", "list"])).lines;
    await runGate(home, ["approvals", "approve", String(waiting?.token)]);
    expect(await hook.answer).toMatchObject({ permission: "allow" });

    expect(started.stderr).toContain("the gate ended unexpectedly (SIGKILL); starting it again");
    const links = linksIn(started.stderr);
    expect(links).toHaveLength(2);
    expect(links[0]).toBe(links[1]); // at the same port: a page that is open finds it
    const { lines: alarms } = await runGate(home, ["alarms", "list"]);
    expect(alarms).toMatchObject([{ code: "gate_restarted", message: expect.stringContaining("SIGKILL") }]);
    const { lines: trail } = await runGate(home, ["audit", "tail"]);
    expect(trail).toContainEqual(expect.objectContaining({ event: "gate.restarted", after: "SIGKILL" }));

    process.kill(next, "SIGKILL");
    expect(await started.exited).toBe(EXIT.died);
    expect(started.stderr).toMatch(/ended unexpectedly again \(SIGKILL\), \d+ s after it was started again\n/);
    expect((await runGate(home, ["status"])).code).toBe(EXIT.not_running);
  });

  it("that fails at something unexpected is started again, and says where without the values", async () => {
    const home = temporaryHome();
    const failing = join(home.home, "failing.mjs");
    writeFileSync(failing, "process.on('SIGUSR2', () => { throw new TypeError('SECRET'); });");
    const started = await start(home, ["--import", failing]);
    process.kill(await gatePid(home), "SIGUSR2");
    await started.printed(/ALARM gate_restarted/);
    expect(started.stderr).toContain("the gate failed: TypeError\n    at ");
    expect(started.stderr).toContain(`the gate ended unexpectedly (exit code ${EXIT.died}); starting it again`);
    expect(started.stderr + started.stdout).not.toContain("SECRET");
  });
});

describe("metnos-gate start", () => {
  it("passes on what interrupts it, and starts nothing again then", async () => {
    const home = temporaryHome();
    const started = await start(home);
    const pid = await gatePid(home);
    expect(await started.end("SIGHUP")).toBe(0);
    expect(started.stderr).toContain("SIGHUP: closing; waiting requests are kept for the next start");
    expect(started.stderr).not.toContain("starting it again");
    expect(isAlive(pid)).toBe(false);
  });

  it("that is killed leaves no unsupervised gate behind", async () => {
    const home = temporaryHome();
    const started = await start(home);
    started.child.kill("SIGKILL");
    await started.printed(/the process that started this one has ended: closing/);
    // Without a gate this command takes its lock itself.
    await expect.poll(async () => (await runGate(home, ["agents", "list"])).code).toBe(0);
  });

  it("passes on that the gate refused to start, and starts it no second time", async () => {
    const home = temporaryHome();
    mkdirSync(dirname(home.paths.configFile), { recursive: true });
    writeFileSync(home.paths.configFile, "not a configuration");
    const env = { ...home.env, ELECTRON_OVERRIDE_DIST_PATH: join(home.home, "nowhere") };
    const started = new StartedProcess(process.execPath, [LAUNCHER, "start"], { env });
    expect(await started.exited).toBe(EXIT.failed);
    expect(started.stderr.split(home.paths.configFile)).toHaveLength(2);
    expect(started.stderr).not.toContain("starting it again");
  });
});

describe("what is started again", () => {
  /** Runs a shell script under the supervisor; each run of it writes its arguments to stdout. */
  function supervised(script: string): StartedProcess {
    const program = `import { spawn } from "node:child_process";
      import { supervise } from ${JSON.stringify(`${CHECKOUT}cli/supervisor.ts`)};
      const script = ${JSON.stringify(`echo "run [$0]"; ${script}`)};
      const start = (flags) => spawn("sh", ["-c", script, flags.join(" ")], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
      process.exitCode = await supervise({ name: "the gate", start });`;
    const env = { PATH: process.env.PATH, HOME: tempFolder() };
    return new StartedProcess(process.execPath, ["--input-type=module", "-e", program], { env });
  }

  it.each([
    ["done", EXIT.ok],
    ["failed", EXIT.failed],
    ["usage", EXIT.usage],
    ["refused", EXIT.refused],
    ["replaced", EXIT.replaced],
  ])("not one that ended as %s: its exit code is passed on", async (_what, code) => {
    const run = supervised(`exit ${code}`);
    expect(await run.exited).toBe(code);
    expect(run.stdout).toBe("run []\n");
    expect(run.stderr).toBe("");
  });

  it.each([
    ["dies again", "kill -KILL $$", EXIT.died],
    ["can't start", `exit ${EXIT.failed}`, EXIT.failed],
  ])(
    "paused, where a pause was neither stored nor kept; that the next one isn't is said where it %s",
    async (_what, end, code) => {
      // What the gate before has said counts until the next one says something.
      const say = "echo '\"a pause is neither stored nor kept\"' >&$NODE_CHANNEL_FD";
      const run = supervised(`if [ -z "$0" ]; then ${say}; sleep 0.3; kill -KILL $$; fi; ${end}`);
      expect(await run.exited).toBe(code);
      expect(run.stdout).toBe("run []\nrun [--restarted-after=SIGKILL --start-paused]\n");
      expect(run.stderr).toContain("starting it again, paused: a pause could not be stored\n");
      expect(run.stderr).toMatch(/a pause could not be stored: the next start isn't paused/);
    },
  );

  it("not one that was interrupted, listening or not: interrupted again later, it is killed", async () => {
    const deaf = supervised("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    await deaf.printed(/ready/);
    deaf.child.kill("SIGTERM");
    deaf.child.kill("SIGTERM"); // by a terminal and by npm: one and the same
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(deaf.child.exitCode).toBeNull();
    expect(await deaf.end("SIGTERM")).toBe(EXIT.failed);
    const early = supervised("echo ready; exec sleep 60");
    await early.printed(/ready/);
    expect(await early.end("SIGTERM")).toBe(EXIT.ok);
    expect(deaf.stdout + early.stdout).toBe("run []\nready\n".repeat(2));
  });

  it.each([
    ["kill -SEGV $$", "SIGSEGV"],
    ["kill -ABRT $$", "SIGABRT"],
    [`exit ${EXIT.died}`, `exit code ${EXIT.died}`],
    ["exit 134", "exit code 134"],
  ])("one that ended by `%s`, once, and gets how the one before ended", async (script, how) => {
    const run = supervised(script);
    expect(await run.exited).toBe(EXIT.died);
    expect(run.stdout).toBe(`run []\nrun [--restarted-after=${how}]\n`);
  });
});

it("a gate continues where its log isn't read any more", async () => {
  const home = temporaryHome();
  const serve = await startServe(home);
  serve.child.stdout?.destroy();
  for (const name of ["one", "two"]) {
    await runGate(home, ["safety", "pause", "--reason", name]); // a line in the log
    await runGate(home, ["safety", "resume"]);
  }
  expect(await gatePid(home)).toBe(serve.child.pid);
  expect(await serve.end("SIGTERM")).toBe(0);
});
