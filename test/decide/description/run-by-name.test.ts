import { createHash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { StandsFor } from "../../../ipc/contract/description.ts";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { changedSince } from "../../../main/decide/description/run-by-name.ts";
import { examinationOf } from "../../support/examinations.ts";
import { tempFolderForFile } from "../../support/temp-folder.ts";

const folder = tempFolderForFile();
const cwd = `${folder}/project`;

const SCRIPTS = {
  pretest: "npm run lint",
  test: "vitest run && npm run build",
  lint: "eslint .",
  build: "tsc",
  start: "node server.js",
};
const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ scripts: SCRIPTS }),
  Makefile: "X = 1\n.PHONY: all\nall: build\n\techo all\nbuild:\n\tcc x.c\nt: all\n\t./run\n",
  justfile: "default:\n  echo hi\nr arg: build\n  echo {{arg}}\nbuild:\n  make\n",
  ".cargo/config.toml": '[alias]\nxtask = "run --package xtask --"\n',
  "deno.json": '{"tasks":{"dev":"deno run main.ts"}}',
  "x.sh": "#!/bin/sh\necho a\necho b\n",
  "x.py": "print(1)\n",
  "x.js": "console.log(1)\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  data: "\0\0",
  "src/index.ts": "",
  "other/package.json": JSON.stringify({ scripts: { build: "evil" } }),
  "other/Makefile": "build:\n\tevil\n",
  "other/justfile": "build:\n  evil\n",
};

