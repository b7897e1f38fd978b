import { flushCompileCache } from "node:module";
import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";

/**
 * Returns the memory of the start, and of a burst, to the system. V8 collects garbage of its old generation only once that has doubled, which a gate
 * with little to do may never reach; and it keeps the pages that it has emptied. Does nothing where the garbage collector can't
 * be called (`--expose-gc`).
 */
export class HeapKeeper {
  readonly #timer: NodeJS.Timeout | undefined;
  #afterLast = oldBytes();
  #isCollecting = false;
  #utilization = performance.eventLoopUtilization();
  #quietLooks = 0;
  /** Resident memory when some was last returned, in bytes; 0: what the start took is still held. */
  #resident = 0;

  constructor() {
    if (globalThis.gc !== undefined) this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#isCollecting) return;
    const since = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#utilization, since);
    const isQuiet = utilization < QUIET_UTILIZATION;
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    if (this.#quietLooks >= QUIET_LOOKS) this.#giveBack();
    const grown = oldBytes() - this.#afterLast;
    if (grown < Math.max(isQuiet ? MIN_GROWTH : MIN_GROWTH_AT_WORK, this.#afterLast / 4)) return;
    this.#isCollecting = true;
    void Promise.resolve(globalThis.gc?.({ type: "major", execution: "async" })).then(() => {
      this.#isCollecting = false;
      this.#afterLast = oldBytes();
    });
  }

  /** Only a compacting collection returns emptied pages to the system. */
  #giveBack(): void {
    if (residentBytes() - this.#resident < MIN_GIVEN_BACK) return;
    // Else Node holds what the program was read from, or is to be written, until it ends.
    flushCompileCache();
    globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
    // Memory that couldn't be returned is no reason to try again.
    this.#resident = residentBytes();
    this.#afterLast = oldBytes();
    this.#quietLooks = 0;
  }
}

/** A collection takes 10 ms, on busy processors 70 ms, in which no call is decided on. The garbage of some 3,500 calls, in bytes. */
const MIN_GROWTH = 8 * 1024 * 1024;
/** While agents call without a pause: else one came each second. */
const MIN_GROWTH_AT_WORK = 24 * 1024 * 1024;
const LOOK_INTERVAL_MS = 1000;
/** Returning memory takes about 100 ms: not for less than this, in bytes, and not while agents call. */
const MIN_GIVEN_BACK = 48 * 1024 * 1024;
/** A gate is quiet while the event loop is busy for less than this part of a second, for so many seconds in a row. */
const QUIET_UTILIZATION = 0.1;
const QUIET_LOOKS = 5;

/** The size of the old generation, live and dead, in bytes. */
function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === "old_space" || space_name === "large_object_space")
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/** 0 where it can't be read: Node opens a file for it, and a process may have none left. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
