import type { OperatorEvent, OperatorMethod, OperatorParams, OperatorResult } from "./operator-api.ts";
import type { Answered } from "./operator-dispatch.ts";

/**
 * What the page has of the gate in the desktop app: `window.metnos`, put there by the preload. What the gate refuses travels as a
 * value; a call is rejected only where nobody answers it.
 */
export interface Bridge {
  call<M extends OperatorMethod>(method: M, params: OperatorParams<M>): Promise<Answered<OperatorResult<M>>>;
  /** The function that is returned ends it. */
  subscribe(listener: (event: OperatorEvent) => void): () => void;
  /** The popup reports how tall its content is, in CSS pixels. */
  resize(height: number): void;
  /** Opens a place of the main window, such as `approvals/<token>`. */
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
}
