import { close, closeSync, fdatasync } from "node:fs";

/** Syncs written data to the disk once a second, without blocking: a crash of the machine loses no more than that. */

const INTERVAL_MS = 1000;

export class BackgroundSync {
  readonly #failed: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #descriptor: number | undefined;

  /** `failed` is called with the error of a failed sync. */
  constructor(failed: (error: Error) => void) {
    this.#failed = failed;
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
    this.#sync(descriptor, () => close(descriptor, (error) => error && this.#failed(error)));
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
      this.#failed(error instanceof Error ? error : new Error("unknown", { cause: error }));
    }
  }

  #sync(descriptor: number, done: () => void): void {
    fdatasync(descriptor, (error) => {
      // Closed meanwhile, after a sync.
      if (error !== null && error.code !== "EBADF") this.#failed(error);
      done();
    });
  }
}
