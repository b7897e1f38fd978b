/** Shows notifications: over the session bus on Linux, by the desktop app elsewhere. Knows nothing of approvals. */

export type NoticeAction = "approve" | "deny" | "review";

/** The content of a notification. All text is plain, with hidden characters escaped; the sink escapes markup. */
export interface Notice {
  kind: "approval" | "digest" | "pairing" | "pause" | "alarm" | "note";
  /** Something is dangerous, or every agent is stopped: it may cover what the user does. */
  is_urgent: boolean;
  /** Text by the gate only, nothing from a call. */
  title: string;
  lines: readonly string[];
  /** In display order; left out by a sink whose server has no buttons. */
  buttons: readonly { action: NoticeAction; label: string }[];
  /** The effect of a click on the notification itself. Null: none. Never an answer. */
  defaultAction: "review" | null;
}

/** What the notification server can do. */
export interface SinkAbilities {
  hasActions: boolean;
  /** False: only the title is shown. */
  hasBody: boolean;
}

export type SinkEvent =
  /** A server is available, for the first time or again: it shows none of the earlier notifications. */
  | { type: "ready"; abilities: SinkAbilities }
  /** The server was lost, and with it all notifications. */
  | { type: "lost" }
  /** The latest text of this notification is on the screen now. */
  | { type: "shown"; handle: string }
  | { type: "action"; handle: string; action: NoticeAction }
  /** It was closed without `close`: dismissed by the user, or by the server. Not an answer. */
  | { type: "dismissed"; handle: string }
  /** It could not be shown. The user hasn't dismissed it: it may be shown on the next server that is `ready`. */
  | { type: "failed"; handle: string };

/** No method throws. `show` and `replace` return at once: the event `shown` follows. */
export interface NotificationSink {
  /** Why nothing can be shown now, as far as that is known; null or left out: nothing is wrong. */
  readonly problem?: string | null;
  /** Starts to look for a server, without waiting for it; `ready` follows once there is one. */
  start(listener: (event: SinkEvent) => void): void;
  /** There is a notification to show and no server: starts one if possible. */
  wake(): void;
  show(notice: Notice): string;
  replace(handle: string, notice: Notice): void;
  close(handle: string): void;
  /** Closes everything that is still shown, and disconnects from the server. */
  end(): Promise<void>;
}
