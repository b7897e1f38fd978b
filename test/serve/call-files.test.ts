import { expect, it } from "vitest";
import { askedCall, filesOf } from "../../bench/call-files.ts";

/** What there is to read for whoever follows one call. It only gets less: raise it with a commit that says why. */
const MOST_FILES = 171;

it("a command that is asked about and answered enters no more files of the gate than it is known to", async () => {
  const { asked, answered } = await askedCall();
  expect(filesOf(asked).size).toBeGreaterThan(50);
  expect(filesOf(answered).size).toBeGreaterThan(50);
  expect([...filesOf(new Set([...asked, ...answered]))].sort().length).toBeLessThanOrEqual(MOST_FILES);
});
