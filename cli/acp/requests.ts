import { randomBytes } from "node:crypto";
import type { Json } from "../../ipc/base/json-object.ts";
import type { LineOutput } from "../proxy/line-output.ts";
import { encoded, type Id } from "./message.ts";

/** Requests in flight: ours to one side, and those of the agent that are kept here or were passed on. */

/** Nobody can know an id of ours, and so nobody can answer in another's place. */
const OWN_PREFIX = `metnos-gate-${randomBytes(12).toString("hex")}-`;

export function isOwnId(id: Id): boolean {
  return typeof id === "string" && id.startsWith(OWN_PREFIX);
}

export interface OwnAnswer {
  result: unknown;
  is_error: boolean;
}

/** Our requests to one side. */
export class OwnRequests {
  readonly #to: LineOutput;
  readonly #waiting = new Map<Id, (answer: OwnAnswer | undefined) => void>();
  #count = 0;

  constructor(to: LineOutput) {
    this.#to = to;
  }

  /** @returns its id, and the answer; undefined where it was withdrawn. Never rejects */
  ask(method: string, params: Json): { id: Id; answer: Promise<OwnAnswer | undefined> } {
    this.#count += 1;
    const id = `${OWN_PREFIX}${this.#count}`;
    const answer = new Promise<OwnAnswer | undefined>((resolve) => this.#waiting.set(id, resolve));
    this.#to.send(encoded({ id, method, params }));
    return { id, answer };
  }

  /** The other side is informed, where it understands that; what it answers later is dropped. */
  withdraw(id: Id): void {
    const resolve = this.#waiting.get(id);
    if (resolve === undefined) return;
    this.#waiting.delete(id);
    this.#to.send(encoded({ method: "$/cancel_request", params: { requestId: id } }));
    resolve(undefined);
  }

  /** An answer with an id of ours. */
  answered(id: Id, answer: OwnAnswer): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

/** More than any agent has at a time. */
const MAX_HELD = 200;
const MAX_PASSED = 10_000;

interface Held {
  session: string;
  controller: AbortController;
}

const IN_USE = { refused: "its id is in use for another request" };

/** The agent's requests by their ids. An id that it uses again while it is in use says nothing certain to anybody. */
export class AgentRequests {
  readonly #held = new Map<Id, Held>();
  readonly #passed = new Set<Id>();

  /** Keeps a request here. @returns why it can't be, or the signal that withdraws it */
  hold(id: Id, session: string): { refused: string } | { signal: AbortSignal } {
    if (this.#isInUse(id)) return IN_USE;
    if (this.#held.size >= MAX_HELD) return { refused: `${MAX_HELD} requests are waiting already` };
    const controller = new AbortController();
    this.#held.set(id, { session, controller });
    return { signal: controller.signal };
  }

  release(id: Id): void {
    this.#held.delete(id);
  }

  /** Whether it may be passed on to the editor. */
  pass(id: Id): { refused: string } | undefined {
    if (this.#isInUse(id)) return IN_USE;
    if (this.#passed.size >= MAX_PASSED) return { refused: `${MAX_PASSED} requests are waiting already` };
    this.#passed.add(id);
    return undefined;
  }

  #isInUse(id: Id): boolean {
    const held = this.#held.get(id);
    held?.controller.abort("its id was used for another request");
    return held !== undefined || this.#passed.has(id);
  }

  /** An answer of the editor. @returns whether it is one to a request that was passed on to it */
  answered(id: Id): boolean {
    return this.#passed.delete(id);
  }

  /** Withdraws one request, those of a session, or all. @returns whether it was kept here */
  withdraw(which: { id: Id } | { session: string } | "all", reason: string): boolean {
    let isFound = false;
    for (const [id, { session, controller }] of this.#held) {
      if (which !== "all" && ("id" in which ? which.id !== id : which.session !== session)) continue;
      isFound = true;
      controller.abort(reason);
    }
    return isFound;
  }
}
