import { statSync } from "node:fs";
import { type FileIdentity, identityOf, isStillAt } from "../../../ipc/base/file-identity.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { BESIDE } from "../../base/sqlite/database-file.ts";
import { LEASE_MS } from "./holder.ts";

/** A watched file, with its name for the message about its loss. */
interface Watched {
  what: string;
  path: string;
  identity: FileIdentity;
  kind: Kind;
}

/** In the order in which losses are reported: whoever has the gate's lock has its databases, too. */
const KINDS = ["gate", "database", "database lock"] as const;
type Kind = (typeof KINDS)[number];

/** How often the files are checked, in milliseconds. */
export const LOOK_MS = 1000;

/**
 * Checks that the gate's files are still its own: the locks and sockets that make it the only gate, and the databases, whose
 * writes would be lost with them. A gate that has lost one decides nothing any more, even if the file comes back.
 */
export class StorageWatch {
  readonly #lost: (loss: GateError) => void;
  readonly #files: Watched[] = [];
  #loss: GateError | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `lost` is called once, with the code `gate_replaced` or `database_unusable`. */
  constructor(lost: (loss: GateError) => void) {
    this.#lost = lost;
  }

  /** The gate's lock, one of its sockets, or a database's lock: another file at its path is another gate's. */
  addHeld(kind: Exclude<Kind, "database">, what: string, path: string, identity: FileIdentity): void {
    this.#add({ what, path, identity, kind });
  }

  /** An open database, with the files that SQLite keeps beside it. */
  addDatabase(what: string, path: string): void {
    for (const file of [path, ...BESIDE.map((end) => `${path}${end}`)]) {
      const identity = identityOf(file);
      if (identity !== undefined) this.#add({ what, path: file, identity, kind: "database" });
    }
  }

  #add(file: Watched): void {
    this.#files.push(file);
    this.#files.sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Stops checking: the gate removes its own files from now on. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** The known loss; checks now if the last check is too long ago, as after a suspend. Called for each decision, and before it is sent. */
  lossByNow(): GateError | undefined {
    if (this.#loss === undefined && performance.now() - this.#lookedAt > LEASE_MS) return this.look();
    return this.#loss;
  }

  /** The known loss, without a check. */
  get loss(): GateError | undefined {
    return this.#loss;
  }

  /** Checks now. */
  look(): GateError | undefined {
    if (this.#loss !== undefined || this.#isStopped) return this.#loss;
    const began = performance.now();
    const lost = this.#files.find((file) => !isIntact(file));
    this.#lookedAt = began;
    if (lost === undefined) return undefined;
    this.#loss = lossOf(lost);
    this.stop();
    this.#lost(this.#loss);
    return this.#loss;
  }
}

function isIntact({ path, identity, kind }: Watched): boolean {
  if (!isStillAt(path, identity)) return false;
  // An open database has its first page in its file.
  return kind !== "database" || BESIDE.some((end) => path.endsWith(end)) || (sizeOf(path) ?? 0) > 0;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function lossOf({ what, path, identity, kind }: Watched): GateError {
  const found = identityOf(path);
  const isSame = found !== undefined && found.ino === identity.ino && found.dev === identity.dev;
  const how = found === undefined ? "was removed or moved" : isSame ? "was emptied" : "was replaced by another file";
  if (kind === "database") {
    return new GateError(
      "database_unusable",
      `the ${what} ${path} ${how} while the gate ran: the gate has ended, as nothing that it wrote there would last`,
      "put the file back, or restore it from a backup, and start the gate again",
    );
  }
  return new GateError(
    "gate_replaced",
    `the gate's ${what} ${path} ${how}: the gate has ended, as another one may run in its place`,
    `see: ${ownCommand("status")}; where none runs, start it again`,
  );
}
