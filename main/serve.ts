import { type Env, gatePaths } from "../ipc/base/paths.ts";
import type { Alarm } from "../ipc/contract/alarms.ts";
import type { GateError } from "../ipc/contract/gate-error.ts";
import { isoSeconds } from "../ipc/contract/iso-seconds.ts";
import type { Language } from "../ipc/contract/language.ts";
import { AgentServer } from "../ipc/socket/agent-server.ts";
import { OperatorServer } from "../ipc/socket/operator-server.ts";
import type { AgentPause } from "./agents/index.ts";
import type { Clock } from "./base/clocks/clock.ts";
import { openFilesFor, requireOpenFiles } from "./base/files/open-files.ts";
import { operatorToken } from "./base/files/operator-token.ts";
import { prepareSocket, socketError } from "./base/files/socket-path.ts";
import { HeapKeeper } from "./base/heap-keeper.ts";
import type { DatabaseName } from "./base/sqlite/database-names.ts";
import type { LoginItem } from "./config/index.ts";
import { BoxedAgents } from "./core/boxed-agents.ts";
import type { ChannelNote } from "./core/channel.ts";
import { type Core, openCore } from "./core/core.ts";
import { AGENT_UNREAD, agentPausedMessage, GatePort, pausedMessage } from "./core/gate-port.ts";
import { announceRestart, startPaused } from "./core/restart.ts";
import { withoutKindText } from "./decide/policy/policy.ts";
import { hookPipes } from "./hooks/answering/pipe-answers.ts";
import type { HookPipes } from "./hooks/hook-pipes.ts";
import type { SignedCheckpoint } from "./records/audit/checkpoint.ts";
import {
  type Channels,
  type GateNotifications,
  type NotificationOptions,
  Operator,
  pageReview,
  SharedScreen,
  startChannels,
  startNotifications,
} from "./surfaces/index.ts";

/** A gate that serves both sockets. `close` leaves waiting requests in the registry for the next start. */
export interface RunningGate {
  core: Core;
  operator: Operator;
  notifications: GateNotifications;
  /** Resolves with the reason if the gate can't continue: it decides nothing any more, and has to be closed. */
  ended: Promise<GateError>;
  close(): Promise<void>;
}

export interface ServeOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Takes one line for each event. */
  log?: (line: string) => void;
  /** False: no line for each decision, as they are shown in another way. */
  logsDecisions?: boolean;
  clock?: Clock;
  frameTimeoutMs?: number;
  /** So many hooks, and so many confined commands, may begin at once before more pipes for them are made. */
  pipesAhead?: number;
  /** What starts the gate at login: the desktop app's entry, or the service. */
  login_item?: LoginItem | undefined;
  /** False: none, whatever the configuration says. */
  notifications?: NotificationOptions | false;
  /** Serve the page to a browser, too: its links come from the operator's `web.link`. */
  web?: boolean;
  /** How the previous gate died: `SIGKILL`, `exit code 7`. */
  restartedAfter?: string;
  /** The gate before died while a pause was neither stored nor kept: this one starts paused. */
  startsPaused?: boolean;
  /** Databases that may begin empty although others don't. */
  acceptEmpty?: readonly DatabaseName[];
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** The operator's clients may lag behind: events are sent whether they read them or not. */
const OPERATOR_UNREAD = { pauseBytes: 256 * KIB, total_bytes: 64 * MIB, maxBytes: 64 * MIB, patienceMs: 30_000 };

/**
 * Opens the core and both sockets.
 * @throws GateError (`too_few_files`, `already_running`, `invalid_config`, `database_*`, `folder_not_private`, `socket_unusable`, `page_not_built`)
 */
export async function serveGate(options: ServeOptions = {}): Promise<RunningGate> {
  const log = options.log ?? (() => undefined);
  const { env, clock, acceptEmpty = [], logsDecisions, pipesAhead } = options;
  requireOpenFiles(gatePaths(env).state_dir);
  const core = await openCore({ env, clock, acceptEmpty, log, logsDecisions, pipesAhead, keepsProjects: true });
  logAlarms(core, log);
  logLeftOut(core, log);
  if (options.restartedAfter !== undefined) announceRestart(core, options.restartedAfter);
  try {
    if (options.startsPaused === true) startPaused(core);
    const ended = lossOf(core);
    return { ...(await serveCore(core, log, options)), ended };
  } catch (error) {
    core.close();
    throw error;
  }
}

