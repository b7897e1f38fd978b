import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { describe as describeCall } from "../../../main/decide/description/describe.ts";
import { changedSince } from "../../../main/decide/description/run-by-name.ts";
import { examinationOf } from "../../support/examinations.ts";
import { tempFolder } from "../../support/temp-folder.ts";

/** Every form in which a line names a script plainly: the script that changes between the card and the answer is asked about again. */

type Form = readonly [command: string, changed: string];

const SHELL_FORMS: readonly Form[] = [
  ["bash x.sh", "x.sh"],
  ["sh x.sh", "x.sh"],
  ["zsh x.sh", "x.sh"],
  ["dash x.sh", "x.sh"],
  ["bash -e ./x.sh a", "x.sh"],
  ["./x.sh", "x.sh"],
  ["source x.sh", "x.sh"],
  [". ./x.sh", "x.sh"],
  ["sudo ./x.sh", "x.sh"],
  ["env A=1 ./x.sh", "x.sh"],
  ["timeout 9 bash x.sh", "x.sh"],
  ["nohup ./x.sh &", "x.sh"],
  ["exec ./x.sh", "x.sh"],
  ["bash -c './x.sh'", "x.sh"],
  ["cd sub && ../x.sh", "x.sh"],
  ["true && ./x.sh | tail", "x.sh"],
  ["for i in 1 2; do ./x.sh; done", "x.sh"],
  ["find . -name a -exec ./x.sh {} +", "x.sh"],
  ["ls | xargs ./x.sh", "x.sh"],
  ["echo $(./x.sh)", "x.sh"],
  ["bash < x.sh", "x.sh"],
  ["bash -s a < x.sh", "x.sh"],
  ["cat x.sh | bash", "x.sh"],
  ["tail -n +2 x.sh | sudo sh -s a", "x.sh"],
  ["(echo ls; cat x.sh) | sh", "x.sh"],
  ["bash <(cat x.sh)", "x.sh"],
  [". <(envsubst < x.sh)", "x.sh"],
  ['bash -c "$(cat x.sh)"', "x.sh"],
  ['eval "$(cat x.sh)"', "x.sh"],
  ['bash <<< "$(cat x.sh)"', "x.sh"],
  ["./x*.sh", "x.sh"],
  ["bash x*.sh", "x.sh"],
  ["cat *.sh | sh", "x.sh"],
  ["bash --rcfile x.sh -i", "x.sh"],
];

const INTERPRETER_FORMS: readonly Form[] = [
  ["python3 x.py", "x.py"],
  ["python3 -u x.py a", "x.py"],
  ["python3 -m mod", "mod.py"],
  ["python3 -m tool a", "tool/__main__.py"],
  ["python3 - < x.py", "x.py"],
  ["cat x.py | python3", "x.py"],
  ["uv run x.py", "x.py"],
  ["node x.js", "x.js"],
  ["node -r ./t.js x.js", "t.js"],
  ["node --import ./t.js x.js", "t.js"],
  ["deno run x.js", "x.js"],
  ["bun x.js", "x.js"],
  ["bun run x.js", "x.js"],
  ["tsx x.js", "x.js"],
  ["ruby x.rb", "x.rb"],
  ["ruby -r ./t.rb x.rb", "t.rb"],
  ["perl x.pl", "x.pl"],
  ["php x.php", "x.php"],
  ["php -f x.php", "x.php"],
  ["lua x.lua", "x.lua"],
  ["awk -f x.awk data", "x.awk"],
  ["sed -nf x.sed data", "x.sed"],
  ["jq -f x.jq data", "x.jq"],
  ["psql -f x.sql", "x.sql"],
  ["sqlite3 db < x.sql", "x.sql"],
  ["gdb -batch -x x.gdb ./p", "x.gdb"],
];

const PROJECT_FORMS: readonly Form[] = [
  ["npm test", "package.json"],
  ["npm run build", "x.sh"],
  ["pnpm run build", "x.sh"],
  ["yarn build", "x.sh"],
  ["npm run lint", "before.sh"],
  ["npx jest", "node_modules/jest/bin.js"],
  ["pnpm jest", "node_modules/jest/bin.js"],
  ["make x", "Makefile"],
  ["make -f other.mk x", "other.mk"],
  ["make x", "x.sh"],
  ["docker build .", "Dockerfile"],
  ["docker build -f sub/Dockerfile -t x .", "sub/Dockerfile"],
  ["docker compose up", "compose.yaml"],
];

