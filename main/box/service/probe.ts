import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellQuoted } from "../../../ipc/base/shell-quoted.ts";
import type { BoxStatus } from "../../../ipc/contract/box.ts";
import { errorCode } from "../../base/errors.ts";
import { boxArguments } from "../arguments/bubblewrap.ts";
import { limitCommands } from "../arguments/limits.ts";
import type { Machine } from "../arguments/machine.ts";
import { mountChecks } from "../arguments/mounts.ts";
import type { Maker } from "../maker.ts";

/** Whether a box can be made here, and confines: one is made and tries what none may do. */

export interface BoxProbe extends Pick<BoxStatus, "problem" | "detail" | "fix"> {
  /** What makes the boxes, or would; null where there is nothing that could. */
  maker: Maker | null;
}

/** On a machine that is busy starting: long enough that it is no mistake. */
const PROBE_MS = 15_000;

/** The oldest version of bubblewrap that knows all of the arguments. */
const LEAST_VERSION = [0, 8] as const;

/**
 * Runs the probe, with each maker until it passes; with each it takes fifteen seconds at the most, and never fails: what goes wrong is the
 * problem that it answers.
 */
export async function probeBox(machine: Machine, platform: NodeJS.Platform = process.platform): Promise<BoxProbe> {
  if (platform !== "linux") return { problem: "unsupported-system", detail: "", fix: null, maker: null };
  let probe: BoxProbe = { problem: "bubblewrap-missing", detail: "", fix: INSTALL, maker: null };
  for (const maker of machine.makers) {
    const found = await probeMaker(machine, maker);
    if (found.problem === null) return found;
    // What only the gate's own can't do here, as on an old kernel, bubblewrap can.
    const isItsOwn = maker.name !== "bubblewrap" && found.problem === "probe-failed";
    if (!isItsOwn && probe.maker === null) probe = found;
  }
  return probe;
}

async function probeMaker(machine: Machine, maker: Maker): Promise<BoxProbe> {
  const { bash } = machine;
  const problem = (code: BoxProbe["problem"], detail = "", fix: string | null = null): BoxProbe => ({
    problem: code,
    detail,
    fix,
    maker,
  });
  if (bash === null) return problem("bash-missing");
  if (maker.name === "bubblewrap" && !isRecent(maker.version))
    // The package that brought it would bring it again.
    return problem("probe-failed", `bubblewrap ${maker.version} is too old: 0.8 or newer is needed`);
  let place: ProbePlace | undefined;
  try {
    place = makePlace();
    const listener = await listen();
    try {
      const run = await runProbe(machine, bash, maker.path, place, listener);
      return run.isStarted
        ? problem(...failedChecks(run, place))
        : problem(...whyNotStarted(run.stderr, machine.makers));
    } finally {
      listener.close();
    }
  } catch (error) {
    return problem("folder-unusable", `the probe's folders can't be used: ${errorCode(error)}`);
  } finally {
    if (place !== undefined) rmSync(place.folder, { recursive: true, force: true });
  }
}

const INSTALL = "sudo apt install bubblewrap    # or: sudo dnf install bubblewrap, sudo pacman -S bubblewrap";

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1]);
}

interface ProbePlace {
  folder: string;
  project: string;
  /** A file beside the project: neither to be read nor to be changed. */
  secret: string;
}

const SECRET_TEXT = "not for a box";

/** What its folder's name begins with, among the temporary files. */
export const PROBE_FOLDER = "metnos-gate-probe-";

function makePlace(): ProbePlace {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), PROBE_FOLDER));
  const place = { folder, project: join(folder, "project"), secret: join(folder, "secret") };
  mkdirSync(place.project);
  writeFileSync(place.secret, SECRET_TEXT, { mode: 0o600 });
  return place;
}

/** A host's own port, which no box reaches. */
function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

interface ProbeRun {
  isStarted: boolean;
  /** What the box could do and may not. */
  said: readonly string[];
  stderr: string;
}

const STARTED = "started";
const ENDED = "ended";

/** Each line names, where it prints, what a box must not let through. */
function script(machine: Machine, { folder, secret }: ProbePlace, port: number): string {
  const beside = shellQuoted(join(folder, "beside"));
  return [
    `echo ${STARTED}`,
    `[ -e ${shellQuoted(secret)} ] && echo "a file outside the project is there"`,
    `(echo x >${beside}) 2>/dev/null`,
    `[ -e ${shellQuoted(machine.boxFolder)} ] && echo "the gate's folder is there"`,
    `(echo x >/usr/metnos-gate-probe) 2>/dev/null && echo "the system's folders can be written"`,
    `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo "the machine's network is there"`,
    `set -- /proc/[0-9]*; [ $# -lt 8 ] || echo "other processes are there"`,
    `[ -r /etc/shadow ] && echo "/etc/shadow can be read"`,
    `[ -w /proc/sys/kernel/core_pattern ] && echo "the kernel's settings can be changed"`,
    `(echo x >inside) 2>/dev/null || echo "the project can't be written"`,
    `(echo x >"$TMPDIR/probe") 2>/dev/null || echo "there is no folder for temporary files"`,
    `[ -x /usr/bin/env ] || [ -x /bin/sh ] || echo "the system's programs aren't there"`,
    `echo ${ENDED}`,
  ].join("\n");
}

