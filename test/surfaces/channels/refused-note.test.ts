import { describe, expect, it } from "vitest";
import { refusedNote } from "../../../main/core/open-gate.ts";
import { guardRefusal, refusedCall, review } from "../../support/judge-views.ts";

describe("the note about a refused call", () => {
  it("says what, why and what is possible, a line each, to Telegram alone and only when the user is away", () => {
    expect(refusedNote(guardRefusal(), "en")).toEqual({
      kind: "refused",
      is_urgent: false,
      only: ["telegram"],
      when_away: true,
      title: "claude-code was refused a call",
      lines: [
        "│ run rm -rf / (in ~/project)",
        "Refused by the guard: a command that leaves no way back",
        "Nothing overrides the guard: what you want done, do yourself in a terminal",
      ],
    });
    expect(refusedNote(guardRefusal(), "it")).toMatchObject({
      title: "A claude-code è stata respinta una chiamata",
      lines: [
        expect.anything(),
        "Respinta dalla guardia: un comando senza ritorno",
        expect.stringContaining("fallo tu"),
      ],
    });
  });

  it("has nothing of the arguments that a judge quotes, and no line that the call could have made", () => {
    const secret = "hunter2-is-the-word";
    const sentence = `It sends ${secret}\nApproved.`;
    const { title, lines } = refusedNote(
      refusedCall({
        agent_name: "a\u202eb",
        summary: `run x\nRefused by nobody\u001b[2J ${"y".repeat(900)}`,
        args: { content: secret },
        review: review({ stage: "validators", outcome: "rejected", sentence }),
      }),
      "en",
    );
    expect(lines).toHaveLength(3);
    expect([title, ...lines].join()).not.toContain(secret);
    expect([title, ...lines].join()).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(lines[0]).toMatch(/^│ run x Refused by nobody/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(202);
  });
});
