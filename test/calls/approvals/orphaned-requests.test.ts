import { describe, expect, it, vi } from "vitest";
import type { Requirement } from "../../../ipc/contract/decision.ts";
import type { Choice } from "../../../ipc/contract/operator-api.ts";
import type { NewRequest } from "../../../main/calls/approvals/stored-request.ts";
import { extraOf, openedBroker, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { refusalOf } from "../../support/refusals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const FOLDER: Requirement = { capability: "fs:write", target: "/srv/work/*" };

function request(shareKey: string, granted: Requirement[] = []): Omit<NewRequest, "ttl_seconds"> {
  const choices: Choice[] = [
    { scope: "none", reach: null, grants: [] },
    { scope: "permanent", reach: "exact", grants: granted },
  ];
  const { ttl_seconds: _, ...rest } = pendingOf({
    share_key: shareKey,
    extra: extraOf({ choices, capabilities: granted }),
  });
  return rest;
}

describe("requests that an earlier gate left", () => {
  it("is void once who asked an earlier gate has given up: nothing that is left can be answered, or taken, any more", () => {
    vi.useFakeTimers();
    try {
      const folder = tempFolder();
      const before = openedBroker(folder);
      const gone = before.broker.ask(request("gone"));
      const answered = before.broker.ask(request("answered"));
      before.broker.stop();
      const { broker, registry, sent } = openedBroker(folder, before.clock);
      broker.start();
      broker.answer({ token: answered.token, decision: "approved" }, ROBERTO);
      vi.advanceTimersByTime(19_900);
      expect(registry.getPending(gone.token)?.status).toBe("pending");
      vi.advanceTimersByTime(200);
      expect(registry.getPending(gone.token)).toMatchObject({ status: "cancelled", message: expect.any(String) });
      expect(sent.at(-1)).toMatchObject({ event: "ended", request: { token: gone.token, status: "cancelled" } });
      expect(refusalOf(() => broker.answer({ token: gone.token, decision: "approved" }, ROBERTO)).code).toBe(
        "already_resolved",
      );
      expect(broker.takeAnswer(answered.share_key, answered.session)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("an answer while the agent is away", () => {
  it("is given to the same call when it comes again, once", () => {
    const { broker } = openedBroker(tempFolder());
    const { token, share_key, session } = broker.ask(request("call"));
    broker.start();
    broker.answer({ token, decision: "approved" }, ROBERTO);
    expect(broker.takeAnswer(share_key, "another session")).toBeUndefined();
    expect(broker.takeAnswer("another call", session)).toBeUndefined();
    expect(broker.takeAnswer(share_key, session)).toMatchObject({ token, status: "approved" });
    expect(broker.takeAnswer(share_key, session)).toBeUndefined();
  });

  it("one that was remembered speaks through its grant alone, and can't outlive it", () => {
    const { broker, grants } = openedBroker(tempFolder());
    const { token, share_key, session } = broker.ask(request("call", [FOLDER]));
    broker.start();
    broker.answer({ token, decision: "approved", scope: "permanent" }, ROBERTO);
    grants.revokeGrant(1);
    expect(broker.takeAnswer(share_key, session)).toBeUndefined();
  });
});
