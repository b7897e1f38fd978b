import { resolve } from "node:path";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { expandHome, realForm } from "../targets/path.ts";
import { foldedPath } from "../targets/path-kind.ts";
import { onceADecision } from "../targets/tree-scan.ts";

/** What a call's paths are judged by beside the call itself. */
export interface CallEnvironment {
  home: string;
  /** The call's working directory, absolute, or undefined. */
  cwd?: string | undefined;
  /** Of the gate's own environment: the agents of the same user have much the same one. */
  env?: GuardEnv | undefined;
}

export interface GuardEnv {
  readonly PATH?: string | undefined;
  readonly CLAUDE_CONFIG_DIR?: string | undefined;
  readonly CODEX_HOME?: string | undefined;
  readonly GEMINI_CLI_HOME?: string | undefined;
  readonly GEMINI_CLI_SYSTEM_DEFAULTS_PATH?: string | undefined;
  readonly GEMINI_CLI_SYSTEM_SETTINGS_PATH?: string | undefined;
  readonly GEMINI_CLI_TRUSTED_FOLDERS_PATH?: string | undefined;
  readonly OPENCODE_CONFIG?: string | undefined;
  readonly OPENCODE_CONFIG_DIR?: string | undefined;
  readonly OPENCODE_TUI_CONFIG?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
}

/**
 * The call's working directory, absolute and normal, or undefined where it has none. Where its name goes up again (`link/..`), the
 * folder that the system would come to.
 */
export function workingDirectoryOf({ context }: ProposedCall, home: string): string | undefined {
  const folder = expandHome(context?.cwd ?? "", home);
  if (!folder.startsWith("/") || folder.includes("\0")) return undefined;
  return folder.includes("/..") ? (realForm(folder) ?? undefined) : resolve(folder);
}

const ofDecision = onceADecision<string>();

/** Where a folder of a PATH leads; itself where that isn't known. The client's PATH and the gate's have most of them in common. */
export const realProgramFolder = (folder: string): string => ofDecision(folder, () => realForm(folder) ?? folder);

/** The folders that programs are looked up in: the absolute ones of PATH, and where their links lead, folded. */
export function programFolders(env: GuardEnv | undefined): ReadonlySet<string> {
  const named_folders = (env?.PATH ?? "").split(":").map((folder) => folder.replace(/(.)\/+$/, "$1"));
  const absolute = named_folders.filter((folder) => folder.startsWith("/") && folder !== "/");
  const named = absolute.flatMap((folder) => [folder, realProgramFolder(folder)]);
  return new Set(named.filter((folder) => folder !== "/").map(foldedPath));
}
