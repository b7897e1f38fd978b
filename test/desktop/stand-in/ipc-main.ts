import { deserialize, serialize } from "node:v8";
import type { StandInContents } from "./web-contents.ts";

type Handler = (event: { sender: StandInContents; senderFrame: object | null }, ...args: unknown[]) => unknown;

/** What goes from one process to the other is copied; what can't be copied is an error. */
export function copied<T>(value: T): T {
  return deserialize(serialize(value)) as T;
}

class StandInIpcMain {
  readonly #handlers = new Map<string, Handler>();

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.#handlers.set(channel, handler);
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  /** `ipcRenderer.invoke` arrives here. */
  async invoked(sender: StandInContents, channel: string, args: unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return copied(await handler({ sender, senderFrame: sender.mainFrame }, ...copied(args)));
  }
}

export const ipcMain = new StandInIpcMain();
