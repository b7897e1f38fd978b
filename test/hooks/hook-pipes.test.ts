import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { launcherText } from "../../cli/hook/launcher-text.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { PIPES_AHEAD, PipePairs } from "../../main/base/pipes/pipe-pairs.ts";
import { HookPipes } from "../../main/hooks/hook-pipes.ts";
import { pipesFolder } from "../../main/hooks/pipes-folder.ts";
import { startServe } from "../support/gate-process.ts";
import { payload } from "../support/hook-process.ts";
import { startGate } from "../support/running-gate.ts";
import { type TemporaryHome, temporaryHome } from "../support/temporary-home.ts";

const HOOK = new URL("../../dist/hook/hook.cjs", import.meta.url).pathname;
const SHELLS = ["/bin/dash", "/bin/bash", "/bin/busybox sh"].filter((shell) => {
  const isThere = existsSync(shell.split(" ")[0] ?? "");
  if (!isThere) console.log(`hooks over pipes are not tried with ${shell}, which isn't installed`);
  return isThere;
});
const SHELL = SHELLS[0] ?? "/bin/sh";
const READ = payload("Read", { file_path: "/srv/project/a.ts" });

const NO_CALLS: readonly (readonly [string, string | Buffer])[] = [
  ["nothing", ""],
  ["no JSON", "garbage"],
  ["another event", payload("Read", { file_path: "/srv/a" }, { hook_event_name: "PostToolUse" })],
  ["a zero byte", READ.replace("a.ts", "a.ts\0")],
  ["a zero byte between its words", READ.replace('"tool_name"', '\0"tool_name"')],
  ["a key twice", READ.replace('"tool_name"', '"tool_name":"Write","tool_name"')],
  ["a number that changes as it is read", READ.replace("}", ',"offset":12345678901234567890}')],
  ["invalid UTF-8", Buffer.from(READ.replace("a.ts", "a\xff.ts"), "latin1")],
];

interface Ended {
  code: number | null;
  output: string;
  errors: string;
  permission: unknown;
}

/** A launcher of the real form, which notes when it has to start its program. */
class LauncherUnderTest {
  readonly file: string;
  readonly #noted: string;

  /** @param purpose where its shell has several in a home */
  constructor({ home, paths, env }: TemporaryHome, shell: string, purpose = "") {
    const own = `${shell}-${purpose}`.replaceAll(/\W/g, "-");
    this.#noted = join(home, `program-started${own}`);
    const script = join(home, `program${own}.cjs`);
    writeFileSync(
      script,
      `require("fs").appendFileSync(${JSON.stringify(this.#noted)}, "x"); require(${JSON.stringify(HOOK)}).runHook(process.argv.slice(3));`,
    );
    this.file = join(home, `metnos-gate-hook${own}`);
    const text = launcherText({
      env: { HOME: home, PATH: env.PATH },
      program: { nodes: [process.execPath], scripts: [script] },
      pipesDir: pipesFolder(paths.state_dir),
    });
    writeFileSync(this.file, text.replace("/bin/sh", shell), { mode: 0o700 });
  }