function runProbe(
  machine: Machine,
  bash: string,
  maker: string,
  place: ProbePlace,
  listener: Server,
): Promise<ProbeRun> {
  const { project } = place;
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const declaration = { project, cwd: project, reads: [], writes: [], network: false };
  const args = boxArguments(declaration, machine, { run_later: [], secrets: [] });
  const text = [mountChecks(args), limitCommands(machine.settings), script(machine, place, port)].join("\n");
  return new Promise((resolve) => {
    const options = {
      encoding: "utf8",
      timeout: PROBE_MS,
      killSignal: "SIGKILL",
      env: { PATH: PROBE_PATH },
      cwd: "/",
    } as const;
    execFile(maker, [...args, bash, "-c", text], options, (_error, stdout, stderr) => {
      const said = stdout.split("\n").filter((line) => line !== "");
      resolve({ isStarted: said[0] === STARTED, said: said.slice(1), stderr: stderr.trim() });
    });
  });
}

const PROBE_PATH = "/usr/local/bin:/usr/bin:/bin";

function failedChecks({ said, stderr }: ProbeRun, { project, secret, folder }: ProbePlace): Problem {
  const failed = said.filter((line) => line !== ENDED);
  if (said.at(-1) !== ENDED) failed.push(`it didn't end${stderr === "" ? "" : `: ${stderr}`}`);
  if (!existsSync(join(project, "inside"))) failed.push("what it wrote in the project isn't there");
  if (existsSync(join(folder, "beside")) || readFileSync(secret, "utf8") !== SECRET_TEXT)
    failed.push("it wrote outside the project");
  return failed.length === 0 ? [null, ""] : ["probe-failed", failed.join("; ")];
}

type Problem = [code: BoxProbe["problem"], detail: string, fix?: string | null];

/** What both say where the kernel makes no user namespace for it. */
const REFUSED = /uid map|gid map|new namespace|user namespace|RTM_NEWADDR|Operation not permitted|Permission denied/;

function whyNotStarted(stderr: string, makers: readonly Maker[]): Problem {
  if (stderr === "") return ["probe-failed", "it didn't start in time"];
  if (!REFUSED.test(stderr)) return ["probe-failed", stderr];
  if (settingOf("kernel/apparmor_restrict_unprivileged_userns") === "1")
    return ["user-namespaces-restricted", stderr, appArmorFix(makers)];
  for (const [setting, off] of SWITCHES) {
    if (settingOf(setting) === off) return ["user-namespaces-restricted", stderr, allowing(setting)];
  }
  return isContainer() ? ["container", stderr] : ["probe-failed", stderr];
}

const SWITCHES = [
  ["kernel/unprivileged_userns_clone", "0"],
  ["user/max_user_namespaces", "0"],
] as const;

function allowing(setting: string): string {
  const name = setting.replace("/", ".");
  const value = name === "user.max_user_namespaces" ? "15000" : "1";
  return `echo ${name}=${value} | sudo tee /etc/sysctl.d/60-user-namespaces.conf\nsudo sysctl --system`;
}

/** For Ubuntu 24.04 and what follows it. */
const appArmorFix = (makers: readonly Maker[]): string =>
  [...makers.map(appArmorProfile), "sudo systemctl reload apparmor"].join("\n");

function appArmorProfile({ name, path }: Maker): string {
  const profile = name === "bubblewrap" ? "bwrap" : name;
  return `sudo tee /etc/apparmor.d/${profile} <<'END'
abi <abi/4.0>,
include <tunables/global>

profile ${profile} ${/^[\w./-]+$/.test(path) ? path : `"${path}"`} flags=(unconfined) {
  userns,
  include if exists <local/${profile}>
}
END`;
}

function settingOf(name: string): string | undefined {
  try {
    return readFileSync(join("/proc/sys", name), "utf8").trim();
  } catch {
    return undefined; // this kernel has no such setting
  }
}

const isContainer = (): boolean => ["/.dockerenv", "/run/.containerenv"].some((file) => existsSync(file));
