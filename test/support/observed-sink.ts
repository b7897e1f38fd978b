import { EventEmitter, once } from "node:events";
import type { Notice, NotificationSink, SinkEvent } from "../../main/notifications/sink.ts";

/** A real sink, whose events can be awaited once they were taken in. */
export class ObservedSink implements NotificationSink {
  readonly events: SinkEvent[] = [];
  readonly #sink: NotificationSink;
  readonly #heard = new EventEmitter();

  constructor(sink: NotificationSink) {
    this.#sink = sink;
  }

  /** The `count`th event that matches, once it was taken in. */
  async heard(matches: (event: SinkEvent) => boolean, count = 1): Promise<SinkEvent> {
    for (;;) {
      const event = this.events.filter(matches)[count - 1];
      if (event !== undefined) return event;
      await once(this.#heard, "event");
    }
  }

  start(listener: (event: SinkEvent) => void): void {
    this.#sink.start((event) => {
      listener(event);
      this.events.push(event);
      this.#heard.emit("event");
    });
  }

  wake(): void {
    this.#sink.wake();
  }

  show(notice: Notice): string {
    return this.#sink.show(notice);
  }

  replace(handle: string, notice: Notice): void {
    this.#sink.replace(handle, notice);
  }

  close(handle: string): void {
    this.#sink.close(handle);
  }

  end(): Promise<void> {
    return this.#sink.end();
  }
}
