import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findMachine, type Machine } from "../../../main/box/arguments/machine.ts";
import { probeBox } from "../../../main/box/service/probe.ts";
import { configSchema } from "../../../main/config/config.ts";
import { HAS_BUBBLEWRAP } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function machineHere(): Machine {
  const home = tempFolder();
  const config = configSchema.parse({}).box;
  return findMachine({ env: { PATH: process.env.PATH, HOME: home }, home, config, state_dir: join(home, "state") });
}

/** A program in Bubblewrap's place, of the given bash lines. */
function machineWith(lines: string, version = "0.11.0"): Machine {
  const machine = machineHere();
  const path = join(machine.home, "bwrap");
  writeFileSync(path, `#!/bin/bash\n${lines}\n`);
  chmodSync(path, 0o755);
  return { ...machine, makers: [{ path, name: "bubblewrap", version }] };
}

/** Runs the words behind the arguments as they are: nothing is confined. */
const UNCONFINED =
  'while [ "$1" != /usr/bin/bash ] && [ "$1" != /bin/bash ]; do [ "$1" = --chdir ] && cd "$2"; shift; done\n';

describe("the probe of a box", () => {
  it.runIf(HAS_BUBBLEWRAP)("finds that Bubblewrap confines here", async () => {
    const machine = machineHere();
    expect(await probeBox(machine)).toEqual({
      problem: null,
      detail: "",
      fix: null,
      maker: machine.makers[0],
    });
  });

  it("finds what isn't confined", async () => {
    const skippedChecks = `set -- "$1" "$2" "\${3/exit 126/:}"`;
    const found = await probeBox(machineWith(`${UNCONFINED}${skippedChecks}; export TMPDIR=/tmp; exec "$@"`));
    expect(found.problem).toBe("probe-failed");
    for (const said of [
      "a file outside the project is there",
      "the gate's folder is there",
      "the machine's network is there",
      "other processes are there",
      "it wrote outside the project",
    ])
      expect(found.detail).toContain(said);
  });

  it("finds that a box is another one than was meant", async () => {
    const found = await probeBox(machineWith(`${UNCONFINED}exec "$@"`));
    expect(found.problem).not.toBeNull();
  });

  it.each([
    ["that says why not", "echo 'bwrap: Something else' >&2; exit 1", "probe-failed", "bwrap: Something else"],
    ["that runs nothing", "exit 0", "probe-failed", "it didn't start"],
    ["that ends half-way", "echo started; echo 'Killed' >&2; exit 137", "probe-failed", "it didn't end: Killed"],
  ] as const)("finds a Bubblewrap %s", async (_, lines, problem, detail) => {
    const found = await probeBox(machineWith(lines));
    expect(found).toMatchObject({ problem, detail: expect.stringContaining(detail) });
  });

  it("names a Bubblewrap that is missing or too old, another system, and what to do", async () => {
    const machine = machineHere();
    expect(await probeBox({ ...machine, makers: [] })).toMatchObject({
      problem: "bubblewrap-missing",
      fix: expect.stringContaining("install bubblewrap"),
    });
    expect(await probeBox(machineWith("exit 0", "0.4.1"))).toMatchObject({
      problem: "probe-failed",
      detail: expect.stringContaining("too old"),
    });
    expect(
      await probeBox({ ...machine, bash: null, makers: [{ path: "/bin/true", name: "bubblewrap", version: "0.9" }] }),
    ).toMatchObject({ problem: "bash-missing" });
    expect(await probeBox(machine, "darwin")).toMatchObject({ problem: "unsupported-system" });
  });

  it("leaves nothing behind", async () => {
    const machine = machineWith('printf "%s\\n" "$@" >"$0.words"; exit 1');
    await probeBox(machine);
    const words = readFileSync(join(machine.home, "bwrap.words"), "utf8").split("\n");
    const project = words[words.indexOf("--chdir") + 1] ?? "";
    expect(project).toMatch(/metnos-gate-probe-.*\/project$/);
    expect(existsSync(join(project, ".."))).toBe(false);
  });
});
