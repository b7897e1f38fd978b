import { describe, expect, it } from "vitest";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import {
  answerFor,
  chosen,
  firstRemembering,
  type Remembering,
  resultText,
  widerOf,
} from "../../../renderer/cards/remembering.ts";
import { answerWords } from "../../../renderer/words/answers.ts";
import { approvalView } from "../../support/approval-view.ts";

const NOW = new Date(2026, 10, 22, 10, 15).getTime();
const grants = (target: string, capability: "fs:read" | "fs:write" | "network:http" = "fs:read") => [
  { capability, target },
];
const READ = approvalView({
  choices: (["session", "permanent"] as const).flatMap((scope) => [
    { scope, reach: "file" as const, grants: grants("~/p/src/a.ts") },
    { scope, reach: "tree" as const, grants: grants("~/p/src/**") },
    { scope, reach: "project" as const, grants: grants("~/p/**") },
  ]),
});
const result = (view: ApprovalView, state: Partial<Remembering>, language: "en" | "it" = "en") =>
  resultText(view, { ...firstRemembering(view), ...state }, NOW, answerWords[language], language);

describe("what the panel offers", () => {
  it("each reach once, with the lengths that it can be said for", () => {
    expect(widerOf(READ).map(({ reach, lengths }) => [reach, lengths])).toEqual([
      ["file", ["session", "hour", "today", "month", "revoked"]],
      ["tree", ["session", "hour", "today", "month", "revoked"]],
      ["project", ["session", "hour", "today", "month", "revoked"]],
    ]);
    // Of the fixture's folder there is no choice for a session.
    expect(widerOf(approvalView()).at(-1)).toMatchObject({
      reach: "folder",
      lengths: ["hour", "today", "month", "revoked"],
    });
  });

  it("begins with the narrowest for this session; with what the gate proposes where it does", () => {
    expect(firstRemembering(READ)).toEqual({ index: 0, target: "~/p/src/a.ts", length: "session" });
    const proposal = {
      scope: "permanent",
      reach: "tree",
      expires_at: "2026-11-22T22:59:59Z",
      approved_times: 3,
    } as const;
    expect(firstRemembering({ ...READ, proposal })).toEqual({ index: 1, target: "~/p/src/**", length: "today" });
  });

  it("keeps the length with another reach, where that can be said for it", () => {
    const view = approvalView();
    const all = widerOf(view);
    expect(chosen({ index: 0, target: "x", length: "today" }, all, 1).length).toBe("today");
    expect(chosen({ index: 0, target: "x", length: "session" }, all, 1).length).toBe("hour");
  });
});

describe("what the answer comes to", () => {
  it("is one sentence: what, for whom, how long", () => {
    expect(result(READ, { index: 1, target: "~/p/src/**", length: "today" })).toBe(
      "Reading below ~/p/src, for claude-code, until 23:59 today",
    );
    expect(result(READ, { length: "session" })).toBe("Reading ~/p/src/a.ts, for claude-code, for this session");
    expect(result(READ, { length: "hour" })).toBe("Reading ~/p/src/a.ts, for claude-code, until 11:15");
    expect(result(READ, { length: "month" })).toMatch(/until Dec 22$/);
    expect(result(READ, { length: "revoked" })).toMatch(/until you revoke it$/);
    expect(result(READ, { target: "~/p/src/*", length: "today" }, "it")).toBe(
      "Leggere direttamente in ~/p/src, per claude-code, fino alle 23:59 di oggi",
    );
  });

  it("names every grant where there are several, and every host below a domain", () => {
    const several = approvalView({
      choices: [
        { scope: "session", reach: "tree", grants: [...grants("~/a/**"), ...grants("~/b/**", "fs:write")] },
        { scope: "session", reach: "subdomains", grants: grants("*.example.net", "network:http") },
      ],
    });
    expect(result(several, {})).toBe("Reading below ~/a and writing below ~/b, for claude-code, for this session");
    expect(result(several, { index: 1, target: "*.example.net" })).toMatch(
      /^Fetching from every host below example\.net/,
    );
  });

  it("makes what is in a target or a name visible", () => {
    const hostile = { ...READ, agent_name: "claude\u202e" };
    expect(result(hostile, { target: "~/a\u202eb" })).not.toContain("\u202e");
  });

  it("is answered with the reach, the target as it was edited, and an end that is counted from the press", () => {
    const { token } = READ;
    const state: Remembering = { index: 1, target: "~/p/s*/**", length: "today" };
    expect(answerFor(READ, state, NOW)).toEqual({
      token,
      decision: "approved",
      scope: "permanent",
      reach: "tree",
      target: "~/p/s*/**",
      expires_at: new Date(2026, 10, 22, 23, 59, 59).toISOString().replace(".000Z", "Z"),
    });
    expect(answerFor(READ, { ...state, length: "session" }, NOW)).toMatchObject({ scope: "session" });
    expect(answerFor(READ, { ...state, length: "session" }, NOW)).not.toHaveProperty("expires_at");
    expect(answerFor(READ, { ...state, target: " " }, NOW)).toBeNull();
  });
});
