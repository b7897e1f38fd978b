import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { launcherText } from "../../cli/hook/launcher-text.ts";
import { PipePairs } from "../../main/base/pipes/pipe-pairs.ts";
import { HookPipes } from "../../main/hooks/hook-pipes.ts";
import { tempFolder } from "../support/temp-folder.ts";

const SHELLS = ["/bin/dash", "/bin/bash", "/bin/busybox sh"].filter((shell) => existsSync(shell.split(" ")[0] ?? ""));
const PROGRAMS = '{"said by":"the program"}';

it.each(SHELLS)(
  "of a gate that ends amid a long answer %s says nothing: the program asks the next one",
  async (shell) => {
    const home = tempFolder();
    const [made, folder] = [join(home, "made"), join(home, "pipes")];
    const [program, file] = [join(home, "program.cjs"), join(home, "launcher")];
    mkdirSync(made);
    let answered = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const answer = async () => {
      hook.kill("SIGSTOP");
      setImmediate(answered);
      // Wherever it is cut, it looks like a whole one.
      return JSON.stringify({ long: "}".repeat(200_000) });
    };
    const failed = (what: string, error: unknown) => expect.unreachable(`${what}: ${error}`);
    const slots = new PipePairs(made, "p", (error) => failed("slots", error));
    const pipes = new HookPipes({ folder, slots, prefix: "p", answer, failed }, made);
    onTestFinished(() => pipes.close());
    await pipes.begin();
    writeFileSync(program, `console.log(${JSON.stringify(PROGRAMS)})`);
    const ways = { env: { PATH: process.env.PATH ?? "" }, program: { nodes: [process.execPath], scripts: [program] } };
    writeFileSync(file, launcherText({ ...ways, pipesDir: folder }).replace("/bin/sh", shell), { mode: 0o700 });
    const hook = spawn(file, ["hook", "claude-code"], { stdio: ["pipe", "pipe", "inherit"], env: {} });
    onTestFinished(() => void hook.kill("SIGKILL"));
    let output = "";
    hook.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    hook.stdin.end("{}");
    await isAnswered;
    pipes.close();
    hook.kill("SIGCONT");
    const [code] = await once(hook, "close");
    expect([code, output.length, output.trim().slice(0, 100)]).toEqual([0, PROGRAMS.length + 1, PROGRAMS]);
  },
);
