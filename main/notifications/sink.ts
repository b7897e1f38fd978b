/** What shows notifications: the Linux session bus here, the desktop shell's own elsewhere. Knows nothing of approvals. */

export type NoticeAction = "approve" | "deny" | "review";

/** What is to be seen. All text is plain and inert already; markup is the sink's to escape. */
export interface Notice {
  kind: "approval" | "digest" | "pairing" | "pause" | "alarm";
  /** The gate's own words only. */
  title: string;
  lines: readonly string[];
  /** In the order they are shown; left out by a sink whose server has no buttons. */
  buttons: readonly { action: NoticeAction; label: string }[];
  /** What a click on the notification itself means. Null: nothing. Never an answer. */
  default_action: "review" | null;
}

/** What the notification server can do. */
export interface SinkAbilities {
  has_actions: boolean;
  /** False: the title is all that is seen. */
  has_body: boolean;
}

export type SinkEvent =
  /** A server is there, for the first time or again: nothing of what was shown before is on it. */
  | { type: "ready"; abilities: SinkAbilities }
  /** The server has gone, and with it all that was shown. */
  | { type: "lost" }
  /** The latest text of this notification is on the screen from now on. */
  | { type: "shown"; handle: string }
  | { type: "action"; handle: string; action: NoticeAction }
  /** It went away without `close`: put aside by the human, or by the server. Not an answer. */
  | { type: "dismissed"; handle: string }
  /** It could not be shown. Nobody has put it aside: the next server that is `ready` may have it again. */
  | { type: "failed"; handle: string };

/** No method throws. `show` and `replace` return at once: `shown` says when it happened. */
export interface NotificationSink {
  /** Begins to look for a server, without waiting for it; `ready` follows once there is one. */
  start(listener: (event: SinkEvent) => void): void;
  /** Something waits to be shown and there is no server: one that can be started is started. */
  wake(): void;
  show(notice: Notice): string;
  replace(handle: string, notice: Notice): void;
  close(handle: string): void;
  /** Takes everything down that is still shown, and lets go of the server. */
  end(): Promise<void>;
}
