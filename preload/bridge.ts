import { contextBridge, ipcRenderer } from "electron";
import type { OperatorMethod, OperatorParams, OperatorResult } from "../ipc/contract/operator-api.ts";
import type { AppChannels, Bridge, PageChannels } from "../ipc/socket/bridge.ts";
import type { Answered } from "../ipc/socket/operator-dispatch.ts";

/** All that the page has of the app: `window.metnos`. Passes values on, checks nothing: main does. */

function invoke<C extends keyof PageChannels>(
  channel: C,
  ...args: PageChannels[C]["args"]
): Promise<PageChannels[C]["answer"]> {
  return ipcRenderer.invoke(channel, ...args);
}

/** The function that is returned ends it. The event object itself stays here: it would hand out Electron's own sender. */
function on<C extends keyof AppChannels>(channel: C, listener: (...args: AppChannels[C]) => void): () => void {
  const pass = (_event: unknown, ...args: AppChannels[C]) => listener(...args);
  ipcRenderer.on(channel, pass);
  return () => {
    ipcRenderer.removeListener(channel, pass);
  };
}

/** Nobody waits for these; a bridge that is closed already is the app's end. */
const unanswered = (): void => undefined;

const bridge: Bridge = {
  async call<M extends OperatorMethod>(method: M, params: OperatorParams<M>) {
    return (await invoke("operator:call", method, params)) as Answered<OperatorResult<M>>;
  },
  subscribe: (listener) => on("operator:event", listener),
  watchGate: (listener) => on("operator:gate", listener),
  resize(height) {
    invoke("popup:resize", height).catch(unanswered);
  },
  open(place) {
    invoke("window:open", place).catch(unanswered);
  },
};

contextBridge.exposeInMainWorld("metnos", bridge);
