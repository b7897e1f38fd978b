import { describe, expect, it } from "vitest";
import {
  appeared,
  closed,
  ENDED_MS,
  held,
  loaded,
  NOTHING_YET,
  tidied,
  type WaitingState,
} from "../../ipc/words/waiting.ts";
import { approvalView } from "../support/approval-view.ts";

const view = (token: string, minute: number) =>
  approvalView({ token, expires_at: `2026-11-21T00:${String(minute).padStart(2, "0")}:00Z` });
const order = ({ asked }: WaitingState) => asked.map((one) => one.view.token);
const three = loaded(NOTHING_YET, [view("c", 30), view("a", 10), view("b", 20)], 0);

describe("the order of the cards", () => {
  it("is by deadline, the soonest first", () => {
    expect(order(three)).toEqual(["a", "b", "c"]);
    expect(order(appeared(three, view("0", 5), false))).toEqual(["0", "a", "b", "c"]);
  });

  it("doesn't change while the user is at a card: a new one waits below, a later deadline moves nothing", () => {
    const busy = held(appeared(three, view("0", 5), true), "a", "2026-11-21T00:50:00Z");
    expect(order(busy)).toEqual(["a", "b", "c", "0"]);
    expect(order(tidied(busy, true, 0))).toEqual(["a", "b", "c", "0"]);
    expect(order(tidied(busy, false, 0))).toEqual(["0", "b", "c", "a"]);
  });

  it("a request that says something else than before keeps its place, whoever is at the cards", () => {
    for (const isBusy of [true, false]) {
      const again = appeared(three, { ...view("b", 50), target_summary: "another" }, isBusy);
      expect(order(again)).toEqual(["a", "b", "c"]);
      expect(again.asked[1]?.view.target_summary).toBe("another");
    }
  });

  it("a card that ended leaves its line in its view, and is removed when it was there long enough and the user isn't at the cards", () => {
    const ended = closed(three, { ...view("b", 20), status: "expired" }, false, 1000);
    expect(order(ended)).toEqual(["a", "b", "c"]);
    expect(ended.asked[1]?.ended).toEqual({ at: 1000, isOwn: false });
    expect(order(tidied(ended, false, 1000 + ENDED_MS - 1))).toEqual(["a", "b", "c"]);
    expect(order(tidied(ended, true, 1000 + ENDED_MS))).toEqual(["a", "b", "c"]);
    expect(order(tidied(ended, false, 1000 + ENDED_MS))).toEqual(["a", "c"]);
  });

  it("what the gate no longer lists has ended unseen; nothing is there twice", () => {
    const again = loaded(three, [view("a", 10), view("d", 40)], 5, new Set(["a", "b", "c"]));
    expect(again.asked.map(({ view: { token }, ended }) => [token, ended !== null])).toEqual([
      ["a", false],
      ["b", true],
      ["c", true],
      ["d", false],
    ]);
  });

  it("one that appeared while the gate was being asked stays", () => {
    const meanwhile = appeared(three, view("new", 15), false);
    const again = loaded(meanwhile, [view("a", 10), view("b", 20), view("c", 30)], 5, new Set(["a", "b", "c"]));
    expect(again.asked.every(({ ended }) => ended === null)).toBe(true);
    expect(order(again)).toEqual(["a", "new", "b", "c"]);
  });

  it("how it ended is still shown after it was missed", () => {
    const missed = loaded(three, [], 5, new Set(["a", "b", "c"]));
    const seen = closed(missed, { ...view("a", 10), status: "rejected" }, false, 9);
    expect(seen.asked[0]).toMatchObject({ view: { status: "rejected" }, ended: { at: 5, isOwn: false } });
  });

  it("a second ending changes nothing", () => {
    const once = closed(three, { ...view("a", 10), status: "approved" }, true, 1);
    const twice = closed(once, { ...view("a", 10), status: "approved" }, false, 2);
    expect(twice.asked[0]?.ended).toEqual({ at: 1, isOwn: true });
  });
});
