import { Notification } from "electron";
import type { Notice, NotificationSink, SinkEvent } from "../surfaces/notifications/sink.ts";

/**
 * Notifications through Electron: macOS and Windows. (On Linux they go over the session bus: Electron's have no buttons there.)
 * Knows nothing of approvals: it shows notices and reports which button was pressed.
 */

/** Notification Center and the Action Center have buttons; there is no server that could be missing. */
export class ElectronNotifications implements NotificationSink {
  readonly #shown = new Map<string, Notification>();
  #listener: (event: SinkEvent) => void = () => undefined;
  #last = 0;

  start(listener: (event: SinkEvent) => void): void {
    this.#listener = listener;
    if (!Notification.isSupported()) return;
    // Asynchronously: the caller has no reference to it yet.
    queueMicrotask(() => listener({ type: "ready", abilities: { hasActions: true, hasBody: true } }));
  }

  wake(): void {
    // the system's own server is always running
  }

  show(notice: Notice): string {
    const handle = `n${++this.#last}`;
    this.#open(handle, notice);
    return handle;
  }

  replace(handle: string, notice: Notice): void {
    this.close(handle);
    this.#open(handle, notice);
  }

  close(handle: string): void {
    const notification = this.#shown.get(handle);
    this.#shown.delete(handle);
    notification?.close();
  }

  async end(): Promise<void> {
    for (const handle of [...this.#shown.keys()]) this.close(handle);
    this.#listener = () => undefined;
  }

  #open(handle: string, notice: Notice): void {
    const notification = new Notification({
      title: notice.title,
      body: notice.lines.join("\n"),
      timeoutType: "never",
      urgency: notice.is_urgent ? "critical" : "normal",
      actions: notice.buttons.map(({ label }) => ({ type: "button", text: label })),
    });
    this.#shown.set(handle, notification);
    /** Events of a notification that was closed or replaced meanwhile don't count. */
    const report = (event: SinkEvent) => {
      if (this.#shown.get(handle) === notification) this.#listener(event);
    };
    const forget = (type: "dismissed" | "failed") => {
      report({ type, handle });
      if (this.#shown.get(handle) === notification) this.#shown.delete(handle);
    };
    notification.on("show", () => report({ type: "shown", handle }));
    notification.on("action", ({ actionIndex }) => {
      const action = notice.buttons[actionIndex]?.action;
      if (action !== undefined) report({ type: "action", handle, action });
    });
    notification.on("click", () => {
      if (notice.defaultAction !== null) report({ type: "action", handle, action: notice.defaultAction });
    });
    notification.on("close", () => forget("dismissed"));
    notification.on("failed", () => forget("failed"));
    notification.show();
  }
}
