import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, linkSync, mkdirSync, openSync, readSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { HAS_BUBBLEWRAP } from "../../support/boxes.ts";
import { processesWith } from "../../support/judged-gate.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { agentsUnderTest, stateOf, written } from "./agents-under-test.ts";

/** Programs that do all they can, in folders whose loss harms nothing. */

/** A number of seconds that no other process sleeps. */
let nextSleep = 0;
function mark(): string {
  nextSleep++;
  return `${9_000_000 + process.pid}.${nextSleep}`;
}

async function listening(server: Server, where: object | number): Promise<void> {
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => resolve());
  });
}

describe.skipIf(!HAS_BUBBLEWRAP)("a judge agent's program", () => {
  it("finds neither the user's keys nor the gate's files nor what lies beside the workspace", async () => {
    const { judge, home, state_dir, folder, project } = agentsUnderTest();
    mkdirSync(join(home, ".ssh"));
    const secrets = [join(home, ".ssh/id_rsa"), join(home, "notes"), join(state_dir, "token"), join(folder, "beside")];
    for (const path of secrets) writeFileSync(path, "PRIVATE");
    symlinkSync(join(home, ".ssh"), join(project, "keys"));
    symlinkSync(join(home, ".ssh/id_rsa"), join(project, "key"));
    const said = await judge(`
      exec 2>&1
      for path in ${secrets.join(" ")} keys/id_rsa key /workspace/key /proc/self/root${home}/notes /proc/1/root${home}/notes \\
        /proc/*/cwd/../home/notes /workspace/../home/notes ~/.ssh/id_rsa; do cat "$path"; done
      cat /etc/shadow; find / -xdev -name id_rsa -o -xdev -name operator.token; ls ${state_dir}; true`);
    expect(said).not.toContain("PRIVATE");
    expect(said).not.toMatch(/^root:/m);
    expect(said.match(/No such file|Permission denied/g)?.length).toBeGreaterThanOrEqual(secrets.length + 5);
  });

  it("changes nothing in the workspace, by whatever name, link, mode or mount", async () => {
    const { judge, project, folder } = agentsUnderTest();
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src/a"), "a");
    linkSync(join(project, "src/a"), join(folder, "beside"));
    const odd = Buffer.concat([Buffer.from(`${project}/caf`), Buffer.from([0xe9])]);
    writeFileSync(odd, "odd");
    execFileSync("mkfifo", [join(project, "pipe")]);
    const before = stateOf(project);
    const said = await judge(`
      exec 2>&1
      for top in . /workspace ${project} /proc/self/root${project} /proc/1/root/workspace /proc/self/cwd /dev/fd/../../../..${project}; do
        echo x > $top/src/a; echo x >> $top/new; ln $top/src/a $top/src/b; ln $top/src/a /tmp/a; mv $top/src $top/other
        rm -rf $top/*; chmod -R 777 $top; chown -R 1:1 $top; touch $top/src/a; mkdir $top/x; mkfifo $top/y; truncate -s 0 $top/src/a
        setfattr -n user.a -v b $top/src/a
        /usr/bin/python3 -c "import os; os.utime('$top/src/a', (1, 1))"
        dd if=/dev/zero of=$top/src/a count=1 conv=notrunc
      done
      mount -o remount,rw,bind ${project}; mount -o remount,rw /workspace; umount -l /workspace; umount -l ${project}
      unshare -Urm mount -o remount,rw,bind /workspace
      mount --bind /tmp /workspace; mknod /tmp/disk b 8 0
      echo x > /workspace/src/a; true`);
    expect(said.match(/Read-only file system/g)?.length).toBeGreaterThan(50);
    expect(stateOf(project)).toBe(before);
  });

  it("reaches nobody by a socket: neither TCP nor a file nor an abstract name nor another kind", async () => {
    const { judge, project } = agentsUnderTest();
    let connections = 0;
    const server = () =>
      createServer((socket) => {
        connections++;
        socket.destroy();
      });
    const tcp = server();
    await listening(tcp, { port: 0, host: "127.0.0.1" });
    const { port } = tcp.address() as { port: number };
    await listening(server(), { path: join(project, "service.sock") });
    const abstract = `metnos-test-${process.pid}`;
    await listening(server(), { path: `\0${abstract}` });
    const said = await judge(`/usr/bin/python3 - <<'END' 2>&1
import socket
def attempt(name, family, kind, address):
    try:
        s = socket.socket(family, kind)
        s.settimeout(2)
        s.connect(address)
        print(name, "reached")
    except OSError as error:
        print(name, "failed")
attempt("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", ${port}))
attempt("host", socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 53))
attempt("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", ${port}))
attempt("file", socket.AF_UNIX, socket.SOCK_STREAM, "service.sock")
attempt("again", socket.AF_UNIX, socket.SOCK_STREAM, "/workspace/service.sock")
attempt("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\\0${abstract}")
attempt("vsock", getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM, (2, 1024))
attempt("packet", socket.AF_PACKET, socket.SOCK_RAW, ("lo", 0))
one, other = socket.socketpair()
one.send(b"x")
print("within: works")
END
true`);
    const names = ["tcp", "host", "tcp6", "file", "again", "abstract", "vsock", "packet"];
    expect(said.trim().split("\n")).toEqual([...names.map((name) => `${name} failed`), "within: works"]);
    expect(connections).toBe(0);
  });

  it("reaches nobody by a pipe that lies in the workspace", async () => {
    const { judge, project } = agentsUnderTest();
    const pipes = ["pipe", "src/a b", "src/deep/x"].map((name) => join(project, name));
    mkdirSync(join(project, "src/deep"), { recursive: true });
    execFileSync("mkfifo", pipes);
    // Open at both ends: whoever could write would not have to wait.
    const open = pipes.map((path) => openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
    onTestFinished(() => open.forEach(closeSync));
    await judge(
      `for top in . /workspace; do for pipe in pipe "src/a b" src/deep/x; do echo x > "$top/$pipe"; done; done; true`,
    );
    for (const pipe of open) expect(() => readSync(pipe, Buffer.alloc(1))).toThrow(/EAGAIN/);
  });

  it("leaves no process when it ends, whatever it forked", async () => {
    const { judge } = agentsUnderTest();
    const sleep = mark();
    const said = await judge(`
      sleep ${sleep} & setsid sleep ${sleep} & (setsid nohup sleep ${sleep} >/dev/null 2>&1 </dev/null & ) ; disown -a
      trap '' TERM HUP INT; (trap '' TERM HUP; sleep ${sleep}) & echo done`);
    expect(said).toBe("done\n");
    expect(processesWith(sleep)).toEqual([]);
  });

  it("is ended with all that it forked when the signal is aborted, at whatever moment", async () => {
    const { agent, script, project } = agentsUnderTest();
    const sleep = mark();
    const looking = agent({
      kind: "command",
      command: [script(`trap '' TERM; setsid sleep ${sleep} & sleep ${sleep}`)],
      hosts: [],
    });
    const worker = { cwd: project, agent_name: "w" };
    for (const ms of [0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 25, 30, 40, 60, 150]) {
      const signal = AbortSignal.timeout(ms);
      await expect(looking.judge({}, worker, signal)).rejects.toThrow(/timeout/);
    }
    expect(processesWith(sleep)).toEqual([]);
    expect(processesWith(project)).toEqual([]);
  });

  it("is ended when it closes its output and stays", async () => {
    const { judge } = agentsUnderTest();
    const sleep = mark();
    const begin = performance.now();
    await expect(judge(`exec >&- 2>&- <&-; sleep ${sleep}`, AbortSignal.timeout(700))).rejects.toThrow(/timeout/);
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(processesWith(sleep)).toEqual([]);
  });

  it("is ended once it has printed more than its answer may have", async () => {
    const { judge } = agentsUnderTest();
    const sleep = mark();
    await expect(judge(`head -c 100000000 /dev/zero; sleep ${sleep}`)).rejects.toThrow(
      /^agent printed more than 1024 KiB$/,
    );
    expect(processesWith(sleep)).toEqual([]);
    // What isn't its output costs nothing.
    expect(await judge("head -c 100000000 /dev/zero >&2; echo fine")).toBe("fine\n");
  });

  it("has limits for files, memory and open files", async () => {
    const { judge } = agentsUnderTest();
    const said = await judge(`
      exec 2>&1
      head -c 600M /dev/zero 2>/dev/null | (exec 2>/dev/null; cat > /tmp/large); stat -c %s /tmp/large
      /usr/bin/python3 -c "x = bytearray(5 * 1024 ** 3)" 2>&1 | tail -1
      ulimit -n; ulimit -c; ulimit -u`);
    expect(said.split("\n")).toEqual([String(512 * 1024 * 1024), "MemoryError", "1024", "0", "512", ""]);
  });

  it("works in a workspace of pipes, odd names and many files", async () => {
    const { judge, project } = agentsUnderTest();
    for (let folder = 0; folder < 100; folder++) {
      const path = join(project, `many-${folder}`);
      mkdirSync(path);
      writeFileSync(join(path, "0"), "");
      for (let name = 1; name < 1000; name++) linkSync(join(path, "0"), join(path, String(name)));
    }
    const odd = Buffer.concat([Buffer.from(`${project}/caf`), Buffer.from([0xe9])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from("/.env")]), "HIDDEN");
    for (const name of ["new\nline", "-rf", "$(id)"]) writeFileSync(join(project, name), "");
    execFileSync("mkfifo", [join(project, "pipe")]);
    symlinkSync("/", join(project, "top"));
    const said = await judge("cat /workspace/caf*/.env ./caf*/.env; find /workspace -type f -printf x | wc -c");
    expect(said).toBe("100004\n");
  });

  it("doesn't begin where its workspace was exchanged for a link while the box was made", async () => {
    const { agent, script, project, home, folder } = agentsUnderTest();
    writeFileSync(join(home, "notes"), "PRIVATE");
    const looking = agent({ kind: "command", command: [script("cat notes /workspace/notes; true")], hosts: [] });
    const run = (cwd: string) => looking.judge({}, { cwd, agent_name: "w" }, new AbortController().signal);
    await run(project);
    const swapper = spawn("bash", [
      "-c",
      `cd "$1"; ln -s home link; while :; do mv -T project kept && mv -T link project; mv -T project link; mv -T kept project; done`,
      "bash",
      folder,
    ]);
    onTestFinished(() => void swapper.kill("SIGKILL"));
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, () => run(project).catch((error: Error) => error.message)),
    );
    expect(outcomes.join()).not.toContain("PRIVATE");
  });

  it("waits for its turn where four run, and leaves the queue when it is aborted", async () => {
    const { agent, script, project, folder } = agentsUnderTest();
    const worker = { cwd: project, agent_name: "w" };
    const looking = agent({ kind: "command", command: [script("sleep 0.4; echo $(date +%s%N)")], hosts: [] });
    const never = new AbortController().signal;
    await looking.judge({}, worker, never);
    const begin = performance.now();
    const aborted = AbortSignal.timeout(100);
    const six = [1, 2, 3, 4, 5, 6].map(() => looking.judge({}, worker, never));
    await expect(looking.judge({}, worker, aborted)).rejects.toThrow(/timeout/);
    expect(performance.now() - begin).toBeLessThan(390);
    await Promise.all(six);
    expect(performance.now() - begin).toBeGreaterThan(800);
    expect(processesWith(folder)).toEqual([]);
  });
});

