import type { Bridge } from "../../ipc/socket/bridge.ts";
import { PAGE_SOCKET_PATH } from "../../ipc/socket/page-frames.ts";
import { PAGE_SECRET_KEY } from "../../ipc/socket/page-secret.ts";
import { DesktopLink } from "./desktop-link.ts";
import type { GateLink } from "./link.ts";
import type { Seat } from "./seat.ts";
import { SocketLink } from "./socket-link.ts";

const browserSeat: Seat = {
  get origin() {
    // With hot reload the page's sources are served beside the gate, which proves itself at its own address.
    return import.meta.env.DEV ? import.meta.env.VITE_GATE_ORIGIN : window.location.origin;
  },
  secret() {
    try {
      return localStorage.getItem(PAGE_SECRET_KEY);
    } catch {
      return null; // storage is switched off in this browser
    }
  },
  onHint(listener) {
    const stored = ({ key }: StorageEvent) => {
      if (key === PAGE_SECRET_KEY) listener("new_session");
    };
    const shown = () => {
      if (document.visibilityState === "visible") listener("seen");
    };
    window.addEventListener("storage", stored);
    document.addEventListener("visibilitychange", shown);
    return () => {
      window.removeEventListener("storage", stored);
      document.removeEventListener("visibilitychange", shown);
    };
  },
};

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
