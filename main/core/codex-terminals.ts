import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { argumentsOf, environmentOf } from "../hooks/client-program.ts";

/** Codex runs its turns in a daemon, which continues where the terminal that it was started in was closed. */

const DAEMON_OPTION = "--managed-daemon";
const PROGRAM = "codex";

/**
 * True if this process is such a daemon, and no Codex with its home is left in any terminal: which of several it works for isn't known. From Linux's /proc; false on other systems. Never rejects.
 */
export async function hasLostTerminal(pid: number): Promise<boolean> {
  try {
    if (!argumentsOf(pid).includes(DAEMON_OPTION)) return false;
    const home = homeOf(pid);
    for (const name of await readdir("/proc"))
      if (/^\d+$/.test(name) && (await isInTerminal(Number(name))) && homeOf(Number(name)) === home) return false;
    return true;
  } catch {
    return false; // another system, or the process has ended
  }
}

/** What a Codex and its daemon share. @throws the system's error */
function homeOf(pid: number): string {
  const { CODEX_HOME, HOME = "" } = environmentOf(pid);
  return CODEX_HOME || join(HOME, ".codex");
}

/** True of a Codex of this user's. */
async function isInTerminal(pid: number): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    // After the name: state, parent, group, session, and the controlling terminal, 0 where there is none.
    const terminal = text.slice(end + 2).split(" ")[4];
    if (text.slice(text.indexOf("(") + 1, end) !== PROGRAM || terminal === "0") return false;
    return (await stat(`/proc/${pid}`)).uid === process.getuid?.();
  } catch {
    return false; // it has ended meanwhile
  }
}
