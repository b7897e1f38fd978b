import { join } from "node:path";
import { linesBetween } from "../audit/lines.ts";
import { monthFiles } from "../audit/month-files.ts";
import { readSigned, statementIn } from "./receipt-line.ts";
import type { Statement } from "./statement.ts";

/** The receipts in their files, for listing them. */

export interface StoredReceipt {
  /** As it is in its file. */
  line: string;
  keyid: string;
  statement: Statement;
}

/** In the order of their files; what is none is left out. @throws the system's error */
export function* storedReceipts(folder: string): Generator<StoredReceipt> {
  for (const file of monthFiles(folder)) {
    for (const { bytes } of linesBetween(join(folder, file), 0)) {
      const line = bytes.toString("utf8");
      const signed = readSigned(line);
      const statement = typeof signed === "string" ? undefined : statementIn(signed);
      if (typeof signed !== "string" && statement !== undefined) yield { line, keyid: signed.keyid, statement };
    }
  }
}
