import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { hasProgram } from "../support/boxes.ts";
import { installOwnPackages } from "../support/own-packages.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { boxUnderTest, type Ended, shellRuns, withoutBox } from "./box-under-test.ts";
import { comparable } from "./varying-output.ts";

/** Projects as they are: their tests pass in their box, and where they fail, they say what they say outside. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: real projects: ${reason}`);

/** The user's own Rust, where it isn't the system's: rustup finds it by the home alone, which is another one here. */
const OWN_RUST = existsSync("/usr/bin/cargo")
  ? []
  : globSync(join(userInfo().homedir, ".rustup/toolchains/*")).slice(0, 1);

type Files = Readonly<Record<string, string>>;

interface RealProject {
  name: string;
  program: string;
  command: string;
  files: Files;
  /** What makes its tests fail, and what they say then. */
  broken: Files;
  passes: string;
  fails: string;
  packages?: readonly string[];
  settings?: object;
}

const RUST = (sum: string) => `pub fn sum(all: &[i32]) -> i32 {
    ${sum}
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn adds_up() {
        assert_eq!(sum(&[1, 2, 3]), 6);
    }

    #[test]
    fn runs_threads_and_programs() {
        let folder = std::env::temp_dir();
        let list = std::process::Command::new("ls").arg(folder).output().unwrap();
        assert!(list.status.success());
        assert_eq!(std::thread::spawn(|| sum(&[4])).join().unwrap(), 4);
    }
}
`;

/** @param end the first index that isn't read any more */
const C = (end: string) => `#include <stdio.h>
#include <stdlib.h>

static int sum(const int *all, int count) {
  int found = 0;
  for (int i = 0; i < ${end}; i++) found += all[i];
  return found;
}

int main(void) {
  int *all = malloc(3 * sizeof *all);
  for (int i = 0; i < 3; i++) all[i] = i + 1;
  int found = sum(all, 3);
  free(all);
  printf("%s\\n", found == 6 ? "all passed" : "failed");
  return found == 6 ? 0 : 1;
}
`;

