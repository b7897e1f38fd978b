import type { Span, Word } from "../reading.ts";
import { wordOf } from "../word.ts";
import { foundBy } from "./find.ts";

/**
 * Programs that run another program: how to find it among their arguments. Read as: the options in `valued` take the next word,
 * then `skips` words (a lock file, a duration, a host), then the command itself.
 */
export interface Wrapper {
  /** Short options that take a value, as one text (`ugp`); a value in the same word is recognised. */
  short?: string;
  /** Long options that take the next word as their value. */
  long?: readonly string[];
  /** Words before the command. */
  skips?: number;
  /** `NAME=value` words before the command. */
  assigns?: true;
  /** The command is text for a shell, of all the words that are left. */
  text?: true;
  /** Options whose value is text for a shell (`-c`). */
  code?: readonly string[];
  /** Only those, at any position: without one of them there is no command. */
  onlyCode?: true;
  /** With one of these it runs nothing. */
  never?: readonly string[];
  /** Its command's folder is another one than this shell's. */
  moves?: readonly string[];
  /** `-S TEXT` and the words behind it are one text, which is split into words. */
  splits?: true;
  /** Without a command a shell runs what comes on its input. */
  readsInput?: true;
  /** With such an option it writes a file of its own. */
  writesWith?: RegExp;
  /** It leaves its command's words, input and output as they are. */
  isPlain?: true;
  /** Its command runs with another user's rights. */
  raisesRights?: true;
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    short: "ugpCThDRrtaU",
    long: [
      "--user",
      "--group",
      "--prompt",
      "--close-from",
      "--command-timeout",
      "--host",
      "--chdir",
      "--chroot",
      "--role",
      "--type",
      "--other-user",
    ],
    assigns: true,
    never: ["-l", "-v", "-k", "-K", "-V", "--version", "-e", "--edit"],
    moves: ["-D", "--chdir"],
    isPlain: true,
    raisesRights: true,
  },
  doas: { short: "uCa", never: ["-L"], raisesRights: true },
  su: {
    short: "sGgwT",
    long: ["--shell", "--group", "--supp-group", "--whitelist-environment"],
    code: ["-c", "--command", "--session-command"],
    onlyCode: true,
  },
  runuser: {
    short: "sGgw",
    long: ["--shell", "--group", "--supp-group", "--user"],
    code: ["-c", "--command", "--session-command"],
  },
  pkexec: { long: ["--user"] },
  env: { short: "uC", long: ["--unset", "--chdir"], assigns: true, moves: ["-C", "--chdir"], splits: true },
  command: { never: ["-v", "-V"], isPlain: true },
  builtin: {},
  exec: { short: "a" },
  nohup: {},
  time: { short: "fo", long: ["--format", "--output"], writesWith: /^-\w*o|^--o/, isPlain: true },
  timeout: { short: "ks", long: ["--kill-after", "--signal"], skips: 1, isPlain: true },
  gtimeout: { short: "ks", long: ["--kill-after", "--signal"], skips: 1 },
  nice: { short: "n", long: ["--adjustment"], isPlain: true },
  ionice: { short: "cnpPu", long: ["--class", "--classdata", "--pid"] },
  chrt: { short: "TPDp", skips: 1 },
  taskset: { short: "p", skips: 1 },
  setsid: {},
  setpriv: {
    long: "--reuid --regid --groups --inh-caps --bounding-set --ambient-caps --securebits --pdeathsig".split(" "),
  },
  stdbuf: { short: "ioe", long: ["--input", "--output", "--error"] },
  unbuffer: {},
  strace: { short: "oepsaEuIOPSXb", long: ["--output", "--trace", "--attach", "--string-limit", "--user"] },
  ltrace: { short: "oepsauxnlFA" },
  watch: { short: "n", long: ["--interval"], text: true },
  flock: { short: "wE", long: ["--timeout", "--wait", "--conflict-exit-code"], skips: 1, code: ["-c", "--command"] },
  script: {
    short: "IOBTmEo",
    long: ["--log-in", "--log-out", "--log-io", "--log-timing"],
    code: ["-c", "--command"],
    onlyCode: true,
  },
  busybox: {},
  toybox: {},
  chroot: { long: ["--userspec", "--groups"], skips: 1 },
  unshare: {
    short: "SGRw",
    long: ["--setuid", "--setgid", "--root", "--wd", "--map-user", "--map-group", "--propagation"],
  },
  nsenter: { short: "tSG", long: ["--target", "--setuid", "--setgid"] },
  "systemd-run": {
    short: "pHMuE",
    long: [
      "--property",
      "--host",
      "--machine",
      "--unit",
      "--description",
      "--slice",
      "--uid",
      "--gid",
      "--nice",
      "--working-directory",
      "--setenv",
      "--on-active",
      "--on-boot",
      "--on-calendar",
      "--timer-property",
      "--service-type",
    ],
  },
  "systemd-inhibit": { long: ["--what", "--who", "--why", "--mode"] },
  ssh: { short: "BbcDEeFIiJLlmOopQRSWw", skips: 1, text: true, readsInput: true },
  "dbus-run-session": { long: ["--config-file"] },
  "xvfb-run": { short: "efnpsw" },
  firejail: {},
  fakeroot: { short: "lsibu" },
  proxychains: { short: "f" },
  proxychains4: { short: "f" },
  torsocks: { short: "uaP" },
  "su-exec": { skips: 1 },
  gosu: { skips: 1 },
  sg: { skips: 1, text: true },
  caffeinate: { short: "tw" },
  cpulimit: { short: "leicp" },
  prlimit: {},
  eatmydata: {},
  rlwrap: { short: "abcefghilmnopqstwzADEHINOPRSTWX" },
  entr: {},
  direnv: { skips: 2 },
  catchsegv: {},
  "start-stop-daemon": { short: "pnudgkxa" },
};

