import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launcherProblem, writeLauncher } from "../../../cli/hook/launcher.ts";
import { launcherText } from "../../../cli/hook/launcher-text.ts";
import { payload } from "../../support/hook-process.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

const CALL = ["hook", "claude-code"];
const LS = payload("Bash", { command: "ls" });

function called(launcher: string, { input = LS, env = {}, args = CALL }: Parts = {}) {
  const { status, stdout, stderr } = spawnSync(launcher, args, { input, env, encoding: "utf8", timeout: 60_000 });
  return { status, stdout, stderr };
}

interface Parts {
  input?: string;
  env?: NodeJS.ProcessEnv;
  args?: string[];
}

/** A launcher of the real form around a program of the test's. */
function around(program: string, nodes = [process.execPath]): string {
  const folder = tempFolder();
  const script = join(folder, "program.cjs");
  writeFileSync(script, program);
  const file = join(folder, "metnos-gate-hook");
  const text = launcherText({ env: { HOME: folder, PATH: folder }, program: { nodes, scripts: [script] } });
  writeFileSync(file, text, { mode: 0o700 });
  return file;
}

describe("whatever goes wrong, the launcher ends with 2, says why, and prints nothing", () => {
  it.each([
    ["its program exits with 1", "process.exit(1)"],
    ["its program says nothing and exits with 0", "process.exit(0)"],
    ["its program prints something else than an answer", "console.log('garbage')"],
    ["its program prints an answer and fails", "console.log('{}'); process.exitCode = 3"],
    ["its program throws", "throw new Error('x')"],
    ["its program is killed", "process.kill(process.pid, 'SIGKILL')"],
    ["its program has no memory left", "process.abort()"],
    ["its program is no program", "const {"],
  ])("%s", (_, program) => {
    const { status, stdout, stderr } = called(around(program));
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("nothing is let through");
  });

  it("its Node is missing and PATH has none", () => {
    expect(called(around("", ["/nowhere/node"]))).toMatchObject({ status: 2, stdout: "" });
  });

  it("its program is missing", () => {
    const { env } = temporaryHome();
    const text = launcherText({
      env,
      program: { nodes: [process.execPath], scripts: ["/nowhere/a", "/nowhere/b"] },
    });
    const file = join(tempFolder(), "metnos-gate-hook");
    writeFileSync(file, text, { mode: 0o700 });
    expect(called(file)).toMatchObject({ status: 2, stdout: "" });
    expect(launcherProblem(file)).toContain("its program is missing");
  });

  it("an installed command is missing", () => {
    const file = join(tempFolder(), "metnos-gate-hook");
    writeFileSync(file, launcherText({ env: {}, program: { installed: "/nowhere/metnos-gate" } }), { mode: 0o700 });
    expect(called(file)).toMatchObject({ status: 2, stdout: "" });
  });

  it("it is called without arguments, as by a version that doesn't know them", () => {
    const { status, stdout, stderr } = called(around("console.log('{}')"), { args: [] });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("update");
  });
});

describe("what a project's settings put into the environment", () => {
  it("reaches neither the launcher's shell nor the hook", () => {
    const folder = tempFolder();
    const evil = join(folder, "evil.cjs");
    writeFileSync(evil, "console.log('{\"evil\":true}'); process.exit(0)");
    writeFileSync(join(folder, "node"), "#!/bin/sh\necho '{\"evil\":true}'\n", { mode: 0o755 });
    const env = {
      NODE_OPTIONS: `--require ${evil}`,
      NODE_PATH: folder,
      PATH: folder,
      ENV: evil,
      BASH_ENV: evil,
      SHELLOPTS: "noexec",
      "BASH_FUNC_printf%%": "() { echo '{\"evil\":true}'; }",
      METNOS_RUNTIME_DIR: folder,
      METNOS_AGENT_TOKEN: "x",
      CLAUDE_CONFIG_DIR: folder,
      CLAUDE_CODE_ENTRYPOINT: "cli",
    };
    const seen = called(around("console.log(JSON.stringify(process.env))"), { env });
    expect(seen.status).toBe(0);
    expect(
      Object.keys(JSON.parse(seen.stdout))
        .filter((name) => !["PWD", "_", "SHLVL"].includes(name))
        .sort(),
    ).toEqual(["HOME", "METNOS_GIVEN_ENTRYPOINT", "METNOS_GIVEN_PATH", "PATH"]);
    expect(JSON.parse(seen.stdout)).toMatchObject({ METNOS_GIVEN_PATH: folder, METNOS_GIVEN_ENTRYPOINT: "cli" });
  });

  it("the variables that located the gate at connect still do", () => {
    const { env, home } = temporaryHome();
    const launcher = writeLauncher({
      ...env,
      METNOS_RUNTIME_DIR: join(home, "it's here"),
      METNOS_AGENT_TOKEN: "secret",
    });
    const text = readFileSync(launcher, "utf8");
    expect(text).toContain(`export METNOS_RUNTIME_DIR='${home}/it'\\''s here'`);
    expect(text).not.toContain("secret");
    expect(statSync(launcher).mode & 0o777).toBe(0o700);
  });
});

