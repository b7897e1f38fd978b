import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { ConcurrencyLimit } from "../../base/concurrency-limit.ts";
import { errorCode } from "../../base/errors.ts";
import { readOnlyArguments } from "../../box/arguments/bubblewrap.ts";
import { repositoryPlaces } from "../../box/arguments/git.ts";
import { limitCommands } from "../../box/arguments/limits.ts";
import type { Machine } from "../../box/arguments/machine.ts";
import { mountChecks } from "../../box/arguments/mounts.ts";
import { systemCallFilter } from "../../box/arguments/system-calls.ts";
import type { Maker } from "../../box/maker.ts";
import type { RunNetwork } from "../../box/network/run-network.ts";
import { boxHasEnded } from "../../box/runs/box-end.ts";
import { firstProcessFollows } from "../../box/runs/first-process.ts";
import { type BoxProbe, probeBox } from "../../box/service/probe.ts";
import { getsIn } from "../../decide/confinement/environment.ts";
import type { ListedHost } from "../../targets/listed-host.ts";
import type { AgentHosts } from "./agent-hosts.ts";
import { WithheldFiles, WORKSPACE, type Workspace } from "./workspace.ts";

/** The box of judge agents: one program runs in it, sees the workspace read-only, and leaves nothing. */

/** Boxes of all judge agents at once. */
const AT_ONCE = 4;

/** A probe that failed is run again after so long, in milliseconds. */
const PROBE_AGAIN_MS = 60_000;

/** Of each process, and never more than the configuration's limits of confined commands. */
const LIMITS = { processes: 512, memory_mb: 4096, file_mb: 512, open_files: 1024, cpu_seconds: 600, tmp_mb: 512 };

/** Bubblewrap takes 9000 words; in bytes, what one argument of a program may have. */
const MAX_WORDS = 8900;
const MAX_SCRIPT = 120 * 1024;

export interface BoxedProgram {
  /** Found by PATH, as the box has it, where its name has no slash. No shell reads them. */
  readonly argv: readonly string[];
  readonly workspace: Workspace | null;
  /** Files and folders beside the workspace that it sees, as they are named. */
  readonly reads?: readonly string[];
  /** Files of the gate's own, and where the box has them. */
  readonly binds?: readonly { readonly source: string; readonly at: string }[];
  /** That it may reach; left out, or none: it has no network. */
  readonly hosts?: readonly ListedHost[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether what it says as errors is part of its output; else it is dropped. */
  readonly withErrors: boolean;
  /** Bytes: with more it is ended. */
  readonly maxOutput: number;
  /** Left out: only the signal ends it. */
  readonly timeoutMs?: number;
}

export interface BoxedEnd {
  /** `stopped`: by the time limit; `too-long`: by its output. */
  readonly how: "exited" | "stopped" | "too-long";
  /** Null where it didn't exit by itself. */
  readonly code: number | null;
  readonly output: Buffer;
}

export interface AgentBoxParts {
  machine: Machine;
  /** Variables that no box gets, whatever the configuration says: the keys of models. */
  keyVariables: readonly string[];
  /** Logs an unexpected error after which the gate continues. */
  failed(what: string, error: unknown): void;
  /** Left out where no judge agent reaches a host. */
  hosts?: AgentHosts;
  /** Another one only in tests. */
  probe?(): Promise<BoxProbe>;
}

export class AgentBox {
  readonly #parts: AgentBoxParts;
  readonly #machine: Machine;
  readonly #atOnce = new ConcurrencyLimit(AT_ONCE);
  readonly #withheld = new WithheldFiles();
  #probe: { at: number; found: Promise<BoxProbe> } | undefined;

  constructor(parts: AgentBoxParts) {
    this.#parts = parts;
    const { settings } = parts.machine;
    const stricter = Object.entries(LIMITS).map(([name, limit]) => [
      name,
      // 0 there: without a limit.
      Math.min(limit, settings[name as keyof typeof LIMITS] || limit),
    ]);
    this.#machine = { ...parts.machine, settings: { ...settings, ...Object.fromEntries(stricter) } };
  }

