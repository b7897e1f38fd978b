import { isListed, type ListedHost } from "../../targets/listed-host.ts";
import type { Destination } from "./destination.ts";
import { ALLOWED, type HostAccess, type HostAnswer, refused } from "./host-access.ts";

/** Hosts of a list that the user wrote: nobody is asked about another one, and no grant adds to them. */
export class ListedHosts implements HostAccess {
  readonly #hosts: readonly ListedHost[];
  readonly #refusal: string;
  #isClosed = false;

  /** @param refusal why another host is refused, for the program that asks for it */
  constructor(hosts: readonly ListedHost[], refusal = "this host isn't on the judge agent's list") {
    this.#hosts = hosts;
    this.#refusal = refusal;
  }

  ask(to: Destination): Promise<HostAnswer> {
    return Promise.resolve(this.mayStay(to) ? ALLOWED : refused(this.#refusal));
  }

  mayStay({ host, port }: Destination): boolean {
    return !this.#isClosed && isListed(this.#hosts, host, port);
  }

  forgetAllowed(): void {
    // The list stays as it is.
  }

  forgetApproved(): void {
    // Nothing is allowed once only.
  }

  close(): void {
    this.#isClosed = true;
  }
}