  /** How often its program was started. */
  get started(): number {
    return existsSync(this.#noted) ? readFileSync(this.#noted, "utf8").length : 0;
  }

  /** @param env what the client's settings put there */
  start(input: string | Buffer, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(this.file, ["hook", "claude-code", ...args], { stdio: ["pipe", "pipe", "pipe"], env });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    return { child, ended: endOf(child, input) };
  }

  ask(input: string | Buffer, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(input, args, env).ended;
  }

  async report(event: "after" | "session", said: object): Promise<Ended> {
    const child = spawn(this.file, [event, "claude-code"], { stdio: ["pipe", "pipe", "pipe"], env: {} });
    return endOf(child, JSON.stringify(said));
  }
}

async function endOf(child: ChildProcess, input: string | Buffer): Promise<Ended> {
  let [output, errors] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  const said = output.startsWith("{") ? (JSON.parse(output) as { hookSpecificOutput?: Record<string, unknown> }) : {};
  return { code, output, errors, permission: said.hookSpecificOutput?.permissionDecision };
}

const waiting = ({ paths }: TemporaryHome): string[] =>
  existsSync(pipesFolder(paths.state_dir))
    ? readdirSync(pipesFolder(paths.state_dir)).filter((name) => name.endsWith(".up"))
    : [];

async function gateWithPipes(shell = SHELL, level: "Supervised" | "Full" = "Full") {
  const gate = await startGate({ pipesAhead: PIPES_AHEAD });
  await gate.operator.call("agents.pair", { name: "claude-code", level });
  await expect.poll(() => waiting(gate.home).length).toBe(64);
  return { gate, launcher: new LauncherUnderTest(gate.home, shell) };
}

describe.each(SHELLS)("a hook whose launcher is run by %s", (shell) => {
  it("is answered over a pipe, and starts no program: allowed, denied, asked about", async () => {
    const { gate, launcher } = await gateWithPipes(shell);
    expect(await launcher.ask(READ)).toMatchObject({ code: 0, permission: "allow", errors: "" });
    const denied = await launcher.ask(payload("Bash", { command: "cat ~/.ssh/id_rsa" }));
    expect(denied).toMatchObject({ code: 0, permission: "deny", errors: "" });
    await gate.operator.call("agents.level", { name: "claude-code", level: "Supervised" });
    const asked = gate.event((event) => event.type === "approval.waiting");
    const write = launcher.ask(payload("Write", { file_path: "/srv/project/b", content: "text" }));
    await asked;
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "rejected", message: "not 'this' $one" });
    expect(await write).toMatchObject({
      code: 0,
      permission: "deny",
      output: expect.stringContaining("not 'this' $one"),
    });
    expect(launcher.started).toBe(0);
  });

  it.each([
    ["over a pipe, 27 KB", 900, 0],
    ["by its program, 900 KB, which no pipe holds", 30_000, 1],
  ])("says what it got, quotes, blanks, line ends: %s", async (_what, times, started) => {
    const { gate, launcher } = await gateWithPipes(shell);
    const content = `${"é'\"\\`$(x) \t\r\n%s\u0000".repeat(times)}end`;
    const written = gate.event((event) => event.type === "decision");
    expect(await launcher.ask(payload("Write", { file_path: "/srv/project/a b", content }))).toMatchObject({ code: 0 });
    expect(JSON.stringify(await written)).toContain("/srv/project/a b");
    expect(launcher.started).toBe(started);
  });

  it("is denied where it gets nothing, or what isn't one call to every reader", async () => {
    const { launcher } = await gateWithPipes(shell);
    const answers = await Promise.all(
      NO_CALLS.map(async ([what, input]) => ({ what, answer: await launcher.ask(input) })),
    );
    for (const { what, answer } of answers)
      expect(answer, what).toMatchObject({ code: 0, permission: "deny", errors: "" });
    expect(launcher.started).toBe(0);
  });

  it("is left to the program where it gets more than the gate looks at, which denies it", async () => {
    const { launcher } = await gateWithPipes(shell);
    const ask = (length: number) =>
      launcher.ask(payload("Write", { file_path: "/srv/a", content: "x".repeat(length) }));
    expect(await ask(2_000_000)).toMatchObject({ code: 0, permission: "deny" });
    expect(launcher.started).toBe(1);
    // The gate looks at them, and has its own program read them.
    expect(await ask(200_000)).toMatchObject({ code: 0, permission: "allow" });
    expect(await ask(1_000_000)).toMatchObject({ code: 0, permission: "allow" });
    expect(launcher.started).toBe(3);
  });

