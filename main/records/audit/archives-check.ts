import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../base/errors.ts";
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
    const unreadable: { archive: Archived; code: string }[] = [];
    const held = new Set<string>();
    for (const archive of this.#archives.values()) {
      const { file, sha256, months } = archive;
      try {
        const found = await hashOfFile(join(folder, file));
        if (found.sha256 === sha256) for (const month of months) held.add(month);
        else
          report({ file, line: 0, kind: "changed", problem: "it isn't the archive that the gate wrote" }, found.sha256);
      } catch (error) {
        unreadable.push({ archive, code: errorCode(error) });
      }
    }
    for (const { archive, code } of unreadable) {
      const { file, months } = archive;
      // An archiving that didn't get to its end left the months as they were; others may have archived them since.
      if (months.every((month) => held.has(month) || existsSync(join(folder, month)))) continue;
      report({ file, line: 0, kind: "removed", problem: `this archive can't be read (${code})` }, code);
    }
  }
}
