import type { Env } from "../../../ipc/base/paths.ts";
import type { Screen } from "../delivery/when-due.ts";
import { unixBusAddress } from "./platform.ts";
import { SessionBus, type Signal } from "./session-bus.ts";

/** Whether the screen is locked, as the desktop says on its bus, and logind where that is reachable. Linux. */

export interface ScreenLockOptions {
  env: Env;
  /** Called when it is known, or isn't any more. */
  changed(): void;
  /** So long nothing is known before the screen counts as locked, in milliseconds. */
  doubtMs?: number;
  /** How long until a bus that can't be reached is tried again, in milliseconds. */
  retryMs?: number;
}

const DOUBT_MS = 60_000;
const RETRY_MS = 30_000;
const SYSTEM_BUS = "unix:path=/run/dbus/system_bus_socket";
const PROPERTIES = "org.freedesktop.DBus.Properties";
const LOGIN = "org.freedesktop.login1";

/** Each says the same by methods and signals of the same names. */
const SAVERS = [
  { name: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver" },
  { name: "org.gnome.ScreenSaver", path: "/org/gnome/ScreenSaver" },
];

/** A program that knows it, and the bus that it is on. */
interface Source {
  address: string | undefined;
  /** Matches of the bus for what it announces. */
  matches: readonly string[];
  /** Null: there is none. @throws Error */
  ask(bus: SessionBus): Promise<boolean | null>;
  /** Whether a signal is a reason to ask again. */
  heeds(signal: Signal): boolean;
}

export class ScreenLock implements Screen {
  readonly #options: ScreenLockOptions;
  readonly #listeners = new Set<() => void>();
  readonly #said = new Map<Source, boolean | null>();
  readonly #buses = new Set<SessionBus>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isDoubtOver = false;
  #hasEnded = false;

  constructor(options: ScreenLockOptions) {
    this.#options = options;
    this.#after(options.doubtMs ?? DOUBT_MS, () => this.#change(() => (this.#isDoubtOver = true)));
    for (const source of [desktop(options.env), logind(options.env)])
      if (source.address !== undefined) void this.#follow(source);
  }

  get isLocked(): boolean {
    return this.isKnown ? [...this.#said.values()].includes(true) : this.#isDoubtOver;
  }

  get isKnown(): boolean {
    return [...this.#said.values()].some((said) => said !== null);
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  close(): void {
    this.#hasEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const bus of this.#buses) bus.close();
  }

  async #follow(source: Source): Promise<void> {
    if (this.#hasEnded || source.address === undefined) return;
    const again = () => this.#after(this.#options.retryMs ?? RETRY_MS, () => void this.#follow(source));
    try {
      const ended = () => {
        this.#buses.delete(bus);
        this.#change(() => this.#said.delete(source));
        again();
      };
      const signalled = (signal: Signal) => {
        if (source.heeds(signal)) void this.#ask(source, bus);
      };
      const bus = await SessionBus.connect(source.address, signalled, ended);
      this.#buses.add(bus);
      if (this.#hasEnded) return bus.close();
      for (const match of source.matches) await bus.callBus("AddMatch", "s", [match]);
      await this.#ask(source, bus);
    } catch {
      again(); // there is no such bus yet: the status says that it isn't known
    }
  }

  /** A signal only says that something is another way: what is believed is the answer of who owns the name. */
  async #ask(source: Source, bus: SessionBus): Promise<void> {
    const said = await source.ask(bus).catch(() => null);
    this.#change(() => this.#said.set(source, said));
  }

  #change(change: () => void): void {
    if (this.#hasEnded) return;
    const before = { isLocked: this.isLocked, isKnown: this.isKnown };
    change();
    if (before.isKnown !== this.isKnown) this.#options.changed();
    if (before.isLocked !== this.isLocked) for (const listener of this.#listeners) listener();
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms).unref();
    this.#timers.add(timer);
  }
}

function desktop(env: Env): Source {
  const owned = SAVERS.map(({ name }) => `type='signal',member='NameOwnerChanged',arg0='${name}'`);
  const active = SAVERS.map(({ name }) => `type='signal',interface='${name}',member='ActiveChanged'`);
  return {
    address: unixBusAddress(env),
    matches: [...owned, ...active],
    heeds: ({ member }) => member === "ActiveChanged" || member === "NameOwnerChanged",
    async ask(bus) {
      const said: boolean[] = [];
      for (const { name, path } of SAVERS) {
        const owner = await ownerOf(bus, name);
        if (owner === null) continue;
        const [active] = await bus.call(owner, path, name, "GetActive").catch(() => []);
        if (typeof active === "boolean") said.push(active);
      }
      return said.length === 0 ? null : said.includes(true);
    },
  };
}

function logind(env: Env): Source {
  return {
    address: env.DBUS_SYSTEM_BUS_ADDRESS === undefined ? SYSTEM_BUS : unixAddress(env.DBUS_SYSTEM_BUS_ADDRESS),
    matches: [`type='signal',sender='${LOGIN}',interface='${PROPERTIES}',member='PropertiesChanged'`],
    heeds: ({ member, path }) => member === "PropertiesChanged" && path.startsWith("/org/freedesktop/login1/session/"),
    async ask(bus) {
      const owner = await ownerOf(bus, LOGIN);
      if (owner === null) return null;
      const uid = process.getuid?.() ?? 0;
      const [user] = await bus.call(owner, "/org/freedesktop/login1", `${LOGIN}.Manager`, "GetUser", "u", [uid]);
      const display = await property(bus, owner, String(user), `${LOGIN}.User`, "Display");
      const session = Array.isArray(display) ? display[1] : undefined;
      if (typeof session !== "string" || session === "/") return null;
      const hint = await property(bus, owner, session, `${LOGIN}.Session`, "LockedHint");
      // Who doesn't lock by logind leaves it false: only a yes says something.
      return hint === true ? true : null;
    },
  };
}

async function ownerOf(bus: SessionBus, name: string): Promise<string | null> {
  const [owner] = await bus.callBus("GetNameOwner", "s", [name]).catch(() => []);
  return typeof owner === "string" ? owner : null;
}

async function property(bus: SessionBus, owner: string, path: string, of: string, name: string): Promise<unknown> {
  const [variant] = await bus.call(owner, path, PROPERTIES, "Get", "ss", [of, name]);
  return typeof variant === "object" && variant !== null && "value" in variant ? variant.value : undefined;
}

function unixAddress(addresses: string): string | undefined {
  return unixBusAddress({ DBUS_SESSION_BUS_ADDRESS: addresses });
}
