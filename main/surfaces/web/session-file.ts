import { rmSync } from "node:fs";
import { z } from "zod";
import { readRegularFile } from "../../../ipc/base/regular-file.ts";
import { SECRET_PATTERN } from "../../../ipc/socket/page-secret.ts";
import { errorCode } from "../../base/errors.ts";
import { writeDurably } from "../../base/files/durable-file.ts";

/** The page's sessions on the disk, as hashes (0600): a page that is open continues when the gate is started again. */

/** More browsers than a user has open. */
export const MAX_SESSIONS = 16;

const hashSchema = z
  .string()
  .regex(SECRET_PATTERN)
  .transform((hex): Buffer => Buffer.from(hex, "hex"));
const sessionSchema = z.strictObject({
  cookie_hash: hashSchema,
  page_hash: hashSchema,
  /** Milliseconds since boot. */
  ends_ms: z.number().nonnegative(),
});
export type StoredSession = z.output<typeof sessionSchema>;

const fileSchema = z.strictObject({
  /** The page's port: whoever has it next may have been given the secrets of those who come back. */
  port: z.number().int(),
  /** The boot that `ends_ms` counts from. */
  boot: z.string(),
  sessions: z.array(sessionSchema).max(MAX_SESSIONS),
});

const WHAT = "the file of the page's sessions,";

export class SessionFile {
  readonly #path: string;
  readonly #log: (line: string) => void;

  constructor(path: string, log: (line: string) => void) {
    this.#path = path;
    this.#log = log;
  }

  /** Those of a page at this port, in this boot of the machine; none where the file can't be read. */
  read(port: number, boot: string): StoredSession[] {
    try {
      const kept = fileSchema.parse(JSON.parse(readRegularFile(this.#path)));
      return kept.port === port && kept.boot === boot ? kept.sessions : [];
    } catch (error) {
      if (errorCode(error) !== "ENOENT")
        this.#log(`page: ${this.#path} can't be read, so its sessions have ended (${nameOf(error)})`);
      return [];
    }
  }

  /**
   * Writes them in place of all earlier ones. Where the disk takes nothing, they end with this gate: what is there must not
   * bring back a session that was revoked. False where not even that could be done.
   */
  write({ port, boot, sessions }: z.output<typeof fileSchema>): boolean {
    const kept = sessions.map(({ cookie_hash, page_hash, ends_ms }) => ({
      cookie_hash: cookie_hash.toString("hex"),
      page_hash: page_hash.toString("hex"),
      ends_ms,
    }));
    try {
      writeDurably(this.#path, `${JSON.stringify({ port, boot, sessions: kept })}\n`, WHAT);
      return true;
    } catch (error) {
      this.#log(`page: its sessions can't be kept for the next start (${nameOf(error)})`);
      return this.#remove();
    }
  }

  #remove(): boolean {
    try {
      rmSync(this.#path, { force: true });
      return true;
    } catch (error) {
      this.#log(`page: ${this.#path} can't be removed (${nameOf(error)})`);
      return false;
    }
  }
}

function nameOf(error: unknown): string {
  return error instanceof z.ZodError ? "not valid" : errorCode(error);
}
