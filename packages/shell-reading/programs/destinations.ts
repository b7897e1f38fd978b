import type { SimpleCommand } from "../reading.ts";
import { reachesRemote } from "./git-remotes.ts";
import { fetchedHost, sourceOf } from "./hazard-records.ts";
import { imagePushed, mailedTo, type NamedPackages, packagesOf, registryOf } from "./packages.ts";
import { programCalled } from "./table.ts";

/** Where a command goes, by its own words: hosts, packages, a registry, addresses. Where git goes is in a repository's settings. */
class Destinations {
  readonly #command: SimpleCommand;

  constructor(command: SimpleCommand) {
    this.#command = command;
  }

  /** False for a command that goes nowhere that is known. No file is looked at. */
  get any(): boolean {
    const { name } = this.#command;
    if (programCalled(name)?.worksOnRepository) return reachesRemote(this.#command);
    return (
      this.#fetches ||
      this.packages !== null ||
      this.registry !== null ||
      this.imagePushed !== null ||
      this.mailedTo.length > 0
    );
  }

  /** Packages that it fetches by their names, or null. */
  get packages(): NamedPackages | null {
    return packagesOf(this.#command);
  }

  /**
   * The address of the registry that it publishes to, or null. `isUsual`: its words name none, so that it is the usual one unless files of
   * the project say otherwise; `url` is null where a name stands for it.
   */
  get registry(): { url: string | null; isUsual: boolean } | null {
    return registryOf(this.#command);
  }

  /** An image that it pushes, its host first, or null. */
  get imagePushed(): string | null {
    return imagePushed(this.#command);
  }

  /** Addresses that it mails to. */
  get mailedTo(): string[] {
    return mailedTo(this.#command);
  }

  /** The host that it fetches from, as it is written; null where that may be more than one. */
  get fetchedHost(): string | null {
    return this.#fetches ? fetchedHost(this.#command.argv.slice(1)) : null;
  }

  get #fetches(): boolean {
    const { name, argv } = this.#command;
    return sourceOf(name, argv.slice(1)) === "fetched";
  }
}

export const destinationsBy = (command: SimpleCommand): Destinations => new Destinations(command);
