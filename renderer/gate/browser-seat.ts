import { PAGE_SECRET_KEY } from "../../ipc/socket/page-secret.ts";
import type { Seat } from "./seat.ts";

export const browserSeat: Seat = {
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
