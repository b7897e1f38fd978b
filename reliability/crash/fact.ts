/**
 * The value that a gate must have stored, as far as it is known. An act that was sent makes it one of several values; its acknowledgement makes it
 * known again, and so does the next start of a gate that was killed in between.
 */
export class Fact<T> {
  /** Changes with everything that was sent or acknowledged: equal versions mean that nothing happened in between. */
  version = 0;
  #possible: Set<T>;

  constructor(value: T) {
    this.#possible = new Set([value]);
  }

  /** The value, or undefined while it may be one of several. */
  get known(): T | undefined {
    const [only] = this.#possible;
    return this.#possible.size === 1 ? only : undefined;
  }

  get possible(): readonly T[] {
    return [...this.#possible];
  }

  /** An act was sent that makes it `value`. */
  begin(value: T): void {
    this.version++;
    this.#possible.add(value);
  }

  /** It was acknowledged, or reported, to be `value`. */
  done(value: T): void {
    this.version++;
    this.#possible = new Set([value]);
  }

  /** It is not `value`, whatever else it may be. */
  exclude(value: T): void {
    this.version++;
    if (this.#possible.size > 1) this.#possible.delete(value);
  }

  /** The value that a gate reports now. False if it can't be. */
  adopt(value: T): boolean {
    const isPossible = this.#possible.has(value);
    this.done(value);
    return isPossible;
  }
}
