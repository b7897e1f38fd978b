import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../../main/base/clocks/clock.ts";
import { systemClock } from "../../../main/base/clocks/system-clock.ts";
import { type Route, routeSchema } from "../../../main/config/channels.ts";
import { MOST_ALONE, Router } from "../../../main/surfaces/delivery/routing.ts";
import { type AgentConnection, tokenOf } from "../../support/agent-connection.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { RecordedChannel, TestScreen } from "../../support/recorded-channel.ts";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import { inZone } from "../../support/time-zone.ts";

// main/surfaces/delivery/routing.ts, on a real gate: what is due on a channel when.

interface Seat {
  gate: GateUnderTest;
  clock: ManualClock;
  agent: AgentConnection;
  channel: RecordedChannel;
  screen: TestScreen;
  router: Router;
}

type RouteInput = Partial<Route>;

async function routed(gate: GateUnderTest, clock: Clock, route: RouteInput, gatherAbove = 3) {
  const channel = new RecordedChannel();
  const screen = new TestScreen();
  const router = new Router({
    api: gate.operator.on("telegram"),
    channel,
    route: routeSchema.parse(route),
    gatherAbove,
    screen,
    clock,
    log: (line) => expect.unreachable(line),
  });
  onTestFinished(() => router.close());
  await router.start();
  return { channel, screen, router };
}

/** 12:00 in Rome. */
const NOON = "2026-05-04T10:00:00Z";

async function seat(route: RouteInput, { gatherAbove = 3, at = NOON } = {}): Promise<Seat> {
  inZone("Europe/Rome");
  const clock = new ManualClock(at);
  const gate = await startGate({ clock });
  const agent = await gate.agent("tester");
  return { gate, clock, agent, ...(await routed(gate, clock, route, gatherAbove)) };
}

const runs = (command: string) => ({ executor: "shell_exec", args: { command } });
const HAZARDOUS = "rm -rf /srv/data";

