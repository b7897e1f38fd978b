import { EventEmitter, once } from "node:events";
import type { Notice, NotificationSink, SinkEvent } from "../../main/surfaces/notifications/sink.ts";

/** A real sink, whose events can be awaited once they were taken in. */
export class ObservedSink implements NotificationSink {
  readonly events: SinkEvent[] = [];
  readonly #sink: NotificationSink;
  readonly #received = new EventEmitter();
  /** Notifications whose latest text isn't on the screen yet. */
  readonly #unseen = new Set<string>();

  constructor(sink: NotificationSink) {
    this.#sink = sink;
  }

  /** The `count`th event that matches, once it was taken in. */
  async received(matches: (event: SinkEvent) => boolean, count = 1): Promise<SinkEvent> {
    for (;;) {
      const event = this.events.filter(matches)[count - 1];
      if (event !== undefined) return event;
      await once(this.#received, "event");
    }
  }

  /** Everything that was given to be shown is on the screen, and that was taken in. */
  async settled(): Promise<void> {
    while (this.#unseen.size > 0) await once(this.#received, "event");
  }

  start(listener: (event: SinkEvent) => void): void {
    this.#sink.start((event) => {
      if ("handle" in event) this.#unseen.delete(event.handle);
      else this.#unseen.clear();
      listener(event);
      this.events.push(event);
      this.#received.emit("event");
    });
  }

  wake(): void {
    this.#sink.wake();
  }

  show(notice: Notice): string {
    const handle = this.#sink.show(notice);
    this.#unseen.add(handle);
    return handle;
  }

  replace(handle: string, notice: Notice): void {
    this.#unseen.add(handle);
    this.#sink.replace(handle, notice);
  }

  close(handle: string): void {
    this.#unseen.delete(handle);
    this.#sink.close(handle);
  }

  end(): Promise<void> {
    return this.#sink.end();
  }
}
