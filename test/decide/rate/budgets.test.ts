import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Capability } from "../../../ipc/contract/decision.ts";
import { Budgets, rateBuckets } from "../../../main/decide/rate/budgets.ts";
import { DEFAULT_LIMITS, type Limit, limitsOf, rateConfigSchema } from "../../../main/decide/rate/config.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** More calls than any budget here lets pass. */
const NO_BUDGET = 100_000;
const READ: Capability = "fs:read";

/** Budgets on a database that outlives them, as a file does. */
function opened(limits: Readonly<Partial<Record<Capability, Limit>>> = { [READ]: { per_minute: 60, capacity: 8 } }) {
  const db = new Database(":memory:");
  onTestFinished(() => {
    db.close();
  });
  rateBuckets(db);
  const clock = new ManualClock();
  const failures: string[] = [];
  const open = () => new Budgets(db, limitsOf({ limits }), clock, (what) => failures.push(what));
  const state = { budgets: open() };
  /** A call that is decided on: whether it was let pass. */
  const take = (agent = "agent-1", ...capabilities: Capability[]) => {
    const needed = new Set(capabilities.length === 0 ? [READ] : capabilities);
    if (state.budgets.usedUp(agent, needed) !== undefined) return false;
    state.budgets.take(agent, needed);
    return true;
  };
  const takeAll = (agent?: string) => {
    let count = 0;
    while (count < NO_BUDGET && take(agent)) count++;
    return count;
  };
  /** The answers of a turn are sent. */
  const send = () => {
    state.budgets.record();
    state.budgets.prepareNext();
  };
  /** The gate is gone without a word, and another one starts. */
  const kill = () => {
    state.budgets = open();
  };
  const restart = () => {
    state.budgets.close();
    kill();
  };
  const rows = () => db.prepare("SELECT agent_id, tokens FROM rate_buckets").all();
  return { db, clock, state, take, takeAll, send, kill, restart, rows, failures };
}

describe("a budget", () => {
  it("gives its capacity at once, then what comes back, and says when there is room again", () => {
    const { take, takeAll, clock, state } = opened();
    expect(takeAll()).toBe(8);
    const usedUp = state.budgets.usedUp("agent-1", [READ]);
    expect(usedUp).toMatchObject({ capability: READ, limit: { per_minute: 60, capacity: 8 } });
    expect(usedUp?.retry_after_ms).toBeGreaterThanOrEqual(1000);
    expect(usedUp?.retry_after_ms).toBeLessThan(1500);
    clock.advance(0.9);
    expect(take()).toBe(false);
    clock.advance(0.1);
    expect([take(), take()]).toEqual([true, false]);
    clock.advance(3600);
    expect(takeAll()).toBe(8);
  });

  it("is each agent's own, and each capability's", () => {
    const { take, takeAll } = opened({
      [READ]: { per_minute: 60, capacity: 2 },
      "fs:write": { per_minute: 60, capacity: 2 },
    });
    expect(takeAll("agent-1")).toBe(2);
    expect(take("agent-2")).toBe(true);
    expect(take("agent-1", "fs:write")).toBe(true);
  });

  it("is taken from by all of a call's capabilities or by none", () => {
    const { take, state } = opened({
      [READ]: { per_minute: 60, capacity: 5 },
      "fs:write": { per_minute: 30, capacity: 1 },
    });
    expect(take("agent-1", READ, "fs:write")).toBe(true);
    for (let count = 0; count < 20; count++) expect(take("agent-1", READ, "fs:write")).toBe(false);
    expect(state.budgets.usedUp("agent-1", [READ, "fs:write"])?.capability).toBe("fs:write");
    expect(state.budgets.list()).toEqual([
      { agent_id: "agent-1", capability: READ, per_minute: 60, capacity: 5, left: 4 },
      { agent_id: "agent-1", capability: "fs:write", per_minute: 30, capacity: 1, left: 0 },
    ]);
  });

  it("waits for the capability that takes longest", () => {
    const { take, state } = opened({
      [READ]: { per_minute: 60, capacity: 1 },
      "fs:write": { per_minute: 1, capacity: 1 },
    });
    take("agent-1", READ, "fs:write");
    expect(state.budgets.usedUp("agent-1", ["fs:write", READ])?.capability).toBe("fs:write");
    expect(state.budgets.usedUp("agent-1", [READ, "fs:write"])?.retry_after_ms).toBeGreaterThan(59_000);
  });

  it("of what touches nothing doesn't exist, unless it is configured", () => {
    expect(Object.keys(DEFAULT_LIMITS)).not.toContain("time:read");
    const { take } = opened();
    for (let count = 0; count < 5000; count++) expect(take("agent-1", "time:read")).toBe(true);
    const configured = opened({ "time:read": { per_minute: 1, capacity: 1 } });
    expect([configured.take("a", "time:read"), configured.take("a", "time:read")]).toEqual([true, false]);
  });

  it("that is full again is no row and no memory", () => {
    const { take, send, rows, clock, state } = opened();
    take();
    send();
    expect(rows()).toHaveLength(1);
    state.budgets.flush();
    expect(rows()).toHaveLength(1);
    clock.advance(60);
    state.budgets.flush();
    expect(rows()).toEqual([]);
    expect(state.budgets.list()).toEqual([]);
  });

  it("has a capacity of a minute's calls where none is configured", () => {
    const { limits } = rateConfigSchema.parse({
      limits: { "fs:read": { per_minute: 7 }, "mail:send": { per_minute: 0.5 } },
    });
    expect(limitsOf({ limits }).get("fs:read")).toEqual({ per_minute: 7, capacity: 7 });
    expect(limitsOf({ limits }).get("mail:send")).toEqual({ per_minute: 0.5, capacity: 1 });
  });
});