const PROJECTS: readonly RealProject[] = [
  {
    name: "vitest and vite",
    program: "npm",
    command: "npm test",
    packages: ["vitest", "vite"],
    files: {
      "package.json": JSON.stringify({
        name: "site",
        type: "module",
        scripts: { test: "vitest run --slowTestThreshold=60000 && vite build" },
      }),
      "index.html": '<!doctype html><script type="module" src="/src/main.js"></script>\n',
      "src/main.js": 'document.title = String((await import("./sum.js")).sum([1, 2]));\n',
      "src/sum.js": "export const sum = (all) => all.reduce((one, other) => one + other, 0);\n",
      "test/sum.test.js": `const { expect, it } = await import("vitest");
const { sum } = await import("../src/sum.js");
it("adds up", () => expect(sum([1, 2, 3])).toBe(6));
it("is answered by a server", async () => {
  const { createServer } = await import("vite");
  const server = await (await createServer({ server: { port: 0 } })).listen();
  const { port } = server.httpServer.address();
  expect(await (await fetch(\`http://localhost:\${port}/src/sum.js\`)).text()).toContain("reduce");
  await server.close();
});
`,
    },
    broken: { "src/sum.js": "export const sum = (all) => all.length;\n" },
    passes: "built in",
    fails: "expected 3 to be 6",
  },
  {
    name: "python and pytest",
    program: "pytest-3",
    command: "pytest-3",
    files: {
      "pyproject.toml":
        '[project]\nname = "total"\nversion = "1"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      "total.py": "def total(values):\n    return sum(values)\n",
      "tests/conftest.py":
        "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent.parent))\n",
      "tests/test_total.py": `import sqlite3
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest
from total import total


@pytest.mark.parametrize("values, expected", [([], 0), ([1, 2, 3], 6)])
def test_total(values, expected):
    assert total(values) == expected


def test_other_processes(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    said = subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True, check=True)
    assert said.stdout == "1\\n"
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]


def test_database(tmp_path):
    with sqlite3.connect(tmp_path / "a.db") as db:
        assert db.execute("select 1 + 1").fetchone() == (2,)
`,
    },
    // Of another size: Python compiles anew what is newer by a whole second, or of another one.
    broken: { "total.py": "def total(values):\n    count = len(values)\n    return count\n" },
    passes: "4 passed",
    fails: "assert 3 == 6",
  },
  {
    name: "go",
    program: "go",
    command: "go test ./...",
    files: {
      "go.mod": "module example.com/sum\n\ngo 1.19\n",
      "sum.go":
        "package sum\n\nfunc Sum(all []int) int {\n\tn := 0\n\tfor _, one := range all {\n\t\tn += one\n\t}\n\treturn n\n}\n",
      "sum_test.go": `package sum

import (
	"os"
	"testing"
)

func TestSum(t *testing.T) {
	if got := Sum([]int{1, 2, 3}); got != 6 {
		t.Errorf("Sum is %d", got)
	}
	if err := os.WriteFile(t.TempDir()+"/a", nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
`,
    },
    broken: { "sum.go": "package sum\n\nfunc Sum(all []int) int { return len(all) }\n" },
    passes: "ok  \texample.com/sum",
    fails: "Sum is 3",
  },
  {
    name: "cargo",
    program: join(OWN_RUST[0] ?? "/usr", "bin/cargo"),
    command: "cargo test --lib --offline -- --test-threads=1",
    files: {
      "Cargo.toml": '[package]\nname = "sum"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": RUST("all.iter().sum()"),
    },
    broken: { "src/lib.rs": RUST("all.len() as i32") },
    passes: "2 passed",
    fails: "panicked at",
  },
  {
    name: "make and gcc with sanitizers",
    program: "gcc",
    command: "make test",
    files: {
      Makefile:
        "CFLAGS = -g -O1 -Wall -fno-omit-frame-pointer -fsanitize=address,undefined\n\ntest: sum\n\t./sum\n\nsum: sum.c\n\t$(CC) $(CFLAGS) -o $@ $<\n",
      "sum.c": C("count"),
    },
    broken: { "sum.c": C("count + 1") },
    passes: "all passed",
    fails: "heap-buffer-overflow",
    // AddressSanitizer reserves terabytes, which a limit of memory counts (main/box/arguments/limits.ts).
    settings: { memory_mb: 0 },
  },
];

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** As a box has it in the project: in both places nothing was built before. */
async function twice({ program, files, packages = [], settings = {} }: RealProject) {
  // Before what has the same name and is of a home that isn't there, as rustup's `cargo` is.
  const own = isAbsolute(program) ? [dirname(program)] : [];
  vi.stubEnv("PATH", [dirname(process.execPath), ...own, process.env.PATH].join(":"));
  const boxed = await boxUnderTest({ settings: { reads: OWN_RUST, ...settings } });
  const folder = tempFolder();
  const plain = { project: join(folder, "project"), home: join(folder, "home") };
  for (const made of [plain.project, plain.home]) mkdirSync(made);
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, LANG: "C.UTF-8", TERM: "dumb", HOME: plain.home };
  const both = { boxed: boxed.project, plain: plain.project };
  for (const project of Object.values(both)) {
    write(project, files);
    if (packages.length > 0) installOwnPackages(project, packages);
  }
  const said = ({ code, signal, stdout, stderr }: Ended, { project, home }: { project: string; home: string }) => {
    const names = { [project]: "<project>", [home]: "~" };
    return { code, signal, stdout: comparable(stdout, names), stderr: comparable(stderr, names) };
  };
  const run = async (command: string) => {
    const [inBox, outside] = await Promise.all([
      boxed.run(command, { env }),
      shellRuns(command, plain.project, { env, shell: "bash" }),
    ]);
    return { inBox: said(inBox, { project: boxed.project, home: plain.home }), outside: said(outside, plain) };
  };
  const change = (changed: Files) => {
    for (const project of Object.values(both)) write(project, changed);
  };
  return { run, change };
}

describe.skipIf(reason !== undefined)("the tests of a real project", () => {
  for (const project of PROJECTS) {
    it.runIf(hasProgram(project.program))(
      `${project.name}: pass in its box, and fail there in the words of outside`,
      async () => {
        const { run, change } = await twice(project);
        const passed = await run(project.command);
        expect(passed.inBox).toEqual(passed.outside);
        expect(passed.inBox).toMatchObject({ code: 0, stdout: expect.stringContaining(project.passes) });
        change(project.broken);
        const failed = await run(project.command);
        expect(failed.inBox).toEqual(failed.outside);
        expect(failed.inBox.code).not.toBe(0);
        expect(failed.inBox.stdout + failed.inBox.stderr).toContain(project.fails);
      },
    );
  }
});