  get machine(): Machine {
    return this.#machine;
  }

  /**
   * Runs a program, and waits where too many boxes are in use. When it settles, no process of the box is left.
   * @throws Error with one sentence where there is no box; the signal's reason where it was aborted
   */
  async run(program: BoxedProgram, signal: AbortSignal): Promise<BoxedEnd> {
    const giveBack = await this.#atOnce.take(signal);
    let network: RunNetwork | undefined;
    try {
      const maker = await this.#requireBox();
      signal.throwIfAborted();
      network = this.#openNetwork(program);
      const prepared = await this.#prepare(program, maker, network);
      signal.throwIfAborted();
      return await runBox(prepared, program, signal);
    } catch (error) {
      if (error instanceof BoxFailed) this.#parts.failed("making a judge agent's box", error);
      throw error;
    } finally {
      network?.close();
      giveBack();
    }
  }

  #openNetwork({ hosts = [] }: BoxedProgram): RunNetwork | undefined {
    if (hosts.length === 0) return undefined;
    if (this.#parts.hosts === undefined) throw new Error("judge agents have no way to hosts here");
    return this.#parts.hosts.open(hosts);
  }

  async #requireBox(): Promise<Maker> {
    const now = performance.now();
    this.#probe ??= { at: now, found: this.#probed() };
    const { problem, maker } = await this.#probe.found;
    if (problem === null && maker !== null) return maker;
    if (now - this.#probe.at > PROBE_AGAIN_MS) this.#probe = undefined;
    throw new Error(`judge agents can't run here: the box doesn't work (${problem})`);
  }

  #probed(): Promise<BoxProbe> {
    const probe = this.#parts.probe ?? (() => probeBox(this.#parts.machine));
    return probe();
  }

  async #prepare(
    { workspace, reads = [], binds = [], environment = {}, argv, withErrors }: BoxedProgram,
    maker: Maker,
    network: RunNetwork | undefined,
  ): Promise<Prepared> {
    const machine = this.#machine;
    const { bash } = machine;
    if (bash === null) throw new Error("judge agents can't run here: bash is missing");
    const withheld =
      workspace === null ? { secrets: [], settings: [], pipes: [] } : await this.#withheld.find(workspace);
    const { named, unnamed } = byName(withheld.secrets);
    const folder = workspace?.folder ?? null;
    const repository = workspace?.repository ?? null;
    const view = {
      folder,
      alsoAt: WORKSPACE,
      cwd: folder ?? "/tmp",
      reads: repository === null ? reads : [...reads, repository],
      secrets: named,
      settings: [...byName(withheld.settings).named, ...(repository === null ? [] : repositoryPlaces(repository))],
    };
    const words = readOnlyArguments(view, machine);
    const places = folder === null ? [] : [folder, WORKSPACE];
    const script = innerScript(mountChecks(words, [...places, ...view.reads]), {
      settings: machine.settings,
      withErrors,
      start: network?.start,
    });
    const kept = this.#keptVariables();
    const own = [
      ...(network?.arguments ?? []),
      ...binds.flatMap(({ source, at }) => ["--ro-bind", source, at]),
      ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ];
    const masks = [...unnamed, ...withheld.pipes].flatMap((path) => maskWords(path, folder ?? "", machine));
    const all = Buffer.concat([ended([...kept, ...words, ...own], "utf8"), ended(masks, "latin1")]);
    if (kept.length + words.length + own.length + masks.length > MAX_WORDS || Buffer.byteLength(script) > MAX_SCRIPT)
      throw new Error("the workspace holds too many files with secrets for a box");
    return { maker: maker.path, command: [bash, "--norc", "-c", script, "bash", ...argv], words: all };
  }

  #keptVariables(): string[] {
    const { env, settings } = this.#machine;
    return Object.entries({ ...env, ...PROGRAMS_SETTINGS }).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const isKept = getsIn(name, value, settings.environment) || name in PROGRAMS_SETTINGS;
      const isOwn = name.startsWith("METNOS_") || this.#parts.keyVariables.includes(name);
      return !isKept || isOwn ? [] : ["--setenv", name, value];
    });
  }
}

