import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../gate/errors.ts";

/**
 * An empty file for each call by its client's own id, which the client's hook looks for after it: it has not started, or `.started`. A new
 * file costs the system fifty times what a new name does: those of calls that are over wait for others.
 */

const CALL_ID = /^[A-Za-z0-9_-]{1,128}$/;
const STARTED = ".started";
/** No call has such an id. */
const SPARE = ".spare-";
const MOST_SPARES = 64;

export class CallMarks {
  readonly #folder: string;
  #spares = 0;

  /** @param folder its own, and empty */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws the system's error */
  prepared(call_id: string | undefined): void {
    if (!hasMark(call_id)) return;
    const path = join(this.#folder, call_id);
    if (this.#spares > 0 && moved(this.#spare(--this.#spares), path)) return;
    writeFileSync(path, "", { mode: 0o600, flag: "w" });
  }

  /** @throws the system's error */
  started(call_id: string | undefined): void {
    if (hasMark(call_id)) renameSync(join(this.#folder, call_id), join(this.#folder, `${call_id}${STARTED}`));
  }

  /** @throws the system's error */
  over(call_id: string | undefined): void {
    if (!hasMark(call_id)) return;
    for (const end of [STARTED, ""]) {
      const path = join(this.#folder, `${call_id}${end}`);
      if (this.#spares >= MOST_SPARES) rmSync(path, { force: true });
      else if (moved(path, this.#spare(this.#spares))) this.#spares++;
    }
  }

  #spare(index: number): string {
    return join(this.#folder, `${SPARE}${index}`);
  }
}

const hasMark = (call_id: string | undefined): call_id is string => call_id !== undefined && CALL_ID.test(call_id);

/** False where it isn't there. @throws the system's error */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
