/** How long things took, counted into buckets: cheap enough for every call. */
export class Histogram {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  /** One more than there are bounds: the last counts what is longer. Not cumulative. */
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(seconds: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && seconds > (this.bounds[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
    this.count++;
  }
}
