import type { Bridge } from "../../ipc/socket/bridge.ts";
import { PAGE_SOCKET_PATH } from "../../ipc/socket/page-frames.ts";
import { browserSeat } from "./browser-seat.ts";
import { DesktopLink } from "./desktop-link.ts";
import type { GateLink } from "./link.ts";
import { SocketLink } from "./socket-link.ts";

declare global {
  interface Window {
    metnos?: Bridge;
  }
}

/** The desktop's bridge, where there is one. */
export function bridge(): Bridge | undefined {
  return window.metnos;
}

export function openLink(): GateLink {
  const found = bridge();
  if (found !== undefined) return new DesktopLink(found);
  const { protocol, host } = window.location;
  return new SocketLink(`${protocol === "https:" ? "wss" : "ws"}://${host}${PAGE_SOCKET_PATH}`, browserSeat);
}
