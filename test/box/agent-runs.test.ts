import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { agentTokenFile } from "../../ipc/base/paths.ts";
import type { CheckedParams } from "../../ipc/contract/operator-api.ts";
import { linesIn } from "../support/audit-trail.ts";
import { hasProgram } from "../support/boxes.ts";
import { CLOSES } from "../support/close-in-first.ts";
import { StartedProcess, startServe } from "../support/gate-process.ts";
import { processesWith } from "../support/judged-gate.ts";
import { type GateUnderTest, readToken, startGate } from "../support/running-gate.ts";
import { withoutBox } from "./box-under-test.ts";

/** Whole agents in boxes: what one that is hostile can do with its socket, its secret, its state. Each is a script, in folders of the test. */

const AGENT = "tester";
const SOCKET = "/run/metnos-gate/gate.sock";
const NODE = "/run/metnos-gate/node";

/** A client of the agents' socket: SOCKET NAME TOKEN [EXECUTOR ARGS]; prints the gate's messages until it has an answer. */
const CLIENT = `
const [, , socket, name, token, executor, args] = process.argv;
const out = require("node:net").connect(socket);
const send = (type, data) => out.write(JSON.stringify({ type, data }) + "\\n");
out.on("connect", () => send("hello", { id: "h", protocol: 1, agent: { name }, token, session: "s", supports: ["confine"] }));
out.on("error", (error) => { console.log("no connection", error.code); process.exit(0); });
out.on("close", () => process.exit(0));
require("node:readline").createInterface({ input: out }).on("line", (line) => {
  const { type, data } = JSON.parse(line);
  console.log(line);
  if (type === "hello.ok" && executor) return send("tool.call", { id: "c", intent: "", executor, args: JSON.parse(args), context: { cwd: process.cwd() } });
  if (type !== "safety.paused") process.exit(0);
});
`;

const reason = withoutBox();
if (reason !== undefined) {
  it.runIf(process.env.CI === "true")("can be tried", () => expect.unreachable(reason));
  console.log(`skipped: ${reason}`);
}

