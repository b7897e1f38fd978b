import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Requirement } from "../../../ipc/contract/decision.ts";
import { approvalSchema, type Choice } from "../../../ipc/contract/operator-api.ts";
import type { NewRequest } from "../../../main/calls/approvals/stored-request.ts";
import { extraOf, openedApprovals, openedBroker, pendingOf, ROBERTO } from "../../support/gate-stores.ts";
import { refusalOf } from "../../support/refusals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

function request(granted: Requirement[] = [], more: Partial<NewRequest> = {}): Omit<NewRequest, "ttl_seconds"> {
  const choices: Choice[] = [
    { scope: "none", reach: null, grants: [] },
    ...(granted.length === 0
      ? []
      : ([
          { scope: "session", reach: "exact", grants: granted },
          { scope: "permanent", reach: "exact", grants: granted },
        ] as const)),
  ];
  const { ttl_seconds: _, ...rest } = pendingOf({
    extra: extraOf(granted.length === 0 ? { choices } : { choices, capabilities: granted }),
    ...more,
  });
  return rest;
}

const FOLDER: Requirement = { capability: "fs:write", target: "/srv/work/*" };
const OTHER: Requirement = { capability: "fs:write", target: "/srv/other/a.txt" };

/** How the requests ended that the surfaces were sent of. */
function ends(sent: ReturnType<typeof openedBroker>["sent"]): string[] {
  return sent.filter(({ event }) => event === "ended").map(({ request }) => request.status);
}

describe("identical calls that wait at the same time", () => {
  it("share one card, which ends once", () => {
    const { broker, sent } = openedBroker(tempFolder());
    const first = broker.ask(request());
    const second = broker.ask(request());
    expect(second.token).toBe(first.token);
    expect(broker.ask(request([], { share_key: "another call" })).token).not.toBe(first.token);
    expect(sent.map(({ event }) => event)).toEqual(["waiting", "waiting"]);
    broker.answer({ token: first.token, decision: "approved" }, ROBERTO);
    expect(ends(sent)).toEqual(["approved"]);
  });
});

