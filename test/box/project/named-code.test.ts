import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Places } from "../../../main/box/project/places.ts";
import { Turns } from "../../../main/box/project/turns.ts";
import { codeNamedBySettings } from "../../../main/gate/programs/git-named-code.ts";
import { BOX_USERS, HAS_BUBBLEWRAP, testBox } from "../../support/boxes.ts";
import { fateOf, onPath } from "../../support/guarded-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.hooksPath", "scripts/hooks"],
  ["core.fsmonitor", "tools/fsm.sh"],
  ["filter.x.clean", "./tools/clean.sh %f"],
  ["diff.x.textconv", "node textconv.mjs"],
  ["merge.x.driver", "sh -c 'tools/merge.sh %A %O'"],
  ["include.path", "../own.gitconfig"],
  ["alias.st", "!sh tools/st.sh"],
];
const NAMED = [
  ...["scripts/hooks/pre-commit", "tools/fsm.sh", "tools/clean.sh", "textconv.mjs", "tools/merge.sh", "own.gitconfig"],
  "tools/st.sh",
];
const FREE = ["src/a.ts", "scripts/build.sh", "tools/other.sh", "main.mjs", "node_modules/x/y.js"];

function project(folder: string): string {
  const root = join(folder, "project");
  for (const name of [...NAMED, ...FREE]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), name.endsWith("gitconfig") ? "" : "yours\n");
  }
  execFileSync("git", ["init", "-q", root]);
  for (const [key, value] of SETTINGS) execFileSync("git", ["-C", root, "config", key, value]);
  for (const [key, value] of [
    ["remote.origin.url", "src/a.ts"],
    ["filter.y.smudge", "node node_modules/x/y.js"],
    ["core.editor", "vim"],
  ])
    execFileSync("git", ["-C", root, "config", key ?? "", value ?? ""]);
  return root;
}

describe("code that a repository's own settings name", () => {
  it("is a place that runs later: whoever writes there is asked; what they don't name isn't", () => {
    const home = tempFolder();
    const root = project(home);
    const fate = (name: string) => fateOf([onPath("fs:write", join(root, name))], { home, cwd: root });
    for (const name of NAMED) expect([name, fate(name)]).toEqual([name, "asked"]);
    for (const name of FREE.slice(0, 4)) expect([name, fate(name)]).toEqual([name, "free"]);
    expect(fate("scripts/hooks/new")).toBe("asked");
  });

  it("is looked for without waiting where the settings are a pipe", () => {
    const root = join(tempFolder(), "project");
    execFileSync("git", ["init", "-q", root]);
    execFileSync("sh", ["-c", "rm config && mkfifo config"], { cwd: join(root, ".git") });
    expect(codeNamedBySettings(root)).toEqual([]);
  });

  it("that appears during a run is found after it", async () => {
    const root = join(tempFolder(), "project");
    execFileSync("git", ["init", "-q", root]);
    execFileSync("git", ["-C", root, "config", "core.hooksPath", "own/hooks"]);
    const places = new Places();
    const [known] = (await places.before({ project: root, reads: [], writes: [] }, new Turns())).known;
    if (known === undefined) throw new Error("nothing is known of the project");
    mkdirSync(join(root, "own/hooks"), { recursive: true });
    const { found } = await places.appeared(known, new Turns());
    expect(found.map(({ path }) => path)).toEqual([join(root, "own/hooks")]);
  });
});

describe.runIf(HAS_BUBBLEWRAP).each(BOX_USERS)("code that settings name, in a box, as $name", (user) => {
  it("can't be changed, and everything beside it can", async () => {
    const folder = tempFolder();
    const root = project(folder);
    const declaration = { project: root, cwd: root, reads: [], writes: [], network: false };
    const { found } = await new Places().before(declaration, new Turns());
    const ran = await testBox({ user, folder, declaration, found }).run(
      `for f in ${[...NAMED, "scripts/hooks/new", ...FREE].join(" ")}; do (echo x >> $f) 2>/dev/null && echo $f; done`,
    );
    expect(ran.stdout.trim().split("\n")).toEqual(FREE);
  });
});
