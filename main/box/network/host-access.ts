import type { Destination } from "./destination.ts";

/** What became of a connection's wish to reach a host. `why` is one sentence for the program that asked. */
export type HostAnswer = { isAllowed: true } | { isAllowed: false; why: string };

export const ALLOWED: HostAnswer = { isAllowed: true };
export const refused = (why: string): HostAnswer => ({ isAllowed: false, why });

/** Who decides which hosts one box may reach. */
export interface HostAccess {
  /** The user may be asked while the box runs: its terminal says so. */
  readonly asks?: boolean;
  /** Whether the box may reach it. The answer may take its time; `gone` says that nobody waits for it any more. */
  ask(to: Destination, gone: AbortSignal): Promise<HostAnswer>;
  /** Whether an open connection may stay, once something has changed that decisions rest on. */
  mayStay(to: Destination): boolean;
  /** Decisions may be others from now on. */
  forgetAllowed(): void;
  /** What was allowed once isn't any more. */
  forgetApproved(): void;
  /** The box has ended. */
  close(): void;
}
