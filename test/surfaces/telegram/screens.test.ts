import { describe, expect, it } from "vitest";
import { endedScreen, MAX_CHARACTERS, requestScreen } from "../../../main/surfaces/telegram/request-screen.ts";
import { approvalView } from "../../support/approval-view.ts";
import { describedCard } from "../../support/described-cards.ts";

const SETTINGS = { language: "en", show: "card", home: "/home/me" } as const;
const card = approvalView().card;
const CARD = {
  ...card,
  buttons: [
    { text: "Approve", data: `approve:${"a".repeat(16)}` },
    { text: "Deny", data: `reject:${"a".repeat(16)}` },
  ] as typeof card.buttons,
};
const screenOf = (change: Parameters<typeof approvalView>[0] = {}) =>
  requestScreen(approvalView({ card: CARD, ...change }), SETTINGS);
const offers = ({ buttons }: ReturnType<typeof screenOf>) => buttons.flat().map(({ data }) => data.split(":")[0]);

describe("the message about a request", () => {
  it("has the card's lines and two buttons of 64 bytes at the most, then every argument", () => {
    const screen = screenOf();
    expect(screen.text.split("\n").slice(0, 3)).toEqual([
      "claude-code: May I write?",
      "a.ts -> /srv/project/",
      "partly reversible",
    ]);
    expect(screen.text).toContain("│ file_path: /srv/project/a.ts\n│ content: text");
    expect(screen.buttons[0]?.map(({ text }) => text)).toEqual(["Approve", "Deny"]);
    for (const { data } of screen.buttons.flat()) expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  });

  it.each([
    ["too long a text", { content: "x".repeat(MAX_CHARACTERS) }],
    ["more lines than can be seen at once", { content: "\n".repeat(80) }],
    ["a character that reorders text", { content: "a\u202eb" }],
    ["letters that are written from right to left", { content: "שלום" }],
    ["a hidden character in an argument's name", { "pa\u200bth": "x" }],
    ["a line end that isn't shown", { content: "a\rb" }],
  ])("with %s it offers no Approve, and says where to look", (_, args) => {
    const screen = screenOf({ args });
    expect(offers(screen)).toEqual(["reject"]);
    expect(screen.text).toContain("Review it at the machine.");
    expect(screen.text).toContain(`SHA-256 of the call: ${"0".repeat(64)}`);
    expect(screen.text.length).toBeLessThan(4096);
    expect(screen.text).not.toMatch(/[\u202e\u200b\r]/u);
  });

  it("says what the user asked for as the agent's word, marked, in one line, with nothing hidden in it", () => {
    const { text, buttons } = screenOf({ user_words: "tidy up\nWaits until 23:59.\u202e שלום" });
    expect(text).toContain("You asked, says claude-code:\n│ tidy up Waits until 23:59.\\u{202e} שלום\n");
    expect(buttons[0]).toHaveLength(2);
    expect(
      requestScreen(approvalView({ user_words: "secret plan" }), { ...SETTINGS, show: "title" }).text,
    ).not.toContain("plan");
  });

  it("of a long call shows its beginning and its end", () => {
    const { text } = screenOf({ args: { content: `BEGIN${"x".repeat(9000)}END` } });
    expect(text).toContain("content: BEGIN");
    expect(text).toContain("xEND");
    expect(text).toMatch(/characters are left out/);
  });

  it("with values that can't be shown at all offers no Approve", () => {
    expect(offers(screenOf({ args: null }))).toEqual(["reject"]);
  });

  it("marks each line that isn't the gate's own, so that an agent can't write one of its lines", () => {
    const forged = "text\n\nWaits until 23:59, or longer.\nfs:write on /etc";
    const screen = screenOf({ intent: forged, args: { content: forged } });
    const lines = screen.text.split("\n");
    expect(lines.filter((line) => line.includes("fs:write on"))).toEqual(["│ fs:write on /etc", "│ fs:write on /etc"]);
    expect(lines.filter((line) => line.startsWith("Waits until")).length).toBe(1);
  });

  it("marks an argument's name, too: where a tool takes any, the agent writes it", () => {
    const name = "The gate has looked at it, and it is safe";
    for (const value of ["a\nb", "ab", { deep: [1] }]) {
      const lines = screenOf({ args: { [name]: value } }).text.split("\n");
      expect(lines.filter((line) => line.includes(name)).map((line) => line.slice(0, 2))).toEqual(["│ "]);
    }
  });

  it("says each thing once: the folder, the price and what is dangerous, which has a mark", () => {
    const { text } = screenOf({
      cwd: "/home/me/project",
      target_summary: "git push --force  (in ~/project)",
      price: { amount: 0.25, currency: "USD", is_estimated: false },
      description: { ...describedCard(["Bash", { command: "x" }]), hazards: [{ id: "as-root", span: null }] },
    });
    for (const once of ["in ~/project", "0.25 USD", "As root"]) expect(text.split(once)).toHaveLength(2);
    expect(text).toMatch(/^⚠ As root$/m);
  });

  it("with show = title has nothing of the call, also once it has ended", () => {
    const settings = { ...SETTINGS, show: "title" as const };
    const view = approvalView({ card: CARD });
    for (const screen of [requestScreen(view, settings), endedScreen({ ...view, status: "approved" }, settings)])
      expect(screen.text).not.toMatch(/write|a\.ts|srv|text/);
  });
});

it("an ended request's message keeps nothing of its arguments", () => {
  const { text, buttons } = endedScreen(
    approvalView({ status: "approved", decision_surface: "page", territory_concession: "permanent" }),
    SETTINGS,
  );
  expect(text).toBe("Approved permanently on the page: claude-code: write a.ts -> /srv/project/");
  expect(buttons).toEqual([]);
});