beforeAll(() => {
  for (const name of [".git", ".cargo", "src", "other"]) mkdirSync(`${cwd}/${name}`, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(`${cwd}/${name}`, text);
  writeFileSync(`${folder}/outside.sh`, "echo outside\n");
  symlinkSync(`${folder}/outside.sh`, `${cwd}/away.sh`);
  symlinkSync("x.sh", `${cwd}/same.sh`);
});

const standsFor = (command: string): StandsFor[] =>
  describeCall(examinationOf({ executor: "Bash", args: { command }, context: { cwd }, settings: { home: folder } }))
    .stands_for;
const hashOf = (name: string) =>
  createHash("sha256")
    .update(FILES[name] ?? "")
    .digest("hex");

const TEST = ["pretest: npm run lint", "lint: eslint .", "vitest run && npm run build", "build: tsc"];
const SCRIPT = ["#!/bin/sh", "echo a", "echo b"];

describe("what a name stands for", () => {
  it.each<[command: string, name: string, file: string, lines: readonly string[], runs?: readonly string[]]>([
    ["npm test", "npm test", "package.json", TEST],
    ["npm t -- --watch", "npm t", "package.json", TEST],
    ["npm run build -- --x", "npm run build", "package.json", ["tsc"]],
    ["npm --prefix src run build", "npm run build", "package.json", ["tsc"]],
    ["npm run build --prefix=other", "npm run build", "other/package.json", ["evil"]],
    ["npm run build -C other", "npm run build", "other/package.json", ["evil"]],
    ["pnpm --dir=other build", "pnpm build", "other/package.json", ["evil"]],
    ["yarn --cwd=other build", "yarn build", "other/package.json", ["evil"]],
    ["make -Cother build", "make build", "other/Makefile", ["build:", "\tevil"]],
    ["make build --directory=other", "make build", "other/Makefile", ["build:", "\tevil"]],
    ["make -fother/Makefile build", "make build", "other/Makefile", ["build:", "\tevil"]],
    ["make --file=other/Makefile build", "make build", "other/Makefile", ["build:", "\tevil"]],
    ["just -d other --justfile=other/justfile build", "just build", "other/justfile", ["build:", "  evil"]],
    ["npm start", "npm start", "package.json", ["node server.js"]],
    ["pnpm build", "pnpm build", "package.json", ["tsc"]],
    ["yarn run lint", "yarn run lint", "package.json", ["eslint ."]],
    ["bun run build", "bun run build", "package.json", ["tsc"]],
    ["node --run build", "node --run build", "package.json", ["tsc"]],
    ["cd src && npm run build", "npm run build", "package.json", ["tsc"]],
    ["timeout 60 npm run build 2>&1 | tail", "npm run build", "package.json", ["tsc"]],
    ["bash -c 'npm run build'", "npm run build", "package.json", ["tsc"]],
    ["make", "make", "Makefile", ["build:", "\tcc x.c", "all: build", "\techo all"]],
    ["make -j4 build", "make build", "Makefile", ["build:", "\tcc x.c"]],
    ["just", "just", "justfile", ["default:", "  echo hi"]],
    ["just r 1", "just r", "justfile", ["build:", "  make", "r arg: build", "  echo {{arg}}"], ["Makefile"]],
    ["cargo xtask ci", "cargo xtask", ".cargo/config.toml", ["cargo run --package xtask --"]],
    ["deno task dev", "deno task dev", "deno.json", ["deno run main.ts"]],
    ["./x.sh a", "./x.sh", "x.sh", SCRIPT],
    ["bash -e x.sh", "bash x.sh", "x.sh", SCRIPT],
    ["source x.sh", "source x.sh", "x.sh", SCRIPT],
    [". ./x.sh", ". ./x.sh", "x.sh", SCRIPT],
    ["sudo ./x.sh", "./x.sh", "x.sh", SCRIPT],
    ["python3 -u x.py", "python3 x.py", "x.py", ["print(1)"]],
    ["node x.js", "node x.js", "x.js", ["console.log(1)"]],
    ["./data", "./data", "data", []],
  ])("%s", (command, name, file, lines, runs = []) => {
    const [found, ...more] = standsFor(command);
    expect(more.map((one) => one.file)).toEqual(runs.map((one) => `${cwd}/${one}`));
    expect(found).toMatchObject({
      name,
      file: `${cwd}/${file}`,
      sha256: hashOf(file),
      lines,
      total_lines: lines.length,
    });
    const { start = 0, end = 0 } = found?.span ?? {};
    expect(command.slice(start, end).split(" ")[0]).toBe(name.split(" ")[0]);
  });

  it.each([
    "ls",
    "npm install",
    "npm run",
    "yarn tsc",
    "cargo build",
    "make -n",
    "just --list",
    "python3 -m pytest",
    "python3 -c 'print(1)'",
    "bash -c 'ls'",
    "bash -s",
    "/usr/bin/env ls",
    "npm test --workspace=src",
    "npm test -w src",
    "npm test --script-shell=./x.sh",
    "npm --script-shell ./x.sh test",
    "npm --userconfig=./rc test",
    "npm_config_script_shell=./x.sh npm test",
    "MAKEFILES=other.mk make build",
    "MAKEFLAGS='-f other.mk' make build",
    "make -kf other.mk build",
    "make --makefil=other.mk build",
    "make -f Makefile -f other.mk build",
    "make --eval='build:;./run' build",
    "just other/r",
    "cp other.json package.json; npm test",
    "echo 'all:;./run' > Makefile && make all",
    "./$X",
    "echo 1 > x.sh; ./x.sh",
    "ssh host.example ./x.sh",
  ])("%s stands for nothing that is here", (command) => {
    expect(standsFor(command)).toEqual([]);
  });

  it("is nothing yet where the file isn't there, and unknown behind a link that leads out of the project", () => {
    expect(standsFor("node missing.js")).toMatchObject([{ file: `${cwd}/missing.js`, sha256: null, lines: [] }]);
    expect(standsFor("./away.sh")).toMatchObject([{ file: `${cwd}/away.sh`, sha256: null, lines: [] }]);
    expect(standsFor("./same.sh")).toMatchObject([{ sha256: hashOf("x.sh"), lines: SCRIPT }]);
  });

  it.each([
    ["sh link/../x.sh", "x.sh"],
    ["./link/../x.sh", "x.sh"],
    ["node link/../x.js", "x.js"],
    ["bash link/../x.s?", "x.sh"],
    ["cat link/../x.sh | bash", "x.sh"],
    ["bash < link/../x.sh", "x.sh"],
    ["make -f link/../Makefile build", "Makefile"],
    ["make -C link/.. build", "Makefile"],
    ["npm --prefix link/.. test", "package.json"],
    ["docker build link/..", "Dockerfile"],
  ])("is unknown where the way goes up behind a link, as programs differ in where that leads: %s", (command, name) => {
    mkdirSync(`${cwd}/other/deep`, { recursive: true });
    symlinkSync("other/deep", `${cwd}/link`);
    for (const file of ["other/x.sh", "other/x.js", "Dockerfile"]) writeFileSync(`${cwd}/${file}`, "evil\n");
    try {
      for (const { file, sha256, lines } of standsFor(command))
        expect({ file, sha256, lines }).toEqual({ file: `${cwd}/${name}`, sha256: null, lines: [] });
    } finally {
      for (const file of ["link", "other/deep", "other/x.sh", "other/x.js", "Dockerfile"])
        rmSync(`${cwd}/${file}`, { recursive: true });
    }
    expect(standsFor("sh src/../x.sh")).toMatchObject([{ sha256: hashOf("x.sh"), lines: SCRIPT }]);
  });

  it("is shown as far as it can be read, and hashed whole", () => {
    writeFileSync(`${cwd}/long.sh`, "echo a\n".repeat(10_000));
    const [found] = standsFor("sh long.sh");
    expect([found?.lines.length, found?.total_lines, found?.sha256?.length]).toEqual([60, 10_000, 64]);
    writeFileSync(`${cwd}/wide.sh`, "x".repeat(64 * 1024));
    expect(standsFor("sh wide.sh")[0]?.lines.map((line) => line.length)).toEqual([8001]);
    rmSync(`${cwd}/long.sh`);
  });

  it("has changed where a file's hash is another one, a file came or went, or a name means another file", () => {
    const [one] = standsFor("./x.sh");
    if (one === undefined) throw new Error("it stands for nothing");
    const now = { ...one, sha256: "b".repeat(64) };
    expect(changedSince([one], [one])).toBeNull();
    expect(changedSince([one], [now])).toEqual([{ ...now, has_changed: true }]);
    expect(changedSince([], [one])).toEqual([{ ...one, has_changed: true }]);
    const gone = changedSince([one], []);
    expect(gone).toMatchObject([{ name: "./x.sh", sha256: null, lines: [], has_changed: true }]);
    expect(changedSince(gone ?? [], [])).toBeNull();
    const marked = changedSince([one], [now]) ?? [];
    expect(changedSince(marked, [now])).toBeNull();
  });
});

describe("a file that is run beside a script, or instead of one,", () => {
  it.each([
    ["bash < x.sh", "x.sh"],
    ["python3 -m tool", "tool/__main__.py"],
    ["python3 -u -m mod a", "mod.py"],
    ["node -r ./t.js x.js", "t.js"],
    ["node --import ./t.js x.js", "t.js"],
    ["node --import=./t.js x.js", "t.js"],
    ["awk -f x.awk data", "x.awk"],
    ["psql -f x.sql", "x.sql"],
  ])("is bound to the answer: %s runs %s", (command, name) => {
    mkdirSync(`${cwd}/tool`, { recursive: true });
    for (const file of ["tool/__main__.py", "mod.py", "t.js", "x.awk", "x.sql"]) writeFileSync(`${cwd}/${file}`, "1\n");
    const standsFor = () => {
      const situation = { executor: "shell_exec", args: { command }, context: { cwd }, settings: { home: folder } };
      return describeCall(examinationOf(situation)).stands_for;
    };
    const before = standsFor();
    expect(before.map(({ file }) => file)).toContain(`${cwd}/${name}`);
    writeFileSync(`${cwd}/${name}`, name === "x.sh" ? `${FILES[name]}echo other\n` : "2\n");
    expect(changedSince(before, standsFor())).not.toBeNull();
    if (name === "x.sh") writeFileSync(`${cwd}/${name}`, FILES[name] ?? "");
  });

  it("is none where the line says no file of its own", () => {
    const situation = { executor: "shell_exec", context: { cwd }, settings: { home: folder } };
    for (const command of ["python3 -m http.server", "node -r dotenv/config", "bash < /dev/null"])
      expect(describeCall(examinationOf({ ...situation, args: { command } })).stands_for).toEqual([]);
  });
});