describe.skipIf(!HAS_BUBBLEWRAP)("a gate that is killed while its judge agents work", () => {
  function start(sleep: string): { folder: string; gate: ChildProcess } {
    const folder = tempFolder();
    const program = written(
      join(folder, "programs/judge"),
      `#!/bin/bash\nsetsid sleep ${sleep} &\n(trap '' TERM HUP; sleep ${sleep}) & sleep ${sleep}\n`,
    );
    const script = fileURLToPath(new URL("ending-gate.ts", import.meta.url));
    const gate = spawn(process.execPath, [script, folder, program], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => {
      gate.kill("SIGKILL");
      // Bubblewrap that dies with its parent while it makes a box leaves the box's first process, which waits for it and does nothing.
      spawnSync("kill", ["-KILL", ...processesWith(folder).map(String)]);
    });
    return { folder, gate };
  }

  it("leaves none of their processes, one second later", async () => {
    const sleep = mark();
    const { folder, gate } = start(sleep);
    await expect.poll(() => processesWith(sleep).length).toBeGreaterThanOrEqual(3);
    gate.kill("SIGKILL");
    await wait(1000);
    expect(processesWith(sleep)).toEqual([]);
    expect(processesWith(folder)).toEqual([]);
  });

  it("begins none of their programs any more, whatever it was killed in the middle of", async () => {
    const sleep = mark();
    await Promise.all(
      [0, 5, 10, 20].map(async (ms) => {
        const { gate } = start(sleep);
        await new Promise<void>((resolve) => gate.stdout?.once("data", () => resolve()));
        await wait(ms);
        gate.kill("SIGKILL");
      }),
    );
    await wait(1000);
    expect(processesWith(sleep)).toEqual([]);
  });
});
