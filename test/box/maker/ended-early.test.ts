import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { processesWith } from "../../support/judged-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { BOX, bash, ended, expectRefused, MAKER, type Made, make, withoutMaker } from "./made-by.ts";

/** The tests' own process has others open, by numbers of three digits. */
const OPEN = "ls /proc/self/fd/ | grep -v ...";

/** A program with these words, begun by bash behind lines of its own. */
function behind(line: string, words: readonly string[]): Promise<Made> {
  return make(["--norc", "-c", `${line}; exec "$@"`, "bash", MAKER, ...words], { program: "/bin/bash" });
}

const nothingRuns = (mark: string) => expect.poll(() => processesWith(mark), { timeout: 5000 }).toEqual([]);

let marks = 0;
/** A number of seconds that no other process waits for. */
const newMark = () => `${7_000_000_000 + process.pid * 1000 + marks++}`;

describe.skipIf(withoutMaker())("metnos-make-box", { timeout: 60_000 }, () => {
  it("leaves no process, at whatever moment it is killed", async () => {
    const moments: number[] = [];
    for (let after = 0; after < 80; after++) {
      const mark = newMark();
      const project = tempFolder();
      const words = [
        ...BOX,
        "--bind",
        project,
        "/tmp/project",
        "--args",
        "3",
        ...bash(`: >/tmp/project/ran; sleep ${mark}`),
      ];
      const child = spawn(MAKER, words, { stdio: ["ignore", "ignore", "ignore", "pipe"], env: {} });
      const end = once(child, "exit");
      const pipe = child.stdio[3] as NodeJS.WritableStream;
      pipe.on("error", () => undefined);
      // Some while it waits for words, most behind the last one.
      if (after % 4 !== 0) pipe.end(ended(["--setenv", "A", "b"]));
      const until = performance.now() + after * 0.4;
      const ran = () => existsSync(join(project, "ran"));
      while (performance.now() < until || (after > 70 && after % 4 !== 0 && !ran())) await wait(0);
      child.kill("SIGKILL");
      await end;
      await nothingRuns(mark);
      if (ran()) moments.push(after);
      pipe.end();
    }
    // Both kinds of moments were met: before its command and while that ran.
    expect(moments.length).toBeGreaterThan(0);
    expect(moments.length).toBeLessThan(60);
  });

  it("ends with the process that began it, and with the first process of its box", async () => {
    for (const victim of ["parent", "first"]) {
      const mark = newMark();
      const shell = spawn("/bin/bash", ["-c", '"$@" & wait', "bash", MAKER, ...BOX, ...bash(`sleep ${mark}; :`)]);
      await expect.poll(() => processesWith(mark).length).toBe(5);
      // In the order of their start: bash, the process outside, the first one inside, the command's shell, sleep.
      const [, , first = 0] = processesWith(mark).sort((one, other) => one - other);
      process.kill(victim === "parent" ? (shell.pid ?? 0) : first, "SIGKILL");
      await nothingRuns(mark);
    }
  });

  it("gives the command's exit code once it continues, where it was stopped meanwhile", async () => {
    const mark = newMark();
    const made = make([...BOX, ...bash(`sleep 0.4; : ${mark}; exit 5`)]);
    await expect.poll(() => processesWith(mark).length).toBe(3);
    const [outside = 0] = processesWith(mark).sort((one, other) => one - other);
    process.kill(outside, "SIGSTOP");
    await wait(800);
    process.kill(outside, "SIGCONT");
    expect(await made).toMatchObject({ code: 5, signal: null });
    await nothingRuns(mark);
  });

  it("leaves background processes to nobody: they end with the command", async () => {
    const mark = newMark();
    expect(await make([...BOX, ...bash(`sleep ${mark} >/dev/null 2>&1 & exit 3`)])).toMatchObject({ code: 3 });
    await nothingRuns(mark);
  });

  it.each(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])(
    "takes nothing that it opens for a command's own: %s",
    async (closed) => {
      const folder = tempFolder();
      const line = `${OPEN} >/tmp/here/fds; echo to-nobody; echo to-nobody >&2; exit 7`;
      const made = await behind(`exec ${closed} 3>&-`, [...BOX, "--bind", folder, "/tmp/here", ...bash(line)]);
      expect(made.code).toBe(7);
      expect(readFileSync(join(folder, "fds"), "utf8")).toBe("0\n1\n2\n3\n");
    },
  );

  it("passes on what its caller gave the command, and nothing that the words name", async () => {
    const line = `read -r said <&9; echo "$said"; ${OPEN}`;
    const opened = 'exec 9<<<"for the command" 4>/dev/null 5>/dev/null 6>/dev/null 7< <(printf "") 3>&-';
    const words = ["--sync-fd", "4", "--info-fd", "5", "--json-status-fd", "6", "--args", "7"];
    expect(await behind(opened, [...BOX, ...words, ...bash(line)])).toMatchObject({
      code: 0,
      stdout: "for the command\n0\n1\n2\n3\n9\n",
    });
  });

  it("says which process of the machine is the first of its box, once all words are there", async () => {
    const line = "exec 5> >(cat >&2); exec 3>&-";
    const { stderr, code } = await behind(line, [...BOX, "--info-fd", "5", ...bash("true")]);
    expect({ stderr, code }).toEqual({ code: 0, stderr: expect.stringMatching(/^\{ "child-pid": [1-9]\d* \}\n$/) });
  });

  it("runs nothing where too few files may be open, or no memory is left, and says so", async () => {
    const files = await Promise.all(
      [3, 4, 5, 6, 7].map((most) => behind(`ulimit -n ${most}`, [...BOX, ...bash("echo ran")])),
    );
    for (const made of files) expectRefused(made, /metnos-make-box: .*(Too many open files|Bad file descriptor)/);
    const words = ["--args", "9", ...bash("echo ran")];
    const given = "exec 9< <(head -c 50000000 /dev/zero | tr '\\0' x)";
    const memory = await behind(`${given}; ulimit -v 20000`, [...BOX, ...words]);
    expectRefused(memory, "Can't read --args data: Cannot allocate memory");
  });

  it("makes no box where /proc isn't there", async () => {
    const hidden = ["--unshare-user", "--unshare-pid", "--dev-bind", "/", "/", "--tmpfs", "/proc", "--"];
    const { status, stdout, stderr } = spawnSync("/usr/bin/bwrap", [...hidden, MAKER, ...BOX, ...bash("echo ran")], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 126,
      stdout: "",
      stderr: "metnos-make-box: setting up self/uid_map: No such file or directory\n",
    });
  });

  it("ends with 126 where the filter of system calls is none", async () => {
    for (const filter of ["1234567", "x".repeat(8)]) {
      const opened = `exec 6< <(printf ${filter}) 3>&-`;
      expectRefused(await behind(opened, [...BOX, "--seccomp", "6", ...bash("echo ran")]), /seccomp/i);
    }
  });

  it("is used by nobody with another's rights", async () => {
    if (process.getuid?.() !== 0) return console.log("only root can give a program another's rights: not checked here");
    const folder = tempFolder();
    mkdirSync(join(folder, "x"));
    const copy = join(folder, "x/metnos-make-box");
    const line = `install -m 4755 ${MAKER} ${copy} && chmod 755 ${folder} && setpriv --reuid=1000 --regid=1000 --clear-groups -- ${copy} "$@"`;
    const made = await make(["-c", line, "bash", ...BOX, ...bash("echo ran")], {
      program: "/bin/bash",
      env: { PATH: "/usr/bin:/bin" },
    });
    expect(made).toMatchObject({ stdout: "", stderr: expect.stringMatching(/set-user-ID|Permission denied/) });
  });
});
