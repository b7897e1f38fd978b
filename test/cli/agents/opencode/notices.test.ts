import { describe, expect, it, vi } from "vitest";
import { Notices } from "../../../../cli/agents/opencode/plugin/notices.ts";

const watch = () => "metnos-gate watch";

describe("OpenCode's screen", () => {
  it("says that the gate asks, and how to answer, only where an answer takes longer than most", () => {
    vi.useFakeTimers();
    try {
      const showToast = vi.fn();
      const notices = new Notices({ tui: { showToast } }, watch);
      notices.asking()();
      const isAnswered = notices.asking();
      vi.advanceTimersByTime(299);
      expect(showToast).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      const asking = { title: "Metnos Gate asks you", message: "metnos-gate watch", variant: "info" };
      expect(showToast.mock.calls).toMatchObject([[{ body: asking }]]);
      isAnswered();
      vi.advanceTimersByTime(60_000);
      expect(showToast).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("says so as long as it asks, and no longer than some seconds after the answer", () => {
    vi.useFakeTimers();
    try {
      const shown: number[] = [];
      const showToast = ({ body }: { body: { duration: number } }) => shown.push(Date.now() + body.duration);
      const isAnswered = new Notices({ tui: { showToast } }, watch).asking();
      vi.advanceTimersByTime(300);
      for (let second = 0; second < 120; second += 1) {
        vi.advanceTimersByTime(1000);
        expect(shown.at(-1)).toBeGreaterThan(Date.now());
      }
      isAnswered();
      const count = shown.length;
      vi.advanceTimersByTime(60_000);
      expect([shown.length, (shown.at(-1) ?? 0) < Date.now() - 50_000]).toEqual([count, true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("says what was denied, and why", () => {
    const showToast = vi.fn();
    new Notices({ tui: { showToast } }, watch).denied("you said no");
    expect(showToast.mock.calls).toMatchObject([[{ body: { message: "you said no", variant: "error" } }]]);
  });

  it.each([
    ["there is no screen", undefined],
    ["it has another form", { tui: { showToast: "no" } }],
    ["it throws", { tui: { showToast: () => expect.unreachable() } }],
    ["it fails later", { tui: { showToast: () => Promise.reject(new Error("no")) } }],
  ])("changes nothing where %s", async (_what, client) => {
    expect(() => new Notices(client, watch).denied("no")).not.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
  });
});
