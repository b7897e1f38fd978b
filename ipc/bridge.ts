import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "./operator-api.ts";

/** The page's access to the gate in the desktop app: `window.metnos`, set by the preload script. Errors are passed as values. */

export type BridgeAnswer<M extends OperatorMethod> =
  | { ok: true; result: OperatorResult<M> }
  | { ok: false; code: string; message: string; hint: string };

export interface Bridge {
  call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<BridgeAnswer<M>>;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: OperatorEvent) => void): () => void;
  /** Reports the height of the popup's content, in CSS pixels. */
  resize(height: number): void;
  /** Opens the main window at a route, such as `approvals/<token>`. */
  open(place: string): void;
}

/** Electron's channels, and what goes over each. Main and preload share it; a sender check guards each in main. */
export interface BridgeChannels {
  "operator:call": { from: "page"; args: [method: string, params: unknown]; result: BridgeAnswer<OperatorMethod> };
  "operator:event": { from: "main"; args: [event: OperatorEvent] };
  "popup:resize": { from: "page"; args: [height: number]; result: undefined };
  "window:open": { from: "page"; args: [place: string]; result: undefined };
}
