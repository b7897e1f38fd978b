/**
 * A filter of system calls for the box, as bubblewrap takes it (`--seccomp FD`): a classic BPF program in this machine's byte order.
 * It refuses what mounts and namespaces don't hold: the caller's keyrings, sockets of kinds that a network namespace doesn't
 * hold (vsock), input put into a terminal, snapshots, names that a file system shows as others later, file leases (whoever opens a leased
 * file waits for the holder), the box's first process as something to be debugged (whoever has it can make the box look ended), set-user-ID and set-group-ID bits (they would stay
 * behind), and parts of the kernel that no build needs and that faults were often found in.
 */

/** One instruction: operation, jump where true, jump where false, operand. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const JUMP_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const failWith = (errno: number): number => 0x00050000 | errno;

/** Of struct seccomp_data; the low half of an argument on a little-endian machine. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

interface Calls {
  auditArchitecture: number;
  /** On x86-64 numbers from here on are those of the x32 ABI. */
  otherAbiFrom: number | null;
  refused: readonly number[];
  /** As on a kernel that doesn't have them: programs then use something else. */
  missing: readonly number[];
  ioctl: number;
  fcntl: number;
  socket: number;
  socketpair: number;
  /** Whose argument of this index is the process that they act on. */
  onProcess: readonly (readonly [call: number, pid: number])[];
  /** Whose argument of this index is a file's mode; where another one holds flags, only if these make a file. */
  withMode: readonly (readonly [call: number, mode: number, flags?: number])[];
}

/** By Node's name of the architecture. In the order of the names below. */
const CALLS: Readonly<Record<string, Calls>> = {
  x64: {
    auditArchitecture: 0xc000003e,
    otherAbiFrom: 0x40000000,
    // add_key request_key keyctl bpf perf_event_open open_by_handle_at kexec_load kexec_file_load init_module finit_module
    // delete_module swapon swapoff reboot acct quotactl iopl ioperm settimeofday clock_settime clock_adjtime adjtimex
    // sethostname setdomainname syslog lookup_dcookie move_pages fanotify_init vhangup pidfd_getfd
    refused: [
      248, 249, 250, 321, 298, 304, 246, 320, 175, 313, 176, 167, 168, 169, 163, 179, 172, 173, 164, 227, 305, 159, 170,
      171, 103, 212, 279, 300, 153, 438,
    ],
    // io_uring_setup io_uring_enter io_uring_register userfaultfd statmount listmount
    // openat2: its mode is in memory, where no filter sees it
    missing: [425, 426, 427, 323, 457, 458, 437],
    ioctl: 16,
    fcntl: 72,
    socket: 41,
    socketpair: 53,
    // ptrace process_vm_readv process_vm_writev
    onProcess: [
      [101, 1],
      [310, 0],
      [311, 0],
    ],
    // chmod fchmod fchmodat fchmodat2 mkdir mkdirat mknod mknodat creat open openat
    withMode: [
      ...([90, 91, 83, 133, 85] as const).map((call) => [call, 1] as const),
      ...([268, 452, 258, 259] as const).map((call) => [call, 2] as const),
      [2, 2, 1],
      [257, 3, 2],
    ],
  },
  arm64: {
    auditArchitecture: 0xc00000b7,
    otherAbiFrom: null,
    refused: [
      217, 218, 219, 280, 241, 265, 104, 294, 105, 273, 106, 224, 225, 142, 89, 60, 170, 112, 266, 171, 161, 162, 116,
      18, 239, 262, 58, 438,
    ],
    missing: [425, 426, 427, 282, 457, 458, 437],
    ioctl: 29,
    fcntl: 25,
    socket: 198,
    socketpair: 199,
    onProcess: [
      [117, 1],
      [270, 0],
      [271, 0],
    ],
    withMode: [[52, 1], ...([53, 452, 34, 33] as const).map((call) => [call, 2] as const), [56, 3, 2]],
  },
};

const REFUSED_REQUESTS = [
  // TIOCSTI, TIOCLINUX: they put input into a terminal.
  ...[0x5412, 0x541c],
  // Of btrfs, a snapshot: it holds what the file system has there, without what is mounted on it, and so each hidden file; in some
  // kernels (before 6.7) also what lies beside the project. And a subvolume, which its owner may close to all changes.
  ...[0x50009401, 0x50009417, 0x5000940e, 0x50009418, 0x4008941a],
  // FS_IOC_SET_ENCRYPTION_POLICY, FS_IOC_ADD_ENCRYPTION_KEY, FS_IOC_REMOVE_ENCRYPTION_KEY(_ALL_USERS): what is in an encrypted folder
  // has its names while its key is there, and whoever adds that again, in any project of the disk, changes no folder's times.
  ...[0x800c6613, 0xc0506617, 0xc0406618, 0xc0406619],
  // FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS: in a folder that folds case other names than `.git` are it, too.
  ...[0x40086602, 0x40046602],
];

