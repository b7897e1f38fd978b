import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { confinedCommand } from "../../ipc/confined-command.ts";
import { startGate } from "../support/running-gate.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { boxUnderTest, shellRuns, withoutBox } from "./box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.warn(`the box of a gate is not tested: ${reason}`);

/** A gate's box in a process of its own, that prints the words of a run of the line that it is given. */
const OTHER_GATE = new URL("./other-gate.ts", import.meta.url).pathname;

async function otherGate(folder: string, line: string): Promise<{ process: ChildProcess; argv: string[] }> {
  const child = spawn(process.execPath, [OTHER_GATE, folder, line], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [text] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { process: child, argv: JSON.parse(text) as string[] };
}

async function killed({ process }: { process: ChildProcess }): Promise<void> {
  const exit = once(process, "exit");
  process.kill("SIGKILL");
  await exit;
}

function folders() {
  const folder = tempFolder();
  const [state_dir, project] = [join(folder, "state"), join(folder, "project")];
  for (const each of [state_dir, project, join(folder, "home")]) mkdirSync(each);
  return { folder, state_dir, project };
}

describe.skipIf(reason !== undefined)("a gate that ends while its box is being tried", () => {
  it("writes no launcher any more: the next gate's would be another one's", async () => {
    const gate = await startGate();
    const { box } = gate.gate.core;
    const tried = box.ready;
    await gate.close();
    await tried;
    expect(readdirSync(join(gate.paths.state_dir, "box")).filter((name) => /metnos-gate-box|\.up$/.test(name))).toEqual(
      [],
    );
  });
});

describe.skipIf(reason !== undefined)("a gate that starts", () => {
  it("takes nothing that lies in its folder for a pipe that is none, and follows no link there", async () => {
    const { folder, state_dir, project } = folders();
    const box_folder = join(state_dir, "box");
    mkdirSync(join(box_folder, "0000-1.up", "inner"), { recursive: true, mode: 0o700 });
    writeFileSync(join(box_folder, "0000-2.up"), "text");
    writeFileSync(join(folder, "mine"), "mine");
    symlinkSync(join(folder, "mine"), join(box_folder, "0000-3.up"));
    const { box, failures } = await boxUnderTest({ state_dir, project });
    await box.settled;
    expect(failures).toEqual([]);
    expect(readdirSync(box_folder).filter((name) => name.startsWith("0000"))).toEqual([]);
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("mine");
  });
});

describe.skipIf(reason !== undefined)("a gate that dies", () => {
  it("lets nothing start that it has prepared", async () => {
    const { folder, project } = folders();
    const gate = await otherGate(folder, "touch ran");
    await killed(gate);
    expect(await shellRuns(confinedCommand(gate.argv), project)).toMatchObject({
      code: 126,
      stdout: "",
      stderr: expect.stringMatching(/^Metnos Gate: .*: the command did not run\n$/),
    });
    expect(existsSync(join(project, "ran"))).toBe(false);
  });

  it("leaves a command confined that runs, and the next gate sets aside what it left", async () => {
    const { folder, state_dir, project } = folders();
    const line =
      "touch going; until [ -e end ]; do sleep 0.01; done; echo x > .envrc; echo x > /etc/x || echo confined";
    const gate = await otherGate(folder, line);
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    await killed(gate);
    const next = await boxUnderTest({ state_dir, project });
    expect(next.box.is_available).toBe(true);
    writeFileSync(join(project, "end"), "");
    expect((await command).stdout).toBe("confined\n");
    await next.box.settled;
    expect(next.box.status().set_aside.map(({ path }) => path)).toEqual([join(project, ".envrc")]);
    expect(next.failures).toEqual([]);
    // Nothing of the earlier gate is left but what was set aside.
    expect(readdirSync(join(state_dir, "box/going"))).toEqual([]);
    const prefixes = readdirSync(join(state_dir, "box")).flatMap((name) => /^([0-9a-f]{8})-/.exec(name)?.[1] ?? []);
    expect(new Set(prefixes).size).toBe(1);
  });

  it("and whose command ended before the next one starts: what it left is set aside, too", async () => {
    const { folder, state_dir, project } = folders();
    const gate = await otherGate(folder, "touch going; until [ -e end ]; do sleep 0.01; done; echo x > .envrc");
    const command = shellRuns(confinedCommand(gate.argv), project);
    await expect.poll(() => existsSync(join(project, "going"))).toBe(true);
    await killed(gate);
    writeFileSync(join(project, "end"), "");
    await command;
    const next = await boxUnderTest({ state_dir, project });
    await next.box.settled;
    expect(existsSync(join(project, ".envrc"))).toBe(false);
  });
});

describe("the box of a gate", () => {
  it("is not there where a link is in its folder's place, and what the link leads to stays as it is", async () => {
    const { state_dir, project } = folders();
    const elsewhere = tempFolder();
    symlinkSync(elsewhere, join(state_dir, "box"));
    const { box } = await boxUnderTest({ state_dir, project });
    expect(box.is_available).toBe(false);
    expect(box.status().problem).toBe("folder-unusable");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("is not there where it is turned off", async () => {
    const gate = await startGate({ config: "[box]\nenabled = false\n" });
    expect((await gate.operator.call("box.status", {})).problem).toBe("disabled");
    await gate.gate.core.box.ready;
    expect(gate.gate.core.box.is_available).toBe(false);
  });
});
