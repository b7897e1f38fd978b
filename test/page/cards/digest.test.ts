import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { burstTokens } from "../../../ipc/words/bursts.ts";
import { bundled, commonChoice, groupsOf } from "../../../renderer/cards/digest.ts";
import { approvalView } from "../../support/approval-view.ts";
import { readOf, runs } from "../../support/card-views.ts";

const START = Date.parse("2026-11-21T00:00:00Z");
const view = (second: number, agentName = "busy", token = `${agentName}-${second}`) =>
  approvalView({ token, agent_name: agentName, created_at: new Date(START + second * 1000).toISOString() });
const asked = (views: ReturnType<typeof view>[]) => views.map((one) => ({ view: one, ended: null }));

describe("a bundle", () => {
  it("is six or more cards of one agent within ten seconds", () => {
    expect(burstTokens([0, 1, 2, 3, 10].map((second) => view(second))).size).toBe(0);
    expect(burstTokens([0, 1, 2, 3, 4, 10].map((second) => view(second))).size).toBe(6);
    expect(burstTokens([0, 1, 2, 3, 4, 11].map((second) => view(second))).size).toBe(0);
    expect(burstTokens([...[0, 1, 2, 3, 4].map((second) => view(second)), view(5, "other")]).size).toBe(0);
  });

  it("holds exactly the cards that have five others of their agent within ten seconds around them", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }), (seconds) => {
        const expected = seconds.filter((second) =>
          seconds.some(
            (from) =>
              second >= from && second <= from + 10 && seconds.filter((s) => s >= from && s <= from + 10).length >= 6,
          ),
        );
        const found = burstTokens(seconds.map((second) => view(second)));
        expect([...found].toSorted()).toEqual(expected.map((second) => `busy-${second}`).toSorted());
      }),
    );
  });

  it("is where its first card was; others stay cards, and so do those that are shown one by one", () => {
    const list = asked([view(30, "calm"), ...[0, 1, 2, 3, 4, 5].map((second) => view(second))]);
    const shown = bundled(list, new Set());
    expect(shown.map(({ kind }) => kind)).toEqual(["card", "digest"]);
    expect(bundled(list, new Set(["busy"])).map(({ kind }) => kind)).toEqual(Array(7).fill("card"));
  });

  it("leaves out what is dangerous: that is looked at by itself", () => {
    const views = [0, 1, 2, 3, 4, 5, 6].map((second) => view(second));
    const dangerous = runs("sudo x", {}, { hazards: [{ id: "as-root", span: null }] });
    const list = asked([
      ...views.slice(0, 6),
      { ...dangerous, agent_name: "busy", created_at: views[6]?.created_at ?? "" },
    ]);
    expect(bundled(list, new Set()).map(({ kind }) => kind)).toEqual(["digest", "card"]);
  });

  it("offers the narrowest answer of the session that covers all of it, and none where there is none", () => {
    const reads = ["a.ts", "deep/b.ts"].map((name) => readOf(`/srv/website/src/${name}`));
    expect(commonChoice(reads)?.choice.grants).toEqual([{ capability: "fs:read", target: "/srv/website/src/**" }]);
    expect(commonChoice([readOf("/srv/a/x"), readOf("/srv/b/y")])).toBe(null);
    expect(commonChoice([...reads, runs("make")])).toBe(null);
    const twice = [readOf("/srv/a/x"), readOf("/srv/a/x")];
    expect(commonChoice(twice)?.choice.reach).toBe("file");
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
    const groups = groupsOf([http, read("src/a"), read("test")]);
    expect(groups.map(({ doing, views, location }) => [doing, views.length, location])).toEqual([
      ["fs:read", 2, "~/project"],
      ["network:http", 1, "example.org"],
    ]);
    const elsewhere = approvalView({
      capability_class: "fs_read:/etc/*",
      capabilities: [{ capability: "fs:read", target: "/etc/hosts" }],
    });
    expect(groupsOf([read("src"), elsewhere])[0]?.location).toBe(null);
    const confined = approvalView({
      capability_class: "fs_read:~/project/**, fs_write:~/project/**",
      capabilities: [{ capability: "fs:read", target: "/home/me/project/**" }],
      confined: { project: "/home/me/project", network: false },
    });
    // It runs something, whatever its box needs.
    expect(groupsOf([confined])).toMatchObject([{ doing: "confined", location: "~/project" }]);
  });
});
