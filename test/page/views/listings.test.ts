import { describe, expect, it } from "vitest";
import type { ActivityEntry } from "../../../ipc/contract/activity.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import type { GrantView } from "../../../ipc/contract/operator-api.ts";
import { PAGE, withNewest } from "../../../renderer/views/activity/feed.ts";
import { expiresAt } from "../../../renderer/views/grants/expiry.ts";
import { GrantListing } from "../../../renderer/views/grants/listing.ts";
import { grantAt, PAGE_SIZE, pagesOf, stateOf, withPage } from "../../../renderer/views/grants/pages.ts";

const entry = (decisionId: string, change: Partial<ActivityEntry> = {}): ActivityEntry => ({
  number: 1,
  line: "Write a",
  project: null,
  result: "allowed",
  decision_id: decisionId,
  ts: 0,
  agent_name: "tester",
  executor: "Write",
  is_confined: false,
  outcome: "allowed",
  stage: "policy",
  reason: "",
  capabilities: [{ capability: "fs:write", target: "/srv/a" }],
  rule: undefined,
  ...change,
});

const grant = (id: number, change: Partial<GrantView> = {}): GrantView => ({
  id,
  channel: "local",
  sender_id: "me",
  capability: "fs:read",
  target: `/srv/${id}`,
  granted_at: "2026-11-01T00:00:00Z",
  expires_at: null,
  granted_by: null,
  revoked_at: null,
  revoked_reason: null,
  last_used_at: null,
  agent_id: null,
  agent_name: null,
  session: null,
  ...change,
});

describe("the listing of calls", () => {
  const page = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => entry(`d${from - index}`, { number: from - index }));

  it("has the newest page in the place of what it covers, and older ones below", () => {
    const older = page(150, 150);
    const asked = entry("d120", { number: 120, result: "waiting" });
    const listed = older.map((one) => (one.number === 120 ? asked : one));
    const now = withNewest(listed, page(155, PAGE));
    expect(now.map(({ number }) => number)).toEqual(page(155, 155).map(({ number }) => number));
    expect(now.find(({ number }) => number === 120)?.result).toBe("allowed");
  });

  it("has no older ones where there may be others in between", () => {
    expect(withNewest(page(150, 150), page(251, PAGE))).toEqual(page(251, PAGE));
    expect(withNewest(page(150, 150), page(249, PAGE))).toHaveLength(249);
  });

  it("is what the page has where that is all", () => {
    expect(withNewest(page(150, 150), page(3, 3))).toEqual(page(3, 3));
    expect(withNewest(page(150, 150), [])).toEqual([]);
  });
});

describe("the pages of the grants", () => {
  it("are those of the visible rows", () => {
    expect(pagesOf(0, 20)).toEqual([0]);
    expect(pagesOf(95, 105)).toEqual([0, 1]);
    expect(pagesOf(99_990, 99_999)).toEqual([999]);
  });

  it("are held in a bounded number, the latest ones", () => {
    let pages = withPage(new Map(), 0, [grant(1)]);
    for (let page = 1; page <= 500; page++) pages = withPage(pages, page, [grant(page)]);
    expect(pages.size).toBeLessThanOrEqual(30);
    expect(grantAt(pages, 0)).toBeUndefined();
    expect(grantAt(pages, 500 * PAGE_SIZE)?.id).toBe(500);
  });

  it("a grant that ended is distinguished from one that counts", () => {
    const now = Date.parse("2026-11-21T00:00:00Z");
    expect(stateOf(grant(1), now)).toBe("active");
    expect(stateOf(grant(1, { expires_at: "2026-11-20T00:00:00Z" }), now)).toBe("expired");
    expect(stateOf(grant(1, { revoked_at: "2026-11-20T00:00:00Z", expires_at: "2026-11-19T00:00:00Z" }), now)).toBe(
      "revoked",
    );
  });

  it("a new grant's end is counted from now", () => {
    const now = Date.parse("2026-11-21T00:00:00Z");
    expect(expiresAt("hour", now)).toBe("2026-11-21T01:00:00.000Z");
    expect(expiresAt("month", now)).toBe("2026-12-21T00:00:00.000Z");
    expect(expiresAt("never", now)).toBeUndefined();
  });
});

describe("the listing of grants", () => {
  it("asks for what is seen once the gate has answered, not for all that flew by", async () => {
    const offsets: number[] = [];
    let answer: () => void = () => undefined;
    const call = async (_method: string, params: { offset: number }) => {
      offsets.push(params.offset);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { total: 100_000, grants: [] };
    };
    const listing = new GrantListing(call as never);
    listing.search({});
    for (let index = 0; index < 90_000; index += 500) listing.see(index, index + 20);
    expect(offsets).toEqual([0]);
    const changed = new Promise<void>((resolve) => listing.subscribe(() => resolve()));
    answer();
    await changed;
    await Promise.resolve();
    expect(offsets).toEqual([0, 89_500]);
    expect(listing.listed.total).toBe(100_000);
  });

  it("that is refused is not asked again and again, but with the next search", async () => {
    let asked = 0;
    const call = async () => {
      asked++;
      throw new GateError("storage_failed", "a database can't be used");
    };
    const listing = new GrantListing(call as never);
    const refused = () => new Promise<void>((resolve) => listing.subscribe(() => resolve()));
    const first = refused();
    listing.search({});
    await first;
    await new Promise(setImmediate);
    expect(asked).toBe(1);
    expect(listing.listed.error?.code).toBe("storage_failed");
    const second = refused();
    listing.search({ text: "a" });
    await second;
    expect(asked).toBe(2);
  });
});