const F_SETLEASE = 1024;

/** In a box's process namespace: bubblewrap's own, which holds the pipe by whose end the gate knows that a run has ended. */
const FIRST_PROCESS = 1;

const SET_USER_OR_GROUP_ID = 0o6000;
/** O_CREAT, __O_TMPFILE: without them a mode isn't read. */
const MAKES_A_FILE = 0o20000100;

/** AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [0, 1, 2, 10, 16];
/** Without AF_UNIX: a socket's file leads out of a box that shows it, although nothing can be written there. */
const FAMILIES_WITHIN = [0, 2, 10, 16];

/**
 * @param hasUnixSockets false: none can be made, but for a pair of them, which leads nowhere
 * @returns the filter's bytes, or null on an architecture that it isn't written for
 */
export function systemCallFilter(architecture: string = process.arch, hasUnixSockets = true): Buffer | null {
  const calls = CALLS[architecture];
  if (calls === undefined) return null;
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    // A program of another architecture (32 bit) has other numbers.
    [JUMP_EQUAL, 1, 0, calls.auditArchitecture],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
  ];
  if (calls.otherAbiFrom !== null) {
    program.push([JUMP_AT_LEAST, 0, 1, calls.otherAbiFrom], [RETURN, 0, 0, failWith(ENOSYS)]);
  }
  for (const number of calls.refused) program.push(...ifEqual(number, [[RETURN, 0, 0, failWith(EPERM)]]));
  for (const number of calls.missing) program.push(...ifEqual(number, [[RETURN, 0, 0, failWith(ENOSYS)]]));
  program.push(...ifEqual(calls.ioctl, unlessOneOf(argument(1), REFUSED_REQUESTS, failWith(EPERM), ALLOW)));
  program.push(...ifEqual(calls.fcntl, unlessOneOf(argument(1), [F_SETLEASE], failWith(EINVAL), ALLOW)));
  for (const [number, pid] of calls.onProcess)
    program.push(...ifEqual(number, unlessOneOf(argument(pid), [FIRST_PROCESS], failWith(EPERM), ALLOW)));
  for (const [number, mode, flags] of calls.withMode) program.push(...ifEqual(number, unlessSetId(mode, flags)));
  for (const [number, families] of [
    [calls.socket, hasUnixSockets ? FAMILIES : FAMILIES_WITHIN],
    [calls.socketpair, FAMILIES],
  ] as const) {
    program.push(...ifEqual(number, unlessOneOf(argument(0), families, ALLOW, failWith(EAFNOSUPPORT))));
  }
  program.push([RETURN, 0, 0, ALLOW]);
  return encoded(program);
}

/** `then` ends by itself: what comes behind it is for the other numbers, which are still loaded. */
const ifEqual = (number: number, then: readonly Instruction[]): Instruction[] => [
  [JUMP_EQUAL, 0, then.length, number],
  ...then,
];

/** By the low 32 bits of an argument: the kernel, too, reads no more of these. */
function unlessOneOf(offset: number, values: readonly number[], listed: number, others: number): Instruction[] {
  const compared = values.map((value, index): Instruction => [JUMP_EQUAL, values.length - index, 0, value]);
  return [[LOAD, 0, 0, offset], ...compared, [RETURN, 0, 0, others], [RETURN, 0, 0, listed]];
}

function unlessSetId(mode: number, flags: number | undefined): Instruction[] {
  const makesNone: Instruction[] = [
    [JUMP_ANY_BIT, 1, 0, MAKES_A_FILE],
    [RETURN, 0, 0, ALLOW],
  ];
  return [
    ...(flags === undefined ? [] : [[LOAD, 0, 0, argument(flags)] as const, ...makesNone]),
    [LOAD, 0, 0, argument(mode)],
    [JUMP_ANY_BIT, 0, 1, SET_USER_OR_GROUP_ID],
    [RETURN, 0, 0, failWith(EPERM)],
    [RETURN, 0, 0, ALLOW],
  ];
}

/** As an array of struct sock_filter. */
function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
