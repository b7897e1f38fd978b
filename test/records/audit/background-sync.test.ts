import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BackgroundSync } from "../../../main/records/audit/log.ts";
import { tempFolder } from "../../support/temp-folder.ts";

it.each([true, false])(
  "a file that can't be closed is reported, and ends no gate (not synced yet: %s)",
  async (isDirty) => {
    const failures: Error[] = [];
    const sync = new BackgroundSync((error) => error && failures.push(error));
    const descriptor = openSync(join(tempFolder(), "month.jsonl"), "a");
    if (isDirty) sync.wrote(descriptor);
    closeSync(descriptor);
    sync.close(descriptor);
    await expect.poll(() => failures).toMatchObject([{ code: "EBADF" }]);
  },
);
