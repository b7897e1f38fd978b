import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { OperatorApi } from "../../../ipc/contract/operator-api.ts";
import { routeSchema } from "../../../main/config/channels.ts";
import type { ChannelNote } from "../../../main/core/channel.ts";
import { NoteBoard } from "../../../main/core/note-board.ts";
import { AWAY_APART_MS, NoteRoute } from "../../../main/surfaces/delivery/note-route.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { RecordedChannel, TestScreen } from "../../support/recorded-channel.ts";

const APART = AWAY_APART_MS / 1000;

function refusedNote(number: number): ChannelNote {
  const own = { title: `agent ${number} was refused a call`, lines: [`│ call ${number}`, "why", "what is possible"] };
  return { kind: "refused", is_urgent: false, ...own, only: ["telegram"], when_away: true };
}

/** Telegram's notes, with a screen and clocks that the test moves. */
async function noted(isLocked: boolean, route: object = {}) {
  const clock = new ManualClock();
  const channel = new RecordedChannel();
  const screen = new TestScreen();
  screen.set(isLocked);
  const board = new NoteBoard();
  board.begin();
  const api = {
    call: () => Promise.resolve({ pause: { by: null, reason: null, since: null, until: null }, alarms: [] }),
    subscribe: () => () => undefined,
  } as unknown as Pick<OperatorApi, "call" | "subscribe">;
  const notes = new NoteRoute({
    ...{ api, channel, clock, screen, notes: board, name: "telegram" },
    route: routeSchema.parse(route),
    language: () => "en",
    log: () => undefined,
  });
  await notes.start();
  onTestFinished(() => notes.close());
  const refuse = (from: number, to = from) => {
    for (let number = from; number <= to; number++) board.say(refusedNote(number));
  };
  /** The titles said since this was asked last, once this time has passed. */
  const said = (seconds = 0) => {
    clock.advance(seconds);
    notes.look();
    return channel.notes.splice(0).map(({ title }) => title);
  };
  return { channel, screen, refuse, said, look: () => notes.look(), clock };
}

describe("a note for the time when the user is away", () => {
  it("is said at once where the screen is locked, and never where it isn't, not even once it is", async () => {
    const { screen, refuse, said } = await noted(false);
    refuse(1);
    expect(said()).toEqual([]);
    screen.set(true);
    expect(said(APART)).toEqual([]);
    refuse(2);
    expect(said()).toEqual(["agent 2 was refused a call"]);
  });

  it("comes once in ten minutes at the most: of a flood the last three are said, and the others counted", async () => {
    const { refuse, said, channel, clock, look } = await noted(true);
    refuse(1, 500);
    expect(said(APART - 1)).toEqual(["agent 1 was refused a call"]);
    clock.advance(1);
    look();
    expect(channel.notes).toEqual([
      {
        ...refusedNote(500),
        title: "499 calls were refused",
        lines: [
          ...[500, 499, 498].flatMap((number) => [refusedNote(number).title, ...refusedNote(number).lines]),
          "and 496 more",
        ],
      },
    ]);
    channel.notes.length = 0;
    expect(said(APART)).toEqual([]);
  });

  it("that has to wait is dropped once the user is back", async () => {
    const { screen, refuse, said } = await noted(true);
    refuse(1, 2);
    expect(said()).toHaveLength(1);
    screen.set(false);
    screen.set(true);
    expect(said(APART)).toEqual([]);
  });

  it("isn't said in quiet hours: once they end, as one", async () => {
    const { refuse, said } = await noted(true, { quiet_hours: { from: "00:00", to: "23:59" } });
    refuse(1, 2);
    let titles = said(APART);
    expect(titles).toEqual([]);
    for (let minute = 0; minute < 24 * 60 && titles.length === 0; minute++) titles = said(60);
    expect(titles).toEqual(["2 calls were refused"]);
  });

  it("in quiet hours is looked after once in a while, not all the time", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { refuse, screen } = await noted(true, { quiet_hours: { from: "00:00", to: "23:59" } });
    let looks = 0;
    Object.defineProperty(screen, "isLocked", { get: () => ++looks > 0 });
    refuse(1);
    vi.advanceTimersByTime(60_000);
    expect(looks).toBeLessThan(20);
  });
});
