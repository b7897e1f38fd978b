import type { ChannelName, ChannelStatus, TelegramStatus } from "../../ipc/contract/channels.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";

/** Requests of one agent that are gathered into one message. */
export interface Gathered {
  agent_id: string;
  agent_name: string;
  /** Those that still wait, in their order; empty once none does. */
  views: readonly ApprovalView[];
}

/** What the user should know of, without being asked. All text is the gate's own, with hidden characters made visible. */
export interface ChannelNote {
  kind: "pause" | "alarm" | "evening" | "stale" | "checkpoint" | "refused" | "test";
  is_urgent: boolean;
  title: string;
  lines: readonly string[];
  /** Only these channels say it. Left out: each. */
  only?: readonly ChannelName[];
  /** Said only while the screen is locked, together with others of its kind: see `AwayNotes`. */
  when_away?: true;
}

/**
 * A way to call the user who isn't at this machine. The router says what is due when; a channel shows it, keeps it true, and takes
 * answers to it through the operator's contract. No method throws, or waits for the other side.
 */
export interface Channel extends Called {
  readonly name: ChannelName;
  status(): Pick<ChannelStatus, "state" | "text">;
  /** Sends the test's note and waits until it was taken. @throws GateError `not_available`, `channel_failed` */
  test(note: ChannelNote): Promise<void>;
  /** Of Telegram. */
  readonly linking?: TelegramLinking;
  close(): Promise<void>;
}

/** Linking the user's own chat. */
export interface TelegramLinking {
  status(): TelegramStatus;
  /** @throws GateError `not_available` */
  link(): Promise<{ url: string; expires_at: string }>;
  /** @throws GateError `too_late` */
  confirm(id: string): TelegramStatus;
  /** @throws GateError `too_late` */
  reject(id: string): TelegramStatus;
  /** False where no chat was linked. */
  unlink(): boolean;
}

/** What a router calls. After a restart it asks again for all that is due: what was sent already isn't sent twice. */
export interface Called {
  /** A request is due, or says something else than before. */
  ask(view: ApprovalView): void;
  /** An agent's requests are shown as one from now on, or are others than before. Each of them was or wasn't shown by itself. */
  gather(gathered: Gathered): void;
  /** A request has ended, however it did. Also of one that was gathered. */
  ended(view: ApprovalView): void;
  note(note: ChannelNote): void;
}
