import { readFileSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { type TestedClient, testedClients } from "../../ipc/base/tested-clients.ts";
import { parentOf } from "./parent.ts";

/** The file that a running client is, as the system says. */
export type ClientProgram = Pick<TestedClient, "file" | "size" | "mtime_ms">;

/** Programs that are a client only together with the script that they run. */
const INTERPRETERS = ["node", "bun", "deno"];

/** Shells that a client may have call its hooks, one in the other. */
const SHELLS = ["sh", "dash", "bash", "ash", "busybox", "zsh", "ksh", "mksh", "fish"];
const MAX_SHELLS = 4;

/** The process that has a hook called: the one that reads its answer, or the one above the shells that do. @throws the system's error */
export function clientAbove(reader: number): number | undefined {
  let pid: number | undefined = reader;
  for (let depth = 0; pid !== undefined && depth <= MAX_SHELLS; depth++) {
    if (!SHELLS.includes(basename(readlinkSync(`/proc/${pid}/exe`)))) return pid;
    pid = parentOf(pid);
  }
  return undefined;
}

/** Of a process, from Linux's /proc: undefined on other systems, and where its file was replaced since it started. */
export function clientProgram(pid: number): ClientProgram | undefined {
  try {
    const executable = readlinkSync(`/proc/${pid}/exe`);
    if (INTERPRETERS.includes(basename(executable))) return scriptOf(pid);
    return program(executable, statSync(`/proc/${pid}/exe`), statSync(executable));
  } catch {
    return undefined; // another system, or the process has ended
  }
}

/** What a client may start its script with: no other option is known to load nothing else. */
const HARMLESS_OPTION = /^--max-old-space-size=\d+$/;

/** The script, where it is the first word: an option before it might load another one. */
function scriptOf(pid: number): ClientProgram | undefined {
  const script = argumentsOf(pid)
    .slice(1)
    .find((word) => !HARMLESS_OPTION.test(word));
  if (script === undefined || script === "" || script.startsWith("-")) return undefined;
  const file = realpathSync(isAbsolute(script) ? script : join(readlinkSync(`/proc/${pid}/cwd`), script));
  return program(file, statSync(file));
}

/** The words that a process was started with. @throws the system's error */
export function argumentsOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
}

/** The variables that a process was started with. @throws the system's error */
export function environmentOf(pid: number): Record<string, string> {
  const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(
    variables
      .filter((text) => text.includes("="))
      .map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]),
  );
}

function program(file: string, stat: Stats, now: Stats = stat): ClientProgram | undefined {
  if (stat.ino !== now.ino || stat.dev !== now.dev) return undefined;
  return { file, size: stat.size, mtime_ms: stat.mtimeMs };
}

/** The version that a client was tested as, or undefined where this very one wasn't. @param reader the process that reads its hook's answer */
export function recordedVersion(reader: number, stateDir: string, agent: string): string | undefined {
  try {
    const client = clientAbove(reader);
    const found = client === undefined ? undefined : clientProgram(client);
    return found && testedClients(stateDir, agent).find((tested) => isSame(tested, found))?.version;
  } catch {
    return undefined; // another system, or the process has ended
  }
}

const isSame = (tested: TestedClient, { file, size, mtime_ms }: ClientProgram): boolean =>
  tested.file === file && tested.size === size && tested.mtime_ms === mtime_ms;

/** True if this very program passed the test. */
export function hasPassed(found: ClientProgram, stateDir: string, agent: string): boolean {
  return testedClients(stateDir, agent).some((tested) => tested.passed && isSame(tested, found));
}
