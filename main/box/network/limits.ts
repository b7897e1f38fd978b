/** What one run may hold at the gate's proxy: a confined program can open what it wants, and gets no more than this. */
export interface NetworkLimits {
  /** Connections at the same time. */
  readonly connections: number;
  /** Hosts that it may ask for, one behind the other; names that it makes up are no way to fill the trail. */
  readonly hosts: number;
  /** Of them, those that the user is asked about at the same time. */
  readonly waiting: number;
  /** Bytes of a request's head; what a client sends before its connection is open is held up to as many. */
  readonly headBytes: number;
  /** Milliseconds for a request's head, and for the first message of TLS. */
  readonly headMs: number;
  /** Milliseconds to reach a host. */
  readonly connectMs: number;
  /** Milliseconds without a byte in either direction. */
  readonly idleMs: number;
  /** Milliseconds of one connection in all. */
  readonly totalMs: number;
  /** Milliseconds for which an allowed host counts as allowed: a program that connects in a loop fills no trail. */
  readonly allowedMs: number;
  /** Milliseconds that a host waits for the user's answer before the command's own terminal says so. */
  readonly tellMs: number;
  /** Milliseconds that a question stays open without a connection that waits for it: programs give up, and try again. */
  readonly retryMs: number;
}

export const NETWORK_LIMITS: NetworkLimits = {
  connections: 128,
  hosts: 256,
  waiting: 8,
  headBytes: 16_384,
  headMs: 15_000,
  connectMs: 20_000,
  idleMs: 600_000,
  totalMs: 6 * 3_600_000,
  allowedMs: 1000,
  tellMs: 1000,
  retryMs: 3000,
};
