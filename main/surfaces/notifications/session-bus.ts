import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Message, MessageBus } from "@jellybrick/dbus-next";

/**
 * One connection to the session bus, with what the library leaves to its caller: every call ends, the end of the connection
 * is reported, and no message can throw into the process.
 */

const CALL_TIMEOUT_MS = 10_000;

/** The fields of a bus message that are used. */
export interface Signal {
  /** The unique name, set by the bus itself. */
  sender: string;
  path: string;
  interface: string;
  member: string;
  body: readonly unknown[];
}

/** The library's internal connection: only it reports its end (0.11.3, pinned). */
interface Connection extends EventEmitter {
  stream?: Socket;
}

export class SessionBus {
  readonly #bus: MessageBus;
  readonly #makeMessage: typeof Message;
  readonly #connection: Connection;
  readonly #onEnd: (reason: string) => void;
  readonly #failing = new Set<(error: Error) => void>();
  #hasEnded = false;

  private constructor(
    library: typeof import("@jellybrick/dbus-next"),
    address: string,
    onSignal: (signal: Signal) => void,
    onEnd: (reason: string) => void,
  ) {
    this.#makeMessage = library.Message;
    this.#onEnd = onEnd;
    this.#bus = library.sessionBus({ busAddress: address, authMethods: ["EXTERNAL"] });
    this.#connection = (this.#bus as unknown as { _connection: Connection })._connection;
    const events: EventEmitter = this.#bus; // its types lack "error"
    events.on("error", (error: unknown) => this.#end(error instanceof Error ? error.message : String(error)));
    this.#connection.once("end", () => this.#end("the bus closed the connection"));
    this.#connection.once("connect", () => process.nextTick(() => this.#guardReading()));
    this.#bus.addMethodHandler(() => true); // we export no methods
    this.#bus.on("message", (message: Message) => {
      if (message.type !== library.MessageType.SIGNAL) return;
      const { sender, path, interface: interfaceName, member, body } = message;
      // After the reply that was received before it, so that its awaiter has continued by then.
      setImmediate(() => {
        if (!this.#hasEnded) onSignal({ sender, path, interface: interfaceName, member, body });
      });
    });
  }

  /**
   * Connects and waits until the bus has assigned our name. The library is only loaded here.
   * @param address `unix:...`, as in DBUS_SESSION_BUS_ADDRESS
   * @param onEnd called once, when an established connection has ended
   * @throws Error if it can't be reached
   */
  static async connect(
    address: string,
    onSignal: (signal: Signal) => void,
    onEnd: (reason: string) => void,
  ): Promise<SessionBus> {
    const library = await import("@jellybrick/dbus-next");
    let isOpen = false;
    const bus = new SessionBus(library, address, onSignal, (reason) => {
      if (isOpen) onEnd(reason);
    });
    await bus.#ended(() => new Promise<void>((resolve) => bus.#bus.once("connect", () => resolve())));
    isOpen = true;
    return bus;
  }

  /**
   * Calls a method and returns its result.
   * @param destination a unique name, or the bus itself: a reply from any other sender is refused
   * @throws Error when it is refused, takes longer than 10 s, or the connection ends
   */
  async call(
    destination: string,
    path: string,
    interfaceName: string,
    member: string,
    signature = "",
    body: readonly unknown[] = [],
  ): Promise<readonly unknown[]> {
    const message = new this.#makeMessage({
      destination,
      path,
      interface: interfaceName,
      member,
      signature,
      body: [...body],
    });
    const reply = await this.#ended(() => this.#bus.call(message));
    if (reply?.sender !== destination) throw new Error("the reply came from another sender");
    return reply.body;
  }

  /** Calls a method of the bus itself. */
  callBus(member: string, signature: string, body: readonly unknown[]): Promise<readonly unknown[]> {
    return this.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, signature, body);
  }

  close(): void {
    this.#end("closed");
  }

  /** What `begin` resolves with, or a failure once the connection has ended or no reply came in time. Not begun where it has ended before. */
  async #ended<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) throw new Error("the connection to the session bus has ended");
    let fail: (error: Error) => void = () => undefined;
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    this.#failing.add(fail);
    const timer = setTimeout(() => fail(new Error("no answer in time")), CALL_TIMEOUT_MS);
    timer.unref();
    try {
      return await Promise.race([begin(), failed]);
    } finally {
      clearTimeout(timer);
      this.#failing.delete(fail);
    }
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#connection.stream?.destroy();
    for (const fail of this.#failing) fail(new Error(reason));
    this.#onEnd(reason);
  }

  /** The library parses while it reads: an unparsable message must end the connection, not the gate. */
  #guardReading(): void {
    const { stream } = this.#connection;
    if (stream === undefined) return;
    for (const listener of stream.listeners("readable")) {
      stream.on("readable", () => {
        try {
          listener.call(stream);
        } catch (error) {
          this.#end(`a message can't be read (${error instanceof Error ? error.message : String(error)})`);
        }
      });
      stream.off("readable", listener as () => void);
    }
  }
}
