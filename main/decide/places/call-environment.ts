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
