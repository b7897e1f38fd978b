import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardSchema, reversibilitySchema, territorySchema } from "../../../ipc/contract/decision.ts";
import { type ApprovalRequest, renderApprovalCard, shapeForRecurrence } from "../../../main/calls/approvals/card.ts";

const DOWNLOAD: ApprovalRequest = {
  action_verb: "download",
  target_summary: "report.pdf from drive.example.com -> ~/downloads/ (~2.4 MB)",
  capability_class: "fs_write:~/downloads/**",
  reversibility: "reversible",
  territory_concession: "none",
  recurrence_count: 0,
  token: "0123456789abcdef",
};
const SCARICA: ApprovalRequest = { ...DOWNLOAD, action_verb: "scarichi" };

describe("the card", () => {
  // render_full_3_righe_con_marker_territorio
  it("full: three lines, the territory's marker at the third one's end, two buttons", () => {
    expect(renderApprovalCard({ ...SCARICA, territory_concession: "permanent" }, "it")).toEqual({
      form: "full",
      lines: [
        "Vuoi che scarichi?",
        "report.pdf from drive.example.com -> ~/downloads/ (~2.4 MB)",
        "reversibile | classe: fs_write:~/downloads/** [territorio: permanente]",
      ],
      buttons: [
        { text: "Approva", data: "approve:0123456789abcdef" },
        { text: "Rifiuta", data: "reject:0123456789abcdef" },
      ],
    });
    expect(renderApprovalCard({ ...DOWNLOAD, territory_concession: "permanent" }, "en")).toEqual({
      form: "full",
      lines: [
        "May I download?",
        "report.pdf from drive.example.com -> ~/downloads/ (~2.4 MB)",
        "reversible | class: fs_write:~/downloads/** [territory: permanent]",
      ],
      buttons: [
        { text: "Approve", data: "approve:0123456789abcdef" },
        { text: "Deny", data: "reject:0123456789abcdef" },
      ],
    });
    expect(renderApprovalCard({ ...SCARICA, territory_concession: "session" }, "it").lines[2]).toMatch(
      / \[territorio: sessione\]$/,
    );
    expect(renderApprovalCard({ ...DOWNLOAD, territory_concession: "session" }).lines[2]).toMatch(
      / \[territory: session\]$/,
    );
    expect(renderApprovalCard(DOWNLOAD).lines[2]).toBe("reversible | class: fs_write:~/downloads/**");
  });

  it("of a call with a price every form says it, in the language's way, and no other card does", () => {
    const price = { amount: 0.174, currency: "USD", is_estimated: true };
    const said = (recurrenceCount: number, language: "en" | "it") =>
      renderApprovalCard({ ...DOWNLOAD, price, recurrence_count: recurrenceCount }, language).lines;
    expect(said(0, "en")[2]).toBe("reversible | about 0.17 USD | class: fs_write:~/downloads/**");
    expect(said(0, "it")[2]).toBe("reversibile | circa 0,17 USD | classe: fs_write:~/downloads/**");
    expect(said(3, "en")[0]).toBe("May I download? (reversible | about 0.17 USD | class: fs_write:~/downloads/**)");
    expect(said(8, "en")[0]).toMatch(/ \[rev \| about 0\.17 USD \| fs_write:~\/downloads\/\*\*\]$/);
    expect([0, 3, 8].map((count) => said(count, "en").length)).toEqual([3, 2, 1]);
    expect(renderApprovalCard(DOWNLOAD).lines.join(" ")).not.toContain("USD");
  });

  it("of a confined call every form says so, in place of that it can change anything", () => {
    const run: ApprovalRequest = {
      ...DOWNLOAD,
      action_verb: "run",
      target_summary: "npm test (in ~/project)",
      capability_class: "fs_write:~/*/**",
      reversibility: "partial",
      effect: "anything",
      confined: { project: "/home/ada/project", network: false },
    };
    const [full, medium, short] = [0, 3, 8].map(
      (recurrenceCount) => renderApprovalCard({ ...run, recurrence_count: recurrenceCount }).lines,
    );
    expect(full?.[2]).toBe("confined to the project, no network | class: fs_write:~/*/**");
    expect(medium?.[0]).toBe("May I run? (confined to the project, no network | class: fs_write:~/*/**)");
    expect(short).toEqual(["Run npm test (in ~/project) [confined | fs_write:~/*/**]"]);
    const withNetwork = { ...run, confined: { project: "/home/ada/project", network: true } };
    expect(renderApprovalCard(withNetwork).lines[2]).toMatch(/^confined to the project \|/);
    expect(renderApprovalCard({ ...run, reversibility: "irreversible", effect: "final" }).lines[2]).toMatch(
      /^irreversible, confined to the project, no network \|/,
    );
    expect(renderApprovalCard({ ...run, confined: undefined }).lines[2]).toMatch(/^what it changes isn't known \|/);
    expect(renderApprovalCard(run, "it").lines[2]).toMatch(/^confinato al progetto, senza rete \|/);
  });

  it("a call that asks to run outside the box says so, with the agent's reason made visible, or that there is none", () => {
    const asked = (reason: string | null) =>
      renderApprovalCard({ ...DOWNLOAD, outside: { reason } }, "en").lines.slice(2, -1);
    expect(asked("it needs the network")).toEqual(["Outside the box. The agent's reason: “it needs the network”"]);
    expect(asked(null)).toEqual(["Outside the box. The agent gives no reason"]);
    expect(asked("  ")).toEqual(asked(null));
    expect(asked("a\u202eb\u001b[2K")[0]).toContain("a\\u{202e}b\\u{1b}[2K");
    expect(asked("x".repeat(5000))[0]?.length).toBeLessThan(400);
  });

  // render_medium_2_righe
  it("medium: two lines, the classification in the first", () => {
    expect(renderApprovalCard({ ...DOWNLOAD, recurrence_count: 4 })).toMatchObject({
      form: "medium",
      lines: ["May I download? (reversible | class: fs_write:~/downloads/**)", DOWNLOAD.target_summary],
    });
    expect(renderApprovalCard({ ...SCARICA, recurrence_count: 4 }, "it").lines).toEqual([
      "Vuoi che scarichi? (reversibile | classe: fs_write:~/downloads/**)",
      DOWNLOAD.target_summary,
    ]);
  });

  // render_short_1_riga
  it("short: one line, the verb capitalised, the classification abbreviated in square brackets", () => {
    expect(renderApprovalCard({ ...DOWNLOAD, recurrence_count: 10, reversibility: "irreversible" })).toMatchObject({
      form: "short",
      lines: [`Download ${DOWNLOAD.target_summary} [irrev | fs_write:~/downloads/**]`],
    });
    expect(
      renderApprovalCard({ ...SCARICA, recurrence_count: 10, territory_concession: "permanent" }, "it").lines,
    ).toEqual([`Scarichi ${DOWNLOAD.target_summary} [rev | fs_write:~/downloads/** [territorio: permanente]]`]);
  });

  it("says in a separate line, in every form, where a name leads that leads elsewhere; of many how many more", () => {
    const links = ["a", "b", "c", "d", "e"].map((name) => ({ written: `~/p/${name}`, leads_to: `~/${name}\u202e` }));
    const said = (count: number, recurrenceCount: number, language: "en" | "it" = "en") => {
      const plain = renderApprovalCard({ ...DOWNLOAD, recurrence_count: recurrenceCount }, language).lines;
      const { lines } = renderApprovalCard(
        { ...DOWNLOAD, recurrence_count: recurrenceCount, links: links.slice(0, count) },
        language,
      );
      expect(lines.filter((line) => plain.includes(line))).toEqual(plain);
      return lines.filter((line) => !plain.includes(line));
    };
    for (const recurrenceCount of [0, 4, 10]) {
      expect(said(0, recurrenceCount)).toEqual([]);
      expect(said(1, recurrenceCount)).toEqual(["~/p/a leads to ~/a\\u{202e}"]);
      expect(said(2, recurrenceCount, "it")[1]).toBe("~/p/b porta a ~/b\\u{202e}");
    }
    expect(said(4, 0).slice(2)).toEqual([
      "~/p/c leads to ~/c\\u{202e}",
      "and 1 more that leads elsewhere than written",
    ]);
    expect(said(5, 0).slice(3)).toEqual(["and 2 more that lead elsewhere than written"]);
    expect(said(5, 0, "it").slice(3)).toEqual(["e altri 2 che portano altrove da come sono scritti"]);
    // What is asked stays above it, what it means below.
    expect(renderApprovalCard({ ...DOWNLOAD, links: links.slice(0, 1) }).lines.map((line) => line.slice(0, 5))).toEqual(
      ["May I", "repor", "~/p/a", "rever"],
    );
  });

  it("is full below 3, medium from 3 to 7, short from 8", () => {
    expect([0, 1, 2, 3, 7, 8, 1000].map(shapeForRecurrence)).toEqual([
      "full",
      "full",
      "full",
      "medium",
      "medium",
      "short",
      "short",
    ]);
  });

  it("letters that are taken for Latin ones are codes in every form and language, other scripts' names are as they are", () => {
    for (const recurrenceCount of [0, 3, 8])
      for (const language of ["en", "it"] as const) {
        const text = (targetSummary: string) =>
          renderApprovalCard(
            { ...DOWNLOAD, target_summary: targetSummary, recurrence_count: recurrenceCount },
            language,
          ).lines.join("\n");
        expect(text("\u0440\u0430ypal.txt -> ~/")).toContain("\\u{440}\\u{430}ypal.txt -> ~/");
        expect(text("\u0444\u0430\u0439\u043b.txt -> ~/")).toContain("\u0444\u0430\u0439\u043b.txt -> ~/");
      }
  });

  it("whatever the request holds: as many lines as its form, both buttons with the token, nothing hidden in a line", () => {
    const nasty = fc
      .array(
        fc.constantFrom("a", " ", "\n", "\r", "\u001b[2K", "\u202e", "\u200b", "\u0000", "é", "[territory: permanent]"),
        { maxLength: 8 },
      )
      .map((all) => all.join(""));
    fc.assert(
      fc.property(
        fc.record({
          action_verb: nasty,
          target_summary: nasty,
          capability_class: nasty,
          reversibility: fc.constantFrom(...reversibilitySchema.options),
          territory_concession: fc.constantFrom(...territorySchema.options),
          recurrence_count: fc.nat(20),
          token: fc.constant("00ff00ff00ff00ff"),
        }),
        fc.constantFrom("en" as const, "it" as const),
        (request, language) => {
          const card = cardSchema.parse(renderApprovalCard(request, language));
          expect(card.lines.length).toBe({ full: 3, medium: 2, short: 1 }[card.form]);
          expect(card.buttons.map(({ data }) => data)).toEqual(["approve:00ff00ff00ff00ff", "reject:00ff00ff00ff00ff"]);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
          expect(card.lines.join("")).not.toMatch(/[\u0000-\u001f\u007f\u200b\u202e]/);
        },
      ),
    );
  });
});
