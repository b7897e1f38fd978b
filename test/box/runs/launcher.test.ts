import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { startConfined } from "../../../ipc/client.ts";
import { decisionSchema } from "../../../ipc/contract/decision.ts";
import { launcherText } from "../../../main/box/runs/launcher-text.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { boxUnderTest, SHELLS, shellRuns, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.warn(`the launcher is not tested: ${reason}`);

describe.skipIf(reason !== undefined)("a command in a box, started by the launcher", () => {
  it.each(SHELLS)("%s keeps its folder, exit code and both outputs as without a box", async (shell) => {
    const { run, project } = await boxUnderTest();
    mkdirSync(join(project, "sub"));
    const options = { shell, after: '; echo "$? $PWD"' };
    expect(await run("echo out; echo err >&2; cd sub; false", options)).toEqual({
      code: 0,
      signal: null,
      stdout: `out\n1 ${project}/sub\n`,
      stderr: "err\n",
    });
    expect((await run("exit 3", options)).stdout).toBe(`3 ${project}\n`);
    expect((await run("exec sh -c 'exit 4'", options)).stdout).toBe(`4 ${project}\n`);
    expect((await run("(exit 5)", options)).stdout).toBe(`5 ${project}\n`);
  });

  it.each(SHELLS)("%s gives it its input, and takes what a line is made of", async (shell) => {
    const { run } = await boxUnderTest();
    const lines: [line: string, stdout: string][] = [
      ["cat", "given\n"],
      ["cat <<'END'\n$HOME \\\nEND", "$HOME \\\n"],
      ["echo a\\", "a\\\n"],
      ["echo 'Grüße, 世界 – ~'", "Grüße, 世界 – ~\n"],
      ["echo } # }", "}\n"],
      ["printf '%s\\n' \"$# $0\"", "0 bash\n"],
      ["", ""],
    ];
    for (const [line, stdout] of lines) {
      expect(await run(line, { shell, input: "given\n" })).toEqual({ code: 0, signal: null, stdout, stderr: "" });
    }
    expect(await run("if", { shell })).toMatchObject({ code: 2, stdout: "" });
  });

  it("names its folder to an agent that runs it by the Node client", async () => {
    const { prepare, project } = await boxUnderTest();
    mkdirSync(join(project, "sub"));
    const confine = { argv: prepare("cd sub; cat; echo out; (exit 6)") };
    const decision = { decision_id: "d", outcome: "allowed", stage: "policy", reason: "", explain: {}, verdict: null };
    const { child, ended } = startConfined(decisionSchema.parse({ ...decision, capabilities: [], confine }), {
      cwd: project,
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin?.end("in\n");
    if (child.stdout === null) throw new Error("it is a pipe");
    const [out, end] = await Promise.all([text(child.stdout), ended]);
    expect([out, end]).toEqual(["in\nout\n", { code: 6, signal: null, cwd: join(project, "sub") }]);
  });

  it("passes an output of a megabyte", async () => {
    const { run } = await boxUnderTest();
    const { stdout, code } = await run("head -c 1048576 /dev/zero | tr '\\0' x");
    expect([stdout.length, code]).toEqual([1_048_576, 0]);
  });

  it("works below aliases, functions and strict options of the user's shell", async () => {
    const { prepare, project } = await boxUnderTest();
    for (const shell of SHELLS.filter((path) => !path.endsWith("dash"))) {
      const before = "set -eu; exec() { echo wrong; }; read() { echo wrong; }; printf() { echo wrong; }; true;";
      const line = `${before} ${confinedCommand(prepare("echo right"))}`;
      expect(await shellRuns(line, project, { shell })).toMatchObject({ code: 0, stdout: "right\n", stderr: "" });
    }
  });

  it("leaves no descriptor, and nothing of the environment that isn't kept, in the box", async () => {
    const { run } = await boxUnderTest();
    const env = {
      PATH: process.env.PATH,
      "a-b": "SECRET-1",
      MY_TOKEN: "SECRET-2",
      "BASH_FUNC_f%%": "() { echo SECRET-3; }",
    };
    // `ls` has its folder open; 8 is the client's own, for whatever its shell runs.
    expect((await run("ls /proc/self/fd", { env })).stdout).toMatch(/^0\n1\n2\n3\n$/);
    const seen = await run("env; cat /proc/*/environ; tr '\\0' '\\n' </proc/1/cmdline", { env });
    expect(seen.stdout).not.toContain("SECRET");
  });

  it("is private, and names only absolute programs", async () => {
    const { state_dir } = await boxUnderTest();
    const text = readFileSync(join(state_dir, "box/metnos-gate-box"), "utf8");
    expect(text).toMatch(/^#!\/\S+ -p\n/);
  });

  it("runs nothing of a command whose description was cut short, wherever that is", async () => {
    const folder = tempFolder();
    const parts = {
      folder,
      maker: "/usr/bin/bwrap",
      bash: "/bin/bash",
      common: ["--unshare-all", "--ro-bind", "/", "/", "--setenv", "HOME", folder],
      limits: "",
      hasFilter: false,
    };
    writeFileSync(join(folder, "launcher"), launcherText(parts), { mode: 0o700 });
    // The shell's input is a socket here: bash would run it.
    writeFileSync(join(folder, ".bashrc"), "echo settings >&2\n");
    const system = ["--bind", folder, folder, "--chdir", folder];
    const own = [
      "--setenv",
      "METNOS_BOX_START",
      "",
      "--setenv",
      "METNOS_BOX_COMMAND",
      "touch ran x",
      "--setenv",
      "METNOS_BOX_WHOLE",
      "1",
    ];
    const whole = [...system, ...own].map((word) => `${word}\0`).join("");
    const command = whole.indexOf("touch");
    for (const length of [whole.length, 0, whole.indexOf("--chdir"), command + 9, command + 12, whole.length - 2]) {
      execFileSync("/usr/bin/mkfifo", [join(folder, "1.up"), join(folder, "1.down")]);
      const up = openSync(join(folder, "1.up"), constants.O_RDONLY | constants.O_NONBLOCK);
      const down = openSync(join(folder, "1.down"), constants.O_RDWR | constants.O_NONBLOCK);
      const ended = shellRuns(`'${folder}/launcher' run 1.0`, folder);
      // It has opened its end once it has said something.
      await vi.waitFor(() => expect(readSync(up, Buffer.alloc(65_536))).toBeGreaterThan(0), {
        timeout: 10_000,
        interval: 2,
      });
      writeSync(down, whole.slice(0, length));
      closeSync(down);
      const { code, stderr } = await ended;
      if (length === 0)
        expect([code, stderr]).toEqual([126, "Metnos Gate: the gate has ended: the command did not run\n"]);
      expect([length, code === 0, existsSync(join(folder, "ran"))]).toEqual([
        length,
        length === whole.length,
        length === whole.length,
      ]);
      closeSync(up);
      for (const name of ["1.up", "1.down", "1.taken", "ran", "x"]) rmSync(join(folder, name), { force: true });
    }
  });
});