describe.skipIf(reason !== undefined)("a whole agent in a box", () => {
  let gate: GateUnderTest;
  let project: string;
  beforeEach(async () => {
    gate = await startGate();
    project = join(gate.home.home, "project");
    execFileSync("git", ["init", "--quiet", project]);
    writeFileSync(join(project, "client.cjs"), CLIENT);
    writeFileSync(join(project, "work.sh"), "echo work\n");
    await gate.operator.call("agents.pair", { name: AGENT, level: "Supervised" });
    for (const capability of ["fs:read", "fs:write"] as const)
      await gate.operator.call("grants.add", { capability, target: `${project}/**` });
    await gate.gate.core.box.ready;
  });

  function prepared(script: string, more: Partial<CheckedParams["box.prepare_agent"]> = {}) {
    const argv = ["/bin/bash", "-c", script];
    const nothing = { program: [], variables: [], hosts: [], state: [], settings: [], files: [] };
    return gate.operator.call("box.prepare_agent", { agent: AGENT, argv, cwd: project, ...nothing, ...more });
  }

  async function start(script: string, more: Partial<CheckedParams["box.prepare_agent"]> = {}) {
    const { argv } = await prepared(script, more);
    return new StartedProcess(argv[0] ?? "", argv.slice(1), { env: gate.home.env, cwd: project });
  }

  async function run(script: string, more: Partial<CheckedParams["box.prepare_agent"]> = {}) {
    const started = await start(script, more);
    await started.exited;
    return started.stdout + started.stderr;
  }

  const asks = (executor: string, args: object, { name = AGENT, token = "$METNOS_AGENT_TOKEN" } = {}) =>
    `${NODE} client.cjs ${SOCKET} ${name} "${token}" ${executor} '${JSON.stringify(args)}'`;

  /** The same from the machine. */
  async function asksOutside(socket: string, token: string, ...call: string[]) {
    const words = ["client.cjs", socket, AGENT, token, ...call];
    const client = new StartedProcess(process.execPath, words, { env: gate.home.env, cwd: project });
    await client.exited;
    return client.stdout;
  }

  const decisions = (text: string) =>
    text
      .split("\n")
      .filter((line) => line.includes('"tool.decision"'))
      .map((line) => JSON.parse(line).data);

  it("asks by a socket of its own: a command counts as confined and runs as it is; elsewhere the same is asked about", async () => {
    const command = { command: "sh work.sh" };
    const [inside] = decisions(await run(asks("Bash", command)));
    expect(inside).toMatchObject({ outcome: "allowed" });
    // It has nothing to rewrite: words to run, or a box of the command's own, would be another one's.
    expect([inside.confine, inside.confined]).toEqual([undefined, undefined]);
    const recorded = linesIn(gate.paths.auditDir)
      .map((line) => JSON.parse(line))
      .find(({ decision_id }) => decision_id === inside.decision_id);
    expect(recorded).toMatchObject({ confined: true });
    const token = readToken(agentTokenFile(gate.paths, AGENT));
    const [outside] = decisions(await asksOutside(gate.paths.agent_socket, token, "Bash", JSON.stringify(command)));
    expect(outside.outcome === "approval_required" || outside.confine !== undefined).toBe(true);
  });

  it("leaves no shell in a folder of the project that its user's shell has on PATH", async () => {
    mkdirSync(join(project, "tools"));
    const planted = "for name in bash hello; do echo 'echo planted' > tools/$name; chmod +x tools/$name; done";
    await run(planted, { path: `${join(project, "tools")}:/usr/bin:/bin` });
    await expect.poll(() => existsSync(join(project, "tools/bash"))).toBe(false);
    expect(existsSync(join(project, "tools/hello"))).toBe(true);
  });

  it("is asked about what may run elsewhere, and about what would destroy work", async () => {
    writeFileSync(join(project, "unsaved.txt"), "work that nothing else holds\n");
    const calls = [
      asks("mcp__mail__send", { to: "a" }),
      asks("SomethingUnknown", {}),
      asks("Bash", { command: "rm -r unsaved.txt; sh work.sh" }),
    ];
    const found = decisions(await run(calls.join("; ")));
    expect(found.map(({ outcome }) => outcome)).toEqual(Array(3).fill("approval_required"));
    expect(found.map(({ capabilities }) => JSON.stringify(capabilities).includes("code:exec"))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("has a secret that is of no use anywhere else, and none of those that are used there", async () => {
    const real = readToken(agentTokenFile(gate.paths, AGENT));
    await gate.operator.call("agents.pair", { name: "other", level: "Full" });
    const said = await run(
      [
        'printf %s "$METNOS_AGENT_TOKEN" > token.txt',
        asks("Bash", {}, { token: real }),
        asks("Bash", {}, { name: "other" }),
        asks("Bash", {}, { name: "other", token: readToken(agentTokenFile(gate.paths, "other")) }),
        `ls ${gate.paths.state_dir} ${gate.paths.runtimeDir}; cat ${agentTokenFile(gate.paths, AGENT)}`,
        `${NODE} client.cjs ${gate.paths.agent_socket} ${AGENT} x; ${NODE} client.cjs ${gate.paths.operator_socket} ${AGENT} x`,
      ].join("; "),
    );
    expect(said.match(/bad_token/g)).toHaveLength(3);
    expect(said.match(/no connection ENOENT/g)).toHaveLength(2);
    expect(said).not.toContain(real.slice(0, 16));
    const secret = readFileSync(join(project, "token.txt"), "utf8");
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await asksOutside(gate.paths.agent_socket, secret)).toContain("bad_token");
  });

  it("has a socket that no other process finds while it runs, and that is gone with it", async () => {
    const folder = join(gate.paths.state_dir, "box/agents");
    const started = await start(`echo begun; read -r; ${asks("Bash", { command: "sh work.sh" })}`);
    await started.printed(/begun/);
    const answers = await Promise.all(readdirSync(folder).map((name) => asksOutside(join(folder, name), "x")));
    // What is left there is its way to hosts, which speaks another language.
    expect(answers.filter((text) => text.includes('"type"'))).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(1);
    started.child.stdin?.write("\n");
    await started.exited;
    expect(decisions(started.stdout)).toMatchObject([{ outcome: "allowed" }]);
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  });

  it("that is never started leaves no socket, and its words start nothing a second time", async () => {
    const { argv } = await prepared("echo ran");
    const again = () => new StartedProcess(argv[0] ?? "", argv.slice(1), { env: gate.home.env, cwd: project });
    const [first, second] = [again(), again()];
    await Promise.all([first.exited, second.exited]);
    expect([first.stdout + second.stdout, first.stderr + second.stderr]).toEqual([
      "ran\n",
      expect.stringContaining("the command did not run"),
    ]);
  });

  it("reaches the hosts that are named alone; paused, none of them, and what it asks is denied", async () => {
    const server = createServer((_request, response) => response.end("model")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const other = createServer((_request, response) => response.end("other")).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const fetched = (at: number) => `curl -s -m 5 http://127.0.0.1:${at}/ || echo "none $?"; echo`;
    const steps = [
      fetched(port),
      fetched((other.address() as AddressInfo).port),
      "curl -s -m 5 https://example.com || echo refused",
      "echo first; read -r",
      fetched(port),
      asks("Bash", { command: "echo hi" }),
      "echo second; read -r",
      fetched(port),
    ];
    const started = await start(steps.join("; "), { hosts: [`127.0.0.1:${port}`] });
    await started.printed(/first/);
    expect(started.stdout).toBe("model\nnone 7\n\nrefused\nfirst\n");
    await gate.operator.call("agents.pause", { name: AGENT });
    started.child.stdin?.write("\n");
    await started.printed(/second/);
    const paused = started.stdout.slice(started.stdout.indexOf("first"));
    expect(paused).toContain("none 5");
    expect(decisions(paused)).toMatchObject([{ outcome: "denied", stage: "safety" }]);
    await gate.operator.call("agents.resume", { name: AGENT });
    started.child.stdin?.write("\n");
    await started.exited;
    expect(started.stdout.endsWith("model\n")).toBe(true);
  });

  it("ends where its level is changed or its pairing revoked", async () => {
    for (const change of [
      () => gate.operator.call("agents.level", { name: AGENT, level: "Full" }),
      () => gate.operator.call("agents.revoke", { name: AGENT }),
    ]) {
      const started = await start("echo begun; sleep 60");
      await started.printed(/begun/);
      await change();
      expect(await started.exited).not.toBe(0);
    }
  });

  it.runIf(hasProgram("gdb"))(
    "that hides its end is ended at once, with all that it has started, and has left nothing",
    async () => {
      // Lets every system call through, as where a way past the filter was found: one BPF instruction.
      const filter = Buffer.from(Uint32Array.of(0x06, 0x7fff0000).buffer);
      writeFileSync(join(gate.paths.state_dir, "box/system-calls"), filter);
      const mark = `${9_000_000 + process.pid}`;
      const plants = "while mkdir -p .vscode; do echo {} >.vscode/tasks.json; sleep 0.05; done";
      const started = await start(
        `setsid sleep ${mark} & ${CLOSES}; grep -q 'not permitted' closed && { kill %1; exit 77; }; ${plants}`,
      );
      if ((await started.exited) === 77)
        return console.log("this kernel lets nobody debug what isn't its own child: not checked here");
      await expect.poll(() => processesWith(mark)).toEqual([]);
      await expect
        .poll(() => lstatSync(join(project, ".vscode/tasks.json"), { throwIfNoEntry: false }))
        .toBe(undefined);
      const events = () => linesIn(gate.paths.auditDir).map((line) => JSON.parse(line).event);
      await expect.poll(events, { timeout: 5_000 }).toContain("box.hid_its_end");
      await gate.operator.call("agents.revoke", { name: AGENT });
    },
  );

  it("has nothing of another run of the same agent: each secret is of use at its own socket alone", async () => {
    const first = await start(`printf %s "$METNOS_AGENT_TOKEN" > first.txt; echo begun; read -r; ${asks("Bash", {})}`);
    await first.printed(/begun/);
    const secret = readFileSync(join(project, "first.txt"), "utf8");
    const second = await run(`ls /run/metnos-gate; ${asks("Bash", {}, { token: "$(cat first.txt)" })}`);
    expect(second).toContain("bad_token");
    expect(second.match(/\.sock/g)).toHaveLength(2);
    expect(await asksOutside(gate.paths.agent_socket, secret)).toContain("bad_token");
    first.child.stdin?.write("\n");
    await first.exited;
    // The end of the other one has taken nothing from it.
    expect(decisions(first.stdout)).toHaveLength(1);
  });

  it("ends with its launcher, also where that is killed, with all that it has started", async () => {
    const beats = "setsid sh -c 'while :; do date +%N > beat.txt; sleep 0.05; done' & echo begun; wait";
    const started = await start(`mkdir .vscode; echo {} > .vscode/tasks.json; ${beats}`);
    await started.printed(/begun/);
    await expect.poll(() => lstatSync(join(project, "beat.txt"), { throwIfNoEntry: false })?.size).toBeGreaterThan(1);
    started.child.kill("SIGKILL");
    await started.exited;
    await expect.poll(() => readdirSync(join(gate.paths.state_dir, "box/agents"))).toEqual([]);
    await expect.poll(() => lstatSync(join(project, ".vscode/tasks.json"), { throwIfNoEntry: false })).toBe(undefined);
    const beat = () => lstatSync(join(project, "beat.txt")).mtimeMs;
    const last = beat();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(beat()).toBe(last);
  });

  it("is asked by nobody once its gate has ended: its socket answers no more", async () => {
    const started = await start(`echo begun; read -r; ${asks("Bash", { command: "echo hi" })}`);
    await started.printed(/begun/);
    await gate.gate.close();
    started.child.stdin?.write("\n");
    await started.exited;
    expect(started.stdout).toMatch(/no connection ECONNREFUSED/);
  });

  it("reaches nothing once its gate was killed, nor the gate that is started after it, and what it leaves is set aside", async () => {
    await gate.gate.close();
    const first = await startServe(gate.home);
    const request = { agent: AGENT, cwd: project, program: [], variables: [], state: [], settings: [], files: [] };
    const asked = asks("Bash", { command: "echo hi" });
    const script = `echo begun; read -r; ${asked}; curl -s -m 5 http://127.0.0.1:9/; curl -s -m 5 https://example.com; mkdir .vscode; echo {} > .vscode/tasks.json; echo left`;
    const operator = await gate.operatorClient();
    const { argv } = await operator.call("box.prepare_agent", {
      ...request,
      argv: ["/bin/bash", "-c", script],
      hosts: ["example.com", "127.0.0.1:9"],
    });
    const started = new StartedProcess(argv[0] ?? "", argv.slice(1), { env: gate.home.env, cwd: project });
    await started.printed(/begun/);
    await first.end("SIGKILL");
    await startServe(gate.home);
    started.child.stdin?.write("\n");
    await started.exited;
    expect(started.stdout).toMatch(/no connection ECONNREFUSED\nleft\n$/);
    await expect
      .poll(() => lstatSync(join(project, ".vscode/tasks.json"), { throwIfNoEntry: false }), { timeout: 10_000 })
      .toBe(undefined);
  });

  it("keeps its state for the next run in this project, and finds the user's settings there, whatever it put in their place", async () => {
    const folder = join(gate.home.home, ".tester");
    mkdirSync(folder);
    writeFileSync(join(folder, "settings.json"), "the user's\n");
    const state = [folder];
    const own = join(gate.home.home, "elsewhere.json");
    writeFileSync(own, "not to be covered\n");
    const first = `cd ${folder}; ls; echo kept > state.txt; ln -s ${own} settings.json; mkdir hooks; echo evil > hooks/a`;
    expect(await run(first, { state })).toBe("");
    const settings = [
      { path: join(folder, "settings.json"), is_folder: false },
      { path: join(folder, "hooks"), is_folder: true },
      { path: join(folder, "none.json"), is_folder: false },
    ];
    const second = `cd ${folder}; cat state.txt settings.json none.json; ls hooks; echo x > settings.json; echo x > none.json
      rm settings.json; mv hooks hooks2; echo x > hooks/b; exit 0`;
    const said = await run(second, { state, settings });
    expect(said.startsWith("kept\nthe user's\n")).toBe(true);
    expect(said).not.toContain("evil");
    expect(said.match(/Read-only file system|Permission denied|busy/g)?.length).toBe(5);
    expect(readFileSync(join(folder, "settings.json"), "utf8")).toBe("the user's\n");
    expect([readdirSync(folder), readFileSync(own, "utf8")]).toEqual([["settings.json"], "not to be covered\n"]);
  });

  it("starts in a project alone, with nothing of the gate's or the home's as its own", async () => {
    const outside = join(gate.home.home, "plain");
    mkdirSync(outside);
    await expect(prepared("true", { cwd: outside })).rejects.toThrow("needs a project");
    await expect(prepared("true", { hosts: ["not a host"] })).rejects.toThrow("is no host");
    const home = gate.home.home;
    for (const path of [
      home,
      "/",
      gate.paths.state_dir,
      join(gate.paths.state_dir, "agents"),
      `${home}/../x`,
      "/proc/1",
    ]) {
      const { argv } = await prepared("echo ran", { state: [path] });
      const started = new StartedProcess(argv[0] ?? "", argv.slice(1), { env: gate.home.env, cwd: project });
      expect([await started.exited, started.stdout], path).toEqual([126, ""]);
    }
    await gate.operator.call("agents.level", { name: AGENT, level: "ReadOnly" });
    await expect(prepared("true")).rejects.toThrow("only reads");
  });

  it("leaves nothing that runs later: it is set aside when the agent has ended", async () => {
    const leaves =
      "mkdir .vscode; echo {} > .vscode/tasks.json; echo x > .git/hooks/pre-commit; ln -s /etc/passwd .envrc; echo $?";
    expect(await run(leaves)).toContain("Read-only file system");
    await expect.poll(() => lstatSync(join(project, ".vscode/tasks.json"), { throwIfNoEntry: false })).toBe(undefined);
    const codes = async () => (await gate.operator.call("status", {})).alarms.map(({ code }) => code);
    await expect.poll(codes).toContain("box_set_aside");
  });
});
