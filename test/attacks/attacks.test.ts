import { afterAll, describe, expect, it } from "vitest";
import { SECTIONS } from "./all-rows.ts";
import { type Decider, deciderFor, proposed } from "./decide.ts";
import {
  type AttackRow,
  bash,
  type Got,
  ORDINARY_GRANTS,
  read,
  SETTINGS,
  type Setting,
  type ToolCall,
  write,
} from "./row.ts";
import { makeWorld, repository, type World } from "./world.ts";

/** Every attack on the gate that was tried, and what becomes of it at each setting. */

interface PreparedWorld {
  world: World;
  decider: Decider;
}

/** One for every way of preparing a world: deciding changes nothing in it. */
const prepared = new Map<AttackRow["prepare"], PreparedWorld>();
afterAll(() => {
  for (const { decider } of prepared.values()) decider.close();
});

function preparedWorld(prepare: AttackRow["prepare"]): PreparedWorld {
  const before = prepared.get(prepare);
  if (before !== undefined) return before;
  const world = makeWorld();
  prepare?.(world);
  const made = { world, decider: deciderFor(world) };
  prepared.set(prepare, made);
  return made;
}

const isRight = (expected: AttackRow["expected"][Setting], got: Got) =>
  expected === "asked or denied" ? got !== "allowed" : got === expected;

/** One line on a row with a wrong outcome, or nothing. */
function wrongIn(row: AttackRow, call: ToolCall): string {
  const { world, decider } = preparedWorld(row.prepare);
  const sent = proposed(world, call, row.cwd);
  const wrong = SETTINGS.flatMap((setting) => {
    const expected = row.expected[setting];
    const { got, stage } = decider.decide(sent, setting, row.grants ?? ORDINARY_GRANTS);
    return isRight(expected, got) ? [] : [`${setting}: expected ${expected}, got ${got} (${stage})`];
  });
  return wrong.length === 0 ? "" : `${row.id} ${shown(call)} | ${wrong.join("; ")} | ${row.why}`;
}

const shown = ({ executor, args }: ToolCall) => `${executor} ${JSON.stringify(args.command ?? args)}`;

describe.each(Object.entries(SECTIONS))("%s", (_name, { rows }) => {
  it.each(rows.map((row) => [row.id, shown(row.call), row] as const))("%s %s", (_id, _shown, row) => {
    const wrong = wrongIn(row, row.call);
    if (wrong !== "") expect.fail(wrong);
  });
});

describe("the tables", () => {
  it.each(Object.entries(SECTIONS))("%s has all of its rows", (name, { rows, count }) => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, index) => `${name}.${index + 1}`));
  });

  it("hold no call twice in the same world", () => {
    const all = Object.values(SECTIONS).flatMap(({ rows }) => rows);
    const named = all
      .filter(({ prepare }) => prepare === undefined)
      .map(({ call, cwd, grants }) => JSON.stringify([call, cwd, grants]));
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
  });
});

describe("a command line by another tool", () => {
  const lines = Object.entries(SECTIONS).flatMap(([name, { rows }]) =>
    rows.flatMap((row) =>
      typeof row.call.args.command === "string" ? [{ name, row, command: row.call.args.command }] : [],
    ),
  );

  it.each([...new Set(lines.map(({ name }) => name))])("%s: shell_exec decides as Bash does", (section) => {
    const others = lines
      .filter(({ name }) => name === section)
      .flatMap(({ row, command }) => {
        const { world, decider } = preparedWorld(row.prepare);
        return SETTINGS.flatMap((setting) => {
          const decide = (call: ToolCall) =>
            decider.decide(proposed(world, call, row.cwd), setting, row.grants ?? ORDINARY_GRANTS).got;
          const byBash = decide(bash(command));
          const byOther = decide({ executor: "shell_exec", args: { command } });
          return byBash === byOther ? [] : [`${row.id} ${setting}: Bash ${byBash}, shell_exec ${byOther}`];
        });
      });
    expect(others).toEqual([]);
  });
});

describe("ordinary work in the same world", () => {
  const { world, decider } = preparedWorld(repository);

  it.each([
    [bash("cat a.txt"), ["asked", "asked", "allowed", "allowed"]],
    [bash("git status"), ["asked", "asked", "allowed", "allowed"]],
    [bash("grep -n foo a.txt | head -n 3"), ["asked", "asked", "allowed", "allowed"]],
    [bash("cp a.txt c.txt"), ["denied", "asked", "allowed", "allowed"]],
    [read("{home}/proj/a.txt"), ["asked", "asked", "allowed", "allowed"]],
    [write("{home}/proj/src/b.ts"), ["denied", "asked", "allowed", "allowed"]],
    [bash("npm test"), ["denied", "asked", "asked", "asked"]],
  ] as const)("%j", (call, expected) => {
    const sent = proposed(world, call);
    expect(SETTINGS.map((setting) => decider.decide(sent, setting, ORDINARY_GRANTS).got)).toEqual(expected);
  });
});