  it("is answered alike whatever BASH_ENV, PATH, IFS, LD_PRELOAD and others say", async () => {
    const { gate, launcher } = await gateWithPipes(shell);
    const { home } = gate.home;
    const says = `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; exit 0\n`;
    const [evil, folder] = [join(home, "evil.sh"), join(home, "evil")];
    writeFileSync(evil, says);
    mkdirSync(folder);
    for (const name of ["sh", "tr", "printf", "sleep", "node", "cat", "env"])
      writeFileSync(join(folder, name), `#!/bin/sh\n${says}`, { mode: 0o755 });
    const functions = Object.fromEntries(
      ["read", "printf", "exec", "true"].map((name) => [`BASH_FUNC_${name}%%`, `() { ${says.trim()}; }`]),
    );
    const shells = { BASH_ENV: evil, ENV: evil, SHELLOPTS: "xtrace:noglob", BASHOPTS: "extdebug", PS4: `$(. ${evil})` };
    const words = {
      IFS: 'p"{:/',
      PATH: folder,
      HOME: folder,
      LD_PRELOAD: join(folder, "none.so"),
      pipe: "x",
      answer: "{}",
    };
    const env = { ...functions, ...shells, ...words };
    expect(await launcher.ask(payload("Bash", { command: "cat ~/.ssh/id_rsa" }), [], env)).toMatchObject({
      code: 0,
      permission: "deny",
    });
    expect(await launcher.ask(READ, [], env)).toMatchObject({ code: 0, permission: "allow" });
    expect(launcher.started).toBe(0);
    rmSync(pipesFolder(gate.paths.state_dir), { recursive: true });
    expect(await launcher.ask(payload("Bash", { command: "cat ~/.ssh/id_rsa" }), [], env)).toMatchObject({
      code: 0,
      permission: "deny",
    });
    expect(launcher.started).toBe(1);
  });

  it("and sixty at once, each get their own answer from pairs that nobody uses twice", async () => {
    const { gate, launcher } = await gateWithPipes(shell);
    const before = new Set(waiting(gate.home));
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        launcher.ask(
          payload(
            "Bash",
            { command: index % 2 === 0 ? "ls" : `cat /home/user/.ssh/id_${index}` },
            { tool_use_id: `u${index}` },
          ),
        ),
      ),
    );
    all.forEach(({ permission, output }, index) => {
      expect([index, permission]).toEqual([index, index % 2 === 0 ? "allow" : "deny"]);
      if (index % 2 === 1) expect(output).toContain("ssh");
    });
    await expect.poll(() => waiting(gate.home).length).toBe(64);
    // On a busy machine the last of them may take one that was made meanwhile.
    expect(waiting(gate.home).filter((name) => before.has(name)).length).toBeLessThanOrEqual(16);
    expect(launcher.started).toBe(0);
  });

  it("is withdrawn as soon as it is killed", async () => {
    const { gate, launcher } = await gateWithPipes(shell, "Supervised");
    const asked = gate.event((event) => event.type === "approval.waiting");
    const { child, ended } = launcher.start(payload("Write", { file_path: "/srv/project/b", content: "x" }));
    await asked;
    child.kill("SIGKILL");
    await ended;
    await expect.poll(() => gate.waiting(), { timeout: 2000 }).toEqual([]);
    expect(launcher.started).toBe(0);
  });

  it("and whose gate is killed while it asks, asks the program, which asks the next gate", async () => {
    const home = temporaryHome();
    const first = await startServe(home);
    await expect.poll(() => waiting(home).length).toBe(64);
    const launcher = new LauncherUnderTest(home, shell);
    const pairing = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
    await pairing.call("agents.pair", { name: "claude-code", level: "Supervised" });
    const { ended } = launcher.start(payload("Write", { file_path: "/srv/project/b", content: "x" }));
    await expect.poll(async () => (await pairing.call("approvals.list", {})).length).toBe(1);
    await first.end("SIGKILL");
    await expect.poll(() => launcher.started).toBe(1);
    const gate = await startGate({ home, pipesAhead: PIPES_AHEAD });
    const [token = ""] = await gate.waiting();
    await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    expect(await ended).toMatchObject({ code: 0, permission: "allow" });
  });

  it("is withdrawn as it is killed where its program asks", async () => {
    const { gate, launcher } = await gateWithPipes(shell, "Supervised");
    rmSync(pipesFolder(gate.paths.state_dir), { recursive: true });
    const asked = gate.event((event) => event.type === "approval.waiting");
    const { child } = launcher.start(payload("Write", { file_path: "/srv/project/b", content: "x" }));
    await asked;
    child.kill("SIGKILL");
    await expect.poll(() => gate.waiting(), { timeout: 2000 }).toEqual([]);
    expect(launcher.started).toBe(1);
  });

  it("takes no part of an answer for one: its program asks", async () => {
    const home = temporaryHome();
    const folder = pipesFolder(home.paths.state_dir);
    mkdirSync(folder, { recursive: true });
    execFileSync("mkfifo", [join(folder, "a.up"), join(folder, "a.down")]);
    const up = openSync(join(folder, "a.up"), constants.O_RDONLY | constants.O_NONBLOCK);
    const down = openSync(join(folder, "a.down"), constants.O_RDWR);
    const launcher = new LauncherUnderTest(home, shell);
    const { child, ended } = launcher.start(READ);
    await expect.poll(() => existsSync(join(folder, "a.taken"))).toBe(true);
    await expect.poll(() => readFifo(up)).toContain("PreToolUse");
    writeSync(down, '{"hookSpecificOutput":{"permissionDecision":"allow"}');
    closeSync(down);
    closeSync(up);
    await expect.poll(() => launcher.started).toBe(1);
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.kill("SIGKILL");
    expect(await ended).toMatchObject({ output: "" });
  });

  it("reports what ran, and what a session does, without a program, but for what the user says", async () => {
    const { launcher } = await gateWithPipes(shell);
    const after = {
      session_id: "s",
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_input: {},
      tool_use_id: "u",
    };
    expect(await launcher.report("after", after)).toMatchObject({ code: 0, output: "{}\n", errors: "" });
    const ended = { session_id: "s", hook_event_name: "SubagentStop", agent_type: "x" };
    expect(await launcher.report("session", ended)).toMatchObject({ code: 0, output: "{}\n", errors: "" });
    expect(launcher.started).toBe(0);
    const prompt = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "hello", prompt_id: "p" };
    expect(await launcher.report("session", prompt)).toMatchObject({ code: 0, output: "{}\n", errors: "" });
    expect(launcher.started).toBe(1);
  });
});

