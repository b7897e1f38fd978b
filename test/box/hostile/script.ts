/** One hostile command line, and what must hold beside what holds after each of them (outcome.ts). */

/** Why a script does no harm that can be seen when it runs without a box, as an ordinary user. */
type Unshown =
  /** It needs root, or what an ordinary user has no right to in any case. */
  | "needs root"
  /** It would reach the machine, or would not end by itself. */
  | "not bounded"
  /** It is about what the box, its launcher or the wrapper answers: without them there is nothing to forge. */
  | "about the box"
  /** It is ordinary work, which must succeed in a box as it does without one. */
  | "ordinary work"
  /** Whether it does harm is a race, without a box too. */
  | "a race"
  /** It looks for a way that this kernel, or this machine, may not have. */
  | "depends on the machine";

interface Expectations {
  /** The exit code that the caller's shell sees. */
  readonly code?: number;
  /** All of standard output, byte by byte. */
  readonly stdout?: string;
  readonly stdoutPattern?: RegExp;
  /** The caller's working directory afterwards: absolute, or below the project; the project itself where left out. */
  readonly cwd?: string;
}

export interface Options extends Expectations {
  /** Run by the user in the project, before and outside. */
  readonly setup?: string;
  /** Below the project: what must not be there afterwards, or be as it was. */
  readonly planted?: readonly string[];
  /** A project without the settings that the ordinary one has: they would be new. */
  readonly isBare?: boolean;
  readonly unshown?: Unshown;
  /** Also as an ordinary user in every run. With WHOLE_RUN=true each script is. */
  readonly asUser?: boolean;
  /** Not as root, whom this doesn't bind. */
  readonly isForUsersOnly?: boolean;
  /** A hole that is known and written down in docs/threat-model.md: the reason. It must still be there. */
  readonly knownHole?: string;
  /** Run by the caller's shell itself, before. */
  readonly caller?: string;
  /** Lines of later calls, each in a box of its own. */
  readonly later?: readonly string[];
  /** It may move kept files elsewhere in the project, as it may any other; not change them. */
  readonly mayMove?: true;
}

export interface HostileScript extends Options {
  readonly id: string;
  readonly what: string;
  readonly line: string;
}

export type Row = readonly [what: string, line: string, options?: Options];

/** Numbers a section's scripts: `links-1`, `links-2`. Add new ones at its end. */
export function section(name: string, rows: readonly Row[], shared: Options = {}): HostileScript[] {
  return rows.map(([what, line, options], index) => ({
    ...shared,
    ...options,
    id: `${name}-${index + 1}`,
    what,
    line,
  }));
}

/** A line that runs a Perl program: system calls and sockets in 5 ms, on every Debian. The program holds no single quote. */
export function perl(program: string): string {
  if (program.includes("'")) throw new Error("a single quote would end the program");
  return `perl -e 'use Errno; ${program}'`;
}

/** Numbers of system calls, by Node's name of the architecture. */
const CALLS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    ptrace: 101,
    prctl: 157,
    pivot_root: 155,
    reboot: 169,
    settimeofday: 164,
    sethostname: 170,
    init_module: 175,
    add_key: 248,
    keyctl: 250,
    unshare: 272,
    perf_event_open: 298,
    open_by_handle_at: 304,
    setns: 308,
    process_vm_readv: 310,
    kexec_load: 246,
    bpf: 321,
    userfaultfd: 323,
    io_uring_setup: 425,
    open_tree: 428,
    fsopen: 430,
    pidfd_open: 434,
    pidfd_getfd: 438,
    swapoff: 168,
    iopl: 172,
    syslog: 103,
    fanotify_init: 300,
    acct: 163,
    name_to_handle_at: 303,
    process_madvise: 440,
    mount_setattr: 442,
    move_mount: 429,
    quotactl: 179,
    chroot: 161,
    process_vm_writev: 311,
    fcntl: 72,
    openat2: 437,
    chmod: 90,
    fchmod: 91,
    fchmodat: 268,
    fchmodat2: 452,
    mkdir: 83,
    mkdirat: 258,
    mknod: 133,
    mknodat: 259,
    creat: 85,
    open: 2,
    openat: 257,
    statmount: 457,
    listmount: 458,
    memfd_create: 319,
    process_mrelease: 448,
    prlimit64: 302,
    fspick: 433,
    mount: 165,
    umount2: 166,
    clone: 56,
    clone3: 435,
    mq_open: 240,
    modify_ldt: 154,
    seccomp: 317,
    timerfd_create: 283,
    mlockall: 151,
    renameat2: 316,
    copy_file_range: 326,
    linkat: 265,
    mmap: 9,
    fallocate: 285,
    ftruncate: 77,
  },
  arm64: {
    ptrace: 117,
    prctl: 167,
    pivot_root: 41,
    reboot: 142,
    settimeofday: 170,
    sethostname: 161,
    init_module: 105,
    add_key: 217,
    keyctl: 219,
    unshare: 97,
    perf_event_open: 241,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    kexec_load: 104,
    bpf: 280,
    userfaultfd: 282,
    io_uring_setup: 425,
    open_tree: 428,
    fsopen: 430,
    pidfd_open: 434,
    pidfd_getfd: 438,
    swapoff: 225,
    iopl: -1,
    syslog: 116,
    fanotify_init: 262,
    acct: 89,
    name_to_handle_at: 264,
    process_madvise: 440,
    mount_setattr: 442,
    move_mount: 429,
    quotactl: 60,
    chroot: 51,
    process_vm_writev: 271,
    fcntl: 25,
    openat2: 437,
    chmod: -1,
    fchmod: 52,
    fchmodat: 53,
    fchmodat2: 452,
    mkdir: -1,
    mkdirat: 34,
    mknod: -1,
    mknodat: 33,
    creat: -1,
    open: -1,
    openat: 56,
    statmount: 457,
    listmount: 458,
    memfd_create: 279,
    process_mrelease: 448,
    prlimit64: 261,
    fspick: 433,
    mount: 40,
    umount2: 39,
    clone: 220,
    clone3: 435,
    mq_open: 180,
    modify_ldt: -1,
    seccomp: 277,
    timerfd_create: 85,
    mlockall: 230,
    renameat2: 276,
    copy_file_range: 285,
    linkat: 37,
    mmap: 222,
    fallocate: 47,
    ftruncate: 46,
  },
};

/** The number of a system call here. */
export function call(name: string): number {
  const number = CALLS[process.arch]?.[name];
  if (number === undefined) throw new Error(`the number of ${name} on ${process.arch} is not known`);
  return number;
}
