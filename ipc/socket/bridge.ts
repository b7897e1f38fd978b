import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "../contract/operator-api.ts";
import type { Answered } from "./operator-dispatch.ts";

/**
 * The page's access to the gate in the desktop app: `window.metnos`, set by the preload script. What the gate refuses is passed as a
 * value; a call is rejected only if nothing answers it.
 */
export interface Bridge {
  call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<Answered<OperatorResult<M>>>;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: OperatorEvent) => void): () => void;
  /** Called when the gate that the app uses has ended (false), and when there is one again. Returns the function that ends it. */
  watchGate(listener: (isThere: boolean) => void): () => void;
  /** Reports the height of the popup's content, in CSS pixels. */
  resize(height: number): void;
  /** Opens the main window at a route, such as `approvals/<token>`. */
  open(place: string): void;
}

/** Electron's channels from a page to the app. Main and preload share the map; main checks the sender of each message. */
export interface PageChannels {
  "operator:call": { args: [method: string, params: unknown]; answer: Answered<unknown> };
  "popup:resize": { args: [height: number]; answer: undefined };
  "window:open": { args: [place: string]; answer: undefined };
}

/** Electron's channels from the app to its pages. */
export interface AppChannels {
  "operator:event": [event: OperatorEvent];
  "operator:gate": [isThere: boolean];
}