describe("hooks that wait, of all shells at once", () => {
  /** Asks about a call of each shell's, which waits for the user. */
  async function asking(args: readonly string[] = []) {
    const { gate } = await gateWithPipes(SHELL, "Supervised");
    const asked = SHELLS.map((shell) => {
      const launcher = new LauncherUnderTest(gate.home, shell);
      const write = payload("Write", { file_path: `/srv/project/${shell}`, content: "x" }, { tool_use_id: shell });
      return { launcher, ...launcher.start(write, args) };
    });
    await expect.poll(async () => (await gate.waiting()).length).toBe(SHELLS.length);
    return { gate, asked };
  }

  it("are denied in time where the gate was stopped: by their exit code, by their program where a pipe doesn't hold the call", async () => {
    const home = temporaryHome();
    const gate = await startServe(home);
    await expect.poll(() => waiting(home).length).toBe(64);
    gate.child.kill("SIGSTOP");
    const small = async (shell: string) => {
      const launcher = new LauncherUnderTest(home, shell, "small");
      const { code, output, errors } = await launcher.ask(READ, ["--wait", "1"]);
      expect([code, output]).toEqual([2, ""]);
      expect(errors).toContain("the gate does not answer; nothing is let through");
      expect(launcher.started).toBe(0);
    };
    const large = async (shell: string) => {
      const input = payload("Write", { file_path: "/srv/a", content: "x".repeat(200_000) });
      const { child, ended } = new LauncherUnderTest(home, shell, "large").start(input, ["--wait", "1"]);
      const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
      expect(await ended).toMatchObject({ code: 0, permission: "deny" });
      clearTimeout(late);
    };
    try {
      await Promise.all(SHELLS.flatMap((shell) => [small(shell), large(shell)]));
    } finally {
      gate.child.kill("SIGCONT");
    }
  });

  it("wait for their answer longer than one of their sleeps, and leave none for long where they are killed", async () => {
    const [{ gate, asked }, killed] = await Promise.all([asking(), asking(["--wait", "3600"])]);
    const children = killed.asked.flatMap(({ child: { pid } }) =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean),
    );
    expect(children.length).toBeGreaterThan(0);
    for (const { child } of killed.asked) child.kill("SIGKILL");
    await Promise.all(killed.asked.map(({ ended }) => ended));
    const gone = expect.poll(() => children.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 8000 }).toEqual([]);
    await Promise.all([delay(6000), gone]);
    for (const token of await gate.waiting())
      await gate.operator.call("approvals.resolve", { token, decision: "approved" });
    for (const { launcher, ended } of asked) {
      expect(await ended).toMatchObject({ code: 0, permission: "allow", errors: "" });
      expect(launcher.started).toBe(0);
    }
  });

  it("are asked about once where their clients are killed, which withdraws them", async () => {
    const { gate } = await gateWithPipes(SHELL, "Supervised");
    let asked = 0;
    gate.operator.subscribe(() => asked++, ["approval.waiting"]);
    const all = SHELLS.map((shell, index) => {
      const launcher = new LauncherUnderTest(gate.home, shell);
      const input = join(gate.home.home, `input-${index}`);
      writeFileSync(input, payload("Write", { file_path: `/srv/project/${index}`, content: "x" }));
      const line = `'${launcher.file}' hook claude-code <'${input}'; true`;
      return { launcher, client: spawn("/bin/sh", ["-c", line], { stdio: "ignore" }) };
    });
    await expect.poll(() => asked).toBe(SHELLS.length);
    for (const { client } of all) client.kill("SIGKILL");
    await expect.poll(() => gate.waiting(), { timeout: 2000 }).toEqual([]);
    await expect.poll(() => all.map(({ launcher }) => launcher.started)).toEqual(all.map(() => 1));
    await delay(1500);
    expect(asked).toBe(SHELLS.length);
  });
});

