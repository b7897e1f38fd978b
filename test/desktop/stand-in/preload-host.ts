import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { createContext, Script } from "node:vm";
import type { Page } from "playwright-core";
import { copied, ipcMain } from "./ipc-main.ts";
import type { StandInContents } from "./web-contents.ts";

/**
 * Runs the built preload for a page, as in its isolated world: it has `contextBridge` and `ipcRenderer`, the page has what
 * was exposed and nothing else. What crosses the bridge is copied. (A function that takes a listener answers at once, as
 * through Electron's bridge; every other one answers with a promise.)
 */

type Exposed = Record<string, Record<string, (...args: unknown[]) => unknown>>;

interface Message {
  object: string;
  method: string;
  args: unknown[];
  /** Its last argument is a listener of this number. */
  listener?: number;
  /** The listener's registration ends. */
  ended?: number;
}

export class PreloadHost {
  readonly #contents: StandInContents;
  readonly #file: string;
  readonly #eventName = `stand-in-${randomUUID()}`;
  #ipcRenderer = new EventEmitter();
  #exposed: Exposed = {};
  #endings = new Map<number, unknown>();

  constructor(contents: StandInContents, file: string) {
    this.#contents = contents;
    this.#file = file;
    this.restart();
  }

  async attach(page: Page): Promise<void> {
    const binding = `__stand_in_${randomUUID().replaceAll("-", "")}`;
    await page.exposeBinding(binding, async ({ frame }, message: Message) => {
      if (frame !== page.mainFrame()) throw new Error("no preload in this frame");
      return await this.#called(page, message).catch((error: unknown) => {
        // Nobody in the page waits for a listener's registration.
        console.error("stand-in:", message, error);
        throw error;
      });
    });
    const shape = Object.fromEntries(Object.entries(this.#exposed).map(([name, api]) => [name, Object.keys(api)]));
    await page.addInitScript(inPage, { binding, shape, eventName: this.#eventName });
  }

  /** `webContents.send` arrives here. */
  receive(channel: string, args: unknown[]): void {
    this.#ipcRenderer.emit(channel, { sender: "ipcRenderer" }, ...copied(args));
  }

  /** A new document has a new preload; the old one's listeners are removed. */
  restart(): void {
    this.#ipcRenderer = new EventEmitter();
    this.#endings = new Map();
    this.#exposed = {};
    const ipcRenderer = Object.assign(this.#ipcRenderer, {
      invoke: (channel: string, ...args: unknown[]) => ipcMain.invoked(this.#contents, channel, copied(args)),
    });
    const contextBridge = {
      exposeInMainWorld: (name: string, api: Exposed[string]) => {
        this.#exposed[name] = api;
      },
    };
    const require = (name: string) => {
      if (name !== "electron") throw new Error(`a sandboxed preload can't require ${name}`);
      return { contextBridge, ipcRenderer };
    };
    const module = { exports: {} };
    const wrapped = new Script(`(function (require, module, exports) {${readFileSync(this.#file, "utf8")}\n})`, {
      filename: this.#file,
    }).runInContext(createContext({ console, queueMicrotask, setTimeout, clearTimeout })) as (
      ...args: unknown[]
    ) => void;
    wrapped(require, module, module.exports);
  }

  async #called(page: Page, { object, method, args, listener, ended }: Message): Promise<unknown> {
    if (ended !== undefined) {
      const end = this.#endings.get(ended);
      this.#endings.delete(ended);
      return typeof end === "function" ? end() : undefined;
    }
    const called = this.#exposed[object]?.[method];
    if (called === undefined) throw new Error(`nothing exposed as ${object}.${method}`);
    if (listener === undefined) return copied(await called(...args));
    const eventName = this.#eventName;
    const pass = (...given: unknown[]) => {
      const detail = { listener, args: given };
      page.evaluate(sendToPage, { eventName, detail }).catch(() => undefined); // the page is on its way to another document
    };
    this.#endings.set(listener, called(...args, pass));
    return undefined;
  }
}

interface PageMessage {
  listener: number;
  args: unknown[];
}
declare const window: Record<string, unknown> & {
  addEventListener(name: string, listener: (event: { detail: PageMessage }) => void): void;
  dispatchEvent(event: object): void;
};

/** Runs in the page. */
function sendToPage({ eventName, detail }: { eventName: string; detail: PageMessage }): void {
  window.dispatchEvent(new CustomEvent(eventName, { detail }));
}

/** Runs in the page before its own scripts. */
function inPage({
  binding,
  shape,
  eventName,
}: {
  binding: string;
  shape: Record<string, string[]>;
  eventName: string;
}): void {
  // The binding is there before the page's own scripts, but not always before this one.
  let taken: ((message: object) => Promise<unknown>) | undefined;
  const take = () => {
    taken ??= window[binding] as typeof taken;
    delete window[binding];
    return taken;
  };
  take();
  const send = async (message: object) => {
    for (;;) {
      const call = take();
      if (call !== undefined) return await call(message);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  if (window.top !== window) return;
  const listeners = new Map<number, (...args: unknown[]) => void>();
  let last = 0;
  window.addEventListener(eventName, ({ detail }) => listeners.get(detail.listener)?.(...detail.args));
  const method =
    (object: string, name: string) =>
    (...args: unknown[]) => {
      const given = args.at(-1);
      if (typeof given !== "function") return send({ object, method: name, args });
      const listener = ++last;
      listeners.set(listener, given as (...args: unknown[]) => void);
      void send({ object, method: name, args: args.slice(0, -1), listener });
      return () => {
        listeners.delete(listener);
        void send({ object, method: name, args: [], ended: listener });
      };
    };
  for (const [object, names] of Object.entries(shape)) {
    const api = Object.fromEntries(names.map((name) => [name, method(object, name)]));
    Object.defineProperty(window, object, { value: Object.freeze(api), enumerable: true });
  }
}