/** So that programs work in a folder that they can't write to, and git in one of somebody else's. */
const PROGRAMS_SETTINGS: Readonly<Record<string, string>> = {
  PYTHONDONTWRITEBYTECODE: "1",
  PYTEST_ADDOPTS: "-p no:cacheprovider",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};

/** No box could be made: `message` is for agents, `cause` for the log. */
class BoxFailed extends Error {
  constructor(said: string) {
    super("the judge agent's box could not be made", { cause: new Error(said) });
    this.name = "BoxFailed";
  }
}

/** Paths of bytes: those that are UTF-8, as text, and the others. */
function byName(paths: readonly string[]): { named: string[]; unnamed: string[] } {
  const [named, unnamed]: [string[], string[]] = [[], []];
  for (const path of paths) {
    const bytes = Buffer.from(path, "latin1");
    const text = bytes.toString("utf8");
    if (Buffer.from(text).equals(bytes)) named.push(text);
    else unnamed.push(path);
  }
  return { named, unnamed };
}

/** A file whose path has one character for each byte, at both places. */
function maskWords(path: string, folder: string, { covers }: Machine): string[] {
  const below = path.slice(Buffer.byteLength(folder));
  const bytes = (text: string) => Buffer.from(text).toString("latin1");
  const places = new Set([path, bytes(WORKSPACE) + below]);
  return [...places].flatMap((at) => ["--ro-bind", bytes(covers.empty), at]);
}

function ended(words: readonly string[], encoding: BufferEncoding): Buffer {
  return Buffer.from(words.map((word) => `${word}\0`).join(""), encoding);
}

const READY = "ready";
const GO = "go";

/** The box's descriptors beside the usual three. */
const [ARGUMENTS, INFO, FILTER, PERMIT] = [3, 4, 5, 6];

/**
 * The box's own shell, before it becomes the program: it says that the box is made, and waits for the gate's word. A gate that has been
 * killed, or wants the end, sends none: bubblewrap follows its parent into death only once it is this far. What the gate itself was
 * started with stays outside.
 */
function innerScript(
  checks: string,
  { settings, withErrors, start }: { settings: Machine["settings"]; withErrors: boolean; start: string | undefined },
): string {
  return [
    checks,
    limitCommands(settings),
    "for open in /proc/self/fd/*; do",
    `case \${open##*/} in [0-2] | 255 | ${PERMIT}) ;; *) eval "exec \${open##*/}>&-" ;; esac`,
    "done",
    firstProcessFollows(PERMIT),
    `echo ${READY} >&2`,
    `read -r permit <&${PERMIT}; [ "$permit" = ${GO} ] || exit 125`,
    `exec ${PERMIT}<&- 2>${withErrors ? "&1" : "/dev/null"}`,
    ...(start === undefined ? [] : [start]),
    "unset open permit",
    'exec -- "$@"',
  ].join("\n");
}

interface Prepared {
  maker: string;
  command: readonly string[];
  words: Buffer;
}

