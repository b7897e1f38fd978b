import { close, closeSync, fdatasync } from "node:fs";

/** Gives what was written to the disk once a second, without holding anybody up: a crash of the machine takes no more than that. */

const INTERVAL_MS = 1000;

export class BackgroundSync {
  readonly #failed: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #descriptor: number | undefined;

  /** `failed` hears of what couldn't be given to the disk. */
  constructor(failed: (error: Error) => void) {
    this.#failed = failed;
  }

  /** Something was written through this descriptor. */
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

  /** Closes the descriptor; where the disk doesn't have all of it yet, as soon as it does. Never throws. */
  close(descriptor: number): void {
    if (this.#descriptor !== descriptor) return this.#closeNow(descriptor);
    this.settled();
    // Without a callback an error would be thrown where nobody can catch it.
    this.#sync(descriptor, () => close(descriptor, (error) => error && this.#failed(error)));
  }

  /** The disk has everything. */
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
      // Closed meanwhile, and given to the disk by who closed it.
      if (error !== null && error.code !== "EBADF") this.#failed(error);
      done();
    });
  }
}
