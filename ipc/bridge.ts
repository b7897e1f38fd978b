import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "./operator-api.ts";

/** What the page has of the gate in the desktop app: `window.metnos`, put there by the preload. Errors travel as values. */

export type BridgeAnswer<M extends OperatorMethod> =
  | { ok: true; result: OperatorResult<M> }
  | { ok: false; code: string; message: string; hint: string };

export interface Bridge {
  call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<BridgeAnswer<M>>;
  /** The function that is returned ends it. */
  subscribe(listener: (event: OperatorEvent) => void): () => void;
  /** The popup tells how tall its content is, in CSS pixels. */
  resize(height: number): void;
  /** Opens a place of the main window, such as `approvals/<token>`. */
  open(place: string): void;
}

/** Electron's channels, and what goes over each. Main and preload share it; a sender check guards each in main. */
export interface BridgeChannels {
  "operator:call": { from: "page"; args: [method: string, params: unknown]; result: BridgeAnswer<OperatorMethod> };
  "operator:event": { from: "main"; args: [event: OperatorEvent] };
  "popup:resize": { from: "page"; args: [height: number]; result: undefined };
  "window:open": { from: "page"; args: [place: string]; result: undefined };
}
