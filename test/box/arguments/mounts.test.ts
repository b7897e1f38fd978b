import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mountChecks } from "../../../main/box/arguments/mounts.ts";
import { BOX_USERS, HAS_BUBBLEWRAP, type TestBox, testBox } from "../../support/boxes.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Another box in the same project exchanges files between the gate's look and bubblewrap's. */

const [user] = BOX_USERS;

interface Place {
  box: TestBox;
  /** A folder that must stay as it is. */
  kept: string;
  /** A folder outside of the project, with a key in it. */
  outside: string;
}

function place(): Place {
  if (user === undefined) throw new Error("nobody runs this test");
  const folder = tempFolder();
  const project = join(folder, "a project");
  const kept = join(project, "sub/.husky");
  const outside = join(folder, "keys");
  for (const path of [kept, outside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(outside, "key"), "secret");
  const found = { run_later: [kept], secrets: [] };
  return { box: testBox({ user, folder, declaration: { project }, found }), kept, outside };
}

const NOT_RUN = {
  code: 126,
  stdout: "",
  stderr: expect.stringMatching(/^metnos-(?:gate|make-box): .* exchanged .*\n$/),
};

describe.runIf(HAS_BUBBLEWRAP)("a command runs in a box only as it was meant", () => {
  it("and runs where nothing was exchanged", async () => {
    const { box } = place();
    expect(await box.run("ls -A sub; echo x > sub/.husky/y || echo kept")).toMatchObject({
      code: 0,
      stdout: ".husky\nkept\n",
    });
  });

  it("and not where a link to elsewhere was in a folder's place as it was bound", async () => {
    const { box, kept, outside } = place();
    box.arguments[box.arguments.indexOf(kept)] = outside;
    expect(await box.run("cat sub/.husky/key")).toEqual(NOT_RUN);
  });

  it("and not where a link led what it is bound on to elsewhere", async () => {
    const { box, kept } = place();
    renameSync(kept, `${kept}2`);
    symlinkSync(`.husky2`, kept);
    expect(await box.run("echo ran")).toEqual(NOT_RUN);
  });

  it("and not where a file to be read beside the project was exchanged for a link", async () => {
    if (user === undefined) throw new Error("nobody runs this test");
    const folder = tempFolder();
    const [project, data, key] = ["project", "data", "key"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(project);
    for (const [path, text] of [
      [data, "numbers"],
      [key, "secret"],
    ] as const)
      writeFileSync(path, text, { mode: 0o644 });
    const box = testBox({ user, folder, declaration: { project, reads: [data] } });
    expect((await box.run(`cat '${data}'`)).stdout).toBe("numbers");
    rmSync(data);
    symlinkSync(key, data);
    expect(await box.run(`cat '${data}' '${key}'`)).toEqual(NOT_RUN);
  });

  it("and not where a folder on the way was exchanged", async () => {
    const { box, kept } = place();
    const sub = join(kept, "..");
    renameSync(sub, `${sub}2`);
    symlinkSync(`${sub}2`, sub);
    const ran = await box.run("echo ran");
    expect(ran.stdout).toBe("");
    expect(ran.code).not.toBe(0);
  });
});

it("what a bind leads to is said by the table of mounts as it is now", () => {
  const words = ["--bind", "/a/b", "/a/b"];
  const table = (device: string) => `1 0 ${device} / /a rw - tmpfs x rw\n`;
  expect(mountChecks(words, [], table("0:1"))).toContain("0:1 /b /a/b");
  expect(mountChecks(words, [], table("0:2"))).toContain("0:2 /b /a/b");
});
