import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { NtfyError } from "../../../main/surfaces/ntfy/ntfy-api.ts";
import { Outbox } from "../../../main/surfaces/ntfy/ntfy-channel.ts";

// main/surfaces/ntfy/ntfy-channel.ts

it("a server that wants to be asked again at once is asked after a pause all the same", async () => {
  let sent = 0;
  const outbox = new Outbox({ state: () => undefined });
  outbox.add({
    isWanted: () => true,
    async send() {
      sent += 1;
      await sleep(1);
      throw new NtfyError("too-many", 0);
    },
  });
  await sleep(100);
  await outbox.close();
  expect(sent).toBe(1);
});
