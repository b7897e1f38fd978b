import { resolve } from "node:path";

/** What a watcher of system calls (strace) wrote down, as what was done to which path. */

type Deed = "read" | "list" | "write" | "delete" | "run" | "connect" | "system";

export interface Event {
  deed: Deed;
  /** Absolute; of a connection the address, of a call that touches the system its name. */
  path: string;
  /** It was done; else the error's name. */
  error: string | null;
  process: number;
}

/** Calls that make, change, or delete what the first path of them names, the second one, or what an open file is. */
const WRITES =
  `creat mkdir mkdirat mknod mknodat truncate ftruncate fallocate chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes
  futimesat utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr`.split(/\s+/);
const DELETES = ["unlink", "unlinkat", "rmdir"];
const MOVES = ["rename", "renameat", "renameat2"];
const LINKS = ["link", "linkat"];
const SYMLINKS = ["symlink", "symlinkat"];
const OPENS = ["open", "openat", "openat2"];
const LISTS = ["getdents", "getdents64"];
const CONNECTS = ["connect", "bind", "sendto", "sendmsg"];
const RUNS = ["execve", "execveat"];
/** What no clear line does, whatever it says. */
const SYSTEM =
  `kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal ptrace process_vm_writev mount umount2 pivot_root chroot sethostname setdomainname
  settimeofday clock_settime adjtimex clock_adjtime reboot swapon init_module finit_module setns unshare bpf`.split(
    /\s+/,
  );
const FOLDERS = ["chdir", "fchdir"];
const FORKS = ["clone", "clone3", "fork", "vfork"];

/** A question mark: not every machine has each of them. */
export const WATCHED = [
  ...[WRITES, DELETES, MOVES, LINKS, SYMLINKS, OPENS, LISTS, CONNECTS, RUNS, SYSTEM, FOLDERS, FORKS].flat(),
]
  .map((name) => `?${name}`)
  .join(",");

interface Call {
  process: number;
  name: string;
  args: string;
  result: string;
}

/** The calls in the order in which they began; one that is interrupted by another process's is put together. */
function callsOf(text: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<number, Call>();
  for (const line of text.split("\n")) {
    const [, id = "", rest = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const process = Number(id);
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    if (resumed !== null) {
      const call = open.get(process);
      if (call !== undefined) finish(call, resumed[1] ?? "");
      open.delete(process);
      continue;
    }
    const begun = /^(\w+)\((.*)$/s.exec(rest);
    if (begun === null) continue;
    const call: Call = { process, name: begun[1] ?? "", args: "", result: "" };
    calls.push(call);
    const unfinished = /^(.*?) ?<unfinished \.\.\.>$/s.exec(begun[2] ?? "");
    if (unfinished === null) finish(call, begun[2] ?? "");
    else {
      call.args = unfinished[1] ?? "";
      open.set(process, call);
    }
  }
  return calls;
}

function finish(call: Call, rest: string): void {
  const at = rest.lastIndexOf(") ");
  const [args, result] = at === -1 ? [rest, ""] : [rest.slice(0, at), rest.slice(at + 2)];
  call.args += args;
  call.result = /=\s+(.*)$/s.exec(result)?.[1] ?? "";
}

interface Argument {
  /** A string's text. */
  text?: string;
  /** What a descriptor, or the working directory, is. */
  place?: string;
}

const ARGUMENT = /"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|(?:AT_FDCWD|\b\d+)<([^>]*)>/gs;

function argumentsOf(args: string): Argument[] {
  return [...args.matchAll(ARGUMENT)].map(([, text, place]) =>
    text === undefined ? { place: unescaped(place ?? "") } : { text: unescaped(text) },
  );
}

function unescaped(text: string): string {
  return text.replace(/\\([0-7]{1,3}|.)/gs, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : ({ n: "\n", t: "\t" }[code] ?? code),
  );
}

/** Every event of a trace; `start` is where its first process is. */
export function eventsOf(text: string, start: string): Event[] {
  const folders = new Map<number, string>();
  const events: Event[] = [];
  for (const call of callsOf(text)) {
    const { process, name, result } = call;
    const cwd = folders.get(process) ?? start;
    const error = /^-1 (E\w+)/.exec(result)?.[1] ?? null;
    const paths = pathsOf(call, cwd);
    const [first = cwd, second = cwd] = paths;
    const add = (deed: Deed, path: string) => events.push({ deed, path, error, process });
    if (FORKS.includes(name)) folders.set(Number.parseInt(result, 10), cwd);
    else if (FOLDERS.includes(name)) {
      if (error === null) folders.set(process, first);
    } else if (OPENS.includes(name)) {
      // A folder, or a place to begin at: what is then listed or looked at there is another call.
      if (!/O_PATH|O_DIRECTORY/.test(call.args)) add(openedFor(call.args), resultPath(result) ?? first);
    } else if (LISTS.includes(name)) add("list", first);
    else if (WRITES.includes(name)) add("write", first);
    else if (DELETES.includes(name)) add("delete", first);
    else if (MOVES.includes(name)) {
      add("delete", first);
      add("write", second);
    } else if (LINKS.includes(name)) {
      add("read", first);
      add("write", second);
    } else if (SYMLINKS.includes(name)) add("write", paths.at(-1) ?? cwd);
    else if (RUNS.includes(name)) add("run", first);
    else if (CONNECTS.includes(name)) {
      const address = addressIn(call.args);
      if (address !== null) add("connect", address);
    } else if (SYSTEM.includes(name) && !isQuestion(call)) add("system", `${name}(${call.args})`);
  }
  return events;
}

/** Their first text, if any, is no path. */
const OF_OPEN_FILES = /^f(?:chmod|chown|truncate|allocate|setxattr|removexattr)$/;

/** The signal 0 only asks whether a process is there: zsh does so behind each command. */
const isQuestion = ({ name, args }: Call): boolean => name === "kill" && args.endsWith(", 0");

/** A path is a text behind the folder that it begins in; without a text it is the open file itself. */
function pathsOf({ name, args }: Call, cwd: string): string[] {
  const paths: string[] = [];
  let base: string | undefined;
  for (const { text, place } of argumentsOf(args)) {
    if (place !== undefined) {
      if (OF_OPEN_FILES.test(name)) return [place];
      if (base !== undefined) paths.push(base);
      base = place;
    } else if (text !== undefined) {
      // A link's text leads on from the link's own folder: what is made is the last one.
      paths.push(resolve(base ?? cwd, text));
      base = undefined;
    }
  }
  if (base !== undefined) paths.push(base);
  return paths;
}

const resultPath = (result: string): string | undefined => {
  const place = /^\d+<([^>]*)>/.exec(result)?.[1];
  return place === undefined ? undefined : unescaped(place).replace(/ \(deleted\)$/, "");
};

const openedFor = (args: string): Deed => (/O_(?:WRONLY|RDWR|CREAT|TRUNC|TMPFILE)/.test(args) ? "write" : "read");

/** Null for what has no address, or only asks the kernel. */
function addressIn(args: string): string | null {
  const family = /sa_family=AF_(\w+)/.exec(args)?.[1];
  if (family === undefined || family === "NETLINK" || family === "UNSPEC") return null;
  if (family === "UNIX") return `unix:${/sun_path=@?"([^"]*)"/.exec(args)?.[1] ?? ""}`;
  return /inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]*)"/.exec(args)?.[1] ?? family;
}
