import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { needsOfLine, type Word } from "@metnos-gate/shell-reading";
import { afterAll, describe, expect, it } from "vitest";
import { explainReadings } from "../../main/decide/guard/shell/guard-shell.ts";
import { requirementOf } from "../../main/targets/target.ts";
import { GIT_SUBCOMMANDS } from "../../packages/shell-reading/programs/git.ts";
import { SHELLS } from "../../packages/shell-reading/programs/shells.ts";
import { PROGRAMS, programCalled } from "../../packages/shell-reading/programs/table.ts";
import { clearPrefix, WRAPPERS } from "../../packages/shell-reading/programs/wrappers.ts";
import { deciderFor, proposed } from "../attacks/decide.ts";
import { bash } from "../attacks/row.ts";
import { makeWorld } from "../attacks/world.ts";
import { makeReadingProject } from "../support/reading-project.ts";

const ROOT = new URL("../../", import.meta.url);
const TEXT = readFileSync(new URL("docs/guard.md", ROOT), "utf8");
const HEAD = "| command line | outcome | ";

const GRANTS = ["fs:read {home}/project/**", "fs:write {home}/project/**", "network:http api.example.com"];

/** The project that the document describes. */
const world = makeWorld();
const PROJECT = join(world.home, "project");
makeReadingProject(PROJECT);
world.put("project/.env");
world.put("project/.env.example");
world.link("project/link", "../other");
const decider = deciderFor(world);
afterAll(() => decider.close());

/** The rows of each table whose head begins with `head`, as lists of cells; `\|` is a pipe in a cell. */
function rowsBelow(head: string): string[][] {
  return TEXT.split(`\n${head}`)
    .slice(1)
    .flatMap(
      (rest) =>
        rest
          .split(/\n(?!\|)/, 1)[0]
          ?.split("\n")
          .slice(2) ?? [],
    )
    .map((row) => row.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll("\\|", "|")));
}

const codeIn = (cell: string): string[] =>
  [...cell.matchAll(/`` ?(.+?) ?``|`([^`]+)`/g)].map((one) => one[1] ?? one[2] ?? "");

/** What becomes of a command line, and why: what it needs, what isn't clear in it, or what the guard saw. */
function decided(command: string): { outcome: string; why: string } {
  const sent = proposed(world, bash(command), "project");
  const { got, reason } = decider.decide(sent, "granted", GRANTS);
  const [reading] = explainReadings(sent, world.home, undefined);
  if (got === "denied") return { outcome: got, why: reason.replace("guard: ", "") };
  if (got === "asked")
    return { outcome: got, why: reading?.unclear ?? reason.replace("level Supervised asks before ", "") };
  const { needs } = needsOfLine(command, world.home, PROJECT, true);
  const texts = needs.map(requirementOf).map(({ capability, target }) => `${capability} ${shown(target)}`);
  return { outcome: got, why: [...new Set(texts)].join(", ") || "nothing" };
}

/** As it is seen from the project. */
const shown = (path: string): string =>
  path === PROJECT || path === `${PROJECT}/**` ? path.replace(PROJECT, ".") : path.replace(`${PROJECT}/`, "");

const EXAMPLES = rowsBelow(HEAD).map(([line = "", outcome = "", why = ""]) => ({
  command: codeIn(line)[0] ?? "",
  outcome,
  why: codeIn(why)[0] ?? "",
}));

describe("each command line of the document", () => {
  it.each(EXAMPLES)("comes out as it says: $command", ({ command, outcome, why }) => {
    expect(decided(command)).toEqual({ outcome, why });
  });

  it("is there once, with every outcome among them", () => {
    expect(EXAMPLES.length).toBeGreaterThan(60);
    const commands = EXAMPLES.map(({ command }) => command);
    expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
    expect(new Set(EXAMPLES.map(({ outcome }) => outcome))).toEqual(new Set(["allowed", "asked", "denied"]));
  });

  it("is in one of these tables, also where the text speaks of it", () => {
    const commands = EXAMPLES.map(({ command }) => command);
    const inText = codeIn(TEXT.replace(/^\|.*$/gm, "")).filter((code) => isProgram(/^(\S+) \S/.exec(code)?.[1] ?? ""));
    expect(inText.filter((code) => !commands.includes(code))).toEqual(["metnos-gate guard explain 'COMMAND'"]);
  });
});

const isProgram = (name: string): boolean =>
  programCalled(name) !== undefined || SHELLS.has(name) || Object.hasOwn(WRAPPERS, name);

const words = (...texts: string[]): Word[] =>
  texts.map((text) => ({ text, is_resolved: true, pieces: [{ text, kind: "text" }], start: 0, end: 0 }));

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

describe("the document's lists", () => {
  it("hold each program that can be cleared, and no other", () => {
    const documented = rowsBelow("| family | programs | ").flatMap(([, programs = ""]) => codeIn(programs));
    const prefixes = Object.keys(WRAPPERS).filter((name) =>
      [words("ls"), words("10", "ls")].some((args) => clearPrefix(name, args) !== null),
    );
    const known = PROGRAMS.filter(({ guard_only }) => guard_only !== true).flatMap(({ names }) => names);
    expect(sorted(documented)).toEqual(sorted([...known, ...prefixes, "xargs"]));
  });

  it("hold each of git's subcommands that can be cleared, and no other", () => {
    const documented = rowsBelow("| git | subcommands |").flatMap(([, names = ""]) =>
      codeIn(names.replace(/\([^)]*\)/g, "")),
    );
    const known = GIT_SUBCOMMANDS.filter(({ guard_only }) => guard_only !== true).flatMap(({ names }) => names);
    expect(sorted(documented)).toEqual(sorted(known));
  });

  it("name files that are there", () => {
    const files = codeIn(TEXT).filter((code) => /^(?:main|packages|test|docs)\/.*\.ts$/.test(code));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(new URL(file, ROOT)))).toEqual([]);
  });
});
