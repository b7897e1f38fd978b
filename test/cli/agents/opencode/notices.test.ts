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
      isAnswered();
      vi.advanceTimersByTime(60_000);
      expect(showToast.mock.calls).toMatchObject([
        [{ body: { title: "Metnos Gate asks you", message: "metnos-gate watch", variant: "info" } }],
      ]);
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
