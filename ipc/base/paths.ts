import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where the gate's files are. The required folders are the defaults; XDG_* moves them, METNOS_* moves single files.
 * Imports nothing but Node, so that the hook's fast path can use it.
 */
export interface GatePaths {
  config_dir: string;
  config_file: string;
  /** The settings chosen on a surface. */
  chosen_file: string;
  executors_dir: string;
  state_dir: string;
  grants_db: string;
  approvals_db: string;
  agents_db: string;
  activity_db: string;
  safety_db: string;
  /** What the user made stricter for some agents (docs/profiles.md). */
  policy_overrides: string;
  /** The private key that signs receipts and checkpoints. */
  receipt_key: string;
  /** Monthly files of signed receipts (docs/receipts.md). */
  receipts_dir: string;
  /** Monthly files of signed checkpoints of the trail. */
  checkpoints_dir: string;
  /** What the gate knows of its checkpoints. Earlier versions kept a tree of the trail's in it. */
  checkpoint_record: string;
  /** How good each model was as judge when it was measured last. */
  judge_results: string;
  /** Records where the trail ends, so that a removed or edited last line is noticed. */
  audit_head: string;
  /** Pauses that their databases could not store. */
  kept_pauses: string;
  /** Reserved disk space for the trail, the pause and answers. */
  audit_reserve: string;
  state_reserve: string;
  /** Held locked while a gate runs. */
  lock_db: string;
  operator_token: string;
  agent_tokens_dir: string;
  /** Monthly audit files (docs/decisions/requirements-vaglio.md, "Log"). */
  audit_dir: string;
  runtime_dir: string;
  agent_socket: string;
  operator_socket: string;
  /** What starts the gate at login: the desktop app's entry, a systemd user unit, a launchd agent. */
  autostart_entry: string;
  systemd_unit: string;
  launch_agent: string;
  /** Files that hold models' keys, wherever the configuration says that they are. */
  key_files: readonly string[];
  /** The programs of judge agents, and the files that their commands name. */
  judge_programs: readonly string[];
}

/** The environment variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

/** An environment variable for a path that can't be used. */
export class PathError extends Error {
  readonly code = "invalid_path";
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.name = "PathError";
    this.hint = hint;
  }
}

/** The environment variables that decide where the gate's files are. */
export const PLACE_VARIABLES = [
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_DATA_HOME",
  "METNOS_CONFIG",
  "METNOS_GRANTS_DB",
  "METNOS_APPROVALS_DB",
  "METNOS_RUNTIME_DIR",
  "METNOS_GATE_SOCKET",
] as const;

/** A relative path would depend on the working directory of each program. */
const PATH_VARIABLES = PLACE_VARIABLES.filter((name) => name.startsWith("METNOS_"));

/** What an agent needs of them: all that the hook works out, for each call. */
export type AgentPaths = Pick<GatePaths, "state_dir" | "agent_tokens_dir" | "runtime_dir" | "agent_socket">;

/** @throws PathError where HOME or a METNOS_* path is not absolute */
export function agentPaths(env: Env = process.env): AgentPaths {
  const home = homeFolder(env);
  for (const name of PATH_VARIABLES) refuseRelative(name, env[name]);
  const state_dir = join(baseFolder(env.XDG_STATE_HOME, home, ".local/state"), "metnos");
  const runtime_dir = env.METNOS_RUNTIME_DIR || join(state_dir, "run");
  return {
    state_dir,
    agent_tokens_dir: join(state_dir, "agents"),
    runtime_dir,
    agent_socket: env.METNOS_GATE_SOCKET || join(runtime_dir, "gate.sock"),
  };
}

/** The program that starts a confined command. */
export function boxLauncher({ state_dir }: Pick<GatePaths, "state_dir">): string {
  return join(state_dir, "box", "metnos-gate-box");
}

/**
 * The places for an environment. Relative XDG values are ignored, as the XDG specification says.
 * @throws PathError where HOME or a METNOS_* path is not absolute
 */
export function gatePaths(env: Env = process.env): GatePaths {
  const agent = agentPaths(env);
  const home = homeFolder(env);
  const config_home = baseFolder(env.XDG_CONFIG_HOME, home, ".config");
  const config_dir = join(config_home, "metnos");
  const data_dir = join(baseFolder(env.XDG_DATA_HOME, home, ".local/share"), "metnos");
  const { state_dir } = agent;
  return {
    ...agent,
    config_dir,
    config_file: env.METNOS_CONFIG || join(config_dir, "gate.toml"),
    chosen_file: join(config_dir, "chosen.json"),
    executors_dir: join(config_dir, "executors"),
    grants_db: env.METNOS_GRANTS_DB || join(state_dir, "grants.db"),
    approvals_db: env.METNOS_APPROVALS_DB || join(state_dir, "approvals.db"),
    agents_db: join(state_dir, "agents.db"),
    activity_db: join(state_dir, "activity.db"),
    safety_db: join(state_dir, "safety.db"),
    policy_overrides: join(config_dir, "policy_overrides.toml"),
    receipt_key: join(state_dir, "receipts.key"),
    receipts_dir: join(data_dir, "receipts"),
    checkpoints_dir: join(data_dir, "checkpoints"),
    checkpoint_record: join(state_dir, "audit-tree"),
    judge_results: join(state_dir, "judge-results.json"),
    audit_head: join(state_dir, "audit-head"),
    kept_pauses: join(state_dir, "kept-pauses"),
    audit_reserve: join(data_dir, "vaglio", "reserve"),
    state_reserve: join(state_dir, "reserve"),
    lock_db: join(state_dir, "gate.lock"),
    operator_token: join(state_dir, "operator.token"),
    audit_dir: join(data_dir, "vaglio"),
    operator_socket: join(agent.runtime_dir, "operator.sock"),
    autostart_entry: join(config_home, "autostart/metnos-gate.desktop"),
    systemd_unit: join(config_home, "systemd/user/metnos-gate.service"),
    launch_agent: join(home, "Library/LaunchAgents/org.metnos.gate.plist"),
    key_files: [],
    judge_programs: [],
  };
}

function baseFolder(value: string | undefined, home: string, fallback: string): string {
  return value && isAbsolute(value) ? value : join(home, fallback);
}

/** The user's home folder, without a trailing slash. @throws PathError where HOME is empty or relative, or there is none */
export function homeFolder(env: Env): string {
  if (env.HOME === "") throw new PathError("HOME is empty", "set it to your home folder: its absolute path");
  refuseRelative("HOME", env.HOME);
  try {
    const home = env.HOME ?? homedir();
    if (isAbsolute(home)) return home.endsWith("/") ? home.replace(/(.)\/+$/, "$1") : home;
  } catch {
    // a user without a passwd entry: reported below
  }
  throw new PathError("this user has no home folder", "set HOME to one: its absolute path");
}

function refuseRelative(name: string, value: string | undefined): void {
  if (!value || isAbsolute(value)) return;
  throw new PathError(`${name} is a relative path: ${JSON.stringify(value)}`, `set ${name} to an absolute path`);
}

/** The file in which an agent's adapter finds its token. `name` must be a valid agent name. */
export function agentTokenFile(paths: AgentPaths, name: string): string {
  return join(paths.agent_tokens_dir, `${name}.token`);
}

/** The user on whose behalf local agents ask: channel `local`, the operating system's user name. */
export function localPrincipal(): { channel: string; sender_id: string } {
  try {
    return { channel: "local", sender_id: userInfo().username };
  } catch {
    // A uid without a passwd entry (containers) still is one principal.
    return { channel: "local", sender_id: `uid-${process.getuid?.() ?? 0}` };
  }
}
