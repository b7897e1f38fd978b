import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Env } from "../../../ipc/base/paths.ts";
import { loadedFolder } from "../../hook/opencode-plugin.ts";

/** An OpenCode that runs for this user, from Linux's /proc. */
export interface RunningOpenCode {
  pid: number;
  /** The plugin says that it is loaded there. */
  has_plugin: boolean;
  /** Why it has none, where its command line says so. */
  is_pure: boolean;
}

/** It loads its plugins in this time, in milliseconds. */
const STARTS_MS = 20_000;

/** Those that run long enough to have loaded their plugins, or say already that they have. Empty on other systems. */
export function runningOpenCodes(env: Env): RunningOpenCode[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        return found(Number(name), env);
      } catch {
        return []; // ended meanwhile, or another user's
      }
    });
}

function found(pid: number, env: Env): RunningOpenCode[] {
  if (basename(readlinkSync(`/proc/${pid}/exe`)) !== "opencode") return [];
  const started_at = statSync(`/proc/${pid}`).ctimeMs;
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const says = statSync(join(loadedFolder(env), String(pid)), { throwIfNoEntry: false });
  // An earlier process may have had the same id.
  const has_plugin = says !== undefined && says.mtimeMs >= started_at - 2000;
  if (!has_plugin && (Date.now() - started_at < STARTS_MS || !loadsPlugins(words))) return [];
  return [{ pid, has_plugin, is_pure: words.includes("--pure") }];
}

/** Its other commands start no session, or only once another program wants one. */
const OTHER_COMMANDS = [
  "acp",
  "serve",
  "web",
  "completion",
  "mcp",
  "attach",
  "debug",
  "providers",
  "auth",
  "upgrade",
  "uninstall",
  "models",
  "stats",
  "export",
  "import",
  "session",
  "plugin",
  "plug",
  "db",
];

function loadsPlugins(words: readonly string[]): boolean {
  return !words.slice(1, 2).some((word) => OTHER_COMMANDS.includes(word));
}
