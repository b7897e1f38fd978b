import { ownCommand } from "../../ipc/base/own-command.ts";
import type { Check } from "../check.ts";
import type { AdapterName } from "./adapter.ts";

/** What `doctor` says of the gate's hook in a client: the same sentences for each of them. */
export class HookReport {
  readonly #client: AdapterName;
  readonly #what: "hook" | "plugin";

  constructor(client: AdapterName, what: "hook" | "plugin" = "hook") {
    this.#client = client;
    this.#what = what;
  }

  /** @param fix left out: it is to be connected again */
  failed(detail: string, fix = this.connect()): Check {
    return { check: `${this.#client} ${this.#what}`, ok: false, detail, fix };
  }

  connect(): string {
    return ownCommand(`connect ${this.#client}`);
  }

  notInstalled(): Check {
    return this.failed("not installed");
  }

  /** @param which "the hook in FILE" */
  outdated(which: string): Check {
    return this.failed(`${which} is not the one that this version writes`);
  }

  /** What is wrong; where nothing is, one line that says where the hook is. */
  of(problems: readonly Check[], detail: string): readonly Check[] {
    return problems.length > 0 ? problems : [{ check: `${this.#client} ${this.#what}`, ok: true, detail }];
  }

  /** Other hooks before tools are no failure, but the user should know them. */
  others(found: readonly string[], why = "able to change a call after it was approved"): Check[] {
    if (found.length === 0) return [];
    const detail = `beside the gate's, ${why}: ${found.join(", ")}`;
    return [{ check: `${this.#client} other ${this.#what}s`, ok: true, detail }];
  }
}
