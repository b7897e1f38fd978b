import type { Alarms } from "../gate/alarms.ts";
import type { RowReport } from "../gate/row-report.ts";
import type { OpenDatabase } from "./database-health.ts";

/** An alarm for each unreadable row of a database, until the row is repaired or has expired. */
export function rowReport(alarms: Alarms, { file, title }: Pick<OpenDatabase, "file" | "title">): RowReport {
  const subjectOf = (what: string) => `${file}: ${what}`;
  return {
    damaged: (what, hint) =>
      alarms.raise({
        code: "database_unusable",
        subject: subjectOf(what),
        message: `${what} can't be read in the ${title} ${file}; the others can`,
        hint,
      }),
    resolved: (what) => alarms.clear("database_unusable", subjectOf(what)),
  };
}
