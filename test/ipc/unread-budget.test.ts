import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UnreadBudget } from "../../ipc/socket/unread-budget.ts";

const LIMITS = { pauseBytes: 100, total_bytes: 1000, maxBytes: 500, patienceMs: 1000 };

function owner() {
  const reasons: string[] = [];
  return { reasons, drop: (reason: string) => reasons.push(reason) };
}

describe("what clients leave unread", () => {
  it("holds back a client that leaves more than a little unread, and no other", () => {
    const budget = new UnreadBudget(LIMITS);
    const [slow, fast] = [owner(), owner()];
    budget.note(slow, 101);
    budget.note(fast, 100);
    expect([budget.isBehind(slow), budget.isBehind(fast)]).toEqual([true, false]);
    budget.note(slow, 0);
    expect([budget.isBehind(slow), budget.used]).toEqual([false, 100]);
  });

  it("is bounded together: beyond it each client that leaves anything unread is held back", () => {
    const budget = new UnreadBudget(LIMITS);
    const crowd = Array.from({ length: 11 }, owner);
    const reading = owner();
    for (const client of crowd) budget.note(client, 100);
    expect(crowd.every((client) => budget.isBehind(client))).toBe(true);
    expect(budget.isBehind(reading)).toBe(false);
  });

  it("beyond twice that, who has read nothing for the longest is dropped", () => {
    const budget = new UnreadBudget(LIMITS);
    const [first, second, third] = [owner(), owner(), owner()];
    budget.note(first, 400);
    budget.note(second, 400);
    // It has read something since.
    budget.note(first, 300);
    budget.note(third, 1500);
    expect(second.reasons).toEqual(["clients left more than 2000 bytes unread together"]);
    expect([first.reasons, third.reasons]).toEqual([[], []]);
    expect(budget.used).toBe(1800);
  });

  it("one client alone may have asked for something long", () => {
    const budget = new UnreadBudget(LIMITS);
    const client = owner();
    budget.note(client, 10_000);
    expect(client.reasons).toEqual([]);
    budget.note(client, 0);
  });

  it("drops who leaves too much for long, and not who reads of it meanwhile", () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const budget = new UnreadBudget(LIMITS);
    const [deaf, slow] = [owner(), owner()];
    budget.note(deaf, 600);
    budget.note(slow, 600);
    vi.advanceTimersByTime(999);
    budget.note(deaf, 700);
    budget.note(slow, 550);
    vi.advanceTimersByTime(999);
    expect([deaf.reasons, slow.reasons]).toEqual([["a client left more than 500 bytes unread for 1 s"], []]);
    expect(budget.used).toBe(550);
  });
});
