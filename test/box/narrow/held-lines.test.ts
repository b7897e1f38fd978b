import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { confinedCommand } from "../../../ipc/base/confined-command.ts";
import type { Declaration } from "../../../main/decide/confinement/declaration.ts";
import { tokenOf } from "../../support/agent-connection.ts";
import { boxUnderTest, SHELLS, shellRuns, withoutBox } from "../box-under-test.ts";
import { workingAgent } from "../working-agent.ts";

/** A clear line's box has what the line needs and nothing else; a looking line's has its project, to be read. */

const reason = withoutBox();
if (reason !== undefined) console.log(`skipped: narrow boxes: ${reason}`);

const MAKE = `mkdir src docs; printf 'one\\ntwo\\nthree\\n' > a.txt; echo '{"a": [1, 2]}' > data.json; echo 'b = 1' > src/b.ts
  echo text > docs/x.md; echo old > docs/old.md; echo ignored > out.log; echo '*.log' > .gitignore; ln -s a.txt link; ln -s src/../docs way
  git init -q -b main .; git config user.name A; git config user.email a@example.com; git add .; git commit -qm first; echo more >> a.txt`;

/** A gate, an agent that runs what it is given, and a project in which it may read and write. */
async function heldAgent() {
  const { gate, project, decide } = await workingAgent();
  execFileSync("/bin/sh", ["-ec", `rm -rf .git; ${MAKE}`], { cwd: project });
  const run = async (line: string, shell?: string) => {
    const decision = await decide(line);
    const argv = decision.confine?.argv;
    if (argv === undefined) throw new Error(`not confined: ${line}: ${decision.reason}`);
    return {
      kind: decision.confined?.kind,
      ...(await shellRuns(confinedCommand(argv), project, { ...(shell === undefined ? {} : { shell }) })),
    };
  };
  return { gate, project, decide, run };
}

/** Each changes what those behind it find. */
const CLEAR = [
  ...[
    "cat a.txt",
    "cat link",
    "cat way/x.md",
    "ls",
    "ls src docs",
    "ls -a",
    "cat a.txt | head -2",
    "wc -l < a.txt",
    "cat nothing",
    "ls nothing",
  ],
  ...[
    "git status --short",
    "git log --oneline --stat --format=%s",
    "git diff",
    "git diff --stat > d.patch",
    "cat d.patch",
    "git show HEAD:a.txt",
  ],
  ...[
    "grep -rn one src docs",
    "grep -c o a.txt",
    "rg -n one docs",
    "rg --files --sort path",
    "find . -name '*.md'",
    "find src -type f",
    "tree src",
  ],
  ...[
    "head -n 1 src/*.ts",
    "sort a.txt",
    "sort -o a.txt a.txt",
    "jq .a data.json",
    "sed -n 1,2p a.txt",
    "awk '{print $1}' a.txt",
    "diff a.txt docs/x.md",
  ],
  ...[
    "cp a.txt docs/",
    "cp -r docs copy",
    "mv copy/a.txt c.txt",
    "rm c.txt",
    "mkdir -p d/e/f",
    "rmdir d/e/f",
    "echo hi > o.txt",
    "echo ho >> o.txt",
  ],
  ...["touch t && ls t", "cd src && ls && cat b.ts", "cd docs; cat x.md"],
  ...["echo x > no/x", "ls src\ncat < nothing\necho done"],
  ...[
    "git add o.txt",
    "git commit -qm second",
    "git rm -q o.txt",
    "git mv data.json json",
    "git branch topic",
    "git ls-files",
    "git config user.name B",
    "git config --local core.abbrev 9 && git config user.email b@example.com",
    "git config user.name",
    "git init -q",
    "git init -q nested",
    "chmod 600 t",
    "stat -c %a t",
  ],
  ...[
    "du -s --apparent-size a.txt",
    "file a.txt",
    "tail -n 1 a.txt | tee last.txt",
    "rm copy/x.md",
    "for f in a.txt link; do wc -l $f; done",
    "tr a-z A-Z < a.txt",
  ],
];

const LOOKING = [
  ...[
    "cat $(ls *.txt)",
    'for f in *.txt; do echo "$f"; head -1 $f; done',
    "ls *.json 2>/dev/null; ls j*",
    "cat src/{b,c}.ts",
    "(cd src && ls)",
  ],
  ...[
    "if [ -f a.txt ]; then cat a.txt; fi",
    'echo "exit: $?"; cat a.txt # the end',
    "git log --oneline $(git rev-parse HEAD) --format=%s",
    "x=a.txt; cat $x",
  ],
  ...['while read -r line; do echo "<$line>"; done < a.txt', "{ ls src; ls docs; }", "cat *.md docs/*.md"],
];

