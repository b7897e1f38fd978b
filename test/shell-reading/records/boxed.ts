import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { remove } from "../../support/removed-folders.ts";
import { environment } from "./traced.ts";
import type { RecordWorld } from "./world.ts";

/** Runs looking lines as the user would, and in a box that can write nothing and reach no network. */

export interface Difference {
  line: string;
  outside: string;
  boxed: string;
}

/** What a box of a looking line has at least: all of the machine's files read-only, processes and devices of its own. */
const BOX = [
  ...["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
  ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
];

/** Runs outside: a program that chooses by chance, as between two errors of its arguments, does so in one of them. */
const AGAIN = 12;

/** The lines whose exit code or output is another one in the box. What differs outside as well, from one run to the next, is left out. */
export function differencesOf(lines: readonly string[], world: RecordWorld, folder: string): Difference[] {
  const first = resultsOf(lines, [], world, join(folder, "first"));
  const boxed = resultsOf(lines, BOX, world, join(folder, "boxed"));
  const differing = lines.flatMap((line, index): Difference[] => {
    const outside = first[index] ?? "";
    const inside = boxed[index] ?? "";
    return outside === inside ? [] : [{ line, outside, boxed: inside }];
  });
  const again = Array.from({ length: AGAIN }, (_, time) =>
    resultsOf(
      differing.map(({ line }) => line),
      [],
      world,
      join(folder, `again${time}`),
    ),
  );
  return differing.filter(({ outside }, index) => again.every((results) => results[index] === outside));
}

function resultsOf(lines: readonly string[], box: readonly string[], world: RecordWorld, folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "input"), "foo\nbar\n");
  const steps = lines.map(
    (line, index) => `( ${line}\n) < ${folder}/input > ${folder}/${index} 2>&1; echo "exit $?" >> ${folder}/${index}`,
  );
  writeFileSync(join(folder, "script"), `${steps.join("\n")}\nexit 0\n`);
  const [program = "dash", ...args] = [
    ...box,
    ...(box.length > 0 ? ["--bind", folder, folder, "--chdir", world.project] : []),
    ...["dash", join(folder, "script")],
  ];
  const { status, stderr, error } = spawnSync(program, args, {
    cwd: world.project,
    env: environment(world),
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) throw error ?? new Error(`the lines could not be run: ${stderr}`);
  const results = lines.map((_, index) => readFileSync(join(folder, String(index)), "latin1"));
  remove(folder);
  return results;
}
