import { describe, expect, it } from "vitest";
import type { CallTarget } from "../../../main/targets/target.ts";
import { freshGrants, openedGrants, ROBERTO } from "../../support/gate-stores.ts";
import { refusalOf } from "../../support/refusals.ts";

const INBOX = { capability: "mail:read", target: "inbox" } as const;
const TARGET: CallTarget = { kind: "exact", value: "inbox" };

describe("a revocation that is taken back", () => {
  it("within 10 seconds gives exactly the grant that was there, which counts again", () => {
    const { grants, clock } = freshGrants();
    const before = grants.recordGrant({ ...ROBERTO, ...INBOX, expires_at: "2026-06-01T00:00:00Z", granted_by: "x" });
    grants.revokeGrant(before.id);
    expect(grants.find(ROBERTO, "mail:read", TARGET)).toBeUndefined();
    clock.advance(9);
    expect(grants.restoreGrant(before.id)).toEqual(before);
    expect(grants.find(ROBERTO, "mail:read", TARGET)).toBe(before.id);
    expect(grants.listGrants()).toEqual([before]);
  });

  it("is refused after 10 seconds, a second time, and for one that was never revoked, whatever the wall clock says", () => {
    const { grants, clock } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, ...INBOX });
    expect(refusalOf(() => grants.restoreGrant(id)).code).toBe("too_late");
    grants.revokeGrant(id);
    clock.jump(-3600);
    clock.advance(11);
    expect(refusalOf(() => grants.restoreGrant(id)).code).toBe("too_late");
    const other = grants.recordGrant({ ...ROBERTO, ...INBOX }).id;
    grants.revokeGrant(other);
    grants.restoreGrant(other);
    expect(refusalOf(() => grants.restoreGrant(other)).code).toBe("too_late");
  });

  it("is refused where the grant's own end has passed meanwhile", () => {
    const { grants, clock } = freshGrants();
    const { id } = grants.recordGrant({ ...ROBERTO, ...INBOX, expires_at: "2026-05-04T10:00:05Z" });
    grants.revokeGrant(id);
    clock.advance(6);
    expect(refusalOf(() => grants.restoreGrant(id)).code).toBe("grant_ended");
    expect(grants.listGrants()).toEqual([]);
  });

  it("is refused where its session or its agent's pairing has ended meanwhile", () => {
    const { grants } = freshGrants();
    const record = () => grants.recordGrant({ ...ROBERTO, ...INBOX, agent: "agent-1", session: "s" }).id;
    const session = record();
    grants.revokeGrant(session);
    grants.endSession("agent-1", "s");
    expect(refusalOf(() => grants.restoreGrant(session)).code).toBe("too_late");
    const pairing = record();
    grants.revokeGrant(pairing);
    grants.revokeAgent("agent-1", "the agent's pairing was revoked");
    expect(refusalOf(() => grants.restoreGrant(pairing)).code).toBe("too_late");
  });

  it("is refused after a restart, and for what the gate itself revoked", () => {
    const { grants, file, home, clock } = freshGrants();
    const mine = grants.recordGrant({ ...ROBERTO, ...INBOX }).id;
    const ofSession = grants.recordGrant({ ...ROBERTO, ...INBOX, agent: "agent-1", session: "s" }).id;
    grants.revokeGrant(mine);
    grants.endSession("agent-1", "s");
    expect(refusalOf(() => grants.restoreGrant(ofSession)).code).toBe("too_late");
    expect(refusalOf(() => openedGrants(file, home, clock).grants.restoreGrant(mine)).code).toBe("too_late");
  });
});

it("finds what was given, and last used, so many days ago or earlier: never what is younger", () => {
  const { grants, clock } = freshGrants();
  const record = (target: string) => grants.recordGrant({ ...ROBERTO, capability: "mail:read", target }).id;
  const neverUsed = record("a");
  const usedLongAgo = record("b");
  const usedLately = record("c");
  const use = (id: number) => {
    grants.noteUse(id);
    grants.flush();
  };
  use(usedLongAgo);
  clock.advance(31 * 86_400);
  use(usedLately);
  const young = record("d");
  const query = { include_revoked: false, order: "granted_at", descending: true, offset: 0, limit: 10 } as const;
  const ids = (unusedDays?: number) =>
    grants.searchGrants({ ...query, unused_days: unusedDays }).grants.map(({ id }) => id);
  expect(ids(30)).toEqual([usedLongAgo, neverUsed]);
  expect(ids(32)).toEqual([]);
  expect(ids()).toEqual([young, usedLately, usedLongAgo, neverUsed]);
});
