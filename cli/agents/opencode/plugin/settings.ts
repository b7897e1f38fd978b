/** What `connect` writes into the plugin, where it replaces this text: the plugin is one file, and a project's variables don't reach it. */
export const PLACEHOLDER = "{metnos-gate settings}";

export interface PluginSettings {
  /** The version of the gate that wrote it. */
  version: string;
  socket: string;
  token_file: string;
  /** Where the gate keeps which clients were tested. */
  state_dir: string;
  /** Where each OpenCode that has loaded the plugin says so: a file by its process id. */
  loaded_dir: string;
  /** How long an answer is waited for, in seconds. */
  wait_seconds: number;
  /** What the user types, as it is called here. */
  commands: { start: string; connect: string; outside: string; watch: string };
  /** In the test of a client: its folder. No gate is asked there. */
  test_folder?: string;
}
