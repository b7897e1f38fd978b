import { getHeapSpaceStatistics } from "node:v8";

/**
 * Gives the memory of a burst back. V8 lets what nobody uses any more stand until its old generation has doubled, and a gate that
 * then has little to do may never get there. Does nothing where the engine's collector can't be asked (`--expose-gc`).
 */
export class HeapKeeper {
  readonly #timer: NodeJS.Timeout | undefined;
  #after_last = oldBytes();
  #is_collecting = false;

  constructor() {
    if (globalThis.gc !== undefined) this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const grown = oldBytes() - this.#after_last;
    if (this.#is_collecting || grown < Math.max(MIN_GROWTH, this.#after_last / 4)) return;
    this.#is_collecting = true;
    void Promise.resolve(globalThis.gc?.({ type: "major", execution: "async" })).then(() => {
      this.#is_collecting = false;
      this.#after_last = oldBytes();
    });
  }
}

/** A collection takes about 10 ms, longer where more is kept: the garbage of some 300,000 calls, and a part of what is kept. */
const MIN_GROWTH = 8 * 1024 * 1024;
const LOOK_INTERVAL_MS = 1000;

/** What lives in the old generation or is dead there, in bytes. */
function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === "old_space" || space_name === "large_object_space")
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