/** Those that aren't bound, each with the reason. */
const NOT_BOUND: readonly (readonly [...Form, why: string])[] = [
  ["make -f including.mk x", "included.mk", "what a Makefile includes is make's to find, by its own search"],
  [
    "npm test",
    "node_modules/jest/bin.js",
    "an installed program that a package's script names: the line doesn't name it",
  ],
  ["npm run deep", "deep.sh", "a script that a script's script runs: two steps are followed"],
  ["BASH_ENV=./x.sh bash y.sh", "x.sh", "what a variable has a program load isn't looked for in its environment"],
];

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    scripts: {
      test: "jest",
      build: "./x.sh --all",
      prelint: "bash before.sh",
      lint: "eslint .",
      deep: "bash outer.sh",
    },
  }),
  Makefile: "x:\n\t@./x.sh\n",
  "other.mk": "x:\n\techo x\n",
  "including.mk": "include included.mk\nx:\n\techo x\n",
  "included.mk": "y:\n",
  "outer.sh": "./deep.sh\n",
  ...Object.fromEntries(
    ["x.sh", "y.sh", "deep.sh", "before.sh", "sub/a", "x.py", "mod.py", "tool/__main__.py", "x.js", "t.js", "x.rb"].map(
      (name) => [name, "1\n"],
    ),
  ),
  ...Object.fromEntries(
    ["t.rb", "x.pl", "x.php", "x.lua", "x.awk", "x.sed", "x.jq", "x.sql", "x.gdb", "data", "Dockerfile"].map((name) => [
      name,
      "1\n",
    ]),
  ),
  "sub/Dockerfile": "FROM x\n",
  "compose.yaml": "services: {}\n",
  "node_modules/jest/bin.js": "1\n",
};

function makeProject(): { cwd: string; put: (name: string, text: string) => void } {
  const cwd = tempFolder();
  const put = (name: string, text: string) => {
    mkdirSync(dirname(`${cwd}/${name}`), { recursive: true });
    writeFileSync(`${cwd}/${name}`, text);
  };
  put(".git/HEAD", "ref: refs/heads/main\n");
  for (const [name, text] of Object.entries(FILES)) put(name, text);
  mkdirSync(`${cwd}/node_modules/.bin`);
  symlinkSync("../jest/bin.js", `${cwd}/node_modules/.bin/jest`);
  return { cwd, put };
}

/** What the card shows, and what it shows after the change; null where that is the same. */
function afterChange([command, changed]: Form) {
  const { cwd, put } = makeProject();
  const look = () =>
    describeCall(examinationOf({ executor: "Bash", args: { command }, context: { cwd }, settings: { home: "/none" } }))
      .stands_for;
  const before = look();
  put(changed, `${FILES[changed]}# other\n`);
  return { shown: before, askedAgain: changedSince(before, look()) };
}

describe("a script that a line names, changed between its card and the answer,", () => {
  const forms = [...SHELL_FORMS, ...INTERPRETER_FORMS, ...PROJECT_FORMS];

  it.each(forms)("is asked about again: %s (%s)", (...form) => {
    const { shown, askedAgain } = afterChange(form);
    expect(shown.filter(({ sha256 }) => sha256 !== null)).not.toEqual([]);
    expect(askedAgain?.some(({ has_changed }) => has_changed)).toBe(true);
  });

  it("is asked about again in at least 70 forms; those that aren't are at most five, each with its reason", () => {
    expect(new Set(forms.map(([command, changed]) => `${command}\n${changed}`)).size).toBeGreaterThanOrEqual(70);
    expect(NOT_BOUND.length).toBeLessThanOrEqual(5);
    const bound = NOT_BOUND.filter(([command, changed]) => afterChange([command, changed]).askedAgain !== null);
    expect(bound).toEqual([]);
    for (const [command, changed, why] of NOT_BOUND) console.info(`not bound: ${command} (${changed}): ${why}`);
  });

  it("is asked about again where a pattern matches another file than before", () => {
    const { cwd, put } = makeProject();
    const look = () =>
      describeCall(examinationOf({ executor: "Bash", args: { command: "./x*.sh" }, context: { cwd } })).stands_for;
    const before = look();
    put("x0.sh", "1\n");
    expect(changedSince(before, look())?.some(({ has_changed }) => has_changed)).toBe(true);
  });

  it.each([
    ["cat data | python3 -c 'import sys'"],
    ["cat data | grep 1"],
    ["python3 -m json.tool < data"],
    ["node x.js < data", "x.js"],
    ["docker run -v x:/y img build ."],
    ["yarn add jest"],
    ["ls src | bash"],
    ["awk '{ print }' < data"],
    ["find . -name 'x*.sh'"],
    ["npm install"],
  ])("isn't what is only read: %s", (command, ...runs) => {
    const { cwd } = makeProject();
    const found = describeCall(examinationOf({ executor: "Bash", args: { command }, context: { cwd } })).stands_for;
    expect(found.map(({ file }) => file.slice(cwd.length + 1))).toEqual(runs);
  });
});
