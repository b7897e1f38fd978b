import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bundled, burstTokens, groupsOf } from "../../../renderer/cards/digest.ts";
import { approvalView } from "../../support/approval-view.ts";

const START = Date.parse("2026-11-21T00:00:00Z");
const view = (second: number, agent_name = "busy", token = `${agent_name}-${second}`) =>
  approvalView({ token, agent_name, created_at: new Date(START + second * 1000).toISOString() });
const asked = (views: ReturnType<typeof view>[]) => views.map((one) => ({ view: one, ended: null }));

describe("a bundle", () => {
  it("is more than three cards of one agent within ten seconds", () => {
    expect(burstTokens([0, 1, 10].map((second) => view(second))).size).toBe(0);
    expect(burstTokens([0, 1, 2, 10].map((second) => view(second))).size).toBe(4);
    expect(burstTokens([0, 1, 2, 11].map((second) => view(second))).size).toBe(0);
    expect(burstTokens([view(0), view(1), view(2), view(3, "other")]).size).toBe(0);
  });

  it("holds exactly the cards that have three others of their agent within ten seconds around them", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }), (seconds) => {
        const expected = seconds.filter((second) =>
          seconds.some(
            (from) =>
              second >= from && second <= from + 10 && seconds.filter((s) => s >= from && s <= from + 10).length > 3,
          ),
        );
        const found = burstTokens(seconds.map((second) => view(second)));
        expect([...found].toSorted()).toEqual(expected.map((second) => `busy-${second}`).toSorted());
      }),
    );
  });

  it("is where its first card was; others stay cards, and so do those that are shown one by one", () => {
    const list = asked([view(30, "calm"), ...[0, 1, 2, 3].map((second) => view(second))]);
    const shown = bundled(list, new Set());
    expect(shown.map(({ kind }) => kind)).toEqual(["card", "digest"]);
    expect(bundled(list, new Set(["busy"])).map(({ kind }) => kind)).toEqual(Array(5).fill("card"));
  });

  it("is summed up by capability and the folder that all of them are below", () => {
    const read = (path: string) =>
      approvalView({
        capability_class: `fs_read:~/project/${path}/*`,
        capabilities: [{ capability: "fs:read", target: `/home/me/project/${path}/f` }],
      });
    const http = approvalView({
      capability_class: "network_http:example.org",
      capabilities: [{ capability: "network:http", target: "example.org" }],
    });
    expect(groupsOf([http, read("src/a"), read("test")])).toEqual([
      { capability: "fs:read", count: 2, location: "~/project" },
      { capability: "network:http", count: 1, location: "example.org" },
    ]);
    const elsewhere = approvalView({
      capability_class: "fs_read:/etc/*",
      capabilities: [{ capability: "fs:read", target: "/etc/hosts" }],
    });
    expect(groupsOf([read("src"), elsewhere])[0]?.location).toBe(null);
  });
});
