import { expect, it } from "vitest";
import { Seeded } from "../../../fuzz/seeded.ts";
import { endedScreen } from "../../../main/surfaces/telegram/request-screen.ts";
import { TIMING } from "../../../main/surfaces/telegram/timing.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { SimulatedTime } from "../../support/simulated-time.ts";
import { configuredHome, TelegramGate } from "../../support/telegram-gate.ts";
import {
  type ApiCall,
  type BotMessage,
  ROBERTO_USER,
  type TelegramFault,
  telegramServer,
} from "../../support/telegram-server.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Of a request. */
const TTL = 30 * MINUTE;

/** What goes wrong when, in minutes since midnight: what Telegram answers then, and to what share of the calls. */
const TROUBLE: readonly {
  from: number;
  minutes: number;
  share: number;
  fault(call: ApiCall): TelegramFault | undefined;
}[] = [
  { from: 130, minutes: 9, share: 1, fault: () => ({ status: 502 }) },
  { from: 425, minutes: 6, share: 1, fault: () => ({ drop: "before" }) },
  { from: 545, minutes: 10, share: 0.5, fault: () => ({ status: 429, retry_after: 35 }) },
  { from: 605, minutes: 8, share: 1, fault: ({ method }) => (method === "getUpdates" ? { status: 409 } : undefined) },
  { from: 665, minutes: 20, share: 0.3, fault: ({ method }) => (method === "getMe" ? undefined : { drop: "after" }) },
  { from: 785, minutes: 9, share: 1, fault: () => ({ body: "<html>a captive portal</html>" }) },
  { from: 905, minutes: 4, share: 1, fault: () => ({ status: 429, retry_after: 120 }) },
  { from: 1025, minutes: 60, share: 0.2, fault: () => ({ status: 500 }) },
  { from: 1325, minutes: 3, share: 1, fault: () => ({ status: 401 }) },
];

/** Requests in each hour: nothing at night, bursts by day. */
const ASKED = [0, 0, 2, 0, 0, 0, 1, 3, 5, 12, 9, 14, 2, 8, 3, 6, 1, 10, 4, 2, 1, 0, 3, 0];

type End = "approved" | "rejected" | "expired" | "terminal";

class Day {
  readonly #random = new Seeded(20_261_122);
  readonly time: SimulatedTime;
  readonly expected = new Map<string, End>();
  readonly closed = new Map<string, number>();
  readonly gate: TelegramGate;
  readonly #began: number;

  private constructor(gate: TelegramGate, time: SimulatedTime) {
    this.gate = gate;
    this.time = time;
    this.#began = time.monotonic();
  }

  static async begin(): Promise<Day> {
    const server = await telegramServer();
    const home = configuredHome(server, { config: `[approvals]\nttl_seconds = ${TTL / SECOND}\n` });
    const first = await TelegramGate.open({ server, home });
    await first.link();
    await first.close();
    const clock = new ManualClock("2026-11-22T00:00:00Z");
    const time = new SimulatedTime(clock);
    server.waits = time;
    const timing = { ...TIMING, closeMs: 0 };
    const day = new Day(await TelegramGate.open({ server, home, clock, timing, waits: time }), time);
    day.#script();
    return day;
  }

  #script(): void {
    const { gate, time } = this;
    gate.server.chaos = (call) => this.#trouble(call);
    gate.operator.subscribe(
      ({ type, data }) => {
        if (type === "approval.closed") this.closed.set(data.token, (this.closed.get(data.token) ?? 0) + 1);
      },
      ["approval.closed"],
    );
    for (const [hour, count] of ASKED.entries())
      for (let index = 0; index < count; index++) {
        // One half of an hour's requests come together.
        const at = index < count / 2 ? 30 * MINUTE : this.#random.below(59) * MINUTE;
        time.after(hour * HOUR + at, () => this.#ask(`${hour}-${index}.txt`));
      }
    for (let minute = 1; minute <= 24 * 60; minute++)
      time.after(minute * MINUTE, () => void gate.operator.call("approvals.cleanup", {}));
  }

  #trouble(call: ApiCall): TelegramFault | undefined {
    const minute = (this.time.monotonic() - this.#began) / MINUTE;
    const now = TROUBLE.find(({ from, minutes }) => from <= minute && minute < from + minutes);
    return now !== undefined && this.#random.chance(now.share) ? now.fault(call) : undefined;
  }

  #ask(file: string): void {
    const { token } = this.gate.asks(file);
    const end = this.#random.weighted<End>([
      [5, "approved"],
      [3, "rejected"],
      [1, "expired"],
      [1, "terminal"],
    ]);
    this.expected.set(token, end);
    if (end !== "expired")
      this.time.after(20 * SECOND + this.#random.below(5 * MINUTE), () => this.#answer(token, end));
  }

  /** As a user does it: in the newest message that offers it, once there is one; again where nothing happened for a minute. */
  #answer(token: string, end: End): void {
    const { gate, time } = this;
    if (gate.request(token).status !== "pending") return;
    if (end === "terminal")
      return void gate.operator.on("terminal").call("approvals.resolve", { token, decision: "approved" });
    const message = this.messagesOf(token).findLast(({ buttons }) => buttons.length > 0);
    if (message !== undefined) {
      const data = `${end === "approved" ? "approve" : "reject"}:${token}`;
      gate.server.sendsCallback(ROBERTO_USER, message, data);
      if (this.#random.chance(0.3)) time.after(this.#random.below(90) * SECOND, () => gate.server.deliverAgain());
    }
    time.after(MINUTE, () => this.#answer(token, end));
  }

  messagesOf(token: string): BotMessage[] {
    return this.gate.server.messages.filter(({ data }) => data.some((one) => one.endsWith(`:${token}`)));
  }
}

it("24 hours of quiet and bursts, with 5xx, 429, 409, 401, ended connections, lost answers and updates that come twice: the poll survives, nothing is lost, nothing is answered twice", async () => {
  const day = await Day.begin();
  const { gate, time, expected, closed } = day;
  const { server } = gate;
  await time.pass(24 * HOUR, () => server.isQuiet && time.isAwaited);
  const surface = { approved: "telegram", rejected: "telegram", terminal: "terminal", expired: null } as const;
  const status = { approved: "approved", rejected: "rejected", terminal: "approved", expired: "expired" } as const;
  expect(expected.size).toBe(ASKED.reduce((sum, count) => sum + count, 0));
  for (const [token, end] of expected) {
    const view = gate.request(token);
    expect([view.status, view.decision_surface, closed.get(token)]).toEqual([status[end], surface[end], 1]);
    const known = day.messagesOf(token).filter(({ is_answered }) => is_answered);
    // What was answered at the machine while nothing could be sent never is.
    if (end !== "terminal") expect(known.length).toBe(1);
    const { text } = endedScreen(view, { language: "en", show: "card", home: gate.home.home });
    expect(known.map((message) => [message.text, message.buttons])).toEqual(known.map(() => [text, []]));
  }
  expect(gate.channel.status().state).toBe("on");
  expect(server.isPolled).toBe(true);
  // It waits as long as Telegram asks it to, and doesn't ask more often than it needs.
  expect(server.tooSoon).toEqual([]);
  const polls = server.count("getUpdates");
  console.log(`${expected.size} requests, ${polls} polls, ${server.calls.length} calls`);
  expect(polls).toBeGreaterThan((24 * HOUR) / (TIMING.pollSeconds * SECOND) / 2);
  expect(polls).toBeLessThan(4000);
});
