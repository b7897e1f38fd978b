import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { AREAS, leftOut, noteAreas, testsOf } from "./support/areas.ts";
import { tempFolder } from "./support/temp-folder.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** The names of all these test files, and sources, each a line long, with a note that all areas passed. */
function tried(): string {
  const root = tempFolder();
  const sources = AREAS.flatMap(({ sources }) => sources).map((path) => (path.endsWith(".ts") ? path : `${path}/a.ts`));
  for (const path of new Set([...sources, ...AREAS.flatMap((area) => testsOf(ROOT, area))])) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "export {};\n");
  }
  noteAreas(root, AREAS, []);
  return root;
}

const nothing = () => undefined;
const areaNamed = (name: string) => AREAS.filter((area) => area.name === name);

describe("an area's tests", () => {
  it("are about folders that are there, and what is always run is among them", () => {
    for (const area of AREAS) {
      const all = testsOf(ROOT, area);
      expect(all.length, area.name).toBeGreaterThan(5);
      expect(all).toEqual(expect.arrayContaining([...area.always]));
    }
  });

  it("are all run where nothing says that they passed with these sources", () => {
    const root = tried();
    rmSync(join(root, "test/tried-areas.json"));
    const says = vi.fn();
    expect(leftOut(root, says, false)).toEqual([]);
    expect(says).not.toHaveBeenCalled();
  });

  it("are what is always run and a part of the others each day, and that is said, while all passed with these sources", () => {
    const root = tried();
    const says = vi.fn();
    const left = new Set(leftOut(root, says, false));
    for (const area of AREAS) {
      const all = testsOf(root, area);
      const run = all.filter((path) => !left.has(path));
      expect(run).toEqual(expect.arrayContaining([...area.always]));
      expect(run.length - area.always.length, area.name).toBeLessThanOrEqual(Math.ceil(all.length / 5));
    }
    expect(says).toHaveBeenCalledTimes(AREAS.length);
    expect(leftOut(root, says, true), "with ALL_FILES=true").toEqual([]);
  });

  it.each([
    ["clients", "cli/agents/added.ts"],
    ["clients", "ipc/contract/wire.ts"],
    ["page", "renderer/cards/added.tsx"],
    ["page", "test/page/story.test.ts"],
    ["box", "main/box/a.ts"],
    ["storage", "main/serve.ts"],
    ["desktop", "test/support/temp-folder.ts"],
  ])("of %s are all run once %s changes", (name, path) => {
    const root = tried();
    mkdirSync(dirname(join(root, path)), { recursive: true });
    appendFileSync(join(root, path), "export {};\n");
    const left = leftOut(root, nothing, false);
    for (const area of areaNamed(name)) for (const test of testsOf(root, area)) expect(left).not.toContain(test);
  });

  it("are all run again once one of them has failed", () => {
    const root = tried();
    noteAreas(root, [], areaNamed("box"));
    const left = leftOut(root, nothing, false);
    expect(left.filter((path) => path.startsWith("test/box/"))).toEqual([]);
    expect(left.length).toBeGreaterThan(0);
  });
});
