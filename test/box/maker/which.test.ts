import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildBoxMaker } from "../../../build/box-maker.ts";
import { findMachine } from "../../../main/box/arguments/machine.ts";
import { type Maker, ownMaker } from "../../../main/box/maker.ts";
import { probeBox } from "../../../main/box/service/probe.ts";
import { configSchema } from "../../../main/config/config.ts";
import { HAS_BUBBLEWRAP } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { MAKER, withoutMaker } from "./made-by.ts";

const machineHere = () => {
  const home = tempFolder();
  const config = configSchema.parse({}).box;
  return findMachine({ env: { PATH: process.env.PATH, HOME: home }, home, config, state_dir: join(home, "state") });
};

/** A maker that ends with this on its error output. */
function failing(name: Maker["name"], says: string): Maker {
  const path = join(tempFolder(), name);
  writeFileSync(path, `#!/bin/bash\necho '${says}' >&2; exit 1\n`);
  chmodSync(path, 0o755);
  return { path, name, version: "1.0" };
}

describe("a program of the gate's own", () => {
  it("is left out, in a sentence, where there is no compiler, and where its source or a library is missing", () => {
    const [folder, built] = [tempFolder(), join(tempFolder(), "maker")];
    writeFileSync(built, "an earlier one");
    expect(buildBoxMaker(built, { PATH: folder })).toBe("there is no C compiler (cc or gcc)");
    expect(existsSync(built)).toBe(false);
    writeFileSync(join(folder, "gcc"), "#!/bin/bash\necho '/usr/bin/ld: cannot find -lc: No such file' >&2; exit 1\n");
    chmodSync(join(folder, "gcc"), 0o755);
    expect(buildBoxMaker(built, { PATH: folder })).toBe("/usr/bin/ld: cannot find -lc: No such file");
    expect(existsSync(built)).toBe(false);
  });

  it.skipIf(withoutMaker())("is run from the gate's folder, whatever lies there, and makes the boxes", async () => {
    const folder = tempFolder();
    const other = join(folder, "other");
    writeFileSync(other, "kept");
    mkdirSync(join(folder, "box"));
    for (const name of ["metnos-make-box", "metnos-make-box.new"]) symlinkSync(other, join(folder, "box", name));
    const own = ownMaker(join(folder, "box"));
    expect(own).toEqual({ path: join(folder, "box/metnos-make-box"), name: "metnos-make-box", version: "1.0" });
    expect(readFileSync(other, "utf8")).toBe("kept");
    const stat = lstatSync(own?.path ?? "");
    expect({ isFile: stat.isFile(), mode: stat.mode & 0o777 }).toEqual({ isFile: true, mode: 0o700 });
    expect(readFileSync(own?.path ?? "").equals(readFileSync(MAKER))).toBe(true);
    const machine = machineHere();
    expect(await probeBox(machine)).toMatchObject({ problem: null, maker: { name: "metnos-make-box" } });
  });

  it("is none where it wasn't built, or doesn't run here", () => {
    const folder = tempFolder();
    expect(ownMaker(folder, join(folder, "nothing"))).toBeNull();
    writeFileSync(join(folder, "of-another-processor"), "\x7fELF\x02\x01\x01");
    expect(ownMaker(folder, join(folder, "of-another-processor"))).toBeNull();
  });

  it("isn't used where bubblewrap is asked for", () => {
    const before = process.env.METNOS_BOX_MAKER;
    onTestFinished(() => {
      if (before === undefined) delete process.env.METNOS_BOX_MAKER;
      else process.env.METNOS_BOX_MAKER = before;
    });
    process.env.METNOS_BOX_MAKER = "bubblewrap";
    expect(machineHere().makers.map(({ name }) => name)).not.toContain("metnos-make-box");
  });
});

describe("where the gate's own program makes no box", () => {
  const oldKernel = () => failing("metnos-make-box", "metnos-make-box: Can't bind mount: Function not implemented");

  it.runIf(HAS_BUBBLEWRAP)("bubblewrap makes them", async () => {
    const machine = machineHere();
    const bubblewrap = machine.makers.filter(({ name }) => name === "bubblewrap");
    expect(bubblewrap).toHaveLength(1);
    const found = await probeBox({ ...machine, makers: [oldKernel(), ...bubblewrap] });
    expect(found).toMatchObject({ problem: null, maker: { name: "bubblewrap" } });
  });

  it.runIf(HAS_BUBBLEWRAP)("what is called so in a folder of the user's own is none, and isn't run", () => {
    const [folder, home] = [tempFolder(), tempFolder()];
    const planted = join(folder, ".venv/bin/bwrap");
    mkdirSync(join(folder, ".venv/bin"), { recursive: true });
    writeFileSync(planted, `#!/bin/bash\ntouch ${folder}/ran; echo bubblewrap 0.11.0\n`);
    chmodSync(planted, 0o755);
    const machine = new URL("../../../main/box/arguments/machine.ts", import.meta.url).pathname;
    const env = { PATH: `${folder}/.venv/bin:/usr/bin:/bin`, HOME: home, METNOS_BOX_MAKER: "bubblewrap" };
    const find = `import { findMachine } from "${machine}";
      const config = { reads: [], environment: [] };
      console.log(findMachine({ env: process.env, home: "${home}", config, state_dir: "${home}/state" }).makers.length);`;
    const without = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap"];
    const words = [...without, process.execPath, "--input-type=module-typescript", "-e", find];
    const found = execFileSync("/usr/bin/bwrap", words, { env, encoding: "utf8" });
    expect([found, existsSync(join(folder, "ran"))]).toEqual(["0\n", false]);
  });

  it("and there is no other, that one is missing", async () => {
    const found = await probeBox({ ...machineHere(), makers: [oldKernel()] });
    expect(found).toMatchObject({ problem: "bubblewrap-missing", fix: expect.stringContaining("install bubblewrap") });
  });

  it("and bubblewrap neither, the problem is bubblewrap's", async () => {
    const makers = [oldKernel(), failing("bubblewrap", "bwrap: Something else")];
    expect(await probeBox({ ...machineHere(), makers })).toMatchObject({
      problem: "probe-failed",
      detail: "bwrap: Something else",
    });
  });
});
