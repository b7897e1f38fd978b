/** Which requests wait for a client that continues without its terminal: looked at for as long as they wait. */

/** How often, in milliseconds. */
const LOOK_MS = 2000;
/** Each look takes some 50 ms for each of them, and an agent may name any process: more clients than anybody has aren't looked at. */
const MAX_CLIENTS = 8;

export interface UnattendedParts {
  /** Whether the client with this process id has lost its terminal. Never rejects. */
  hasLostTerminal(pid: number): Promise<boolean>;
  /** Of this request it is another than before. */
  changed(token: string): void;
}

export class Unattended {
  readonly #parts: UnattendedParts;
  readonly #requests = new Map<string, { pid: number; is_alone: boolean }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UnattendedParts) {
    this.#parts = parts;
  }

  /** True if its client was without a terminal when it was last looked at. */
  has(token: string): boolean {
    return this.#requests.get(token)?.is_alone === true;
  }

  /** @param pid the client's process */
  watch(token: string, pid: number): void {
    const clients = this.#clients();
    if (!clients.has(pid) && clients.size >= MAX_CLIENTS) return;
    this.#requests.set(token, { pid, is_alone: this.has(token) });
    this.#timer ??= this.#later();
  }

  forget(token: string): void {
    this.#requests.delete(token);
  }

  stop(): void {
    this.#requests.clear();
    clearTimeout(this.#timer);
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  #clients(): Set<number> {
    return new Set([...this.#requests.values()].map(({ pid }) => pid));
  }

  async #look(): Promise<void> {
    for (const pid of this.#clients()) {
      const is_alone = await this.#parts.hasLostTerminal(pid);
      for (const [token, request] of this.#requests) {
        if (request.pid !== pid || request.is_alone === is_alone) continue;
        request.is_alone = is_alone;
        this.#parts.changed(token);
      }
    }
    this.#timer = this.#requests.size === 0 ? undefined : this.#later();
  }
}
