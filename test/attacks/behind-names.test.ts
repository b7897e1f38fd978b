import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SECTIONS } from "./all-rows.ts";
import { type Decided, type Decider, deciderFor, proposed } from "./decide.ts";
import { type AttackRow, bash, ORDINARY_GRANTS, SETTINGS, type Setting } from "./row.ts";
import { makeWorld, type World } from "./world.ts";

/** Every attack that is a command line, behind a name: whatever is denied or asked about as a line is no less so there. */

const STRICTNESS = ["allowed", "asked", "denied"];

interface Form {
  command: string;
  file: string;
  /** The file's text; null where the line can't be said in it. */
  text(line: string): string | null;
}

const FORMS: Readonly<Record<string, Form>> = {
  "npm run": {
    command: "npm run x",
    file: "package.json",
    text: (line) => JSON.stringify({ name: "proj", scripts: { test: "true", x: line } }),
  },
  make: {
    command: "make x",
    file: "GNUmakefile",
    // Its first signs are make's own; several lines are one text for one shell.
    text: (line) =>
      /^[\s@+-]/.test(line) ? null : `.ONESHELL:\nx:\n\t${line.replaceAll("$", "$$$$").replaceAll("\n", "\n\t")}\n`,
  },
  sh: { command: "sh zz-row.sh", file: "zz-row.sh", text: (line) => `${line}\n` },
};

const prepared = new Map<AttackRow["prepare"], { world: World; decider: Decider }>();
afterAll(() => {
  for (const { decider } of prepared.values()) decider.close();
});

function preparedWorld(prepare: AttackRow["prepare"]) {
  const before = prepared.get(prepare);
  if (before !== undefined) return before;
  const world = makeWorld();
  prepare?.(world);
  const made = { world, decider: deciderFor(world) };
  prepared.set(prepare, made);
  return made;
}

/** With this file in the row's folder; what was there is put back. */
function withFile<T>(world: World, path: string, text: string, act: () => T): T {
  const file = join(world.home, path);
  const before = existsSync(file) ? readFileSync(file, "utf8") : null;
  world.put(path, text);
  try {
    return act();
  } finally {
    if (before === null) rmSync(file);
    else world.put(path, before);
  }
}

/** By itself: the same for each form. */
const direct = new Map<string, Decided>();
function decidedDirectly(row: AttackRow, setting: Setting): Decided {
  const key = `${row.id} ${setting}`;
  const { world, decider } = preparedWorld(row.prepare);
  const before =
    direct.get(key) ?? decider.decide(proposed(world, row.call, row.cwd), setting, row.grants ?? ORDINARY_GRANTS);
  direct.set(key, before);
  return before;
}

const rows = Object.values(SECTIONS).flatMap(({ rows: all }) =>
  all.flatMap((row) => (typeof row.call.args.command === "string" ? [{ row, line: row.call.args.command }] : [])),
);

describe.each(Object.entries(FORMS))("behind %s", (_name, { command, file, text }) => {
  it("no line is decided on more loosely than by itself, and what the guard denies it denies", () => {
    const notSaid: string[] = [];
    const looser: string[] = [];
    const notDenied: string[] = [];
    for (const { row, line } of rows) {
      const { world, decider } = preparedWorld(row.prepare);
      const { cwd = "proj", grants = ORDINARY_GRANTS } = row;
      const content = text(line.replaceAll("{home}", world.home));
      if (content === null) {
        notSaid.push(row.id);
        continue;
      }
      for (const setting of SETTINGS) {
        const itself = decidedDirectly(row, setting);
        const behind = withFile(world, join(cwd, file), content, () =>
          decider.decide(proposed(world, bash(command), cwd), setting, grants),
        );
        const isLooser = STRICTNESS.indexOf(behind.got) < STRICTNESS.indexOf(itself.got);
        if (isLooser && itself.stage !== "guard")
          looser.push(`${row.id} ${setting}: ${line}: ${itself.got}, ${behind.got}`);
        if (itself.stage === "guard" && itself.got === "denied" && behind.got !== "denied")
          notDenied.push(`${row.id} ${setting}: ${line}: ${itself.reason}`);
      }
    }
    console.info(
      `${command}: ${rows.length - notSaid.length} of ${rows.length} lines; not said in ${file}: ${notSaid.join(" ")}`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(712);
    expect(notSaid).toEqual([]);
    expect(looser).toEqual([]);
    expect(notDenied).toEqual([]);
  });
});