describe("an answer", () => {
  it("once: the call alone, nothing is remembered", () => {
    const { broker, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    expect(broker.answer({ token, decision: "approved" }, ROBERTO)).toMatchObject({
      status: "approved",
      territory_concession: "none",
      granted: [],
    });
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });

  it("yes, with a message: it isn't kept, as the message of an approval says which grant covered it", () => {
    const { broker } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    expect(broker.answer({ token, decision: "approved", message: "be quick" }, ROBERTO).message).toBeNull();
  });

  it("permanently: approves and writes the grant in the same step, for the agent that asked", () => {
    const { broker, registry, grants, sent } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    expect(broker.answer({ token, decision: "approved", scope: "permanent" }, ROBERTO)).toMatchObject({
      status: "approved",
      territory_concession: "permanent",
      granted: [FOLDER],
    });
    expect(grants.listGrants()).toMatchObject([
      { ...ROBERTO, ...FOLDER, expires_at: null, granted_by: `approval:${token}`, agent: "agent-1", session: null },
    ]);
    expect(registry.listUnwrittenGrants()).toEqual([]);
    expect(sent.map(({ event, granted }) => [event, granted])).toEqual([
      ["waiting", undefined],
      ["ended", true],
    ]);
  });

  it("for this session: the grant is for that session and ends by itself", () => {
    const { broker, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    broker.answer({ token, decision: "approved", scope: "session" }, ROBERTO);
    expect(grants.listGrants()).toMatchObject([
      { ...FOLDER, agent: "agent-1", session: "s1", expires_at: "2026-05-04T22:00:00Z" },
    ]);
  });

  it("with the operator's own target and expiry: these are stored", () => {
    const { broker, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    broker.answer(
      { token, decision: "approved", scope: "permanent", target: "/srv/work/**", expires_at: "2026-06-01T00:00:00Z" },
      ROBERTO,
    );
    expect(grants.listGrants()).toMatchObject([{ target: "/srv/work/**", expires_at: "2026-06-01T00:00:00Z" }]);
  });

  it("several needs, two of them of one capability: a grant for each", () => {
    const { broker, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER, OTHER, { capability: "network:http", target: "example.com" }]));
    broker.answer({ token, decision: "approved", scope: "permanent" }, ROBERTO);
    expect(
      grants
        .listGrants()
        .map(({ target }) => target)
        .sort(),
    ).toEqual(["/srv/other/a.txt", "/srv/work/*", "example.com"]);
  });

  it("that can't be stored changes nothing: the request still waits and nothing is granted", () => {
    const { broker, registry, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    const refused = [
      [{ scope: "permanent", target: "/**" }, "invalid_target"],
      [{ scope: "permanent", target: "relative" }, "invalid_target"],
      [{ scope: "session", expires_at: "2020-01-01T00:00:00Z" }, "invalid_expiry"],
      [{ target: "/srv/work/**" }, "scope_missing"],
      [{ expires_at: "2027-01-01T00:00:00Z" }, "scope_missing"],
    ] as const;
    for (const [answer, code] of refused) {
      expect(refusalOf(() => broker.answer({ token, decision: "approved", ...answer }, ROBERTO)).code).toBe(code);
    }
    expect(registry.getPending(token)?.status).toBe("pending");
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });

  it("to what is asked about every time can only be once", () => {
    const { broker, registry } = openedBroker(tempFolder());
    const { token } = broker.ask(request([]));
    for (const scope of ["session", "permanent"] as const) {
      expect(refusalOf(() => broker.answer({ token, decision: "approved", scope }, ROBERTO)).code).toBe("only_once");
    }
    expect(registry.getPending(token)?.status).toBe("pending");
  });

  it("no, with a message for the agent; a scope with it grants nothing", () => {
    const { broker, grants } = openedBroker(tempFolder());
    const { token } = broker.ask(request([FOLDER]));
    const ended = broker.answer(
      { token, decision: "rejected", scope: "permanent", message: "use the other folder" },
      ROBERTO,
    );
    expect(ended).toMatchObject({
      status: "rejected",
      message: "use the other folder",
      territory_concession: "none",
      granted: [],
    });
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });
});

describe("never a grant without an approval", () => {
  it("an answer that the registry refuses grants nothing", () => {
    const folder = tempFolder();
    const { broker, clock, grants } = openedBroker(folder);
    const yes = (token: string, by = ROBERTO) => broker.answer({ token, decision: "approved", scope: "permanent" }, by);
    expect(refusalOf(() => yes("0123456789abcdef")).code).toBe("unknown_token");
    const { token } = broker.ask(request([FOLDER]));
    expect(refusalOf(() => yes(token, { channel: "local", sender_id: "anna" })).code).toBe("not_authorised");
    broker.answer({ token, decision: "rejected" }, ROBERTO);
    expect(refusalOf(() => yes(token)).code).toBe("already_resolved");
    const late = broker.ask(request([FOLDER]));
    clock.advance(601);
    expect(refusalOf(() => yes(late.token)).code).toBe("expired");
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });

  it("losing the race against another surface grants nothing", () => {
    const folder = tempFolder();
    const { broker, registry, grants, clock } = openedBroker(folder);
    const other = openedApprovals(join(folder, "approvals.db"), clock).registry;
    const { token } = broker.ask(request([FOLDER]));
    const check = registry.check.bind(registry);
    registry.check = (...args) => {
      const row = check(...args);
      other.resolve(other.check(token, ROBERTO), "rejected");
      return row;
    };
    expect(refusalOf(() => broker.answer({ token, decision: "approved", scope: "permanent" }, ROBERTO)).code).toBe(
      "already_resolved",
    );
    expect(grants.listGrants({ include_revoked: true })).toEqual([]);
  });
});

describe("after a crash between the approval and its grants", () => {
  function crashed(folder: string, granted: Requirement[], grantExpiresAt: string | null = null) {
    const before = openedBroker(folder);
    const { token } = before.broker.ask(request(granted));
    // What `answer` does first; the process ends before it writes the grants.
    before.registry.resolve(before.registry.check(token, ROBERTO), "approved", {
      territory_concession: "permanent",
      granted,
      grant_expires_at: grantExpiresAt,
      message: null,
    });
    expect(before.grants.listGrants()).toEqual([]);
    before.approvals_db.close();
    before.grants_db.close();
    return token;
  }

  it("the next start writes them, exactly once", () => {
    const folder = tempFolder();
    const token = crashed(folder, [FOLDER, OTHER]);
    const after = openedBroker(folder);
    after.broker.start();
    const written = after.grants.listGrants();
    expect(written.map(({ target, granted_by }) => [target, granted_by]).sort()).toEqual([
      ["/srv/other/a.txt", `approval:${token}`],
      ["/srv/work/*", `approval:${token}`],
    ]);
    after.broker.start();
    openedBroker(folder).broker.start();
    expect(after.grants.listGrants()).toEqual(written);
    expect(after.registry.listUnwrittenGrants()).toEqual([]);
  });

  it("one of two was written: only the other is added; a grant revoked since does not come back", () => {
    const folder = tempFolder();
    const token = crashed(folder, [FOLDER, OTHER]);
    const after = openedBroker(folder);
    const { id } = after.grants.recordGrant({
      ...ROBERTO,
      ...FOLDER,
      granted_by: `approval:${token}`,
      agent: "agent-1",
    });
    after.grants.revokeGrant(id);
    after.broker.start();
    expect(after.grants.listGrants().map(({ target }) => target)).toEqual([OTHER.target]);
    expect(after.grants.listGrants({ include_revoked: true }).length).toBe(2);
  });

  it("a request that was not approved, or was approved once, is owed nothing", () => {
    const folder = tempFolder();
    const before = openedBroker(folder);
    const ask = (shareKey: string) => before.broker.ask(request([FOLDER], { share_key: shareKey })).token;
    before.registry.resolve(before.registry.check(ask("once"), ROBERTO), "approved");
    before.registry.resolve(before.registry.check(ask("no"), ROBERTO), "rejected");
    before.registry.cancelPending(ask("gone"), "gone");
    ask("waits");
    openedBroker(folder).broker.start();
    expect(before.grants.listGrants({ include_revoked: true })).toEqual([]);
  });

  it("what can't be granted any more (expired meanwhile, a folder that became a loop) doesn't keep the gate from starting", () => {
    const folder = tempFolder();
    crashed(folder, [FOLDER], "2026-05-04T11:00:00Z");
    const after = openedBroker(folder);
    after.clock.advance(7200);
    after.broker.start();
    expect(after.grants.listGrants({ include_revoked: true })).toEqual([]);
    expect(after.registry.listUnwrittenGrants()).toEqual([]);
    const looped = tempFolder();
    crashed(looped, [{ capability: "fs:write", target: `${looped}/work/*` }, OTHER]);
    symlinkSync("work", join(looped, "work"));
    const repaired = openedBroker(looped);
    repaired.broker.start();
    expect(repaired.grants.listGrants().map(({ target }) => target)).toEqual([OTHER.target]);
  });

  it("grants that can't be written don't take the answer back: it is given, the broker says what is owed, and the next start writes them", () => {
    const folder = tempFolder();
    const before = openedBroker(folder);
    const { token } = before.broker.ask(request([FOLDER]));
    before.grants_db.close();
    before.broker.answer({ token, decision: "approved", scope: "permanent" }, ROBERTO);
    expect(before.broker.unwrittenGrantsError(token)).toBeInstanceOf(Error);
    expect(before.registry.getPending(token)?.status).toBe("approved");
    expect(before.sent.at(-1)).toMatchObject({ event: "ended", request: { status: "approved" }, granted: false });
    const after = openedBroker(folder);
    after.broker.start();
    expect(after.grants.listGrants()).toMatchObject([FOLDER]);
  });
});

describe("time", () => {
  it("an answer that comes too late ends the request as expired", () => {
    const { broker, clock, sent } = openedBroker(tempFolder());
    const { token } = broker.ask(request());
    clock.advance(601);
    expect(refusalOf(() => broker.answer({ token, decision: "approved" }, ROBERTO)).code).toBe("expired");
    expect(sent.at(-1)).toMatchObject({ event: "ended", request: { token, status: "expired" } });
    expect(broker.cleanup()).toBe(0);
    expect(ends(sent)).toEqual(["expired"]);
  });

  it("a deadline that passes ends the request by itself", () => {
    vi.useFakeTimers();
    try {
      const { broker, clock, registry, sent } = openedBroker(tempFolder(), undefined, { ttl_seconds: 20 });
      const { token } = broker.ask(request());
      clock.advance(21);
      vi.advanceTimersByTime(21_000);
      expect(ends(sent)).toEqual(["expired"]);
      expect(registry.getPending(token)?.status).toBe("expired");
    } finally {
      vi.useRealTimers();
    }
  });

  it("a waiting request survives a stop and is picked up by the next start, if it has not expired", () => {
    const folder = tempFolder();
    const before = openedBroker(folder);
    const short = before.broker.ask(request([], { share_key: "short" }));
    before.clock.advance(300);
    const long = before.broker.ask(request([], { share_key: "long" }));
    before.broker.stop();
    before.clock.advance(301);
    const after = openedBroker(folder, before.clock);
    after.broker.start();
    expect(after.registry.getPending(short.token)?.status).toBe("expired");
    expect(after.broker.ask(request([], { share_key: "long" })).token).toBe(long.token);
    expect(after.broker.answer({ token: long.token, decision: "approved" }, ROBERTO).status).toBe("approved");
  });
});

describe("a grant that covers a waiting request", () => {
  it("approves it as the principal who gave the grant, and only for that principal", () => {
    const { broker, registry, sent } = openedBroker(tempFolder());
    const mine = broker.ask(request());
    const theirs = broker.ask(request([], { share_key: "theirs", channel: "telegram", sender_id: "42" }));
    broker.answerCovered(mine.token, "approved", ROBERTO);
    broker.answerCovered(mine.token, "approved", ROBERTO);
    broker.answerCovered(theirs.token, "approved", ROBERTO);
    expect(ends(sent)).toEqual(["approved"]);
    expect(registry.getPending(mine.token)).toMatchObject({ status: "approved", message: "covered by a grant" });
    expect(registry.getPending(theirs.token)?.status).toBe("pending");
  });
});

describe("what every surface shows", () => {
  it("is the contract's shape, with the card in the language that was set, and nothing of the registry's own", () => {
    const { broker } = openedBroker(tempFolder(), undefined, { language: "it" });
    const pending = broker.ask(request([FOLDER], { action_verb: "scriva" }));
    const view = broker.view(pending);
    expect(approvalSchema.strict().parse(view)).toEqual(view);
    expect(view.card.lines[0]).toBe("Vuoi che scriva?");
    expect(view.args).toEqual({ path: "/srv/a.txt" });
    broker.answer({ token: pending.token, decision: "approved", scope: "permanent" }, ROBERTO);
    const ended = broker.registry.getPending(pending.token);
    expect(ended && broker.view(ended)).toMatchObject({ args: null, territory_concession: "permanent" });
    expect(ended && broker.view(ended).card.lines[2]).toContain("[territorio: permanente]");
  });
});
