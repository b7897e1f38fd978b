import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SessionBus, type Signal } from "./session-bus.ts";
import type { Notice, NoticeAction, NotificationSink, SinkAbilities, SinkEvent } from "./sink.ts";

/** Notifications on the Linux desktop: org.freedesktop.Notifications on the session bus. */

const SERVER = "org.freedesktop.Notifications";
const SERVER_PATH = "/org/freedesktop/Notifications";
const BUS = "org.freedesktop.DBus";
const URGENCY = { normal: 1, critical: 2 };
/** As the installed app's desktop entry is named (electron-builder.yml): what a desktop finds icon and settings by. */
const DESKTOP_ENTRY = "metnos-gate-app";
const NEVER = 0;
const RETRY_MS = { first: 1000, most: 60_000 };
const WAKE_EVERY_MS = 5000;
/** How long `end` waits for the server to take the notifications down. */
const END_MS = 1000;

interface Shown {
  handle: string;
  /** The server's id for it, once it has given one. */
  id: number | undefined;
  /** The action keys that the server may send, of the latest text only. */
  keys: Map<string, NoticeAction>;
  /** Shown once the server has responded to the previous text. */
  next: Notice | undefined;
  /** Set until the server has responded. */
  sending: Promise<void> | undefined;
  is_closed: boolean;
}

export class FreedesktopSink implements NotificationSink {
  readonly #address: string;
  readonly #log: (line: string) => void;
  #listener: (event: SinkEvent) => void = () => undefined;
  #bus: SessionBus | undefined;
  /** The server's unique name: the only sender whose signals count. Undefined while no server responds. */
  #owner: string | undefined;
  #candidate = "";
  #hasMarkup = false;
  #shown = new Map<string, Shown>();
  #lastHandle = 0;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = RETRY_MS.first;
  #wokenAt = Number.NEGATIVE_INFINITY;
  /** A notification is to be shown. */
  #isWanted = false;
  #lastProblem = "";
  /** The bus starts a server once something is to be shown: that none runs before is no problem. */
  #isStartable = false;
  #hasEnded = false;

  /** @param address the session bus, as in DBUS_SESSION_BUS_ADDRESS; `unix:` only */
  constructor(address: string, log: (line: string) => void) {
    this.#address = address;
    this.#log = log;
  }

  get problem(): string | null {
    const isFine = this.#owner !== undefined || (this.#bus !== undefined && this.#isStartable);
    return isFine || this.#lastProblem === "" ? null : this.#lastProblem;
  }

  start(listener: (event: SinkEvent) => void): void {
    this.#listener = listener;
    void this.#connect();
  }