/** Wrappers that change nothing about what a command touches, and the words in front of it with which they are clear. */
const CLEAR_PREFIXES: Readonly<Record<string, RegExp>> = {
  time: /^$/,
  nice: /^(?:-n \d{1,2} |--adjustment=\d{1,2} )?$/,
  timeout: /^(?:-k \d{1,6}[smh]? )?\d{1,6}[smh]? $/,
};

/** The command behind a clear wrapper's own words; null where there is no such wrapper, or nothing of the kind. */
export function clearPrefix(name: string, args: readonly Word[]): readonly Word[] | null {
  const prefix = Object.hasOwn(CLEAR_PREFIXES, name) ? CLEAR_PREFIXES[name] : undefined;
  if (prefix === undefined) return null;
  const at = args.findIndex(({ text }) => /^[a-z/]/.test(text));
  if (at === -1) return null;
  const own = args.slice(0, at);
  return prefix.test(own.map(({ text }) => `${text} `).join("")) && own.every(({ glob }) => glob !== true)
    ? args.slice(at)
    : null;
}

/** Programs that run a command for each name of a list, and where they take the names from. */
export type Repeater =
  /** Names on its input follow the command's words, or take a mark's place. */
  | { namesFrom: "input"; own: Wrapper; withoutCommand: string }
  /** Names behind a mark among its words, or on its input; a shell reads the command. */
  | { namesFrom: "words"; own: Wrapper; mark: RegExp }
  /** What it finds takes the place of `{}` behind one of the options. */
  | {
      namesFrom: "search";
      options: RegExp;
      /** Paths that it may find. `at` is the option's index among its words. */
      finds: (args: readonly Word[], at: number, span: Span) => Word[];
      /** Without `{}` the names follow the command's words. */
      addsNames?: true;
    };

const FD: Repeater = {
  namesFrom: "search",
  options: /^(?:-x|-X|--exec|--exec-batch)$/,
  finds: (args, at, span) => listedByFd(args.slice(0, at), span),
  addsNames: true,
};

const REPEATERS: Readonly<Record<string, Repeater>> = {
  xargs: {
    namesFrom: "input",
    own: {
      short: "aEILnPsdR",
      long: ["--arg-file", "--delimiter", "--max-lines", "--max-args", "--max-procs", "--max-chars", "--replace"],
    },
    withoutCommand: "echo",
  },
  parallel: {
    namesFrom: "words",
    own: {
      short: "jPnNaSID",
      long: "--jobs --max-args --arg-file --colsep --delay --joblog --retries --sshlogin --timeout".split(" "),
    },
    mark: /^:::\+?$/,
  },
  find: {
    namesFrom: "search",
    options: /^-(?:exec|execdir|ok|okdir)$/,
    finds: (args, _at, span) => foundBy(args, span),
  },
  fd: FD,
  fdfind: FD,
};

/** The names of all of them. */
export const REPEATER_NAMES: readonly string[] = Object.keys(REPEATERS);

/** The repeater of a program's name, without a folder. */
export function repeaterCalled(name: string): Repeater | undefined {
  return Object.hasOwn(REPEATERS, name) ? REPEATERS[name] : undefined;
}

/** True for a label (`find -exec`, `xargs`) of one that hands on all that there is, hidden names and folders among it. */
export function handsOnEverything(label: string): boolean {
  return /^(?:find|xargs)(?: |$)/.test(label);
}

/** What `fd [PATTERN] [FOLDER...]` finds; `.` is every name. */
function listedByFd(args: readonly Word[], span: Span): Word[] {
  const [pattern, ...folders] = args.filter(({ text }) => !text.startsWith("-"));
  const isAll = pattern === undefined || /^(?:|\.|\.\*|\^)$/.test(pattern.text);
  const roots = folders.length > 0 ? folders : [wordOf([{ text: ".", kind: "text" }], span)];
  return roots.map(({ pieces }) =>
    wordOf(
      [...pieces, { text: "/", kind: "text" }, isAll ? { text: "*", kind: "glob" } : { text: "{}", kind: "unknown" }],
      span,
    ),
  );
}
