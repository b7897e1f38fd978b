import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { leadingOut } from "../../../main/box/project/pipes-and-sockets.ts";
import { ProjectTree } from "../../../main/box/project/project-tree.ts";
import { TimeSlice } from "../../../main/box/project/time-slice.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { boxUnderTest, withoutBox } from "../box-under-test.ts";

/** A server in this process; how often somebody connected. */
async function serve(path: string): Promise<{ connections: number }> {
  mkdirSync(dirname(path), { recursive: true });
  const served = { connections: 0 };
  const server = createServer((connection) => {
    served.connections++;
    connection.on("error", () => connection.destroy());
    connection.end("reached\n");
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return served;
}

/** A socket's file as a server leaves it that was killed. */
function leave(path: string, type = "SOCK_STREAM"): void {
  const program = `use Socket; socket(S,AF_UNIX,${type},0); bind(S,pack_sockaddr_un($ARGV[0])) or die`;
  execFileSync("/usr/bin/perl", ["-e", program, path]);
}

const connectTo = (path: string) =>
  `perl -e 'use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,pack_sockaddr_un("${path}")) ? print <S> : print "$!\\n"'`;
const serveOnce = (path: string) =>
  `perl -e 'use Socket; socket(S,AF_UNIX,SOCK_STREAM,0); unlink "${path}"; bind(S,pack_sockaddr_un("${path}")) or die "$!\\n"; listen(S,1); print "served\\n"'`;

const namesOf = async (project: string) => {
  const found = await leadingOut((await new ProjectTree(project).lookInTurns(new TimeSlice())).pipes);
  return found.map(({ path }) => path.slice(project.length + 1)).sort();
};

describe("of a project's sockets and named pipes lead out", () => {
  it("those that somebody listens at, who doesn't learn that it was asked, and all named pipes", async () => {
    const project = tempFolder();
    const served = await serve(join(project, "app.sock"));
    const deep = await serve(join(project, "a/b/deep.sock"));
    leave(join(project, "left.sock"));
    leave(join(project, "datagrams.sock"), "SOCK_DGRAM");
    execFileSync("mkfifo", [join(project, "pipe")]);
    expect(await namesOf(project)).toEqual(["a/b/deep.sock", "app.sock", "pipe"]);
    expect(await namesOf(project)).toEqual(["a/b/deep.sock", "app.sock", "pipe"]);
    expect([served.connections, deep.connections]).toEqual([0, 0]);
  });

  it("those of which it can't be known", async () => {
    const project = tempFolder();
    leave(join(project, "caf\u00e9.sock"));
    for (let each = 0; each < 20; each++) leave(join(project, `${each}.sock`));
    const names = await namesOf(project);
    expect(names).toContain("caf\u00c3\u00a9.sock");
    expect(names).toHaveLength(5);
  });
});

const reason = withoutBox();
if (reason !== undefined) console.warn(`sockets of projects are not tested: ${reason}`);

describe.skipIf(reason !== undefined)("in a box", () => {
  it("nobody is reached by a socket or a named pipe that was there before, and git sees no new file", async () => {
    const { project, run, failures } = await boxUnderTest();
    execFileSync("git", ["init", "-q"], { cwd: project });
    const served = [await serve(join(project, "app.sock")), await serve(join(project, "tmp/caf\u00e9.sock"))];
    execFileSync("mkfifo", [join(project, "pipe")]);
    const pipe = openSync(join(project, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(pipe));
    const tries = [connectTo("app.sock"), connectTo("tmp/caf\u00e9.sock"), "echo x 2>/dev/null >pipe"];
    const { stdout } = await run(
      `${tries.join("; ")}; mv tmp t; ${connectTo("t/caf\u00e9.sock")}; git status -s; git add -A`,
    );
    expect(stdout).toBe("Connection refused\n".repeat(3));
    expect(() => readSync(pipe, Buffer.alloc(1))).toThrow(/EAGAIN/);
    expect(served.map(({ connections }) => connections)).toEqual([0, 0]);
    expect(failures).toEqual([]);
  });

  it.each(["looking", "needs"] as const)("nor in one that only has what a line needs: %s", async (kind) => {
    const { project, run } = await boxUnderTest();
    const served = await serve(join(project, "app.sock"));
    writeFileSync(join(project, "a.txt"), "shown\n");
    const declaration = {
      kind,
      project,
      cwd: project,
      reads: [project],
      writes: [],
      network: false,
      programs: ["perl"],
    };
    const { stdout } = await run(`cat a.txt; ${connectTo("app.sock")}`, { change: { declaration } });
    expect(stdout).toBe("shown\nConnection refused\n");
    expect(served.connections).toBe(0);
  });

  it("nor beside its project: in what its line reads, and in what every box is shown", async () => {
    const [read, shown] = [tempFolder(), tempFolder()];
    const { project, run } = await boxUnderTest({ settings: { reads: [shown] } });
    const places = [read, shown].flatMap((folder) => [join(folder, "app.sock"), join(folder, "a/b.sock")]);
    const served = await Promise.all(places.map(serve));
    for (const folder of [read, shown]) {
      execFileSync("mkfifo", [join(folder, "pipe")]);
      const pipe = openSync(join(folder, "pipe"), constants.O_RDWR | constants.O_NONBLOCK);
      onTestFinished(() => closeSync(pipe));
    }
    const declaration = { project, cwd: project, reads: [read], writes: [], network: false };
    const writes = [read, shown].map((folder) => `(echo reached >${folder}/pipe) 2>/dev/null && echo written`);
    const { stdout } = await run([...places.map(connectTo), ...writes].join("; "), { change: { declaration } });
    expect(stdout).toBe("Connection refused\n".repeat(places.length));
    expect(served.map(({ connections }) => connections)).toEqual([0, 0, 0, 0]);
  });

  it("a server starts again where an earlier one was killed, and is reached by what runs beside it", async () => {
    const { project, run } = await boxUnderTest();
    leave(join(project, "app.sock"));
    for (const _ of ["first", "second"]) {
      expect(await run(serveOnce("app.sock"))).toMatchObject({ code: 0, stdout: "served\n", stderr: "" });
    }
    const beside = serveOnce("app.sock").replace(
      'print "served\\n"',
      'open(R,">ready"); accept(C,S); print C "beside\\n"',
    );
    const both = `${beside} & until [ -e ready ]; do :; done; ${connectTo("app.sock")}; wait`;
    expect((await run(both)).stdout).toBe("beside\n");
  });
});