describe("a gate that starts again", () => {
  it("after a stop knows exactly what was left", () => {
    const { take, takeAll, send, restart } = opened();
    for (let count = 0; count < 3; count++) take();
    send();
    restart();
    expect(takeAll()).toBe(5);
  });

  it("after it was killed gives no call twice, and loses no more than a lease", () => {
    const { take, takeAll, send, kill } = opened({ [READ]: { per_minute: 60, capacity: 80 } });
    for (let count = 0; count < 35; count++) {
      take();
      send();
    }
    kill();
    const left = takeAll();
    expect(left).toBeLessThanOrEqual(45);
    expect(left).toBeGreaterThanOrEqual(35);
  });

  it("writes once for many calls", () => {
    const { db, take, send } = opened({ [READ]: { per_minute: 120, capacity: 600 } });
    let writes = 0;
    db.function("noted", () => {
      writes++;
      return null;
    });
    db.exec("CREATE TEMP TRIGGER counted BEFORE UPDATE ON main.rate_buckets BEGIN SELECT noted(); END");
    for (let count = 0; count < 500; count++) {
      take();
      send();
    }
    expect(writes).toBeGreaterThan(3);
    expect(writes).toBeLessThan(15);
  });

  it("finds a damaged row used up, and another version's capability not at all", () => {
    const { db, clock, kill, take } = opened();
    const insert = db.prepare("INSERT INTO rate_buckets VALUES (?, ?, ?, ?, ?, ?)");
    insert.run("agent-1", READ, Number.POSITIVE_INFINITY, 0, "x", 0);
    insert.run("agent-2", "fs:teleport", 1, 0, "x", 0);
    insert.run("agent-3", READ, 0, 9e15, clock.boot().id, 9e15);
    kill();
    expect([take("agent-1"), take("agent-2"), take("agent-3")]).toEqual([false, true, false]);
    clock.advance(2);
    expect([take("agent-1"), take("agent-3")]).toEqual([true, true]);
  });
});

describe("a wall clock that jumps", () => {
  it("ahead or back refills nothing while the machine runs", () => {
    const { takeAll, clock, send, kill } = opened();
    takeAll();
    send();
    for (const seconds of [86_400, -10 * 86_400, 86_400]) {
      clock.jump(seconds);
      expect(takeAll()).toBe(0);
      kill();
      expect(takeAll()).toBe(0);
    }
    clock.advance(2);
    expect(takeAll()).toBe(2);
  });

  it("ahead across a start of the machine refills one bucket, and no more", () => {
    const { takeAll, clock, send, kill } = opened();
    takeAll();
    send();
    clock.jump(86_400);
    clock.reboot();
    kill();
    expect(takeAll()).toBe(8);
    send();
    kill();
    expect(takeAll()).toBe(0);
  });

  it("back across a start of the machine blocks for no longer than the time since that start", () => {
    const { takeAll, clock, send, kill } = opened({ [READ]: { per_minute: 3, capacity: 8 } });
    takeAll();
    send();
    clock.jump(-86_400);
    clock.reboot();
    kill();
    // Twenty seconds since the start.
    expect(takeAll()).toBe(1);
    clock.advance(20);
    expect(takeAll()).toBe(1);
  });
});

describe("a database that can't be written", () => {
  it("keeps nobody from being decided on: memory does it, and what fails is reported, not with each call", () => {
    const { db, takeAll, send, failures, clock } = opened();
    db.pragma("query_only = ON");
    expect(takeAll()).toBe(8);
    send();
    clock.advance(1);
    expect(takeAll()).toBe(1);
    send();
    expect(failures).toEqual(["writing what is left of the agents' calls"]);
  });

  it("has what is left as the gate stops, where it can be written by then", () => {
    const { db, takeAll, send, restart } = opened();
    db.pragma("query_only = ON");
    takeAll();
    send();
    db.pragma("query_only = OFF");
    restart();
    expect(takeAll()).toBe(0);
  });
});

