import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { tailAudit } from "../../../main/records/audit/last-lines.ts";
import { tempFolder } from "../../support/temp-folder.ts";

it("the last lines are the same, whatever the size of the pieces the file is read in", () => {
  const folder = tempFolder();
  mkdirSync(folder, { recursive: true });
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 12 }),
      fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 200 }),
      fc.boolean(),
      (may, june, count, chunk, isTorn) => {
        const line = (text: string) => `${JSON.stringify({ ts: 1, event: "e", prev: "p", text })}\n`;
        writeFileSync(join(folder, "2026-05.jsonl"), may.map(line).join(""));
        writeFileSync(join(folder, "2026-06.jsonl"), june.map(line).join("") + (isTorn ? '{"ts":1,"ev' : ""));
        const expected = [...may, ...june].slice(-count);
        expect(tailAudit(folder, count, chunk).map(({ text }) => text)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});
