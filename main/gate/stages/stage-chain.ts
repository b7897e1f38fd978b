import type { Stage } from "../../../ipc/decision.ts";
import { type Denial, isDenial } from "./examination.ts";

/** Stages one behind the other: what one of them finds is part of what those behind it are given. */
export class StageChain<In extends object, Out extends In> {
  readonly names: readonly Stage[];
  /** Examines `x`, and adds to it what the stages find. Returns it, or the first denial. */
  readonly examine: (x: In) => Denial | Out;

  private constructor(names: readonly Stage[], examine: (x: In) => Denial | Out) {
    this.names = names;
    this.examine = examine;
  }

  static of<In extends object>(): StageChain<In, In> {
    return new StageChain<In, In>([], (x) => x);
  }

  /** A stage that denies a call or lets it pass. */
  check(name: Stage, check: (x: Out) => Denial | null): StageChain<In, Out> {
    return new StageChain(this.#with(name), (x) => {
      const so_far = this.examine(x);
      return isDenial(so_far) ? so_far : (check(so_far) ?? so_far);
    });
  }

  /** A stage that denies a call or finds something out about it. */
  find<Found extends object>(name: Stage, find: (x: Out) => Denial | Found): StageChain<In, Out & Found> {
    return new StageChain(this.#with(name), (x) => {
      const so_far = this.examine(x);
      if (isDenial(so_far)) return so_far;
      const found = find(so_far);
      return isDenial(found) ? found : Object.assign(so_far, found);
    });
  }

  #with(name: Stage): readonly Stage[] {
    return [...this.names, name];
  }
}