/** What the gate has said is taken in. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
}

const answer = (gate: GateUnderTest, token: string, decision: "approved" | "rejected" = "rejected") =>
  gate.operator.call("approvals.resolve", { token, decision });

describe("a channel that is used at once", () => {
  it("is asked as a request begins to wait, and informed how it ended", async () => {
    const { gate, agent, channel } = await seat({});
    const asked = await agent.ask(runs("npm test"));
    expect(await channel.until(1)).toEqual(["ask npm test"]);
    await answer(gate, tokenOf(asked.decision));
    expect(await channel.until(2)).toEqual(["ask npm test", "ended npm test rejected"]);
  });

  it("is asked for what waited before the gate was started anew, once", async () => {
    const clock = new ManualClock(NOON);
    const first = await startGate({ clock });
    await (await first.agent()).ask(runs("npm test"));
    await first.close();
    const gate = await startGate({ clock, home: first.home });
    const { channel, router } = await routed(gate, clock, {});
    router.look();
    await settled();
    expect(channel.calls).toEqual(["ask npm test"]);
  });

  it("is asked for one agent's requests, whatever fails with another's", async () => {
    const gate = await startGate();
    const channel = new RecordedChannel();
    const log: string[] = [];
    const router = new Router({
      ...{ api: gate.operator.on("telegram"), route: routeSchema.parse({}), gatherAbove: 1, clock: systemClock },
      ...{ screen: new TestScreen(), log: (line: string) => log.push(line) },
      channel: Object.assign(channel, {
        gather() {
          throw new RangeError("secret text");
        },
      }),
    });
    onTestFinished(() => router.close());
    await router.start();
    const [bad, good] = [await gate.agent("bad"), await gate.agent("good")];
    await bad.ask(runs("npm run bad"));
    await bad.ask(runs("npm run worse"));
    await good.ask(runs("npm test"));
    await settled();
    expect(channel.calls.at(-1)).toBe("ask npm test");
    expect(log.length).toBeGreaterThan(0);
    expect(log.join()).not.toContain("secret text");
  });

  it("changes no request's time-out", async () => {
    const { gate, agent, clock, router } = await seat({ quiet_hours: { from: "11:00", to: "13:00" } });
    const { decision } = await agent.ask(runs("npm test"));
    const { expires_at } = await gate.request(tokenOf(decision));
    clock.advance(300);
    router.look();
    await settled();
    expect((await gate.request(tokenOf(decision))).expires_at).toBe(expires_at);
  });
});

describe("a channel that is used after nobody answered", () => {
  it("isn't asked before that, and is then", async () => {
    const { agent, channel, clock, router } = await seat({ when: "unanswered", after_seconds: 60 });
    await agent.ask(runs("npm test"));
    clock.advance(59);
    router.look();
    await settled();
    expect(channel.calls).toEqual([]);
    clock.advance(1);
    router.look();
    expect(channel.calls).toEqual(["ask npm test"]);
  });

  it("never gets what was answered, expired or withdrawn before", async () => {
    const { gate, agent, channel, clock, router } = await seat({ when: "unanswered", after_seconds: 60 });
    const answered = await agent.ask(runs("npm test"));
    await answer(gate, tokenOf(answered.decision), "approved");
    const withdrawn = await agent.ask(runs("npm run build"));
    agent.send("tool.cancel", { id: "c", token: tokenOf(withdrawn.decision), reason: "not needed" });
    await withdrawn.final();
    await agent.ask(runs("npm run late"));
    clock.advance(59);
    router.look();
    clock.advance(3600);
    await gate.operator.call("approvals.cleanup", {});
    await settled();
    router.look();
    expect(await gate.waiting()).toEqual([]);
    expect(channel.calls).toEqual([]);
  });

  it("counts from when it was asked, over a restart; a clock that was set makes it later at no time", async () => {
    const clock = new ManualClock(NOON);
    const first = await startGate({ clock });
    await (await first.agent()).ask(runs("npm test"));
    await first.close();
    clock.advance(50);
    const gate = await startGate({ clock, home: first.home });
    const { channel, router } = await routed(gate, clock, { when: "unanswered", after_seconds: 60 });
    clock.jump(-3600);
    clock.advance(10);
    router.look();
    expect(channel.calls).toEqual(["ask npm test"]);
  });

  it("asks by its own timer, without another event", async () => {
    const gate = await startGate();
    const { channel } = await routed(gate, gate.gate.core.clock, { when: "unanswered", after_seconds: 1 });
    await (await gate.agent()).ask(runs("npm test"));
    expect(await channel.until(1)).toEqual(["ask npm test"]);
  });
});

describe("a channel that is used while the screen is locked", () => {
  it("is asked once the screen gets locked, for all that waits then; unlocked again, what it shows stays true", async () => {
    const { gate, agent, channel, screen } = await seat({ when: "locked" });
    const before = await agent.ask(runs("npm test"));
    await settled();
    expect(channel.calls).toEqual([]);
    screen.set(true);
    expect(channel.calls).toEqual(["ask npm test"]);
    screen.set(false);
    await agent.ask(runs("npm run later"));
    await settled();
    expect(channel.calls).toHaveLength(1);
    await answer(gate, tokenOf(before.decision));
    expect(await channel.until(2)).toEqual(["ask npm test", "ended npm test rejected"]);
  });
});

describe("quiet hours", () => {
  const NIGHT = { quiet_hours: { from: "22:00", to: "07:00" } };
  /** 23:30 in Rome. */
  const LATE = "2026-05-04T21:30:00Z";

  it("hold back what isn't dangerous; as they end all of it is due, gathered", async () => {
    const { agent, channel, clock, router, gate } = await seat(NIGHT, { at: LATE });
    gate.gate.core.config.approvals.ttl_seconds = 86_400;
    for (const n of [1, 2, 3, 4]) await agent.ask(runs(`ls ${n}`));
    await settled();
    expect(channel.calls).toEqual([]);
    clock.advance(7 * 3600 + 29 * 60 + 59);
    router.look();
    expect(channel.calls).toEqual([]);
    clock.advance(1);
    router.look();
    expect(channel.calls).toEqual(["gather tester ls 1, ls 2, ls 3, ls 4"]);
  });

  it("let through what is dangerous, unless nothing may come", async () => {
    const { agent, channel, gate, clock } = await seat(NIGHT, { at: LATE });
    const { channel: silent } = await routed(gate, clock, { ...NIGHT, in_quiet_hours: "nothing" });
    await agent.ask(runs(HAZARDOUS));
    expect(await channel.until(1)).toEqual([`ask ${HAZARDOUS}`]);
    expect(silent.calls).toEqual([]);
  });

  it("begin: what is shown already is kept true", async () => {
    const { gate, agent, channel, clock, router } = await seat(NIGHT, { at: "2026-05-04T19:58:00Z" });
    const asked = await agent.ask(runs("npm test"));
    await channel.until(1);
    clock.advance(180);
    router.look();
    await answer(gate, tokenOf(asked.decision));
    expect(await channel.until(2)).toEqual(["ask npm test", "ended npm test rejected"]);
  });
});