/** Resolves with the reason if a lock, a socket or a database isn't the gate's any more. */
function lossOf({ listeners, storage }: Core): Promise<GateError> {
  return new Promise((resolve) => {
    listeners.add(["gate.lost"], ({ data }) => resolve(data));
    if (storage.watch.loss !== undefined) resolve(storage.watch.loss);
  });
}

/** Agents that policy_overrides.toml leaves out, though it is for kinds of agents: whoever wrote it may not know of them. */
function logLeftOut({ agents, overrides }: Core, log: (line: string) => void): void {
  const paired = agents.list().flatMap(({ name, revoked_at }) => (revoked_at === null ? [name] : []));
  const leftOut = overrides.withoutKind(paired);
  if (leftOut.length > 0) log(`policy_overrides.toml: ${withoutKindText(leftOut)}`);
}

async function serveCore(
  core: Core,
  log: (line: string) => void,
  { env = process.env, frameTimeoutMs, pipesAhead, login_item, notifications: wanted, web, clock }: ServeOptions,
): Promise<Omit<RunningGate, "ended">> {
  const { paths, config } = core;
  for (const path of [paths.operator_socket, paths.agent_socket]) prepareSocket(path, paths.state_dir);
  if (core.settings.warning !== undefined) log(core.settings.warning);
  const { max_connections, mostPairs } = openFilesFor(config.socket.max_connections);
  const unread = unreadOf(config.socket.max_unread_bytes);
  const port = new GatePort(core, log);
  const agents = new AgentServer({ path: paths.agent_socket, max_connections, unread, frameTimeoutMs }, port);
  informAgents(core, agents);
  const boxedAgents = new BoxedAgents(core, { env, server: { unread, frameTimeoutMs }, log });
  const hooks = pipesOf(core, env, pipesAhead, mostPairs);
  // Loaded here: what serves a page takes 8 MB.
  const page = web ? (await import("./surfaces/gate-page.ts")).gatePage(core, log, clock) : undefined;
  let notifications: GateNotifications | undefined;
  let channels: Channels | undefined;
  const operator = new Operator(core, {
    connections: agents,
    boxedAgents,
    browserPage: page,
    notifications: () => notifications,
    channels: () => channels,
    ...(login_item === undefined ? {} : { login_item }),
  });
  const operators = new OperatorServer(
    { path: paths.operator_socket, max_connections: 64, unread: OPERATOR_UNREAD },
    operatorToken(paths.operatorToken),
    operator.on("terminal"),
    (what, error) => port.failed(what, error),
  );
  const close = async () => {
    hooks.close();
    await page?.close();
    core.gate.waiting.reviews.stop();
    const agentsClosed = Promise.all([agents.close(), boxedAgents.close()]);
    core.gate.waiting.forget();
    await agentsClosed;
    await operators.close();
  };
  try {
    await page?.listen(operator.on("page"));
    const { watch } = core.storage;
    const named = (path: string) => (error: unknown) => Promise.reject(socketError(error, path));
    const { operator_socket, agent_socket } = paths;
    watch.addHeld("gate", "socket", operator_socket, await operators.listen().catch(named(operator_socket)));
    watch.addHeld("gate", "socket", agent_socket, await agents.listen().catch(named(agent_socket)));
  } catch (error) {
    await close();
    throw error;
  }
  beginSoon(hooks, core);
  const review = page === undefined ? undefined : pageReview(page.url, env, log);
  const options = wanted === false ? false : { ...(review === undefined ? {} : { review }), ...wanted };
  const calling = startCalling(core, operator, options, { page_url: page?.url, env, log });
  ({ notifications, channels } = calling);
  sendCheckpoints(core, log);
  const heap = new HeapKeeper();
  return {
    core,
    operator,
    notifications: calling.notifications,
    async close() {
      core.storage.watch.stop();
      heap.stop();
      await calling.close();
      await close();
      core.close();
    },
  };
}

const unreadOf = (maxBytes: number) => ({
  ...AGENT_UNREAD,
  pauseBytes: Math.min(AGENT_UNREAD.pauseBytes, maxBytes / 2),
  maxBytes,
});

/** Closed with the gate, or once it isn't the gate any more. */
function pipesOf(
  { paths: { state_dir }, listeners, failed }: Core,
  env: Env,
  ahead: number | undefined,
  most: number,
): HookPipes {
  const pipes = hookPipes({ state_dir, env, ahead, most, failed });
  listeners.add(["gate.lost"], () => pipes.close());
  return pipes;
}

