import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IS_WHOLE_RUN, ofDay } from "./whole-run.ts";

/** Tests that take minutes, and the sources that they are about. */
export interface Area {
  name: string;
  /** Folders of tests, from the project's folder on. */
  tests: readonly string[];
  /** Folders and files; the tests themselves and what all tests share are added. */
  sources: readonly string[];
  /** What is run whether or not the sources have changed: the shortest way through all of it. */
  always: readonly string[];
}

export const AREAS: readonly Area[] = [
  {
    name: "clients",
    tests: ["test/clients"],
    sources: ["cli/agents", "cli/hook", "cli/acp", "cli/self-test", "ipc", "main/hooks", "main/base/pipes"],
    // Each client has a call denied and another one run.
    always: ["test/clients/self-test.test.ts"],
  },
  {
    name: "page",
    tests: ["test/page"],
    sources: ["renderer", "preload", "ipc", "main/surfaces/web", "main/surfaces/operator"],
    always: ["test/page/story.test.ts", "test/page/cards/answers.test.ts"],
  },
  {
    name: "box",
    tests: ["test/box"],
    sources: ["packages/shell-reading", "main/box", "main/decide", "main/calls", "main/base/files"],
    always: ["test/box/runs/runs.test.ts", "test/box/narrow/held-lines.test.ts", "test/box/real-projects.test.ts"],
  },
  {
    name: "desktop",
    tests: ["test/desktop"],
    sources: ["main/desktop", "preload", "renderer", "ipc"],
    always: ["test/desktop/lockdown.test.ts"],
  },
  {
    name: "command",
    tests: ["test/cli"],
    sources: ["cli", "ipc", "main/hooks", "main/records", "main/surfaces/operator", "bin"],
    always: ["test/cli/cli.test.ts"],
  },
  {
    name: "surfaces",
    tests: ["test/surfaces", "test/homes"],
    sources: ["main/surfaces", "main/calls", "ipc", "renderer/popup"],
    always: ["test/homes/story.test.ts"],
  },
  {
    name: "storage",
    tests: ["test/serve", "test/reliability"],
    sources: [
      "main/serve.ts",
      "main/base",
      "main/agents",
      "main/records",
      "main/calls",
      "main/core",
      "ipc",
      "reliability",
    ],
    always: ["test/serve/pause.test.ts", "test/reliability/crash.test.ts"],
  },
];

const SHARED = ["test/support", "package-lock.json", "vitest.config.ts"];
const NOTE = "test/tried-areas.json";
/** After so many days each file was among those of a day. */
const DAYS = 5;

/** All test files are run, and those areas noted of which all passed: with ALL_FILES=true, or as part of a whole run. */
export const IS_EACH_FILE = IS_WHOLE_RUN || process.env.ALL_FILES === "true";

/**
 * Test files that a run leaves out, below `root`: while an area's sources are those with which all of its tests passed, it runs what is
 * always run, and some of the others each day. `says` gets a line for each such area.
 */
export function leftOut(root: string, says: (why: string) => void, isEachFile = IS_EACH_FILE): readonly string[] {
  if (isEachFile) return [];
  const noted = notedAreas(root);
  return AREAS.filter((area) => noted[area.name] === digestOf(root, area)).flatMap((area) => {
    const all = testsOf(root, area);
    const chosen = new Set([...area.always, ...ofDay(all, DAYS)]);
    says(
      `${area.name}: ${chosen.size} of ${all.length} test files, as all passed with these sources (ALL_FILES=true: all)`,
    );
    return all.filter((path) => !chosen.has(path));
  });
}

/** Test files of an area below `root`, sorted. */
export function testsOf(root: string, { tests }: Area): string[] {
  return tests
    .flatMap((folder) => filesBelow(root, folder))
    .filter((path) => path.endsWith(".test.ts"))
    .sort();
}

/** Notes that all of these areas' tests passed with the sources as they are; areas whose tests failed are forgotten. */
export function noteAreas(root: string, passed: readonly Area[], failed: readonly Area[]): void {
  const noted = notedAreas(root);
  for (const area of failed) delete noted[area.name];
  for (const area of passed) noted[area.name] = digestOf(root, area);
  const sorted = Object.fromEntries(Object.entries(noted).sort(([one], [other]) => one.localeCompare(other)));
  writeFileSync(join(root, NOTE), `${JSON.stringify(sorted, null, 2)}\n`);
}

function notedAreas(root: string): Record<string, string> {
  const file = join(root, NOTE);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** One text for the contents of all of an area's files below `root`, whatever their dates. */
function digestOf(root: string, { tests, sources }: Area): string {
  const hash = createHash("sha256");
  for (const path of [...tests, ...sources, ...SHARED].flatMap((place) => filesBelow(root, place)).sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

/** Paths from `root` on; of a file itself. Nothing where there is none. */
function filesBelow(root: string, place: string): string[] {
  const path = join(root, place);
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [place];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
