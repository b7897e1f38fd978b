import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as passed } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import { hasProgram } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { boxUnderTest, shellRuns, withoutBox } from "../box-under-test.ts";

const reason = withoutBox();
if (reason !== undefined) console.log(`confined commands where too many files are open are not tested: ${reason}`);

/** A gate's box, in a process of its own that can be kept from opening files. */
async function boxOfItsOwn(line: string) {
  const folder = tempFolder();
  const project = join(folder, "project");
  mkdirSync(project);
  const child = spawn(process.execPath, [join(import.meta.dirname, "../other-gate.ts"), folder, line]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [words] = await once(createInterface(child.stdout), "line");
  const mayOpen = (files: number) => shellRuns(`prlimit --pid ${child.pid} --nofile=${files}:`, folder);
  return { project, argv: JSON.parse(words) as string[], mayOpen, said: () => said };
}

/** Until what is returned is called, this process can't look at others. */
function withoutLooks(): () => void {
  const { readFileSync } = fs;
  const put = (read: unknown) => {
    Object.assign(fs, { readFileSync: read });
    syncBuiltinESMExports();
  };
  onTestFinished(() => put(readFileSync));
  put((path: string, ...how: []) => {
    if (/^\/proc\/\d+\/stat$/.test(path)) throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    return readFileSync(path, ...how);
  });
  return () => put(readFileSync);
}

describe.skipIf(reason !== undefined)("a confined command, where the gate can open no more files,", () => {
  it.runIf(hasProgram("prlimit"))("is looked after as it has ended, once the gate can again", async () => {
    const line = "touch began; until [ -e end ]; do sleep 0.01; done; echo x > .envrc";
    const { project, argv, mayOpen, said } = await boxOfItsOwn(line);
    const isThere = (name: string) => existsSync(join(project, name));
    const ran = shellRuns(confinedCommand(argv), project);
    await expect.poll(() => isThere("began")).toBe(true);
    await mayOpen(3);
    writeFileSync(join(project, "end"), "");
    expect((await ran).code).toBe(0);
    await passed(500);
    await mayOpen(4096);
    await expect.poll(() => isThere(".envrc")).toBe(false);
    expect(said()).toBe("");
  });

  it("is known by its first process all the same, and the gate continues", async () => {
    const { box, project, run, alarms, failures } = await boxUnderTest();
    const look = withoutLooks();
    const ran = run("touch began; until [ -e end ]; do sleep 0.01; done; echo x > .envrc");
    await expect.poll(() => existsSync(join(project, "began"))).toBe(true);
    writeFileSync(join(project, "end"), "");
    expect((await ran).code).toBe(0);
    await passed(200);
    expect(box.status().running).toBe(1);
    look();
    await expect.poll(() => box.status().running).toBe(0);
    expect(existsSync(join(project, ".envrc"))).toBe(false);
    expect(alarms.map(({ code }) => code)).toEqual(["box_set_aside"]);
    expect(failures).toEqual([]);
  });
});