  wake(): void {
    this.#isWanted = true;
    const now = performance.now();
    if (this.#bus === undefined || this.#owner !== undefined || now - this.#wokenAt < WAKE_EVERY_MS) return;
    this.#wokenAt = now;
    // The bus signals the new owner; that there was no server was logged already when none was found.
    this.#bus.callBus("StartServiceByName", "su", [SERVER, 0]).catch(() => {
      this.#isStartable = false;
    });
  }

  show(notice: Notice): string {
    const handle = `n${++this.#lastHandle}`;
    const shown: Shown = { handle, id: undefined, keys: new Map(), next: notice, sending: undefined, is_closed: false };
    this.#shown.set(handle, shown);
    void this.#send(shown);
    return handle;
  }

  replace(handle: string, notice: Notice): void {
    const shown = this.#shown.get(handle);
    if (shown === undefined) return;
    shown.next = notice;
    void this.#send(shown);
  }

  close(handle: string): void {
    const shown = this.#shown.get(handle);
    if (shown !== undefined) void this.#takeDown(shown);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#retry);
    const inTime = new Promise<void>((resolve) => setTimeout(resolve, END_MS).unref());
    await Promise.race([inTime, Promise.all([...this.#shown.values()].map((shown) => this.#takeDown(shown)))]);
    this.#bus?.close();
  }

  async #connect(): Promise<void> {
    try {
      const bus = await SessionBus.connect(
        this.#address,
        (signal) => this.#onSignal(signal),
        (reason) => this.#disconnected(reason),
      );
      if (this.#hasEnded) return bus.close();
      this.#bus = bus;
      await bus.callBus("AddMatch", "s", [
        `type='signal',sender='${BUS}',interface='${BUS}',member='NameOwnerChanged',arg0='${SERVER}'`,
      ]);
      await bus.callBus("AddMatch", "s", [`type='signal',sender='${SERVER}',interface='${SERVER}'`]);
      this.#retryMs = RETRY_MS.first;
      const [names] = await bus.callBus("ListActivatableNames", "", []);
      this.#isStartable = Array.isArray(names) && names.includes(SERVER);
      await this.#lookForServer(bus);
    } catch (error) {
      this.#problem(`the session bus can't be used (${messageOf(error)})`);
      const bus = this.#bus;
      if (bus === undefined) this.#disconnected();
      else bus.close();
    }
  }

  async #lookForServer(bus: SessionBus): Promise<void> {
    let owner: unknown;
    try {
      [owner] = await bus.callBus("GetNameOwner", "s", [SERVER]);
    } catch {
      this.#problem("no notification server is running; they are shown once there is one");
      if (this.#isWanted) this.wake(); // the bus may start one when it is called
      return;
    }
    if (typeof owner === "string" && this.#candidate === "") await this.#adopt(bus, owner);
  }

  #disconnected(reason?: string): void {
    if (this.#hasEnded) return;
    this.#bus = undefined;
    this.#lost();
    if (reason !== undefined) this.#problem(`the session bus was lost (${reason})`);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.most);
  }

  #lost(): void {
    this.#candidate = "";
    this.#shown.clear();
    if (this.#owner === undefined) return;
    this.#owner = undefined;
    this.#listener({ type: "lost" });
  }

  async #adopt(bus: SessionBus, owner: string): Promise<void> {
    clearTimeout(this.#retry);
    this.#candidate = owner;
    try {
      const [found] = await bus.call(owner, SERVER_PATH, SERVER, "GetCapabilities");
      if (this.#candidate !== owner || this.#bus !== bus) return;
      const capabilities = new Set(Array.isArray(found) ? found : []);
      const abilities: SinkAbilities = {
        hasActions: capabilities.has("actions"),
        hasBody: capabilities.has("body"),
      };
      this.#hasMarkup = capabilities.has("body-markup");
      this.#owner = owner;
      this.#isWanted = false;
      this.#lastProblem = "";
      this.#listener({ type: "ready", abilities });
    } catch (error) {
      if (this.#candidate !== owner || this.#bus !== bus || this.#hasEnded) return;
      this.#problem(`the notification server doesn't answer (${messageOf(error)})`);
      this.#retry = setTimeout(() => void this.#adopt(bus, owner), RETRY_MS.most);
      this.#retry.unref();
    }
  }

  #onSignal({ sender, interface: interfaceName, member, body }: Signal): void {
    if (sender === BUS && interfaceName === BUS && member === "NameOwnerChanged" && body[0] === SERVER) {
      const [, , owner] = body;
      if (typeof owner !== "string" || owner === this.#candidate) return;
      this.#lost();
      if (owner === "")
        this.#problem("the notification server was lost; waiting requests are shown again once it is back");
      else if (this.#bus !== undefined) void this.#adopt(this.#bus, owner);
      return;
    }
    // Any program on the bus can send us a signal that looks like the server's.
    if (this.#owner === undefined || sender !== this.#owner || interfaceName !== SERVER) return;
    const [id, detail] = body;
    const shown = [...this.#shown.values()].find((entry) => entry.id !== undefined && entry.id === id);
    if (shown === undefined) return;
    if (member === "NotificationClosed") {
      this.#shown.delete(shown.handle);
      this.#listener({ type: "dismissed", handle: shown.handle });
    }
    const action = member === "ActionInvoked" && typeof detail === "string" ? shown.keys.get(detail) : undefined;
    if (action !== undefined) this.#listener({ type: "action", handle: shown.handle, action });
  }

  /** One call at a time for each notification: a burst of changes costs one. */
  #send(shown: Shown): Promise<void> {
    shown.sending ??= this.#sendLatest(shown).finally(() => {
      shown.sending = undefined;
      if (shown.next !== undefined && !shown.is_closed) void this.#send(shown); // it was set meanwhile
    });
    return shown.sending;
  }

  async #sendLatest(shown: Shown): Promise<void> {
    while (shown.next !== undefined && !shown.is_closed && this.#shown.get(shown.handle) === shown) {
      const notice = shown.next;
      shown.next = undefined;
      const isSent = await this.#notify(shown, notice);
      if (this.#shown.get(shown.handle) !== shown || shown.is_closed) break;
      if (!isSent) {
        this.#shown.delete(shown.handle);
        this.#listener({ type: "failed", handle: shown.handle });
      } else if (shown.next === undefined) {
        this.#listener({ type: "shown", handle: shown.handle });
      }
    }
  }

  async #notify(shown: Shown, notice: Notice): Promise<boolean> {
    const [bus, owner] = [this.#bus, this.#owner];
    if (bus === undefined || owner === undefined) return false;
    // A program that may only show notifications can replace ours by its own text, but it doesn't know our buttons' action keys.
    const secret = randomBytes(8).toString("hex");
    shown.keys = new Map(notice.buttons.map(({ action }) => [`${action}:${secret}`, action]));
    const actions = notice.buttons.flatMap(({ action, label }) => [`${action}:${secret}`, label]);
    if (notice.defaultAction !== null) {
      shown.keys.set("default", notice.defaultAction);
      actions.push("default", notice.buttons.find(({ action }) => action === notice.defaultAction)?.label ?? "");
    }
    const text = notice.lines.join("\n");
    try {
      const { Variant } = await import("@jellybrick/dbus-next");
      const hints = {
        urgency: new Variant("y", notice.is_urgent ? URGENCY.critical : URGENCY.normal),
        category: new Variant("s", `x-metnos-gate.${notice.kind}`),
        "desktop-entry": new Variant("s", DESKTOP_ENTRY),
        // A press that doesn't count must not close it.
        resident: new Variant("b", true),
      };
      const body = ["Metnos Gate", shown.id ?? 0, appIcon(), notice.title, this.#hasMarkup ? escaped(text) : text];
      const [id] = await bus.call(owner, SERVER_PATH, SERVER, "Notify", "susssasa{sv}i", [
        ...body,
        actions,
        hints,
        NEVER,
      ]);
      if (typeof id !== "number") throw new Error("it returned no id");
      shown.id = id;
      return true;
    } catch (error) {
      if (owner === this.#owner) this.#problem(`a notification can't be shown (${messageOf(error)})`);
      return false;
    }
  }

  async #takeDown(shown: Shown): Promise<void> {
    shown.is_closed = true;
    await shown.sending; // the id is needed to close it
    if (!this.#shown.delete(shown.handle)) return;
    if (shown.id === undefined || this.#bus === undefined || this.#owner === undefined) return;
    // The server reports an error if it has lost it already; it is closed either way.
    await this.#bus.call(this.#owner, SERVER_PATH, SERVER, "CloseNotification", "u", [shown.id]).catch(() => undefined);
  }

  /** Logs a problem once, until it was over. */
  #problem(text: string): void {
    if (this.#hasEnded || text === this.#lastProblem) return;
    this.#lastProblem = text;
    this.#log(`notifications: ${text}`);
  }
}

/** The checkout's own, where this runs from one; else the installed app's, by its name. */
function appIcon(): string {
  // As seen from here and, once built, from dist/cli/.
  const up = import.meta.url.endsWith(".ts") ? "../../.." : "../..";
  const file = fileURLToPath(new URL(`${up}/build/icons/64x64.png`, import.meta.url));
  return existsSync(file) ? file : DESKTOP_ENTRY;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