async function runBox(prepared: Prepared, program: BoxedProgram, signal: AbortSignal): Promise<BoxedEnd> {
  // The relay reaches the gate by a socket; those of the workspace are covered.
  const filter = systemCallFilter(process.arch, (program.hosts ?? []).length > 0);
  const words = ["--args", String(ARGUMENTS), "--info-fd", String(INFO)];
  if (filter !== null) words.push("--seccomp", String(FILTER));
  const child = spawn(prepared.maker, [...words, "--", ...prepared.command], {
    // Nothing of the gate's: what the box has is among the words.
    env: {},
    cwd: "/",
    // Not what a terminal interrupts.
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const run = new BoxRun(child, program);
  const stop = () => run.end("aborted");
  signal.addEventListener("abort", stop, { once: true });
  try {
    run.send(ARGUMENTS, prepared.words);
    run.send(FILTER, filter ?? Buffer.alloc(0));
    const end = await run.ended();
    signal.throwIfAborted();
    return end;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What bubblewrap and the box's own shell say before the program begins. */
const MAX_SAID = 4096;

/** A box that is being ended says which process it begins with, if it has one: waited for in milliseconds. */
const INFO_MS = 2000;

class BoxRun {
  readonly #child: ChildProcess;
  readonly #maxOutput: number;
  readonly #output: Buffer[] = [];
  #length = 0;
  #said = "";
  #info = "";
  readonly #infoEnded: Promise<void>;
  #isStarted = false;
  #ending: "aborted" | "stopped" | "too-long" | undefined;
  readonly #closed: Promise<number | null>;
  #killed: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, { input = "", maxOutput, timeoutMs }: BoxedProgram) {
    this.#child = child;
    this.#maxOutput = maxOutput;
    this.#closed = new Promise((resolve, reject) => {
      child.once("error", (error) => reject(new BoxFailed(error.message)));
      child.once("close", (code) => resolve(code));
    });
    child.stdout?.on("data", (bytes: Buffer) => this.#take(bytes));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#listen(text));
    const info = child.stdio[INFO] as Readable;
    info.setEncoding("utf8").on("data", (text: string) => {
      this.#info += text;
    });
    this.#infoEnded = new Promise((resolve) => info.once("close", resolve));
    // A program that doesn't read its input, or has ended.
    for (const pipe of child.stdio) pipe?.on("error", () => pipe.destroy());
    child.stdin?.end(input);
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.end("stopped"), timeoutMs);
  }

  send(descriptor: number, bytes: Buffer): void {
    (this.#child.stdio[descriptor] as Writable).end(bytes);
  }

  /** Ends it at once; why counts the first time only. */
  end(why: "aborted" | "stopped" | "too-long"): void {
    this.#ending ??= why;
    this.#killed ??= this.#kill();
  }

  /** @throws BoxFailed where the program was never begun */
  async ended(): Promise<BoxedEnd> {
    try {
      const code = await this.#closed;
      await this.#killed;
      await boxHasEnded(this.#first());
      const output = Buffer.concat(this.#output);
      if (this.#ending === "aborted") return { how: "stopped", code: null, output };
      if (this.#ending !== undefined) return { how: this.#ending, code: null, output };
      if (!this.#isStarted) throw new BoxFailed(this.#said.trim());
      return { how: "exited", code, output };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  #take(bytes: Buffer): void {
    if (this.#ending !== undefined) return;
    const room = this.#maxOutput - this.#length;
    this.#length += bytes.length;
    this.#output.push(bytes.subarray(0, room));
    if (bytes.length > room) this.end("too-long");
  }

  #listen(text: string): void {
    if (this.#isStarted) return;
    if (this.#said.length < MAX_SAID) this.#said += text;
    if (this.#ending !== undefined || !this.#said.split("\n").includes(READY)) return;
    this.#isStarted = true;
    this.send(PERMIT, Buffer.from(`${GO}\n`));
  }

  /** Bubblewrap's own process, and the first one of its box: until the box is made, that one doesn't follow the other. */
  async #kill(): Promise<void> {
    (this.#child.stdio[PERMIT] as Writable).destroy();
    await Promise.race([this.#infoEnded, new Promise((resolve) => setTimeout(resolve, INFO_MS).unref())]);
    const first = this.#first();
    if (first !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) killed(first);
    this.#child.kill("SIGKILL");
  }

  /** The box's first process, as this machine numbers it. */
  #first(): number | undefined {
    const found = /"child-pid":\s*(\d+)/.exec(this.#info);
    return found === null ? undefined : Number(found[1]);
  }
}

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