/** What happens to a gate and its machine. */
type Event =
  | { kind: "calls"; count: number }
  | { kind: "send" | "kill" | "restart" | "reboot" | "tend" }
  | { kind: "advance" | "jump"; seconds: number };

const eventOf = (kinds: readonly ("kill" | "restart" | "reboot" | "send" | "tend")[]): fc.Arbitrary<Event> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("calls" as const), count: fc.integer({ min: 1, max: 30 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom(...kinds) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("advance" as const),
        seconds: fc.double({ min: 0, max: 30, noNaN: true }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("jump" as const), seconds: fc.integer({ min: -1e6, max: 1e6 }) }),
    },
  );

const limitArbitrary = fc.record({
  per_minute: fc.constantFrom(0.5, 6, 60, 120, 1000),
  capacity: fc.integer({ min: 1, max: 40 }),
});

/** What the agent got, by the time that really passed, in seconds; and when the machine was started anew. */
function lived(limit: Limit, events: readonly Event[]) {
  const { clock, state, take, kill, restart } = opened({ [READ]: limit });
  const given: { at: number; count: number }[] = [];
  const reboots: number[] = [];
  let at = 0;
  let unsent = 0;
  const send = () => {
    state.budgets.record();
    if (unsent > 0) given.push({ at, count: unsent });
    unsent = 0;
  };
  const die = (again: () => void) => {
    // What was decided and not sent, nobody was given.
    unsent = 0;
    again();
  };
  const acts: Record<"send" | "kill" | "restart" | "reboot" | "tend", () => void> = {
    send: () => {
      send();
      state.budgets.prepareNext();
    },
    tend: () => {
      send();
      state.budgets.flush();
    },
    kill: () => die(kill),
    restart: () => {
      send();
      restart();
    },
    reboot: () => {
      reboots.push(at);
      clock.reboot();
      at += 30;
      die(kill);
    },
  };
  for (const event of events) {
    if (event.kind === "calls") for (let count = 0; count < event.count; count++) unsent += take() ? 1 : 0;
    else if (event.kind === "advance") {
      send();
      clock.advance(event.seconds);
      at += event.seconds;
    } else if (event.kind === "jump") clock.jump(event.seconds);
    else acts[event.kind]();
  }
  send();
  return { given, reboots, clock, state, take };
}

/** The window in which most was given beyond what it may be, as a sentence; undefined where there is none. */
function excess({ given, reboots }: ReturnType<typeof lived>, { capacity, per_minute }: Limit): string | undefined {
  for (const [from, first] of given.entries()) {
    let sum = 0;
    for (const { at, count } of given.slice(from)) {
      sum += count;
      // A start of the machine with a clock that was set ahead fills the bucket once.
      const fills = 1 + reboots.filter((when) => when >= first.at && when <= at).length;
      const most = capacity * fills + ((at - first.at) * per_minute) / 60;
      if (sum > most + 0.001) return `${sum} in ${at - first.at} s, at most ${most}`;
    }
  }
  return undefined;
}

describe("in any window of time an agent gets no more than the capacity and what came back", () => {
  it("whatever is killed, started again or set to another time in between", () => {
    const events = fc.array(eventOf(["send", "send", "tend", "kill", "restart"]), { maxLength: 60 });
    fc.assert(
      fc.property(limitArbitrary, events, (limit, happening) => {
        expect(excess(lived(limit, happening), limit)).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it("and where the machine is started anew, one capacity more for each time", () => {
    const events = fc.array(eventOf(["send", "tend", "kill", "restart", "reboot"]), { maxLength: 60 });
    fc.assert(
      fc.property(limitArbitrary, events, (limit, happening) => {
        expect(excess(lived(limit, happening), limit)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it("and after the time that it is asked to wait it always gets another one", () => {
    const events = fc.array(eventOf(["send", "tend", "kill", "restart", "reboot"]), { maxLength: 40 });
    fc.assert(
      fc.property(limitArbitrary, events, fc.integer({ min: -1e6, max: 1e6 }), (limit, happening, jump) => {
        const { state, clock, take } = lived(limit, happening);
        const waitMs = state.budgets.usedUp("agent-1", [READ])?.retry_after_ms ?? 0;
        expect(waitMs).toBeLessThanOrEqual(60_000 / limit.per_minute + 251);
        clock.jump(jump);
        clock.advance(waitMs / 1000);
        expect(take()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
