import { describe, expect, it } from "vitest";
import { callHash } from "../../../main/decide/executors/canonical.ts";
import { MAX_DISTINGUISHED, RepeatedCalls } from "../../../main/decide/rate/repeated-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const AGENT = "agent-1";
const callOf = (path = "/srv/a") => ({ executor: "fs_read", args: { path } });
const hashOf = (path?: string) => callHash("fs_read", callOf(path).args);

function opened(limit = 5) {
  const clock = new ManualClock();
  const calls = new RepeatedCalls(limit, clock);
  const find = (path?: string, session = "s") => calls.find(AGENT, session, callOf(path));
  const allow = (times: number, path?: string, session = "s") => {
    for (let time = 0; time < times; time++) calls.note(AGENT, session, callOf(path));
  };
  return { clock, calls, find, allow };
}

describe("the same call", () => {
  it("is asked about once it was allowed so often within a minute, also in one turn of the event loop", () => {
    const { find, allow, clock } = opened();
    allow(4);
    clock.advance(20);
    expect(find()).toBeUndefined();
    allow(1);
    expect(find()).toEqual({ count: 6, seconds: 21 });
    expect(find("/srv/b")).toBeUndefined();
    expect(find("/srv/a", "another session")).toBeUndefined();
  });

  it("is counted where many others come in between, and whether or not its hash was made before", () => {
    const { find, allow, calls } = opened();
    for (let time = 0; time < 5; time++) {
      allow(1);
      if (time % 2 === 0) calls.prepareNext();
      for (const other of ["/srv/b", "/srv/c", "/srv/d"]) allow(1, `${other}${time}`);
    }
    expect(find()?.count).toBe(6);
    expect(find("/srv/b1")).toBeUndefined();
  });

  it("is forgotten a minute later", () => {
    const { find, allow, clock } = opened();
    allow(3);
    clock.advance(30);
    allow(2);
    expect(find()?.count).toBe(6);
    clock.advance(31);
    expect(find()).toBeUndefined();
    allow(3);
    expect(find()?.count).toBe(6);
  });

  it("counts by the time since boot: a wall clock that is set changes nothing", () => {
    const { find, allow, clock } = opened();
    allow(5);
    clock.jump(3600);
    expect(find()?.count).toBe(6);
    clock.jump(-7200);
    expect(find()?.count).toBe(6);
  });
});

describe("while the user is asked about it", () => {
  it("it stays asked about, however long that takes, as it was asked", () => {
    const { calls, find, clock } = opened();
    calls.asked(AGENT, "s", hashOf(), { count: 6, seconds: 3 });
    clock.advance(300);
    calls.flush();
    expect(find()).toEqual({ count: 6, seconds: 3 });
    expect(find("/srv/b")).toBeUndefined();
    expect(find("/srv/a", "another session")).toBeUndefined();
  });

  it.each(["expired", "cancelled", "rejected"] as const)("once that has %s, it is counted as before", (status) => {
    const { calls, find, allow } = opened();
    allow(5);
    calls.asked(AGENT, "s", hashOf(), { count: 6, seconds: 3 });
    calls.ended(AGENT, "s", hashOf(), status);
    expect(find()?.seconds).toBe(1);
  });

  it("approved, it isn't asked about again in its session, until that is over", () => {
    const { calls, find, allow } = opened();
    calls.asked(AGENT, "s", hashOf(), { count: 6, seconds: 3 });
    calls.ended(AGENT, "s", hashOf(), "approved");
    allow(100);
    allow(5, "/srv/a", "t");
    expect(find()).toBeUndefined();
    expect(find("/srv/a", "t")?.count).toBe(6);
    calls.endSession(AGENT, "t");
    expect(find("/srv/a", "t")).toBeUndefined();
    calls.endSession(AGENT, "s");
    allow(5);
    expect(find()?.count).toBe(6);
  });
});

describe("what is kept", () => {
  it("of an agent is bounded: what came least lately is forgotten", () => {
    const { allow, find } = opened();
    allow(5, "/srv/first");
    for (let index = 0; index < MAX_DISTINGUISHED - 1; index++) allow(1, `/srv/${index}`);
    expect(find("/srv/first")?.count).toBe(6);
    allow(1, "/srv/one more");
    expect(find("/srv/first")).toBeUndefined();
  });

  it("is nothing a minute after the last call", () => {
    const { allow, find, calls, clock } = opened();
    allow(5);
    clock.advance(61);
    calls.flush();
    expect(find()).toBeUndefined();
    allow(4);
    expect(find()).toBeUndefined();
  });
});
