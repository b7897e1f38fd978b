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
    vsock: "EAFNOSUPPORT",
    packet: "EAFNOSUPPORT",
    forged_input: "EPERM",
    forged_input_by_a_longer_number: "EPERM",
    console: "EPERM",
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
