import { spawnSync } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemCallFilter } from "../../../main/box/arguments/system-calls.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { boxMissing } from "../hostile/missing.ts";
import { call } from "../hostile/script.ts";

/** What each of these says, in a box with the filter: `yes`, or the error's name. */
function answers(calls: Readonly<Record<string, string>>): Record<string, string> {
  const filter = systemCallFilter();
  if (filter === null) throw new Error(`there is no filter for ${process.arch}`);
  const file = join(tempFolder(), "filter");
  writeFileSync(file, filter);
  const program = Object.entries(calls)
    .map(([name, made]) => `$! = 0; print "${name} ", ((${made}) ? "yes" : (grep { $!{$_} } keys %!)[0]), "\\n";`)
    .join("\n");
  const box = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
  const { stdout, stderr, status } = spawnSync(
    "bwrap",
    [...box, "--seccomp", "3", "perl", "-e", `use Errno; use Socket; ${program}`],
    {
      stdio: ["ignore", "pipe", "pipe", openSync(file, "r")],
      encoding: "utf8",
      // A first process that is stopped doesn't end.
      timeout: 10_000,
      killSignal: "SIGKILL",
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
}

const made = (name: string, ...words: (string | number)[]): string => `syscall(${[call(name), ...words].join(",")})>=0`;

test("the filter refuses keys, other kinds of sockets, terminal input and parts of the kernel that no build needs", () => {
  if (boxMissing()) return;
  expect(
    answers({
      read_key: made("keyctl", 6, -3, 0, 0),
      add_key: made("add_key", 0, 0, 0, 0, -3),
      bpf: made("bpf", 0, 0, 0),
      perf: made("perf_event_open", 0, 0, -1, -1, 0),
      by_handle: made("open_by_handle_at", 0, 0, 0),
      io_uring: made("io_uring_setup", 1, 0),
      userfaultfd: made("userfaultfd", 0),
      listed_mounts: made("listmount", 0, 0, 0, 0),
      one_mount: made("statmount", 0, 0, 0, 0),
      vsock: "socket(S,40,1,0)",
      packet: "socket(S,17,3,0)",
      forged_input: "do { my $c='x'; ioctl(STDIN,0x5412,$c) }",
      forged_input_by_a_longer_number: "do { my $c='x'; ioctl(STDIN,0x100005412,$c) }",
      console: "do { my $c='x'; ioctl(STDIN,0x541C,$c) }",
    }),
  ).toEqual({
    read_key: "EPERM",
    add_key: "EPERM",
    bpf: "EPERM",
    perf: "EPERM",
    by_handle: "EPERM",
    io_uring: "ENOSYS",
    userfaultfd: "ENOSYS",
    listed_mounts: "ENOSYS",
    one_mount: "ENOSYS",
    vsock: "EAFNOSUPPORT",
    packet: "EAFNOSUPPORT",
    forged_input: "EPERM",
    forged_input_by_a_longer_number: "EPERM",
    console: "EPERM",
  });
});

const SET_ID = 0o4755;
const FILE = 0o100000;
const AT_CWD = -100;
const [CREATE, TEMPORARY] = [0o101, 0o20200001];

/** What makes a file or changes a mode, by all calls that this architecture has; Perl hands on only variables as text. */
const modeCalls = (mode: number): Record<string, string> => {
  const calls: Record<string, [name: string, ...words: (string | number)[]]> = {
    chmod: ["chmod", "$f", mode],
    fchmod: ["fchmod", "fileno(F)", mode],
    fchmodat: ["fchmodat", AT_CWD, "$f", mode],
    fchmodat2: ["fchmodat2", AT_CWD, "$f", mode, 0],
    mkdir: ["mkdir", "$n", mode],
    mkdirat: ["mkdirat", AT_CWD, "$n", mode],
    mknod: ["mknod", "$n", FILE | mode, 0],
    mknodat: ["mknodat", AT_CWD, "$n", FILE | mode, 0],
    creat: ["creat", "$n", mode],
    open: ["open", "$n", CREATE, mode],
    openat: ["openat", AT_CWD, "$n", CREATE, mode],
    unnamed: ["openat", AT_CWD, "$d", TEMPORARY, mode],
  };
  return Object.fromEntries(
    Object.entries(calls)
      .filter(([, [name]]) => call(name) >= 0)
      .map(([name, words]) => [
        name,
        `do { our $i; $i++; my ($f,$n,$d)=("/dev/shm/is","/dev/shm/n$i","/dev/shm"); open(F,">>",$f); ${made(...words)} }`,
      ]),
  );
};

test("the filter lets nobody make or leave a file that runs with its owner's or its group's rights", () => {
  if (boxMissing()) return;
  for (const mode of [SET_ID, 0o2755, 0o6000]) {
    const refused = answers(modeCalls(mode));
    expect(Object.keys(refused).length).toBeGreaterThan(6);
    expect(new Set(Object.values(refused)), JSON.stringify(refused)).toEqual(new Set(["EPERM"]));
  }
  const usual = answers(modeCalls(0o1755));
  expect(new Set(Object.values(usual)), JSON.stringify(usual)).toEqual(new Set(["yes"]));
  expect(
    answers({
      in_memory: "do { my $h=pack('Q3',0101,04755,0); my $n='/dev/shm/n'; syscall(437,-100,$n,$h,24)>=0 }",
      // A mode that the kernel doesn't read
      opened: `do { my $f='/etc/passwd'; ${made("openat", AT_CWD, "$f", 0, SET_ID)} }`,
    }),
  ).toEqual({ in_memory: "ENOSYS", opened: "yes" });
});

test("the filter refuses a snapshot, which would hold the files under the box's mounts, and no other request to a file system", () => {
  if (boxMissing()) return;
  const request = (number: string) => `do { open(my $f,"<","/dev/shm"); my $a="\\0"x4096; ioctl($f,${number},$a) }`;
  expect(
    answers({
      snapshot: request("0x50009401"),
      of_later_kernels: request("0x50009417"),
      by_a_longer_number: request("0x150009401"),
      space: request("0xc0109414"),
    }),
  ).toEqual({ snapshot: "EPERM", of_later_kernels: "EPERM", by_a_longer_number: "EPERM", space: "ENOTTY" });
});

test("the filter refuses what has a file system show other names later, or lets nobody move what is in a folder", () => {
  if (boxMissing()) return;
  const request = (number: string) => `do { open(my $f,"<","/dev/shm"); my $a="\\0"x4096; ioctl($f,${number},$a) }`;
  const requests = {
    encrypts: "0x800c6613",
    addsAKey: "0xc0506617",
    removesAKey: "0xc0406618",
    removesItForAll: "0xc0406619",
    foldsCase: "0x40086602",
    foldsCaseByAnotherNumber: "0x40046602",
    makesASubvolume: "0x5000940e",
    makesOneInLaterKernels: "0x50009418",
    closesASubvolume: "0x4008941a",
  };
  const said = answers(Object.fromEntries(Object.entries(requests).map(([name, number]) => [name, request(number)])));
  expect(said).toEqual(Object.fromEntries(Object.keys(requests).map((name) => [name, "EPERM"])));
  // What they are about may be read.
  expect(answers({ flags: request("0x80086601"), policy: request("0xc0096616") })).not.toMatchObject({
    flags: "EPERM",
  });
});

test("the filter refuses a lease on a file, for which whoever opens it would wait", () => {
  if (boxMissing()) return;
  const F_SETLEASE = 1024;
  const own = (command: string) =>
    `do { open(my $f,">","/dev/shm/leased"); syscall(${call("fcntl")},fileno $f,${command})>=0 }`;
  expect(
    answers({
      write: own(`${F_SETLEASE},1`),
      read: `do { open(my $f,"<","/etc/passwd"); fcntl($f,${F_SETLEASE},0) }`,
      by_a_longer_number: own(`${2 ** 32 + F_SETLEASE},1`),
      others: own("1,0"),
    }),
  ).toEqual({ write: "EINVAL", read: "EINVAL", by_a_longer_number: "EINVAL", others: "yes" });
});

test("the filter keeps the box's first process from being debugged, and no other", () => {
  if (boxMissing()) return;
  const [ATTACH, DETACH, SEIZE] = [16, 17, 0x4206];
  const vector = `my $b="x"x8; my $v=pack("QQ",unpack("Q",pack("P",$b)),8);`;
  const child = (then: string) => `do { my $p=fork; if(!$p){sleep 9;exit} my $r=(${then}); kill 9,$p; $r }`;
  expect(
    answers({
      attach: made("ptrace", ATTACH, 1, 0, 0),
      attach_by_a_longer_number: made("ptrace", ATTACH, 2 ** 32 + 1, 0, 0),
      seize: made("ptrace", SEIZE, 1, 0, 0),
      read: `do { ${vector} syscall(${call("process_vm_readv")},1,$v,1,$v,1,0)>=0 }`,
      write: `do { ${vector} syscall(${call("process_vm_writev")},1,$v,1,$v,1,0)>=0 }`,
      own_child: child(
        `syscall(${call("ptrace")},${ATTACH},$p,0,0)>=0 && waitpid($p,0)==$p && syscall(${call("ptrace")},${DETACH},$p,0,0)>=0`,
      ),
    }),
  ).toEqual({
    attach: "EPERM",
    attach_by_a_longer_number: "EPERM",
    seize: "EPERM",
    read: "EPERM",
    write: "EPERM",
    own_child: "yes",
  });
});

test("the filter leaves alone what programs use: sockets of the usual kinds, other requests, processes and threads", () => {
  if (boxMissing()) return;
  expect(
    answers({
      unix: "socket(S,AF_UNIX,SOCK_STREAM,0)",
      pair: "socketpair(A,B,AF_UNIX,SOCK_STREAM,0)",
      internet: "socket(S,AF_INET,SOCK_STREAM,0)",
      netlink: "socket(S,16,3,0)",
      ioctl: "do { my $b=chr(0)x64; ioctl(STDIN,0x5401,$b) }",
      process: "system('true')==0",
    }),
  ).toEqual({ unix: "yes", pair: "yes", internet: "yes", netlink: "yes", ioctl: "ENOTTY", process: "yes" });
});

test("there is no filter for an architecture that it isn't written for", () => {
  expect(systemCallFilter("riscv64")).toBeNull();
  expect(systemCallFilter("arm64")?.length).toBeGreaterThan(0);
});
