import type { Places } from "../../../ipc/places.ts";
import { realForm } from "../targets/path.ts";
import { isAtOrBelow } from "../targets/pattern.ts";
import { type GatePlaces, gatePlaces } from "./shell/gate-places.ts";

/** The third group: the gate protects itself. Its databases, tokens, configuration, logs and sockets are never an agent's. */
export class OwnHouse {
  /** Folders and single files, in their lexical and their real form. */
  readonly #protected: string[];
  /** What a command line would have to mention, absolute and below `~`. */
  readonly #mentions: string[];
  /** The same, for the reading of command lines. */
  readonly places: GatePlaces;

  constructor(places: Places, home: string) {
    const { places: lexical, agent_socket } = gatePlaces(places);
    this.#protected = [...new Set(lexical.flatMap((path) => [path, realForm(path) ?? path]))];
    this.places = { places: this.#protected, agent_socket };
    const below_home = lexical.filter((path) => path.startsWith(`${home}/`)).map((path) => path.slice(home.length));
    this.#mentions = [
      ...new Set([
        ...this.#protected,
        ...below_home.flatMap((path) => [`~${path}`, `$HOME${path}`, `\${HOME}${path}`]),
      ]),
    ];
  }

  /** True if `path` (absolute, normal) is one of the gate's own or lies below one; `is_tree`: or contains one. */
  holds(path: string, is_tree = false): boolean {
    return this.#protected.some((own) => isAtOrBelow(path, own) || (is_tree && isAtOrBelow(own, path)));
  }

  /** True if a command line names one of the gate's own places in plain text. */
  isMentionedIn(command: string): boolean {
    return this.#mentions.some((own) => {
      for (let at = command.indexOf(own); at !== -1; at = command.indexOf(own, at + 1)) {
        // `metnos-notes` is another folder.
        if (!/[\w.-]/.test(command[at + own.length] ?? "")) return true;
      }
      return false;
    });
  }
}
