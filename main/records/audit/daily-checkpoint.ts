import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Alarms } from "../../base/alarms.ts";
import type { SignedCheckpoint } from "./checkpoint.ts";
import { raiseUnwritable } from "./checkpoint-alarms.ts";

/** Sends the newest checkpoint, once a day (UTC), to where it is out of reach of whoever can write the trail. */

export interface DailyParts {
  /** The newest is added to this file. */
  checkpoint_file: string | undefined;
  /** Milliseconds. */
  now(): number;
  alarms: Alarms;
}

export class DailyCheckpoint {
  /** The last days on which it was sent, and was added to the file. */
  sent: string | null = null;
  filed: string | null = null;
  readonly #parts: DailyParts;
  readonly #save: () => void;
  readonly #listeners = new Set<(checkpoint: SignedCheckpoint) => void>();
  #isStarted = false;
  #adding: Promise<void> | undefined;

  /** `save` stores the two days. */
  constructor(parts: DailyParts, save: () => void) {
    this.#parts = parts;
    this.#save = save;
  }

  /** Continues with the stored days. */
  resume({ sent, filed }: { sent: string | null; filed: string | null }): void {
    this.sent = sent;
    this.filed = filed;
  }

  /** Calls `listener` with a checkpoint once a day at the most. Returns the function that ends the subscription. */
  subscribe(listener: (checkpoint: SignedCheckpoint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** From now on it is sent: all who want it listen. */
  start(): void {
    this.#isStarted = true;
  }

  /** Sends the newest where that is due. Waits for nothing, never throws. */
  tend(newest: SignedCheckpoint | undefined): void {
    if (!this.#isStarted || newest === undefined) return;
    const day = new Date(this.#parts.now()).toISOString().slice(0, 10);
    if (this.sent !== day) {
      this.sent = day;
      // Stored first: rather not sent on a day on which the gate is killed here than sent twice.
      this.#save();
      for (const listener of this.#listeners) listener(newest);
    }
    const { checkpoint_file } = this.#parts;
    if (checkpoint_file === undefined || this.filed === day || this.#adding !== undefined) return;
    this.#adding = this.#add(checkpoint_file, newest, day).finally(() => {
      this.#adding = undefined;
    });
  }

  /** Resolves once nothing is being added to the file. */
  async settled(): Promise<void> {
    await this.#adding;
  }

  async #add(file: string, { text }: SignedCheckpoint, day: string): Promise<void> {
    const { alarms } = this.#parts;
    try {
      await addDurably(file, `${text}\n`);
      this.filed = day;
      this.#save();
      raiseUnwritable(alarms, file, file, null);
    } catch (error) {
      raiseUnwritable(alarms, file, file, error);
    }
  }
}

/** Not blocking: another disk may be slow, or gone. @throws the system's error */
async function addDurably(file: string, text: string): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Its folder isn't made: where the other disk isn't mounted, the file would be on this one.
  const handle = await open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    if (!(await handle.stat()).isFile()) throw Object.assign(new Error("not a file"), { code: "NOT_A_FILE" });
    await handle.appendFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
