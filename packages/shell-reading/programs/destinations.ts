import type { SimpleCommand } from "../reading.ts";
import { reachesRemote } from "./git-remotes.ts";
import { sourceOf } from "./hazard-records.ts";
import { hostsFetched, hostsNamed, isAboutOwnRepository, type NamedHost } from "./named-hosts.ts";
import { imageMoved, mailedTo, type NamedPackages, packagesOf, registryOf } from "./packages.ts";
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
      this.isAboutOwnRepository ||
      this.hosts.length > 0 ||
      this.packages !== null ||
      this.registry !== null ||
      this.image !== null ||
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

  /** An image that it pushes or pulls, its host first, or null. */
  get image(): string | null {
    return imageMoved(this.#command);
  }

  /** Addresses that it mails to. */
  get mailedTo(): string[] {
    return mailedTo(this.#command);
  }

  /** Machines, stores and web hosts that it names, as they are written; a null host can't be read. */
  get hosts(): NamedHost[] {
    const { name, argv } = this.#command;
    const isFetch = sourceOf(name, argv.slice(1)) === "fetched";
    return isFetch ? hostsFetched(this.#command) : hostsNamed(this.#command);
  }

  /** `gh pr create`: it goes where the repository of the folder is hosted. */
  get isAboutOwnRepository(): boolean {
    return isAboutOwnRepository(this.#command);
  }
}

export const destinationsBy = (command: SimpleCommand): Destinations => new Destinations(command);