/** The first pipes are made by a program: whoever waits for the sockets doesn't wait for it. */
function beginSoon(hooks: HookPipes, { failed }: Core): void {
  setImmediate(() => void hooks.begin().catch((error: unknown) => failed("making the pipes of hooks", error)));
}

/** Everything that calls the user: on this desktop, and elsewhere. */
function startCalling(
  core: Core,
  operator: Operator,
  options: NotificationOptions | false,
  parts: { page_url: string | undefined; env: Env; log(line: string): void },
) {
  const { config, clock, notes } = core;
  const { env, log } = parts;
  const screen = new SharedScreen({
    config,
    env,
    changed: () => core.publish({ type: "channels.changed", data: {} }),
    log,
  });
  const calling = { screen, clock, notes };
  const notifications = startNotifications(operator.on("notification"), config, options, env, log, calling);
  const channels = startChannels({
    ...parts,
    core,
    operatorOn: (surface) => operator.on(surface),
    screen,
    notifications,
  });
  const close = async () => {
    await Promise.all([notifications.close(), channels.close(), screen.close()]);
  };
  return { notifications, channels, close };
}

/** Sends a pause and its end to the agents, and ends their connections with the gate. */
function informAgents({ listeners, agent_pauses, safety }: Core, agents: AgentServer): void {
  const tellOfOwnPause = (agentId: string, pause: AgentPause | null) => {
    const message = agentPausedMessage(pause);
    if (message !== null) agents.tell(agentId, "safety.paused", message);
    else agents.tell(agentId, "safety.resumed", {});
  };
  listeners.add(["safety.paused", "safety.resumed"], ({ data: pause }) => {
    const message = pausedMessage(pause);
    if (message !== null) return agents.broadcast("safety.paused", message);
    agents.broadcast("safety.resumed", {});
    for (const one of agent_pauses.list()) tellOfOwnPause(one.agent_id, one);
  });
  listeners.add(["agent.pause"], ({ data: { agent_id, pause } }) => {
    // While the gate is paused, that is what they know of.
    if (safety.pause.reason === undefined) tellOfOwnPause(agent_id, pause);
  });
  listeners.add(["gate.lost"], ({ data: { message, hint } }) => agents.dismiss({ code: "closing", message, hint }));
}

/** Sends the day's checkpoint of the trail to where the user looks anyway (`[receipts] send_checkpoint`). */
function sendCheckpoints(
  { checkpoints, config, notes }: Pick<Core, "checkpoints" | "config" | "notes">,
  log: (line: string) => void,
): void {
  const { send_checkpoint } = config.receipts;
  checkpoints.daily.subscribe((checkpoint) => {
    // Quoted, so that it is one line, and `audit verify --against -` can read it there.
    if (send_checkpoint.includes("journal")) log(`checkpoint ${JSON.stringify(checkpoint.text)}`);
    const only = send_checkpoint.filter((name) => name !== "journal");
    if (only.length > 0) notes.say({ ...checkpointNote(checkpoint, config.language), only });
  });
  checkpoints.daily.start();
}

const TITLES: Readonly<Record<Language, (lines: number, at: string) => string>> = {
  en: (lines, at) => `Checkpoint of the audit trail: ${lines} lines, ${at}`,
  it: (lines, at) => `Checkpoint del registro: ${lines} righe, ${at}`,
};

/** Its lines as they are signed, to be copied. */
function checkpointNote({ size, ms, text }: SignedCheckpoint, language: Language): ChannelNote {
  const lines = text.split("\n").slice(0, -1);
  return { kind: "checkpoint", is_urgent: false, title: TITLES[language](size, isoSeconds(ms)), lines };
}

/** Writes a line into the gate's log for each alarm that is raised, and one when it has ended. */
function logAlarms({ alarms, subscribe }: Pick<Core, "alarms" | "subscribe">, log: (line: string) => void): void {
  let known = new Map<string, Alarm>();
  const compare = (list: readonly Alarm[]) => {
    const current = new Map(list.map((alarm) => [`${alarm.code} ${alarm.subject}`, alarm]));
    for (const [key, { code, message, hint }] of current) {
      if (known.get(key)?.message !== message) log(`ALARM ${code}: ${message}; ${hint}`);
    }
    for (const [key, { code, message }] of known) if (!current.has(key)) log(`alarm over ${code}: ${message}`);
    known = current;
  };
  compare(alarms.list());
  subscribe(
    (event) => {
      if (event.type === "alarms.changed") compare(event.data);
    },
    ["alarms.changed"],
  );
}
