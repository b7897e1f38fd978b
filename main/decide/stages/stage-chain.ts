import type { Stage } from "../../../ipc/contract/decision.ts";
import { type Denial, isDenial } from "./examination.ts";

/** Called for each stage that was reached. */
type Observe = (stage: Stage, is_denied: boolean) => void;

/** With all that the stages found, or up to the first denial, with what those before it found. */
type Result<In, Out> = { x: Out; denial: null } | { x: In; denial: Denial };

/** Stages one behind the other: what one of them finds is part of what those behind it are given. */
export class StageChain<In extends object, Out extends In> {
  readonly names: readonly Stage[];
  /** Examines `x`, which stays as it is. */
  readonly examine: (x: In) => Result<In, Out>;
  readonly #observe: Observe;

  private constructor(names: readonly Stage[], examine: (x: In) => Result<In, Out>, observe: Observe) {
    this.names = names;
    this.examine = examine;
    this.#observe = observe;
  }

  static of<In extends object>(observe: Observe = () => undefined): StageChain<In, In> {
    return new StageChain<In, In>([], (x) => ({ x, denial: null }), observe);
  }

  /** A stage that denies a call or lets it pass. */
  check(name: Stage, check: (x: Out) => Denial | null): StageChain<In, Out> {
    return this.#with(name, (x) => check(x) ?? x);
  }

  /** A stage that denies a call or finds something out about it. */
  find<Found extends object>(name: Stage, find: (x: Out) => Denial | Found): StageChain<In, Out & Found> {
    return this.#with(name, (x) => {
      const found = find(x);
      return isDenial(found) ? found : { ...x, ...found };
    });
  }

  #with<Next extends Out>(name: Stage, stage: (x: Out) => Denial | Next): StageChain<In, Next> {
    const examine = (x: In): Result<In, Next> => {
      const so_far = this.examine(x);
      if (so_far.denial !== null) return so_far;
      const next = stage(so_far.x);
      const is_denied = isDenial(next);
      this.#observe(name, is_denied);
      return is_denied ? { x: so_far.x, denial: next } : { x: next, denial: null };
    };
    return new StageChain([...this.names, name], examine, this.#observe);
  }
}