describe("whatever is in the place of a pair, nothing is let through by it, and the program asks the gate", () => {
  const answer = '{"hookSpecificOutput":{"permissionDecision":"allow"}}';
  it.each<[string, (name: string) => void]>([
    ["a file", (name) => writeFileSync(name, `${answer}\n`)],
    ["a link to a file", (name) => linkTo(name, (other) => writeFileSync(other, `${answer}\n`))],
    ["a link to a device", (name) => symlinkSync("/dev/zero", name)],
    ["nobody's pipe", (name) => execFileSync("mkfifo", [name])],
    ["a link to nobody's pipe", (name) => linkTo(name, (other) => execFileSync("mkfifo", [other]))],
    ["a folder", (name) => mkdirSync(name)],
  ])("%s", async (_what, put) => {
    const { gate, launcher } = await gateWithPipes();
    const folder = pipesFolder(gate.paths.state_dir);
    for (const name of readdirSync(folder)) {
      rmSync(join(folder, name));
      put(join(folder, name));
    }
    expect(await launcher.ask(payload("Bash", { command: "cat ~/.ssh/id_rsa" }))).toMatchObject({ permission: "deny" });
    expect(launcher.started).toBe(1);
  });

  it("and no pair at all, as the gate's folder is empty, or gone", async () => {
    const { gate, launcher } = await gateWithPipes();
    const folder = pipesFolder(gate.paths.state_dir);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    expect(await launcher.ask(READ)).toMatchObject({ permission: "allow" });
    rmSync(folder, { recursive: true });
    expect(await launcher.ask(READ)).toMatchObject({ permission: "allow" });
    expect(launcher.started).toBe(2);
  });

  it("and pairs are made later that couldn't be made at once, and files of launchers that came too late removed", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { paths } = temporaryHome();
    const [folder, made] = [pipesFolder(paths.state_dir), join(paths.state_dir, "hook", "made-pipes")];
    const slots = new PipePairs(made, "own", () => undefined);
    const failed = (what: string, error: unknown) => expect.unreachable(`${what}: ${error}`);
    const isNone = vi.spyOn(slots, "takeMade").mockReturnValue(undefined);
    const pipes = new HookPipes({ folder, slots, prefix: "own", answer: async () => undefined, failed }, made);
    onTestFinished(() => pipes.close());
    await pipes.begin();
    for (const name of ["own-late.up", "own-late.down"]) writeFileSync(join(folder, name), "");
    isNone.mockRestore();
    vi.advanceTimersByTime(10_000);
    const names = readdirSync(folder);
    expect(names.filter((name) => name.startsWith("own-late"))).toEqual([]);
    expect(names.filter((name) => name.endsWith(".up")).length).toBe(64);
  });

  it("and pairs are made later where none could be made at the start; a gate that is closed meanwhile reports nothing", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { paths } = temporaryHome();
    const [folder, made] = [pipesFolder(paths.state_dir), join(paths.state_dir, "hook", "made-pipes")];
    const failed = (what: string, error: unknown) => expect.unreachable(`${what}: ${error}`);
    const pipesOf = (prefix: string) => {
      const slots = new PipePairs(made, prefix, () => undefined);
      return { slots, pipes: new HookPipes({ folder, slots, prefix, answer: async () => undefined, failed }, made) };
    };
    const { slots, pipes } = pipesOf("own");
    onTestFinished(() => pipes.close());
    vi.spyOn(slots, "begin").mockRejectedValueOnce(new Error("no process"));
    await expect(pipes.begin()).rejects.toThrow("no process");
    await expect
      .poll(() => {
        vi.advanceTimersByTime(10_000);
        return readdirSync(folder).filter((name) => name.endsWith(".up")).length;
      })
      .toBe(64);

    const closed = pipesOf("closed");
    vi.spyOn(closed.slots, "begin").mockImplementationOnce(async () => {
      closed.pipes.close();
      throw new Error("the next gate has removed them");
    });
    await closed.pipes.begin();
  });

  it("and a hook that has its answer, and stays, keeps no pipe open", async () => {
    const { paths } = temporaryHome();
    const [folder, made] = [pipesFolder(paths.state_dir), join(paths.state_dir, "hook", "made-pipes")];
    const slots = new PipePairs(made, "own", () => undefined, 2);
    const failed = (what: string, error: unknown) => expect.unreachable(`${what}: ${error}`);
    const pipes = new HookPipes(
      { folder, slots, prefix: "own", ahead: 2, most: 2, answer: async () => "{}", failed },
      made,
    );
    onTestFinished(() => pipes.close());
    await pipes.begin();
    const ups = () => readdirSync(folder).filter((name) => name.endsWith(".up"));
    for (let hook = 0; hook < 5; hook++) {
      await expect.poll(() => ups().length).toBe(2);
      const [name = ""] = ups();
      const down = openSync(join(folder, name.replace(".up", ".down")), constants.O_RDONLY | constants.O_NONBLOCK);
      const up = openSync(join(folder, name), constants.O_WRONLY | constants.O_NONBLOCK);
      onTestFinished(() => {
        for (const fd of [up, down]) closeSync(fd);
      });
      writeSync(up, ["1 1", "2", "0", "hook", "claude-code", "{}"].map((word) => `${word}\0`).join(""));
      await expect.poll(() => readFifo(down)).toBe("{}\n");
    }
  });

  it("and what an earlier gate has left is removed by the next one", async () => {
    const home = temporaryHome();
    const first = await startServe(home);
    await expect.poll(() => waiting(home).length).toBe(64);
    const left = waiting(home);
    await first.end("SIGKILL");
    expect(waiting(home)).toEqual(left);
    const launcher = new LauncherUnderTest(home, SHELL);
    expect(await launcher.ask(READ, ["--offline", "deny"])).toMatchObject({ permission: "deny" });
    expect(launcher.started).toBe(1);
    await startGate({ home, pipesAhead: PIPES_AHEAD });
    await expect.poll(() => waiting(home).filter((name) => !left.includes(name)).length).toBe(64);
    expect(waiting(home).filter((name) => left.includes(name))).toEqual([]);
  });
});

/** What is in it now. */
function readFifo(fd: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString("utf8", 0, readSync(fd, bytes));
  } catch {
    return "";
  }
}

function linkTo(name: string, make: (other: string) => void): void {
  make(`${name}.other`);
  symlinkSync(`${name}.other`, name);
}
