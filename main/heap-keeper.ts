import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";

/**
 * Gives the memory of a burst back. V8 lets what nobody uses any more stand until its old generation has doubled, and a gate that
 * then has little to do may never get there; and it keeps the pages that it has emptied. Does nothing where the engine's collector
 * can't be asked (`--expose-gc`).
 */
export class HeapKeeper {
  readonly #timer: NodeJS.Timeout | undefined;
  #after_last = oldBytes();
  #is_collecting = false;
  #utilization = performance.eventLoopUtilization();
  #quiet_looks = 0;
  /** Resident memory at the start, or when it was last given back, in bytes. */
  #resident = process.memoryUsage.rss();

  constructor() {
    if (globalThis.gc !== undefined) this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#is_collecting) return;
    const since = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#utilization, since);
    this.#quiet_looks = utilization < QUIET_UTILIZATION ? this.#quiet_looks + 1 : 0;
    if (this.#quiet_looks >= QUIET_LOOKS) this.#giveBack();
    const grown = oldBytes() - this.#after_last;
    if (grown < Math.max(MIN_GROWTH, this.#after_last / 4)) return;
    this.#is_collecting = true;
    void Promise.resolve(globalThis.gc?.({ type: "major", execution: "async" })).then(() => {
      this.#is_collecting = false;
      this.#after_last = oldBytes();
    });
  }

  /** Only this way are emptied pages given back to the system: what is kept is moved together. */
  #giveBack(): void {
    if (process.memoryUsage.rss() - this.#resident < MIN_GIVEN_BACK) return;
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
    // What couldn't be given back is no reason to try again.
    this.#resident = process.memoryUsage.rss();
    this.#after_last = oldBytes();
    this.#quiet_looks = 0;
  }
}

/** A collection takes about 10 ms, longer where more is kept: the garbage of some 300,000 calls, and a part of what is kept. */
const MIN_GROWTH = 8 * 1024 * 1024;
const LOOK_INTERVAL_MS = 1000;
/** Giving back takes about 100 ms: not for less, and not while agents call. */
const MIN_GIVEN_BACK = 48 * 1024 * 1024;
/** The part of a second that the event loop works, and how many seconds in a row. */
const QUIET_UTILIZATION = 0.1;
const QUIET_LOOKS = 5;

/** What lives in the old generation or is dead there, in bytes. */
function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === "old_space" || space_name === "large_object_space")
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
