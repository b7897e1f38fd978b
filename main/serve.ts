import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentServer } from "../ipc/agent-server.ts";
import { OperatorServer } from "../ipc/operator-server.ts";
import { describe, GatePort, pausedMessage } from "./agent-port.ts";
import { logAlarms } from "./alarm-log.ts";
import { type Core, type CoreHooks, openCore } from "./core.ts";
import { errorCode, GateError } from "./gate/errors.ts";
import { HeapKeeper } from "./heap-keeper.ts";
import { type GateNotifications, type NotificationOptions, startNotifications } from "./notifications/start.ts";
import type { AgentConnections } from "./operator/handlers.ts";
import { Operator } from "./operator/operator.ts";
import { tellRestart } from "./restart.ts";
import type { LoginItem } from "./settings.ts";
import type { DatabaseName } from "./storage/database-names.ts";
import { WebPage } from "./web/web-page.ts";

/** A gate that serves both sockets. `close` leaves what waits in the registry for the next start. */
export interface RunningGate {
  core: Core;
  operator: Operator;
  notifications: GateNotifications;
  /** Resolves with the reason if the gate can't go on: it decides nothing any more, and has to be closed. */
  ended: Promise<GateError>;
  close(): Promise<void>;
}

export interface ServeOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** One line for each thing that happens. */
  log?: (line: string) => void;
  now?: () => number;
  frame_timeout_ms?: number;
  /** Where a desktop app runs the gate. */
  login_item?: LoginItem;
  /** False: none, whatever the configuration says. */
  notifications?: NotificationOptions | false;
  /** Serve the page to a browser, too: its links come from the operator's `web.link`. */
  web?: boolean;
  /** How the gate before this one died: `SIGKILL`, `exit code 7`. */
  restarted_after?: string;
  /** Databases that may begin empty although others don't. */
  accept_empty?: readonly DatabaseName[];
}

/**
 * Opens the core and both sockets.
 * @throws GateError (`already_running`, `invalid_config`, `database_*`, `page_not_built`), or the system's error of a socket
 */
export async function serveGate(options: ServeOptions = {}): Promise<RunningGate> {
  const log = options.log ?? (() => undefined);
  let agents: AgentServer | undefined;
  const { env, now, accept_empty = [] } = options;
  const ended = Promise.withResolvers<GateError>();
  const hooks: CoreHooks = {
    decided({ agent_name, executor, decision }) {
      const capabilities = [...new Set(decision.capabilities.map(({ capability }) => capability))].join("+") || "-";
      const status = decision.status === undefined ? "" : ` ${decision.status}`;
      log(
        `${decision.outcome}${status} ${agent_name} ${executor} ${capabilities} ${decision.stage} ${decision.decision_id}`,
      );
    },
    pause_changed(pause) {
      log(pause.is_paused ? `paused by ${pause.by}` : "resumed");
      const told = pausedMessage(pause);
      if (told !== null) agents?.broadcast("safety.paused", told);
      else agents?.broadcast("safety.resumed", {});
    },
    failed: (what, error) => log(`error in ${what}: ${describe(error)}`),
    noted: log,
    lost(loss) {
      log(loss.message);
      agents?.dismiss({ code: "closing", message: loss.message, hint: loss.hint });
      ended.resolve(loss);
    },
  };
  const core = await openCore({ env, now, accept_empty, hooks });
  logAlarms(core, log);
  if (options.restarted_after !== undefined) tellRestart(core, options.restarted_after);
  try {
    const served = await serveCore(core, log, options, (server) => {
      agents = server;
    });
    return { ...served, ended: ended.promise };
  } catch (error) {
    core.close();
    throw error;
  }
}

async function serveCore(
  core: Core,
  log: (line: string) => void,
  { env = process.env, frame_timeout_ms, login_item, notifications: wanted, web, now }: ServeOptions,
  made: (agents: AgentServer) => void,
): Promise<Omit<RunningGate, "ended">> {
  const { places, config } = core;
  for (const folder of [places.runtime_dir, dirname(places.agent_socket)]) makePrivate(folder, places.state_dir);
  const limits = { max_connections: config.socket.max_connections, max_unread_bytes: config.socket.max_unread_bytes };
  const port = new GatePort(core, log);
  const agents = new AgentServer({ path: places.agent_socket, ...limits, frame_timeout_ms }, port);
  made(agents);
  const connections: AgentConnections = {
    count: () => agents.connection_count,
    connected: () => agents.connected(),
    slow_dropped: () => port.slow_dropped,
    pairing_requests: () => agents.pairingRequests(),
    admit: (agent) => agents.admit(agent.name, agent),
    turn_away: (name) => agents.turnAway(name),
    refuse: (name) => agents.refuse(name),
    drop: (agent_id) => agents.drop(agent_id),
  };
  const page = web ? webPage(core, log, now) : undefined;
  const operator = new Operator(core, {
    connections,
    browser_page: page,
    ...(login_item === undefined ? {} : { login_item }),
  });
  // The human's own tools listen longer than a slow reader would: an event stream may lag.
  const operators = new OperatorServer(
    { path: places.operator_socket, max_connections: 64, max_unread_bytes: 256 * 1024 * 1024 },
    operatorToken(places.operator_token),
    operator,
    (what, error) => port.failed(what, error),
  );
  const close = async () => {
    await page?.close();
    await agents.close();
    await operators.close();
  };
  try {
    await page?.listen(operator);
    const { watch } = core.storage;
    watch.addHeld("gate", "socket", places.operator_socket, await operators.listen());
    watch.addHeld("gate", "socket", places.agent_socket, await agents.listen());
  } catch (error) {
    await close();
    throw error;
  }
  const notifications = startNotifications(operator, core.config, wanted ?? {}, env, log);
  const heap = new HeapKeeper();
  return {
    core,
    operator,
    notifications,
    async close() {
      core.storage.watch.stop();
      heap.stop();
      await notifications.close();
      await close();
      core.close();
    },
  };
}

/** The page in a browser; each use of a link is in the log and in the trail. */
function webPage({ config, audit, places }: Core, log: (line: string) => void, now: ServeOptions["now"]): WebPage {
  const entered = () => {
    audit.append({ event: "web.entered", ts: Date.now() / 1000 });
    audit.flush();
  };
  return new WebPage(
    {
      ...config.web,
      port_file: join(places.state_dir, "web-port"),
      has_metrics: config.metrics.enabled,
      ...(now === undefined ? {} : { now }),
    },
    { log, entered },
  );
}

/**
 * A folder that only its owner enters. One of our own is closed where it is open; one that was named (`METNOS_RUNTIME_DIR`,
 * `METNOS_GATE_SOCKET`) may be somebody's `/tmp`: it isn't ours to close.
 */
function makePrivate(folder: string, state_dir: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) === 0) return;
  if (!folder.startsWith(`${state_dir}/`)) {
    throw new GateError(
      "folder_not_private",
      `the sockets' folder ${folder} is open to others`,
      `name a folder of their own, or close it: chmod 700 ${folder}`,
    );
  }
  chmodSync(folder, 0o700);
}

/** The operator's token: 32 random bytes in a 0600 file, made once. */
function operatorToken(file: string): string {
  try {
    const token = readFileSync(file, "utf8").trim();
    if (/^[0-9a-f]{64}$/.test(token)) {
      chmodSync(file, 0o600);
      return token;
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const token = randomBytes(32).toString("hex");
  writeFileSync(`${file}.new`, `${token}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return token;
}
