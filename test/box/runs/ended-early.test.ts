import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { processesWith } from "../../support/judged-gate.ts";
import { boxUnderTest, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`confined commands that are killed early are not tested: ${reason}`);

/** Across the start of a box; 20 % of them were too early once for what ends a box with its bubblewrap. */
const MOMENTS = Array.from({ length: 60 }, (_, index) => index * 0.8);

describe.skipIf(reason !== undefined)("a confined command that its client kills", () => {
  it.each([
    ["alone", (pid: number) => pid, false],
    ["with its process group", (pid: number) => -pid, false],
    ["by the shell that waits for it", (pid: number) => pid, true],
  ])("%s, at whatever moment of its start, doesn't run on, and leaves no process", async (_, target, hasShell) => {
    const { box, project, prepare, failures } = await boxUnderTest();
    const sleep = `${7_000_000 + process.pid}`;
    await Promise.all(
      MOMENTS.map(async (ms, index) => {
        const argv = prepare(`sleep 1.5; touch late-${index}; sleep ${sleep}.${index}`);
        const [program = "", ...words] = hasShell ? ["/bin/bash", "-c", confinedCommand(argv)] : argv;
        const child = spawn(program, words, { cwd: project, stdio: "ignore", detached: true });
        const ended = once(child, "exit");
        await wait(ms * 4);
        process.kill(target(child.pid ?? 0), "SIGKILL");
        await ended;
      }),
    );
    await expect.poll(() => box.status().running, { timeout: 10_000 }).toBe(0);
    expect(readdirSync(project)).toEqual([]);
    expect(processesWith(sleep)).toEqual([]);
    const left = processesWith(project);
    // Bubblewrap's own first process waits for ever where its other one is killed before it has asked to end with it: it runs nothing.
    if (box.status().maker === "bubblewrap") for (const pid of left) process.kill(pid, "SIGKILL");
    else expect(left).toEqual([]);
    expect(failures).toEqual([]);
  });
});