describe.skipIf(reason !== undefined)("a line runs in a narrow box as it does outside", () => {
  it.each([
    ["clear", "needs", CLEAR],
    ["looking", "looking", LOOKING],
  ])("%s lines: the same output, exit code and files", async (_what, kind, lines) => {
    const { run, project } = await heldAgent();
    const outside = `${project}-outside`;
    mkdirSync(outside);
    execFileSync("/bin/sh", ["-ec", MAKE], { cwd: outside });
    const state = (folder: string) =>
      execFileSync(
        "/bin/sh",
        [
          "-c",
          "find . -path ./.git -prune -o -printf '%p %y %m %l\\n' | sort; find . -path ./.git -prune -o -type f -exec cat {} +; git status --short; git branch",
        ],
        { cwd: folder, encoding: "utf8" },
      );
    for (const line of lines) {
      const { code, stdout, stderr } = await shellRuns(line, outside, { shell: "bash" });
      const boxed = await run(line);
      // The more lines are clear, the fewer only look.
      const isClear = kind === "looking" && boxed.kind === "needs";
      expect({ line, ...boxed }).toEqual({ line, kind: isClear ? "needs" : kind, code, stdout, stderr, signal: null });
      expect([line, state(project)]).toEqual([line, state(outside)]);
    }
  });

  it.each(SHELLS)("called from %s", async (shell) => {
    const { run } = await heldAgent();
    expect(await run("cd src && cat b.ts", shell)).toMatchObject({ kind: "needs", code: 0, stdout: "b = 1\n" });
    expect(await run("cat $(ls *.txt)", shell)).toMatchObject({
      kind: "looking",
      code: 0,
      stdout: "one\ntwo\nthree\nmore\n",
    });
  });
});

describe.skipIf(reason !== undefined)(
  "what is asked about each time is written, replaced and removed once that was approved",
  () => {
    it.each([
      ["rm .env", "new\n"],
      ["rm -f .env && cp new .env", "new new\n"],
      ["cp new .env", "new new\n"],
      ["mv new .env", "new\n"],
      ["mv .env moved", "secret new\n"],
      ["echo added > .env", "added new\n"],
      ["echo added >> .env", "secret added new\n"],
      ["git rm -qf .env", "new\n"],
    ])("%s", async (command, left) => {
      const { gate, project } = await workingAgent();
      execFileSync("/bin/sh", ["-ec", "echo secret >.env; echo new >new"], { cwd: project });
      if (command.startsWith("git")) execFileSync("/bin/sh", ["-ec", "git add .; echo secret >.env"], { cwd: project });
      const agent = await gate.agent("tester", "Supervised", { supports: ["confine"] });
      const asked = await agent.ask({ executor: "shell_exec", args: { command }, context: { cwd: project } });
      await gate.operator.call("approvals.resolve", { token: tokenOf(asked.decision), decision: "approved" });
      const { confine, confined } = await asked.final();
      const ended = await shellRuns(confinedCommand(confine?.argv ?? []), project);
      expect([confined?.kind, ended]).toEqual(["needs", { code: 0, signal: null, stdout: "", stderr: "" }]);
      const files = execFileSync("/bin/sh", ["-c", "cat .env moved new 2>/dev/null | tr '\\n' ' '; echo"], {
        cwd: project,
        encoding: "utf8",
      });
      expect(files.replace(/ $/m, "")).toBe(left);
    });
  },
);

/** What a program might try that does more than was said of it: each prints what it got. */
const TRIES = `
  cat "$OUT/secret" 2>/dev/null && echo read outside; cat .env 2>/dev/null; ls "$OUT" 2>/dev/null
  (echo x > new) 2>/dev/null && echo wrote; (echo x > a.txt) 2>/dev/null && echo changed; rm -f a.txt 2>/dev/null && echo removed
  (echo x > "$HOME/new") 2>/dev/null && echo wrote home; (echo x > /tmp/new) 2>/dev/null && echo wrote tmp
  mkdir -p .git/hooks 2>/dev/null && echo made; (exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null && echo connected; cat a.txt`;

