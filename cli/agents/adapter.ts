import type { Env } from "../../ipc/base/paths.ts";
import type { KnownAgent } from "../../ipc/contract/agent-kind.ts";
import type { Check } from "../check.ts";

/** What the command does for one client that people run: `connect`, `doctor` and `run` are the same for each of them. */

export type AdapterName = KnownAgent;

export interface Adapter {
  /** As `connect`, `run` and `hook` call it; the name it is paired under. */
  readonly name: AdapterName;
  /** As people call it. */
  readonly title: string;
  /** The program that starts it, as PATH has it. */
  readonly program: string;
  /** An administrator's settings can hold the hook, which then takes precedence over all others. */
  readonly hasManaged?: true;
  /** Its sessions that run while it is connected ask the gate from then on; others have to be started again. */
  readonly takesHookAtOnce?: true;
  /**
   * Puts the gate in front of it. Running it again changes nothing; other people's entries stay, and a file that can't be read is left
   * as it is. @throws GateError that names the file
   */
  connect(options: ConnectOptions): Promise<ConnectResult>;
  /** Takes out what `connect` put there, and nothing else. */
  disconnect(options: ConnectOptions): Promise<ConnectResult>;
  /** Whether the gate is asked before each of its tools in this folder: a check for each thing that is wrong, one if nothing is. */
  checks(context: CheckContext): Promise<Check[]>;
  /** How `run` starts it so that the gate is asked, without changing a file of the user's. */
  launch(options: LaunchOptions): Promise<Launch>;
}

export interface ConnectOptions {
  /** Only for the project in this folder. */
  project: boolean;
  /** How long the gate takes for an answer at the most, in seconds: what waits for it waits longer. */
  answerSeconds: number;
  /** The client's own program; left out, the one on PATH. */
  client?: string;
  /** In the settings of an administrator, where the client has such (`hasManaged`). */
  managed?: boolean;
}

export interface ConnectResult {
  /** The file that holds what calls the gate. */
  file: string;
  changed: boolean;
  /** The file as it was before, if it was there. */
  backup: string | null;
  /** Commands that only an administrator can run: until then nothing has changed. */
  todo?: readonly string[];
  /** What the user should know besides, one sentence each. */
  notes?: readonly string[];
}

export interface CheckContext {
  cwd: string;
  env: Env;
  answerSeconds: number;
  /** The client's own program; left out, the one on PATH. */
  client?: string;
}

export interface LaunchOptions extends CheckContext {
  /** The user's own arguments. */
  args: readonly string[];
  /** All of it runs in a box of the gate's. */
  isBoxed?: boolean;
}

export interface Launch {
  program: string;
  args: readonly string[];
  /** Added to the environment; undefined takes a variable out of it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Files of the gate's that its words or its environment name: a box has to show them. */
  files?: readonly string[];
  notes?: readonly string[];
}
