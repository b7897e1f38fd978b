import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where the gate's files are. The required folders are the defaults; XDG_* moves them, METNOS_* moves single files.
 * Imports nothing but Node, so that the hook's fast path can use it.
 */
export interface GatePaths {
  configDir: string;
  configFile: string;
  /** The settings chosen on a surface. */
  chosenFile: string;
  executorsDir: string;
  state_dir: string;
  grants_db: string;
  approvals_db: string;
  agents_db: string;
  activity_db: string;
  /** What each call was, without its values. */
  lines_db: string;
  safety_db: string;
  /** What the user made stricter for some agents (docs/profiles.md). */
  policy_overrides: string;
  /** The private key that signs receipts and checkpoints. */
  receiptKey: string;
  /** Monthly files of signed receipts (docs/receipts.md). */
  receiptsDir: string;
  /** Monthly files of signed checkpoints of the trail. */
  checkpointsDir: string;
  /** What the gate knows of its checkpoints. Earlier versions kept a tree of the trail's in it. */
  checkpointRecord: string;
  /** How good each model was as judge when it was measured last. */
  judgeResults: string;
  /** Records where the trail ends, so that a removed or edited last line is noticed. */
  auditHead: string;
  /** Pauses that their databases could not store. */
  keptPauses: string;
  /** Reserved disk space for the trail, the pause and answers. */
  auditReserve: string;
  stateReserve: string;
  /** There while a restore isn't finished: no gate starts then. */
  restoreJournal: string;
  /** Held locked while a gate runs. */
  lockDb: string;
  operatorToken: string;
  /** Secrets that were given on the page: a Telegram bot's token, a model's key. */
  telegramToken: string;
  judgeKey: string;
  agentTokensDir: string;
  /** Monthly audit files (docs/decisions/requirements-vaglio.md, "Log"). */
  auditDir: string;
  runtimeDir: string;
  agent_socket: string;
  operator_socket: string;
  /** What starts the gate at login: the desktop app's entry, a systemd user unit, a launchd agent. */
  autostartEntry: string;
  systemdUnit: string;
  launchAgent: string;
  /** Files that hold models' keys, wherever the configuration says that they are. */
  keyFiles: readonly string[];
  /** The programs of judge agents, and the files that their commands name. */
  judgePrograms: readonly string[];
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
export type AgentPaths = Pick<GatePaths, "state_dir" | "agentTokensDir" | "runtimeDir" | "agent_socket">;

/** @throws PathError where HOME or a METNOS_* path is not absolute */
export function agentPaths(env: Env = process.env): AgentPaths {
  const home = homeFolder(env);
  for (const name of PATH_VARIABLES) refuseRelative(name, env[name]);
  const stateDir = join(baseFolder(env.XDG_STATE_HOME, home, ".local/state"), "metnos");
  const runtimeDir = env.METNOS_RUNTIME_DIR || join(stateDir, "run");
  return {
    state_dir: stateDir,
    agentTokensDir: join(stateDir, "agents"),
    runtimeDir,
    agent_socket: env.METNOS_GATE_SOCKET || join(runtimeDir, "gate.sock"),
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
  const configHome = baseFolder(env.XDG_CONFIG_HOME, home, ".config");
  const configDir = join(configHome, "metnos");
  const dataDir = join(baseFolder(env.XDG_DATA_HOME, home, ".local/share"), "metnos");
  const { state_dir } = agent;
  return {
    ...agent,
    configDir,
    configFile: env.METNOS_CONFIG || join(configDir, "gate.toml"),
    chosenFile: join(configDir, "chosen.json"),
    executorsDir: join(configDir, "executors"),
    grants_db: env.METNOS_GRANTS_DB || join(state_dir, "grants.db"),
    approvals_db: env.METNOS_APPROVALS_DB || join(state_dir, "approvals.db"),
    agents_db: join(state_dir, "agents.db"),
    activity_db: join(state_dir, "activity.db"),
    lines_db: join(state_dir, "activity-lines.db"),
    safety_db: join(state_dir, "safety.db"),
    policy_overrides: join(configDir, "policy_overrides.toml"),
    receiptKey: join(state_dir, "receipts.key"),
    receiptsDir: join(dataDir, "receipts"),
    checkpointsDir: join(dataDir, "checkpoints"),
    checkpointRecord: join(state_dir, "audit-tree"),
    judgeResults: join(state_dir, "judge-results.json"),
    auditHead: join(state_dir, "audit-head"),
    keptPauses: join(state_dir, "kept-pauses"),
    auditReserve: join(dataDir, "vaglio", "reserve"),
    stateReserve: join(state_dir, "reserve"),
    restoreJournal: join(state_dir, "restore.journal"),
    lockDb: join(state_dir, "gate.lock"),
    operatorToken: join(state_dir, "operator.token"),
    telegramToken: join(state_dir, "telegram.token"),
    judgeKey: join(state_dir, "judge.key"),
    auditDir: join(dataDir, "vaglio"),
    operator_socket: join(agent.runtimeDir, "operator.sock"),
    autostartEntry: join(configHome, "autostart/metnos-gate.desktop"),
    systemdUnit: join(configHome, "systemd/user/metnos-gate.service"),
    launchAgent: join(home, "Library/LaunchAgents/org.metnos.gate.plist"),
    keyFiles: [],
    judgePrograms: [],
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
  return join(paths.agentTokensDir, `${name}.token`);
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
