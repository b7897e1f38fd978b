import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { namesOfLines } from "../../../main/decide/description/run-by-name.ts";
import { linesRun } from "../../../main/decide/description/script-lines.ts";
import { taskLines } from "../../../main/decide/description/taskfile.ts";
import { CommandLines } from "../../../main/decide/executors/command-lines.ts";
import { examinationOf } from "../../support/examinations.ts";
import { leastWork } from "../../support/least-work.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** What a hostile project has names stand for takes a decision little more than what an ordinary one has: see how often, not how long. */

const many = (times: number, text: (at: number) => string, between = "\n") =>
  Array.from({ length: times }, (_, at) => text(at)).join(between);

function projectWith(files: Readonly<Record<string, string>>): string {
  const project = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  return project;
}

const called = (cwd: string, command: string) =>
  examinationOf({ executor: "Bash", args: { command }, context: { cwd }, settings: { home: cwd } });

const named = (cwd: string, command: string) =>
  namesOfLines(
    new CommandLines({ intent: "", executor: "Bash", args: { command }, context: { cwd } }, cwd).all,
    () => ({ home: cwd, cwd, env: undefined, project: cwd, isOutside: () => false }),
  );

describe("packages that a line names", () => {
  it("are held against known ones where a card shows them, not by the thousand", () => {
    const project = projectWith({ "package.json": "{}" });
    const line = (program: string) => called(project, `${program} ${many(1900, (at) => `reqct${at}`, " ")}`);
    const [install, list] = [line("npm install"), line("npm list")];
    expect(leastWork(() => describeCall(install), 4)).toBeLessThan(20 * leastWork(() => describeCall(list), 4));
  });

  it("are held against the project's own files, read once", () => {
    const dependencies = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`package-${at}`, "1"]));
    const [small, large] = ["{}", JSON.stringify({ dependencies })].map((text) => {
      const call = called(
        projectWith({ "package.json": text }),
        many(200, (at) => `npx vitest${at}`, ";"),
      );
      return leastWork(() => describeCall(call), 4);
    });
    expect(large).toBeLessThan(4 * (small ?? 0));
  });
});

describe("a file that names scripts", () => {
  it("is taken apart once, however many of its names a line has", () => {
    const tasks = `tasks:\n${many(1500, (at) => `  t${at}:\n    cmds:\n      - rm -rf a${at}`)}\n`;
    const makefile = many(5000, (at) => `V${at} = x\nm${at}:\n\t$(V${at})`);
    for (const lines of [
      (at: number) => taskLines(tasks, [`t${at}`]),
      (at: number) => linesRun("rules", [`m${at}:`, `\t$(V${at})`], makefile, []),
    ]) {
      const first = leastWork(() => lines(0), 1);
      const others = leastWork(() => Array.from({ length: 40 }, (_, at) => lines(at)), 1);
      expect(others).toBeLessThan(5 * first);
    }
  });

  it("is read in time that grows with its lines: braces that open and don't close", () => {
    const line = (braces: string) => [`x: `, `  echo ${braces.repeat(900)}`];
    const work = (braces: string) =>
      leastWork(() => {
        for (let times = 0; times < 40; times++) linesRun("recipes", line(braces), "", []);
      });
    expect(work("{{")).toBeLessThan(10 * work("aa") + 1);
  });
});

describe("names in what names stand for", () => {
  const scripts = (inner: number) =>
    JSON.stringify({
      scripts: {
        test: many(inner, (at) => `sh -c "npm run s${20 * at}"`, " && "),
        ...Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`s${at}`, `npm run s${at + 1} && npm run t`])),
        t: "true",
      },
    });

  it("are followed 60 times for one call: what a name has beyond that says that it isn't read whole", () => {
    const work = (inner: number) => {
      const project = projectWith({ "package.json": scripts(inner) });
      return leastWork(() => named(project, "npm test"), 4);
    };
    expect(work(40)).toBeLessThan(3 * work(3));
    const [first] = named(projectWith({ "package.json": scripts(40) }), "npm test");
    expect(first?.shown.unread).toContain("package.json");
  });

  it("are read in 300 commands and those of the script that goes beyond it", () => {
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`x${at}.sh`, many(200, (line) => `rm -rf a${at}-${line}`)]),
    );
    const found = named(
      projectWith(files),
      many(8, (at) => `sh x${at}.sh`, ";"),
    );
    expect(found.map(({ texts, shown }) => [texts.length, shown.unread?.length ?? 0])).toEqual([
      [1, 0],
      [1, 0],
      ...Array.from({ length: 6 }, () => [0, 1]),
    ]);
  });
});
