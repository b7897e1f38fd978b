import { contextBridge, ipcRenderer } from "electron";
import type { Bridge, BridgeAnswer, BridgeChannels } from "../ipc/bridge.ts";
import type { OperatorEvent, OperatorMethod, OperatorParams } from "../ipc/operator-api.ts";

/** All that the page has of the app: `window.metnos`. Passes values on, checks nothing: main does. */

type PageChannel = "operator:call" | "popup:resize" | "window:open";

function invoke<C extends PageChannel>(
  channel: C,
  ...args: BridgeChannels[C]["args"]
): Promise<BridgeChannels[C]["result"]> {
  return ipcRenderer.invoke(channel, ...args);
}

/** Nobody waits for these; a bridge that is closed already is the app's end. */
const unanswered = (): void => undefined;

const bridge: Bridge = {
  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<BridgeAnswer<M>> {
    try {
      return (await invoke("operator:call", method, params)) as BridgeAnswer<M>;
    } catch {
      return { ok: false, code: "unavailable", message: "the gate doesn't answer", hint: "it may be closing" };
    }
  },
  subscribe(listener) {
    // The event object itself stays here: it would hand out Electron's own sender.
    const pass = (_event: unknown, event: OperatorEvent) => listener(event);
    ipcRenderer.on("operator:event", pass);
    return () => {
      ipcRenderer.removeListener("operator:event", pass);
    };
  },
  resize(height) {
    invoke("popup:resize", height).catch(unanswered);
  },
  open(place) {
    invoke("window:open", place).catch(unanswered);
  },
};

contextBridge.exposeInMainWorld("metnos", bridge);
