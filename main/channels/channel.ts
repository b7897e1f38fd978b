import type { ChannelName, ChannelStatus } from "../../ipc/channels.ts";
import type { ApprovalView } from "../../ipc/operator-api.ts";

/** Requests of one agent that are gathered into one message. */
export interface Gathered {
  agent_id: string;
  agent_name: string;
  /** Those that still wait, in their order. */
  views: readonly ApprovalView[];
}

/** What the user should know of, without being asked. All text is the gate's own, with hidden characters made visible. */
export interface ChannelNote {
  kind: "pause" | "alarm" | "evening" | "stale" | "checkpoint" | "test";
  is_urgent: boolean;
  title: string;
  lines: readonly string[];
}

/**
 * A way to call the user who isn't at this machine. The router says what is due when; a channel shows it, keeps it true, and takes
 * answers to it through the operator's contract. No method throws, or waits for the other side.
 */
export interface Channel {
  readonly name: ChannelName;
  status(): Pick<ChannelStatus, "state" | "text">;
  /** A request is due, or says something else than before. */
  ask(view: ApprovalView): void;
  /** An agent's requests are shown as one from now on, or are others than before. Each of them was or wasn't shown by itself. */
  gather(gathered: Gathered): void;
  /** A request has ended, however it did. Also of one that was gathered. */
  ended(view: ApprovalView): void;
  note(note: ChannelNote): void;
  close(): Promise<void>;
}
