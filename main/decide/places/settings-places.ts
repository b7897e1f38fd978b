import type { KnownAgent } from "../../../ipc/contract/agent-kind.ts";
import type { GuardEnv } from "./call-environment.ts";

/**
 * Where the agents' clients keep what calls the gate, and what could turn that off: for the user to change, never for an agent. One table
 * for all that look at paths. Names in lower case.
 */

export interface SettingsPlace {
  /** Below the home, or below any folder that can be a project. */
  folder: string;
  /** What in it holds the settings: files, and folders with all that is below. */
  files: readonly string[];
  /** All of the folder counts, not these alone. */
  isWhole: boolean;
}

const CLAUDE_CODE = ["settings.json", "settings.local.json"];
const CODEX = ["config.toml", "hooks.json", "requirements.toml", "managed_config.toml", "hooks", "rules"];
const GEMINI = ["settings.json", ".env", "policies", "extensions"];
const OPENCODE = ["opencode.json", "opencode.jsonc", "config.json", "plugin", "plugins", "tool", "tools"];
const ZED = ["settings.json"];

const OF_AGENTS: Readonly<Record<KnownAgent, readonly SettingsPlace[]>> = {
  "claude-code": [{ folder: ".claude", files: CLAUDE_CODE, isWhole: false }],
  codex: [{ folder: ".codex", files: CODEX, isWhole: true }],
  gemini: [{ folder: ".gemini", files: GEMINI, isWhole: false }],
  opencode: [
    { folder: ".opencode", files: OPENCODE, isWhole: true },
    { folder: ".config/opencode", files: OPENCODE, isWhole: true },
  ],
};

/** What an editor starts with the gate in front of it. */
const OF_EDITORS: readonly SettingsPlace[] = [
  { folder: ".config/zed", files: ZED, isWhole: false },
  { folder: ".jetbrains", files: ["acp.json"], isWhole: false },
];

export const SETTINGS_PLACES: readonly SettingsPlace[] = [...Object.values(OF_AGENTS).flat(), ...OF_EDITORS];

/** Of these all of the folder counts in the home: with whom its client trusts what, and what it loads. */
export const WHOLE_IN_HOME: readonly string[] = [".gemini"];

/** Settings of a project by their name alone. */
export const SETTINGS_FILES: readonly string[] = ["opencode.json", "opencode.jsonc"];

/** Settings of the machine by their name alone, and folders of them. */
const MANAGED_FILES = ["managed-settings.json", "managed-settings.d"];

/** The machine's own, in /etc. */
export const SYSTEM_FOLDERS: readonly string[] = ["claude-code", "codex", "gemini-cli", "opencode"];
/** Those of macOS. */
const LIBRARY_FOLDERS = ["claudecode", "codex", "geminicli", "opencode"];

function alternatives(names: readonly string[]): string {
  return names.map((name) => name.replaceAll(".", "\\.")).join("|");
}

/** A folded path, absolute and normal, that is one by its names alone. A folder of them as a whole is one, too. */
export const SETTINGS_BY_NAME = new RegExp(
  [
    ...SETTINGS_PLACES.map(({ folder, files, isWhole }) =>
      isWhole
        ? `/${alternatives([folder])}(?:/.*)?$`
        : `/${alternatives([folder])}(?:/(?:${alternatives(files)})(?:/.*)?)?$`,
    ),
    `/(?:${alternatives(SETTINGS_FILES)})$`,
    `/(?:${alternatives(MANAGED_FILES)})(?:/.*)?$`,
    `^(?:/private)?/etc/(?:${alternatives(SYSTEM_FOLDERS)})(?:/|$)`,
    `/library/application support/(?:${alternatives(LIBRARY_FOLDERS)})(?:/|$)`,
  ].join("|"),
  "s",
);

/** By names alone, of a folder: it can hold other things only. */
export const SETTINGS_FOLDER_BY_NAME = new RegExp(
  `/(?:${alternatives(SETTINGS_PLACES.map(({ folder }) => folder))})$`,
  "s",
);

/** A place that the environment names: a folder, or a single file. `files`: what of it counts; null where all of it does. */
export interface MovedPlace {
  path: string;
  files: readonly string[] | null;
}

/** Where the environment says that clients keep their settings. */
export function movedPlaces(env: GuardEnv | undefined): MovedPlace[] {
  if (env === undefined) return [];
  const places: [string | undefined, string, readonly string[] | null][] = [
    [env.CLAUDE_CONFIG_DIR, "", CLAUDE_CODE],
    [env.CODEX_HOME, "", null],
    [env.XDG_CONFIG_HOME, "/opencode", null],
    [env.XDG_CONFIG_HOME, "/zed", ZED],
    [env.OPENCODE_CONFIG_DIR, "", null],
    [env.OPENCODE_CONFIG, "", null],
    [env.OPENCODE_TUI_CONFIG, "", null],
    [env.GEMINI_CLI_HOME, "/.gemini", null],
    [env.GEMINI_CLI_TRUSTED_FOLDERS_PATH, "", null],
    [env.GEMINI_CLI_SYSTEM_SETTINGS_PATH, "", null],
    [env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH, "", null],
  ];
  return places.flatMap(([named, below, files]) => {
    // A root would take in everything.
    if (!named?.startsWith("/") || /^\/+$/.test(named)) return [];
    return [{ path: named.replace(/(.)\/+$/, "$1") + below, files }];
  });
}
