import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Confinement } from "./confinement.ts";
import { boxMissing, notChecked } from "./missing.ts";
import { leftRunning, runningFor } from "./outcome.ts";
import { perl } from "./script.ts";
import { World } from "./world.ts";

/** What is done to a confined command from outside, and what it does across calls, agents and projects. */

let world: World;
let box: Confinement;

beforeAll(async () => {
  if (boxMissing()) return;
  world = await World.make(process.getuid?.() ?? 0);
  box = await Confinement.start(world);
});

afterAll(async () => {
  await box?.kill();
  await world?.close();
});

/** A shell that runs a line of the caller's, in a process group of its own. */
function startShell(line: string, cwd: string) {
  const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", `${line}\nexit $?`], {
    cwd,
    env: world.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return { child, ended: once(child, "exit"), output: () => output };
}

const shell = async (line: string, cwd: string): Promise<{ code: number; output: string }> => {
  const { ended, output } = startShell(line, cwd);
  const [code] = (await ended) as [number];
  await passed(20); // the last of its output
  return { code, output: output() };
};

describe("a confined command", { timeout: 60_000 }, () => {
  const killed = ["the caller's shell", "Bubblewrap outside", "the first process in the box"] as const;

  it.each(killed)("ends with all that it has started when %s is killed", async (which) => {
    if (boxMissing()) return;
    const project = world.project(true);
    const mark = String(700_000_000 + Math.floor(Math.random() * 99_999_999));
    const line = `setsid sleep ${mark} & (trap '' TERM HUP; sleep ${mark}) & sleep ${mark} & kill -STOP $!; sleep ${mark}`;
    const { child, ended, output } = startShell(await box.wrap(line, project, project), project);
    const sleeping = () => runningFor(project, mark).filter(({ line: text }) => text.startsWith("sleep"));
    const deadline = performance.now() + 20_000;
    while (sleeping().length < 3) {
      if (performance.now() > deadline) throw new Error(`it didn't start: ${output()}`);
      await passed(10);
    }
    // In the order of their start: Bubblewrap outside, then its first process in the box.
    const bubblewraps = runningFor(project, mark).filter(({ line: text }) => /bwrap|metnos-make-box/.test(text));
    const first = bubblewraps.map(({ pid }) => pid).sort((one, other) => one - other);
    const victim =
      which === "the caller's shell" ? child.pid : which === "Bubblewrap outside" ? outsideOf(first) : first.at(-1);
    expect(victim).toBeDefined();
    process.kill(victim ?? 0, "SIGKILL");
    await ended;
    expect(await leftRunning(project, mark)).toEqual([]);
    await box.settled();
  });

  it("is the line that was allowed, in its own project, whoever uses its ID and from wherever", async () => {
    if (boxMissing()) return;
    const [project, other] = [world.project(true), world.project(true)];
    const argv = await box.prepare("pwd; echo of-the-first; ls ../*", project, project, "first-agent");
    const line = argv.map((word) => `'${word}'`).join(" ");
    const ran = await shell(`METNOS_BOX_COMMAND='echo forged' ${line} 'echo forged'; ${line}; ${line}`, other);
    expect(ran.output).toContain(`${project}\nof-the-first`);
    expect(ran.output).not.toContain("forged");
    expect(ran.output).not.toContain("sibling");
    expect(ran.output.match(/of-the-first/g)).toHaveLength(1);
    expect(ran.code).toBe(126);
    await box.settled();
  });

  it("finds nothing in its caches that another project's command has put there", async () => {
    if (boxMissing()) return;
    const [project, other] = [world.project(true), world.project(true)];
    const plant = `for d in ~ ~/.npm ~/.cache ~/.cache/pip ~/.cargo ~/.cargo/registry ~/go ~/.local/share "$TMPDIR" /tmp /var/tmp /dev/shm /run; do mkdir -p "$d" 2>/dev/null; echo evil > "$d/poison"; done 2>/dev/null; ln -s ${world.sibling} ~/.npm/out; ls -A ~/.npm`;
    expect((await shell(await box.wrap(plant, project, project), project)).output).toContain("poison");
    await box.settled();
    const look = `find ~ /tmp /var/tmp /dev/shm /run -name poison -not -path '${project}/*' 2>/dev/null; cat ~/.npm/out/file.txt; true`;
    expect((await shell(await box.wrap(look, other, other), other)).output).not.toMatch(/\/poison|SECRET/);
    await box.settled();
    for (const place of [".npm/poison", ".cache/poison", ".cargo/poison", "poison"]) {
      expect(existsSync(join(world.home, place)), place).toBe(false);
    }
  });

  it("reaches nothing of another one that runs at the same time, in its project or in another", async () => {
    if (boxMissing()) return;
    const [project, other] = [world.project(true), world.project(true)];
    const serves = perl(
      `use Socket; my @s; for my $n ("\\0metnos-two","/tmp/two.sock","/dev/shm/two.sock","two.sock") { socket(my $s,AF_UNIX,SOCK_STREAM,0); bind($s,pack_sockaddr_un($n)) and listen($s,9); push @s,$s } socket(my $t,AF_INET,SOCK_STREAM,0); bind($t,pack_sockaddr_in(45671,INADDR_ANY)); listen($t,9); my $i=shmget(77123,64,0666|01000); shmwrite($i,"HOLE",0,4); for my $d ("/dev/shm","/tmp","/run",$ENV{HOME}."/.config",$ENV{XDG_RUNTIME_DIR}) { mkdir $d; open(F,">","$d/two") and print F "HOLE" } open(my $r,">","ready"); close $r; sleep 60;`,
    );
    const reaches = perl(
      `use Socket; for my $n ("\\0metnos-two","/tmp/two.sock","/dev/shm/two.sock","%P%/two.sock") { socket(my $s,AF_UNIX,SOCK_STREAM,0); print "HOLE $n\n" if connect($s,pack_sockaddr_un($n)) } socket(my $t,AF_INET,SOCK_STREAM,0); print "HOLE port\n" if connect($t,pack_sockaddr_in(45671,INADDR_LOOPBACK)); my $b=""; my $i=shmget(77123,0,0); print $b if defined $i && shmread($i,$b,0,4); for my $f (glob("/dev/shm/two /tmp/two /run/two ~/.config/two"),"$ENV{XDG_RUNTIME_DIR}/two") { open(H,"<",$f) and print <H> } for my $p (glob("/proc/[0-9]*")) { open(my $c,"<","$p/cmdline") or next; print "HOLE $p\n" if <$c>=~/metnos-two/ && $p ne "/proc/$$" && $p!~m{/1$} } $|=1; print "looked\n"; kill "KILL",2..400`,
    );
    const first = startShell(await box.wrap(serves, project, project), project);
    await expect.poll(() => existsSync(join(project, "ready")), { timeout: 10_000 }).toBe(true);
    for (const at of [project, other]) {
      const { output } = await shell(await box.wrap(reaches.replace("%P%", project), at, at), at);
      expect([at, output.trim()]).toEqual([at, "looked"]);
    }
    expect(first.child.exitCode).toBeNull();
    process.kill(-(first.child.pid ?? 0), "SIGKILL");
    await first.ended;
    expect(await leftRunning(project, "metnos-two")).toEqual([]);
    await box.settled();
  });

  it("types nothing into the caller's terminal", async () => {
    if (boxMissing()) return;
    if (!existsSync("/usr/bin/script")) return void notChecked("script(1) is not installed");
    const project = world.project(true);
    const forge = `perl -e 'for my $f (*STDIN,*STDOUT,*STDERR) { for my $c (split //,"echo evil > ${world.sibling}/typed\\n") { ioctl($f,0x5412,$c) and print "HOLE" } } open(T,"+<","/dev/tty") and print "HOLE"; ioctl(STDIN,0x540E,1) and print "HOLE"'; echo tried`;
    const inner = `${await box.wrap(forge, project, project)}\nread -t 0.3 typed && eval "$typed"; true`;
    const { stdout } = spawnSync(
      "/usr/bin/script",
      ["-qec", `bash --noprofile --norc -c '${inner.replaceAll("'", "'\\''")}'`, "/dev/null"],
      {
        cwd: project,
        env: world.env,
        encoding: "utf8",
        timeout: 20_000,
      },
    );
    expect(stdout).toContain("tried");
    expect(stdout).not.toContain("HOLE");
    expect(existsSync(join(world.sibling, "typed"))).toBe(false);
    await box.settled();
  });

  it("doesn't start once its gate was killed, and what runs then stays confined", async () => {
    if (boxMissing()) return;
    const project = world.project(true);
    const own = await World.make(process.getuid?.() ?? 0);
    const gate = await Confinement.start(own);
    const place = own.project(true);
    try {
      const prepared = await gate.wrap("echo ran", place, place);
      const running = startShell(
        await gate.wrap(
          `touch started; while [ ! -e go ]; do sleep 0.02; done; echo evil > ${own.sibling}/file.txt; cat ${own.home}/.netrc`,
          place,
          place,
        ),
        place,
      );
      const deadline = performance.now() + 20_000;
      while (!existsSync(join(place, "started"))) {
        if (performance.now() > deadline) throw new Error(`it didn't start: ${running.output()}`);
        await passed(10);
      }
      await gate.kill();
      const refused = await shell(prepared, place);
      expect(refused.code).toBe(126);
      expect(refused.output).not.toMatch(/^ran$/m);
      spawnSync("touch", [join(place, "go")]);
      await running.ended;
      expect(running.output()).not.toContain(own.secret);
      expect(readFileSync(join(own.sibling, "file.txt"), "utf8")).toContain(own.secret);
      expect(await leftRunning(place, "no mark")).toEqual([]);
    } finally {
      await own.close();
      spawnSync("rm", ["-rf", project]);
    }
  });
});

/** Of Bubblewrap's processes that see the project, the parent of the one in the box; itself in the host's mounts, so not among them. */
function outsideOf(pids: readonly number[]): number | undefined {
  const [inner] = pids;
  if (inner === undefined) return undefined;
  const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${inner}/status`, "utf8"))?.[1];
  return parent === undefined ? undefined : Number(parent);
}
