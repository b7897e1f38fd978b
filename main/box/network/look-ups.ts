import type { AddressRules } from "./lookup.ts";

/**
 * One box's: a name at a time, and each once for all connections that wait for it. The names of the whole gate are looked up in two
 * threads, and one whose servers don't answer keeps its thread for long, also when nobody waits any more.
 */
export class LookUps implements AddressRules {
  readonly #rules: AddressRules;
  readonly #going = new Map<string, Promise<string[]>>();
  #last: Promise<unknown> = Promise.resolve();
  #is_over = false;

  constructor(rules: AddressRules) {
    this.#rules = rules;
  }

  resolve(name: string): Promise<string[]> {
    const going = this.#going.get(name);
    if (going !== undefined) return going;
    const found = this.#last.then(() => {
      if (this.#is_over) throw new Error("the box has ended");
      return this.#rules.resolve(name);
    });
    const forget = () => this.#going.delete(name);
    this.#going.set(name, found);
    this.#last = found.then(forget, forget);
    return found;
  }

  isAllowed(address: string, port: number): boolean {
    return this.#rules.isAllowed(address, port);
  }

  /** The box has ended: nothing more is looked up. */
  close(): void {
    this.#is_over = true;
  }
}