describe("the launcher that connect writes", () => {
  it.each(["/a b:$(touch x)`id`;\\:'\"", "", ":.:relative"])("tells the gate which PATH the client has: %j", (path) => {
    const { stdout } = called(around("console.log(JSON.stringify(process.env))"), { env: { PATH: path } });
    expect(JSON.parse(stdout)).toMatchObject({ METNOS_GIVEN_PATH: path });
  });

  it("is a problem where an earlier version has written it", () => {
    const launcher = writeLauncher(temporaryHome().env);
    expect(launcherProblem(launcher)).toBeUndefined();
    const [, ...lines] = readFileSync(launcher, "utf8").split("\n");
    writeFileSync(launcher, ["#!/usr/bin/env -S -i /bin/sh", ...lines].join("\n"));
    expect(launcherProblem(launcher)).toContain("an earlier version's");
  });

  it("answers as the hook does, with the arguments that Claude Code passes", () => {
    const launcher = writeLauncher(temporaryHome().env);
    const denied = called(launcher, { input: payload("Bash", { command: "rm -rf /" }) });
    expect(denied.status).toBe(0);
    expect(JSON.parse(denied.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    const args = [...CALL, "--offline", "deny"];
    expect(JSON.parse(called(launcher, { args }).stdout)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
  });

  it("works where the program it was written from is missing, by its own copy", () => {
    const { env, paths } = temporaryHome();
    const launcher = writeLauncher(env);
    const [node = "", script = ""] = spawnSync(launcher, ["check"], { encoding: "utf8" }).stdout.split("\n").slice(1);
    expect([node, script]).toEqual([process.execPath, expect.stringMatching(/dist\/hook\/hook\.cjs$/)]);
    const text = readFileSync(launcher, "utf8").replaceAll(script, "/moved/away.js");
    writeFileSync(launcher, text);
    expect(spawnSync(launcher, ["check"], { encoding: "utf8" }).stdout).toContain(paths.state_dir);
    const answer = JSON.parse(called(launcher, { input: payload("Bash", { command: "rm -rf /" }) }).stdout);
    expect(answer.hookSpecificOutput.permissionDecision).toBe("deny");
  });

  it("works where the Node it was written with is missing, by another one or by PATH", () => {
    const folder = tempFolder();
    const { env } = temporaryHome();
    symlinkSync(process.execPath, join(folder, "node"));
    const launcher = writeLauncher({ ...env, PATH: folder });
    const text = readFileSync(launcher, "utf8");
    expect(text).toContain(`'${join(folder, "node")}'`);
    writeFileSync(launcher, text.replaceAll(`'${process.execPath}'`, "'/gone/node'"));
    expect(spawnSync(launcher, ["check"], { encoding: "utf8" }).stdout.split("\n")[1]).toBe(join(folder, "node"));
    expect(called(launcher).status).toBe(0);
    mkdirSync(join(folder, "later"));
    renameSync(join(folder, "node"), join(folder, "later/node"));
    const moved = readFileSync(launcher, "utf8").replace(
      /^for found in .*node'.*; do$/m,
      "for found in '/gone/node'; do",
    );
    writeFileSync(launcher, moved.replace(/PATH='[^']*'/, `PATH='${folder}/later'`));
    expect(spawnSync(launcher, ["check"], { encoding: "utf8" }).stdout.split("\n")[1]).toBe(join(folder, "later/node"));
  });

  it("is said not to run where it can't", () => {
    const launcher = writeLauncher(temporaryHome().env);
    expect(launcherProblem(launcher)).toBeUndefined();
    chmodSync(launcher, 0o600);
    expect(launcherProblem(launcher)).toContain(launcher);
    expect(launcherProblem("/nowhere/metnos-gate-hook")).toContain("/nowhere/metnos-gate-hook");
  });
});

describe("after a call, where there is no box", () => {
  it("the client continues while its program reports it, whole; a session's words are waited for", async () => {
    const folder = tempFolder();
    const [script, kept, file] = ["program.cjs", "kept", "metnos-gate-hook"].map((name) => join(folder, name));
    if (script === undefined || kept === undefined || file === undefined) throw new Error("they were named");
    const said = `process.argv.slice(2).join(" ") + fs.readFileSync(0)`;
    const keeps = `fs.writeFileSync(${JSON.stringify(kept)}, ${said}); process.stdout.write("answer");`;
    writeFileSync(script, `const fs = require("fs"); ${keeps}`);
    const program = { nodes: [process.execPath], scripts: [script] };
    const text = launcherText({ env: { HOME: folder, PATH: "/usr/bin:/bin" }, program, reportsBeside: true });
    writeFileSync(file, text, { mode: 0o700 });
    const input = "100% `x` $(y) \u001b[31m è";
    expect(called(file, { input, args: ["after", "claude-code"] })).toEqual({ status: 0, stdout: "", stderr: "" });
    await expect
      .poll(() => (existsSync(kept) ? readFileSync(kept, "utf8") : ""))
      .toBe(`hook claude-code after${input}\n`);
    expect(called(file, { input, args: ["session", "claude-code"] })).toMatchObject({ status: 0, stdout: "answer" });
  });
});