describe.skipIf(reason !== undefined)("whatever a program does", () => {
  async function world() {
    const { run, project } = await boxUnderTest();
    const out = join(project, "../out");
    mkdirSync(out);
    writeFileSync(join(out, "secret"), "outside\n");
    writeFileSync(join(project, "a.txt"), "a\n");
    writeFileSync(join(project, "b.txt"), "b\n");
    writeFileSync(join(project, ".env"), "TOKEN=1\n");
    const tried = (declaration: Partial<Declaration>, line = TRIES) =>
      run(`OUT='${out}'; PORT=9; ${line}`, {
        change: {
          declaration: {
            project,
            cwd: project,
            reads: [],
            writes: [],
            network: false,
            programs: ["cat"],
            ...declaration,
          },
        },
      });
    return { project, tried };
  }

  it("a clear line that reads one file gets that file alone", async () => {
    const { project, tried } = await world();
    const ran = await tried({ kind: "needs", reads: [join(project, "a.txt")] });
    expect(ran.stdout).toBe("a\n");
    expect(await tried({ kind: "needs", reads: [join(project, "a.txt")] }, "cat b.txt || ls")).toMatchObject({
      stdout: "a.txt\n",
    });
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("a\n");
    expect(existsSync(join(project, "new"))).toBe(false);
  });

  it("a clear line that writes one file can write no other", async () => {
    const { project, tried } = await world();
    const writes = [join(project, "a.txt")];
    const ran = await tried(
      { kind: "needs", writes },
      "echo new > a.txt; echo x > b.txt; echo x > c.txt; rm a.txt; cat a.txt",
    );
    expect(ran.stdout).toBe("new\n");
    expect([readFileSync(join(project, "b.txt"), "utf8"), existsSync(join(project, "c.txt"))]).toEqual(["b\n", false]);
  });

  it("a looking line reads its project, and no secret in it", async () => {
    const { project, tried } = await world();
    expect((await tried({ kind: "looking", reads: [project] })).stdout).toBe("a\n");
    expect((await tried({ kind: "looking", reads: [project] }, "cat b.txt .env")).stdout).toBe("b\n");
  });

  it("it has the two devices that programs open by themselves, and no terminal's; nothing can be made beside them", async () => {
    const { project, tried } = await world();
    for (const declaration of [
      { kind: "looking", reads: [project] },
      { kind: "needs", writes: [project] },
    ] as const) {
      const line = `ls /dev; echo x >/dev/null && head -c 1 /dev/urandom | wc -c; cat <(echo fd)
        (echo x > /dev/new) 2>/dev/null && echo wrote; rm -f /dev/null 2>/dev/null && echo removed; mkdir /dev/shm/own && echo own`;
      const { stdout } = await tried(declaration, line);
      expect(stdout).toBe("fd\nnull\nshm\nstderr\nstdin\nstdout\nurandom\n1\nfd\nown\n");
    }
  });

  it("where a project holds too much to be looked through, what lies in the folder that it writes is kept all the same", async () => {
    const { project, tried } = await world();
    const src = join(project, "src");
    mkdirSync(join(src, ".vscode"), { recursive: true });
    for (const name of [".vscode/tasks.json", "watch.sh", "plain.txt"]) writeFileSync(join(src, name), "was\n");
    writeFileSync(join(src, ".env"), "TOKEN=1\n");
    execFileSync("git", ["init", "-q", project]);
    execFileSync("git", ["-C", project, "config", "core.fsmonitor", "src/watch.sh"]);
    const line = `cat src/.env; for f in src/.vscode/tasks.json src/watch.sh src/plain.txt a.txt; do
      (echo changed > $f) 2>/dev/null; done; mkdir src/.idea; echo x > src/.idea/new.xml; echo x > src/.envrc`;
    const ran = await tried({ kind: "needs", writes: [src], is_project_too_large: true }, line);
    expect(ran.stdout).toBe("");
    const files = ["src/.vscode/tasks.json", "src/watch.sh", "src/plain.txt", "a.txt"];
    expect(files.map((name) => readFileSync(join(project, name), "utf8"))).toEqual([
      "was\n",
      "was\n",
      "changed\n",
      "a\n",
    ]);
    await vi.waitFor(() => expect(existsSync(join(src, ".envrc"))).toBe(false), 5000);
  });

  it("what appears in a folder that it writes, and runs later, is set aside", async () => {
    const { project, tried } = await world();
    mkdirSync(join(project, "sub"));
    await tried(
      { kind: "needs", writes: [join(project, "sub")] },
      "mkdir sub/.vscode; echo x > sub/.vscode/tasks.json; echo y > sub/plain",
    );
    await expect.poll(() => existsSync(join(project, "sub/.vscode/tasks.json"))).toBe(false);
    expect(readFileSync(join(project, "sub/plain"), "utf8")).toBe("y\n");
  });
});
