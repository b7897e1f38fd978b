import { AgentServer } from "../ipc/agent-server.ts";
import { OperatorServer } from "../ipc/operator-server.ts";
import { AGENT_UNREAD, describe, GatePort, pausedMessage } from "./agent-port.ts";
import { type Core, openCore } from "./core.ts";
import type { Clock } from "./gate/clock.ts";
import { HeapKeeper } from "./heap-keeper.ts";
import { type GateNotifications, type NotificationOptions, startNotifications } from "./notifications/start.ts";
import type { AgentConnections } from "./operator/handlers.ts";
import { Operator } from "./operator/operator.ts";
import { operatorToken } from "./operator-token.ts";
import type { LoginItem } from "./settings.ts";
import { prepareSocket, socketError } from "./socket-place.ts";
import { systemClock } from "./system-clock.ts";
import { WebPage } from "./web/web-page.ts";

/** A gate that serves both sockets. `close` leaves what waits in the registry for the next start. */
export interface RunningGate {
  core: Core;
  operator: Operator;
  notifications: GateNotifications;
  close(): Promise<void>;
}

export interface ServeOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** One line for each thing that happens. */
  log?: (line: string) => void;
  clock?: Clock;
  frame_timeout_ms?: number;
  /** Where a desktop app runs the gate. */
  login_item?: LoginItem;
  /** False: none, whatever the configuration says. */
  notifications?: NotificationOptions | false;
  /** Serve the page to a browser, too: its links come from the operator's `web.link`. */
  web?: boolean;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** The human's own tools may lag behind the events: they come whether these read or not. */
const OPERATOR_UNREAD = { pause_bytes: 256 * KIB, total_bytes: 64 * MIB, max_bytes: 64 * MIB, patience_ms: 30_000 };

/**
 * Opens the core and both sockets.
 * @throws GateError (`already_running`, `invalid_config`, `database_*`, `folder_not_private`, `socket_unusable`, `page_not_built`)
 */
export async function serveGate(options: ServeOptions = {}): Promise<RunningGate> {
  const log = options.log ?? (() => undefined);
  let agents: AgentServer | undefined;
  const core = openCore(options.env, options.clock, {
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
  });
  try {
    return await serveCore(core, log, options, (server) => {
      agents = server;
    });
  } catch (error) {
    core.close();
    throw error;
  }
}

async function serveCore(
  core: Core,
  log: (line: string) => void,
  { env = process.env, frame_timeout_ms, login_item, notifications: wanted, web, clock }: ServeOptions,
  made: (agents: AgentServer) => void,
): Promise<RunningGate> {
  const { places, config } = core;
  for (const path of [places.operator_socket, places.agent_socket]) prepareSocket(path, places.state_dir);
  if (core.settings.warning !== undefined) log(core.settings.warning);
  const { max_connections, max_unread_bytes } = config.socket;
  const { pause_bytes } = AGENT_UNREAD;
  const unread = {
    ...AGENT_UNREAD,
    pause_bytes: Math.min(pause_bytes, max_unread_bytes / 2),
    max_bytes: max_unread_bytes,
  };
  const port = new GatePort(core, log);
  const agents = new AgentServer({ path: places.agent_socket, max_connections, unread, frame_timeout_ms }, port);
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
  const page = web ? webPage(core, log, clock) : undefined;
  const operator = new Operator(core, {
    connections,
    browser_page: page,
    ...(login_item === undefined ? {} : { login_item }),
  });
  const operators = new OperatorServer(
    { path: places.operator_socket, max_connections: 64, unread: OPERATOR_UNREAD },
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
    await operators.listen().catch((error: unknown) => Promise.reject(socketError(error, places.operator_socket)));
    await agents.listen().catch((error: unknown) => Promise.reject(socketError(error, places.agent_socket)));
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
      heap.stop();
      await notifications.close();
      await close();
      core.close();
    },
  };
}

/** The page in a browser; each use of a link is in the log and in the trail. */
function webPage({ config, audit }: Core, log: (line: string) => void, clock: Clock = systemClock): WebPage {
  const entered = () => {
    audit.append({ event: "web.entered", ts: clock.now() / 1000 });
    audit.flush();
  };
  return new WebPage(
    { ...config.web, has_metrics: config.metrics.enabled, now: () => clock.boot().ms },
    { log, entered },
  );
}
