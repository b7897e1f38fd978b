import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { hashOfFile } from "./archive-file.ts";
import type { ChainLine } from "./lines.ts";
import { ARCHIVE_FILE } from "./month-files.ts";
import type { Report } from "./walk.ts";

/** The line that an archive was made; from it on the months' files may be gone. */
export const ARCHIVED_EVENT = "audit.archived";

const archivedSchema = z.object({
  file: z.string().regex(ARCHIVE_FILE),
  sha256: z.string(),
  months: z.array(z.string()),
});
type Archived = z.infer<typeof archivedSchema>;

/** Whether each archive that the trail names is the file that the gate wrote: its lines alone don't show what is behind their end. */
export class ArchivesCheck {
  readonly #archives = new Map<string, Archived>();

  add({ event, record }: ChainLine): void {
    if (event !== ARCHIVED_EVENT) return;
    const parsed = archivedSchema.safeParse(record);
    if (parsed.success) this.#archives.set(parsed.data.file, parsed.data);
  }

  async report(folder: string, report: Report): Promise<void> {
    for (const { file, sha256, months } of this.#archives.values()) {
      const at = { file, line: 0 };
      try {
        const found = await hashOfFile(join(folder, file));
        if (found.sha256 === sha256) continue;
        report({ ...at, kind: "changed", problem: "it isn't the archive that the gate wrote" }, found.sha256);
      } catch (error) {
        // An archiving that didn't get to its end left the months as they were.
        if (months.every((month) => existsSync(join(folder, month)))) continue;
        report(
          { ...at, kind: "removed", problem: `this archive can't be read (${errorCode(error)})` },
          errorCode(error),
        );
      }
    }
  }
}
