import { close, closeSync, fdatasync } from "node:fs";

/** Syncs written data to the disk once a second, without blocking: a crash of the machine loses no more than that. */

const INTERVAL_MS = 1000;

export class BackgroundSync {
  readonly #ended: (error: Error | null) => void;
  #timer: NodeJS.Timeout | undefined;
  #descriptor: number | undefined;

  /** `ended` is called after each sync, with its error where it failed. */
  constructor(ended: (error: Error | null) => void) {
    this.#ended = ended;
  }

  /** Notes that something was written through this descriptor. */
  wrote(descriptor: number): void {
    this.#descriptor = descriptor;
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#descriptor !== undefined) this.#sync(this.#descriptor, () => undefined);
      this.#descriptor = undefined;
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  /** Closes the descriptor, after a sync where one is due. Never throws. */
  close(descriptor: number): void {
    if (this.#descriptor !== descriptor) return this.#closeNow(descriptor);
    this.settled();
    // Without a callback an error would be thrown uncaught.
    this.#sync(descriptor, () => close(descriptor, (error) => error && this.#ended(error)));
  }

  /** Notes that everything has been synced. */
  settled(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#descriptor = undefined;
  }

  #closeNow(descriptor: number): void {
    try {
      closeSync(descriptor);
    } catch (error) {
      this.#ended(error instanceof Error ? error : new Error("unknown", { cause: error }));
    }
  }

  #sync(descriptor: number, done: () => void): void {
    fdatasync(descriptor, (error) => {
      // Closed meanwhile, after a sync.
      if (error?.code !== "EBADF") this.#ended(error);
      done();
    });
  }
}
