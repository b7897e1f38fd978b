import { join } from "node:path";
import { ListedHosts } from "../../box/network/listed-hosts.ts";
import {
  makeSocketFolder,
  openRunNetwork,
  type RunNetwork,
  type RunNetworkParts,
} from "../../box/network/run-network.ts";
import type { ListedHost } from "../../targets/listed-host.ts";

/** How judge agents' boxes reach the hosts that their configuration lists. */
export class AgentHosts {
  readonly #parts: RunNetworkParts;
  #folder: string | undefined;

  /** @param parts `folder`: for all of the box's; the sockets' is made in it */
  constructor(parts: RunNetworkParts) {
    this.#parts = parts;
  }

  /** Opens one box's. @throws GateError `box_unavailable`; the system's error */
  open(hosts: readonly ListedHost[]): RunNetwork {
    this.#folder ??= makeSocketFolder(join(this.#parts.folder, "judges"));
    const { proxy, way } = openRunNetwork(new ListedHosts(hosts), { ...this.#parts, folder: this.#folder });
    return { ...way, close: () => proxy.close() };
  }
}