describe("many requests of one agent", () => {
  it("more than the threshold become one, which grows and shrinks; another agent's stay alone", async () => {
    const { gate, agent, channel } = await seat({});
    await (await gate.agent("other")).ask(runs("npm test"));
    const asked = [];
    for (const n of [1, 2, 3, 4]) asked.push(await agent.ask(runs(`ls ${n}`)));
    const alone = ["ask npm test", "ask ls 1", "ask ls 2", "ask ls 3"];
    expect(await channel.until(5)).toEqual([...alone, "gather tester ls 1, ls 2, ls 3, ls 4"]);
    await agent.ask(runs("ls 5"));
    expect((await channel.until(6))[5]).toBe("gather tester ls 1, ls 2, ls 3, ls 4, ls 5");
    await answer(gate, tokenOf(asked[0]?.decision ?? expect.unreachable()));
    expect((await channel.until(8)).slice(6)).toEqual(["ended ls 1 rejected", "gather tester ls 2, ls 3, ls 4, ls 5"]);
    await agent.close();
    await channel.untilLast("gather tester");
    const ends = channel.calls.slice(8).filter((call) => call.startsWith("ended"));
    expect(ends).toEqual([2, 3, 4, 5].map((n) => `ended ls ${n} cancelled`));
    expect(channel.calls.filter((call) => call.startsWith("ask "))).toEqual(alone);
  });

  it("what is dangerous is shown by itself, and isn't counted", async () => {
    const { agent, channel } = await seat({}, { gatherAbove: 1 });
    await agent.ask(runs("ls 1"));
    await agent.ask(runs(HAZARDOUS));
    await agent.ask(runs("ls 2"));
    expect(await channel.until(3)).toEqual(["ask ls 1", `ask ${HAZARDOUS}`, "gather tester ls 1, ls 2"]);
  });

  it("so many dangerous ones are gathered, too, that no agent can fill a screen", async () => {
    const { agent, channel } = await seat({});
    for (let n = 0; n < MOST_ALONE + 5; n++) await agent.ask(runs(`${HAZARDOUS}/${n}`));
    await settled();
    const asked = channel.calls.filter((call) => call.startsWith("ask "));
    expect(asked.length).toBeLessThanOrEqual(MOST_ALONE + 3);
    expect(channel.gathered.at(-1)?.views).toHaveLength(5);
  });

  it("are shown each where the user wants that, until none of them waits", async () => {
    const { agent, channel, router } = await seat({}, { gatherAbove: 1 });
    await agent.ask(runs("ls 1"));
    await agent.ask(runs("ls 2"));
    await channel.until(2);
    router.showEach((channel.gathered[0] ?? expect.unreachable()).agent_id);
    await agent.ask(runs("ls 3"));
    expect(await channel.until(5)).toEqual([
      "ask ls 1",
      "gather tester ls 1, ls 2",
      "ask ls 1",
      "ask ls 2",
      "ask ls 3",
    ]);
  });
});
