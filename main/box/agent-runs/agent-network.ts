import { rmSync, writeFileSync } from "node:fs";
import { mountChecks } from "../arguments/mounts.ts";
import type { HostAccess } from "../network/host-access.ts";
import { ALLOWED, refused } from "../network/host-access.ts";
import { ListedHosts } from "../network/listed-hosts.ts";
import { BOX_FOLDER } from "../network/relay.ts";
import { openRunNetwork, type RunNetwork, type RunNetworkParts } from "../network/run-network.ts";
import type { PlaceWords } from "./agent-places.ts";
import type { AgentHosts, Seat } from "./agent-run.ts";
import { Loopback } from "./loopback.ts";

/** An agent's way out of its box: to its model's hosts, and to the gate by a socket of this run alone. */

/** Where the box has the agents' socket, and what the agent identifies itself by. */
const AGENT_SOCKET = `${BOX_FOLDER}/gate.sock`;
const AGENT_TOKEN = `${BOX_FOLDER}/token`;

export interface AgentNetworkParts extends Omit<RunNetworkParts, "loopback" | "reached"> {
  hosts: AgentHosts;
  seat: Seat;
  places: PlaceWords;
  /** Nothing of the agent may continue now, such as while it is paused. */
  isStopped(): boolean;
}

export interface AgentNetwork extends RunNetwork {
  /** Something has changed by which the agent may be stopped: what is open then ends. */
  review(): void;
}

/** @throws GateError `box_unavailable`; the system's error */
export function openAgentNetwork(parts: AgentNetworkParts): AgentNetwork {
  const { hosts, seat, places, isStopped } = parts;
  const { folder, failed } = parts;
  const loopback = new Loopback({ folder, ports: hosts.loopback, isStopped, failed });
  const token_file = `${seat.socket}.token`;
  writeFileSync(token_file, seat.token, { mode: 0o400, flag: "wx" });
  const removed = (remove: () => void) => {
    try {
      remove();
    } catch (error) {
      failed("removing what an agent's run began with", error);
    }
  };
  const removeToken = () => removed(() => rmSync(token_file, { force: true }));
  const begun = () => {
    removeToken();
    removed(() => seat.begun());
  };
  const access = unlessStopped(new ListedHosts(hosts.listed, NOT_LISTED), isStopped);
  const { proxy, way } = openRunNetwork(access, { ...parts, loopback: loopback.ways, reached: begun });
  const shared = ["--ro-bind", seat.socket, AGENT_SOCKET, "--ro-bind", token_file, AGENT_TOKEN];
  const environment = ["--setenv", "METNOS_GATE_SOCKET", AGENT_SOCKET, "--setenv", "METNOS_AGENT_TOKEN", seat.token];
  const closed = ["--remount-ro", BOX_FOLDER, "--remount-ro", "/"];
  const words = [...way.arguments, ...shared, ...places.words, ...environment, ...closed];
  return {
    first: places.first,
    arguments: words,
    start: `${mountChecks(words, [AGENT_SOCKET, ...places.at])}\n${way.start}`,
    review() {
      if (!isStopped()) return;
      proxy.interrupt();
      loopback.interrupt();
    },
    close() {
      loopback.close();
      proxy.close();
      removeToken();
    },
  };
}

const NOT_LISTED = "an agent's box reaches only its model's hosts, and those that its user named with --host";

function unlessStopped(hosts: ListedHosts, isStopped: () => boolean): HostAccess {
  return {
    ask: (to) =>
      Promise.resolve(
        isStopped() ? refused("the agent is stopped") : hosts.mayStay(to) ? ALLOWED : refused(NOT_LISTED),
      ),
    mayStay: (to) => !isStopped() && hosts.mayStay(to),
    forgetAllowed: () => hosts.forgetAllowed(),
    forgetApproved: () => hosts.forgetApproved(),
    close: () => hosts.close(),
  };
}
