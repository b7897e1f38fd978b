import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { commandLine } from "../../cli/main.ts";
import { CHECKOUT, LAUNCHER, StartedProcess } from "../support/gate-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { temporaryHome } from "../support/temporary-home.ts";

const SOURCES = ["cli", "main", "packages", "ipc"].flatMap((folder) =>
  readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(CHECKOUT, folder, name), "utf8") })),
);

/** What `ownCommand` is called with, as the sources write it: `agents pair ${name} --level Supervised`. */
const PRINTED = SOURCES.flatMap(({ text }) =>
  [...text.matchAll(/ownCommand\((?:"([^"]+)"|'([^']+)'|`((?:[^`\\]|\\.)+)`)\)/g)].map(
    ([, double, single, template]) => double ?? single ?? template ?? "",
  ),
);

/** Resolves the words as the command line would; gives what is wrong with them. */
function problemOf(words: readonly string[]): string | undefined {
  let command: Command = commandLine(() => undefined);
  let rest = [...words];
  for (;;) {
    const next = command.commands.find((known) => known.name() === rest[0]);
    if (next === undefined) break;
    command = next;
    rest = rest.slice(1);
  }
  if (rest.includes("--help")) return undefined;
  // One that takes arguments of its own does something by itself as well.
  if (command.commands.length > 0 && command.registeredArguments.length === 0)
    return `no such command below ${command.name()}`;
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  const [own, behind] = [rest.slice(0, end), rest.slice(end + 1)];
  const options = own.filter((word) => word.startsWith("--"));
  const unknown = options.find((option) => !command.options.some(({ long }) => long === option));
  if (unknown !== undefined) return `no option ${unknown}`;
  const missing = command.options.find(({ mandatory, long }) => mandatory && !options.includes(long ?? ""));
  if (missing !== undefined) return `${missing.long} is missing`;
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  const values = own.filter((word, index) => !word.startsWith("--") && !own[index - 1]?.startsWith("--")).length;
  return values + behind.length < needed ? `${needed} arguments are needed` : undefined;
}

test("each command that a text names exists, with its options and all that it needs", () => {
  expect(PRINTED.length).toBeGreaterThan(30);
  const wrong = PRINTED.flatMap((text) => {
    const problem = problemOf(text.split(" "));
    return problem === undefined ? [] : [`${text}: ${problem}`];
  });
  expect(wrong).toEqual([]);
  expect(problemOf(["agents", "pair"])).toBe("1 arguments are needed");
  expect(problemOf(["outside", "--why", "WHY", "--", "x"])).toBe("no option --why");
  expect(problemOf(["safety", "acknowledge", "1"])).toBe("no such command below safety");
});

test("no text calls the program by a name that may not be on PATH, or that a registry may give to others", () => {
  const calls =
    /["'`][^"'`\n]*(?:npx )?\bmetnos-gate (?:start|serve|open|watch|status|doctor|connect|agents|approvals|policy|audit|safety|alarms)\b/;
  const found = SOURCES.flatMap(({ name, text }) =>
    text
      .split("\n")
      .filter((line) => calls.test(line) && !/^\s*(\*|\/\*|\/\/)/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  // What the guard recognizes in an agent's command lines is no text for a user.
  expect(found.filter((line) => !line.startsWith("packages/shell-reading/programs/"))).toEqual([]);
});

test("a command runs as it was printed, from any folder and without the program on PATH", async () => {
  const home = temporaryHome();
  const env = { HOME: home.home, PATH: `${join(CHECKOUT, "node_modules/node/bin")}:/usr/bin:/bin` };
  const failed = new StartedProcess("sh", ["-c", `${LAUNCHER} status`], { env, cwd: "/" });
  expect(await failed.exited).toBe(3);
  const hint = /start it with: (.+) start$/m.exec(failed.stderr)?.[1] ?? "";
  expect(hint).toBe(LAUNCHER);
  const again = new StartedProcess("sh", ["-c", `${hint} start --help`], { env, cwd: "/" });
  expect(await again.exited).toBe(0);
});

test("on a Node that is too old for the gate, the launcher runs it on the one that npm ci installed", async () => {
  const home = temporaryHome();
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.19.0"})';
  const run = (...argv: string[]) =>
    new StartedProcess(process.execPath, ["--import", old, LAUNCHER, ...argv], { env: home.env });
  const checked = run("policy", "check", "ReadOnly", "fs:write");
  expect([await checked.exited, checked.stdout.trim(), checked.stderr]).toEqual([0, "denied", ""]);
  expect(await run("status").exited).toBe(3);
});

test("installed, on a Node that is too old, it says so in one sentence and ends with 1", async () => {
  const folder = tempFolder();
  cpSync(join(CHECKOUT, "bin"), join(folder, "bin"), { recursive: true });
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"22.17.1"})';
  const words = ["--import", old, join(folder, "bin/metnos-gate.js"), "status"];
  const refused = new StartedProcess(process.execPath, words, { env: temporaryHome().env });
  expect(await refused.exited).toBe(1);
  expect(refused.stderr).toBe("metnos-gate: this is Node 22.17.1; the gate needs Node 22.18 or newer.\n");
});
