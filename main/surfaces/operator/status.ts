import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Status } from "../../../ipc/contract/operator-api.ts";
import { VERSION } from "../../base/version.ts";
import type { GateNotifications } from "../notifications/start.ts";
import { type Handlers, type OperatorContext, recordAct } from "./handlers.ts";

export function statusMethods({
  core,
  connections,
  notifications,
  browserPage,
  started_at,
}: OperatorContext): Handlers<"status"> {
  const status = (): Status => {
    const { audit, agents, gate, grants, paths } = core;
    const { outcomes } = gate.meter;
    const connected = connections?.connected() ?? [];
    const pause = core.safety.pause.state();
    return {
      version: VERSION,
      pid: process.pid,
      started_at,
      agent_socket: paths.agent_socket,
      operator_socket: paths.operator_socket,
      home: core.home,
      command: ownCommand(),
      connections: connections?.connectionCount ?? 0,
      agents_connected: agents
        .list()
        .filter(({ agent_id }) => connected.includes(agent_id))
        .map(({ name }) => name),
      pairing_requests: connections?.pairingRequests() ?? [],
      approvals_pending: gate.broker.registry.countWaiting(),
      grants_active: grants.countActive(),
      decisions: { allowed: outcomes.allowed, denied: outcomes.denied, asked: outcomes.approval_required },
      audit_write_failures: audit.writeFailures,
      audit_last_failure: audit.last_failure,
      slow_clients_dropped: connections?.slowDropped ?? 0,
      paused: pause.is_paused,
      pause,
      notifications: notifications === undefined ? NOT_SERVED : shown(notifications()),
      alarms: core.alarms.list(),
      page_url: browserPage?.url ?? null,
    };
  };
  return { status };
}

const NOT_SERVED: Status["notifications"] = { state: "unavailable", text: "off: no gate is served" };

/** Undefined: they are being started. */
function shown(notifications: GateNotifications | undefined): Status["notifications"] {
  return { state: notifications?.state ?? "on", text: notifications?.status ?? "off: being started" };
}

export function settingMethods(context: OperatorContext): Handlers<"settings.list" | "settings.set"> {
  const { core, login_item } = context;
  return {
    "settings.list": () => core.settings.list(login_item),
    "settings.set": ({ key, value }) => {
      const setting = core.settings.set(key, value, login_item);
      recordAct(context, "setting", { key });
      core.publish({ type: "settings.changed", data: core.settings.list(login_item) });
      return setting;
    },
  };
}
