import { EventEmitter, once } from "node:events";
import {
  Message,
  type MessageBus,
  MessageType,
  RequestNameReply,
  sessionBus,
  type Variant,
} from "@jellybrick/dbus-next";
import { onTestFinished } from "vitest";

const NAME = "org.freedesktop.Notifications";
const PATH = "/org/freedesktop/Notifications";

const ALL_CAPABILITIES = ["actions", "body", "body-markup"];

/** One notification as it was asked for. */
export interface Notification {
  id: number;
  sender: string;
  replacesId: number;
  appName: string;
  title: string;
  body: string;
  /** Label by key. */
  actions: Map<string, string>;
  hints: Record<string, Variant>;
  expireTimeout: number;
}

/** A program on the bus, of whatever kind. */
export async function busProgram(address: string): Promise<MessageBus> {
  const bus = sessionBus({ busAddress: address });
  bus.on("error" as "connect", () => undefined);
  await once(bus, "connect");
  onTestFinished(() => bus.disconnect());
  return bus;
}

/** A small real notification server: keeps what is shown, and presses what the test wants pressed. */
export class NotificationServer {
  readonly bus: MessageBus;
  readonly shown = new Map<number, Notification>();
  /** Every notification ever asked for, in order. */
  readonly calls: Notification[] = [];
  readonly #changed = new EventEmitter();
  readonly #capabilities: readonly string[];
  #lastId = 0;
  /** Takes notifications, but never returns their ids. */
  isStuck = false;

  private constructor(bus: MessageBus, capabilities: readonly string[], firstId: number) {
    this.bus = bus;
    this.#capabilities = capabilities;
    this.#lastId = firstId;
    bus.addMethodHandler((message: Message) => this.#called(message));
  }

  static async start(address: string, capabilities = ALL_CAPABILITIES, firstId = 0): Promise<NotificationServer> {
    const bus = await busProgram(address);
    const server = new NotificationServer(bus, capabilities, firstId);
    if ((await bus.requestName(NAME, 4)) !== RequestNameReply.PRIMARY_OWNER) throw new Error("there is one already");
    return server;
  }

  /** What is shown now, once `matches` holds for it. */
  async until(matches: (shown: Notification[]) => boolean): Promise<Notification[]> {
    for (;;) {
      const shown = [...this.shown.values()];
      if (matches(shown)) return shown;
      await once(this.#changed, "changed");
    }
  }

  /** The only notification, once there is exactly one (that matches). */
  async only(matches: (one: Notification) => boolean = () => true): Promise<Notification> {
    const [one] = await this.until((shown) => shown.length === 1 && shown.every(matches));
    if (one === undefined) throw new Error("unreachable");
    return one;
  }

  /** Presses the button with this label, as a server does. */
  press({ id, actions }: Notification, label: string): void {
    const key = [...actions].find(([key, text]) => text === label && key !== "default")?.[0];
    if (key === undefined) throw new Error(`no button ${label} among ${[...actions.values()].join(", ")}`);
    this.signal("ActionInvoked", "us", [id, key]);
  }

  /** The user dismisses it. */
  dismiss({ id }: Notification): void {
    this.shown.delete(id);
    this.signal("NotificationClosed", "uu", [id, 2]);
  }

  signal(member: string, signature: string, body: unknown[]): void {
    this.bus.send(Message.newSignal(PATH, NAME, member, signature, body));
  }

  /** Leaves the bus, as a server does that dies. */
  stop(): void {
    this.bus.disconnect();
  }

  #called(message: Message): boolean {
    if (message.type !== MessageType.METHOD_CALL || message.interface !== NAME) return false;
    const reply = (signature: string, body: unknown[]) =>
      this.bus.send(Message.newMethodReturn(message, signature, body));
    if (message.member === "GetCapabilities") reply("as", [this.#capabilities]);
    if (message.member === "Notify") {
      const id = this.#notify(message);
      if (!this.isStuck) reply("u", [id]);
    }
    if (message.member === "CloseNotification") {
      const [id] = message.body as [number];
      this.shown.delete(id);
      reply("", []);
      this.signal("NotificationClosed", "uu", [id, 3]);
      this.#changed.emit("changed");
    }
    return true;
  }

  #notify({ sender, body }: Message): number {
    const [appName, replacesId, , title, text, actions, hints, expireTimeout] = body as [
      string,
      number,
      string,
      string,
      string,
      string[],
      Record<string, Variant>,
      number,
    ];
    const id = replacesId > 0 ? replacesId : ++this.#lastId;
    const pairs = actions.flatMap((key, index) => (index % 2 === 0 ? [[key, actions[index + 1] ?? ""] as const] : []));
    const one = {
      id,
      sender,
      replacesId,
      appName,
      title,
      body: text,
      actions: new Map(pairs),
      hints,
      expireTimeout,
    };
    this.shown.set(id, one);
    this.calls.push(one);
    this.#changed.emit("changed");
    return id;
  }
}
