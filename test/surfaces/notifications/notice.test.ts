import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible } from "../../../ipc/base/visible-text.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { ROW_WIDTH } from "../../../ipc/words/notice-text.ts";
import {
  alarmNotice,
  approvalNotice,
  BODY_ROWS,
  digestNotice,
  type NoticeSettings,
  pairingNotice,
  pauseNotice,
} from "../../../main/surfaces/notifications/notice.ts";
import type { Notice } from "../../../main/surfaces/notifications/sink.ts";
import { alarm } from "../../support/alarm.ts";
import { approvalView } from "../../support/approval-view.ts";

const SETTINGS: NoticeSettings = { language: "en", hasActions: true, hasBody: true, canReview: true };

/** A shell command that waits, as the gate makes its card. */
function command(text: string, change: Partial<ApprovalView> = {}): ApprovalView {
  return approvalView({
    executor: "Bash",
    action_verb: "run",
    capability_class: "code_exec",
    target_summary: text,
    reversibility: "irreversible",
    capabilities: [{ capability: "code:exec", target: text }],
    args: { command: text },
    card: { form: "full", lines: ["May I run?", visible(text), "irreversible"], buttons: [] },
    ...change,
  });
}

const buttonsOf = ({ buttons }: Notice) => buttons.map(({ action }) => action);
const buttons = (view: ApprovalView) => buttonsOf(approvalNotice(view, SETTINGS));

it.each([
  ["en", "claude-code: The same call 40 times in a minute", ["Stop it", "Let it continue", "Review"]],
  ["it", "claude-code: La stessa chiamata 40 volte in un minuto", ["Fermala", "Lasciala continuare", "Esamina"]],
] as const)(
  "a call that is made again and again: how often, and buttons that say what they do (%s)",
  (language, title, labels) => {
    const view = command("git status", { repeated: { count: 40, seconds: 60 } });
    const notice = approvalNotice(view, { ...SETTINGS, language });
    expect(notice.title).toBe(title);
    expect(notice.lines).toContain("git status");
    expect(notice.buttons.map(({ label }) => label)).toEqual(labels);
    expect(buttonsOf(notice)).toEqual(["deny", "approve", "review"]);
  },
);

describe("a notification shows the request whole, or offers no Approve", () => {
  it("who asks what, the card's lines, and Deny, Approve once, Review, as on the page", () => {
    expect(approvalNotice(command("git status"), SETTINGS)).toEqual({
      kind: "approval",
      is_urgent: false,
      title: "claude-code: May I run?",
      lines: ["git status", "irreversible", "Metnos Gate"],
      buttons: [
        { action: "deny", label: "Deny" },
        { action: "approve", label: "Approve once" },
        { action: "review", label: "Review" },
      ],
      defaultAction: "review",
    });
  });

  it("where a name of the call leads, in a separate line; in letters that move others it is not offered to approve", () => {
    const said = (link: string) => {
      const lines = ["May I run?", "tee -a a.sh", link, "irreversible | class: fs_write:~/*"];
      return approvalNotice(
        command("tee -a a.sh", { links: [link], card: { form: "full", lines, buttons: [] } }),
        SETTINGS,
      );
    };
    const plain = said("~/p/a.sh leads to ~/.zshrc");
    expect(plain.lines).toContain("~/p/a.sh leads to ~/.zshrc");
    expect(buttonsOf(plain)).toContain("approve");
    expect(buttonsOf(said("~/p/a.sh leads to ~/\u05d0"))).not.toContain("approve");
  });

  it("an argument that the card doesn't show is shown by name, if it fits", () => {
    const view = approvalView({ args: { file_path: "/srv/project/a.ts", content: "one line" } });
    const notice = approvalNotice(view, SETTINGS);
    expect(notice.lines).toContain("content: one line");
    expect(notice.lines.join("\n")).not.toContain("file_path");
    expect(buttonsOf(notice)).toContain("approve");
  });

  it.each([
    ["a long command", command("echo ".repeat(70))],
    ["a command with a line break", command("ls\nrm -rf x")],
    ["hidden characters in the command", command("ls \u202e dm")],
    ["an escape sequence", command("ls \u001b[2J")],
    ["right-to-left letters, which move their neighbours", command("rm \u05d0 /a")],
    ["content that doesn't fit", approvalView({ args: { file_path: "/srv/project/a.ts", content: "x".repeat(400) } })],
    [
      "content that fits, but not beside the card",
      approvalView({ args: { file_path: "/srv/project/a.ts", content: "x".repeat(200) } }),
    ],
    ["many short arguments", command("ls", { args: { command: "ls", a: 1, b: 2, c: 3, d: 4, e: 5 } })],
    ["a hidden character in an argument's name", command("ls", { args: { command: "ls", "a\u200b": 1 } })],
    [
      "two needs at once",
      command("ls", { capabilities: [...command("ls").capabilities, { capability: "fs:read", target: "/x" }] }),
    ],
    ["arguments that are not there", command("ls", { args: null })],
    ["many line breaks", approvalView({ args: { file_path: "/srv/project/a.ts", content: "\n".repeat(10_000) } })],
  ])("%s: Deny and Review only", (_, view) => {
    const notice = approvalNotice(view, SETTINGS);
    expect(buttonsOf(notice)).toEqual(["deny", "review"]);
    expect(notice.lines).toContain("There is more than fits here.");
    expect(notice.lines.join("").length).toBeLessThan(6 * ROW_WIDTH);
  });

  it("an argument with the target's value under another name is shown too: the name is its meaning", () => {
    const view = command("a", { args: { command: "a", also_delete: "a" } });
    expect(approvalNotice(view, SETTINGS).lines).toContain("also_delete: a");
  });

  it("whatever is in the arguments: with Approve every one of them can be read, and it fits", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 320 }),
      fc.string({ unit: "binary", minLength: 1, maxLength: 320 }),
    );
    const value = fc.oneof(texts, fc.integer(), fc.boolean(), fc.constant(null));
    const args = fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), value, { maxKeys: 6 });
    let approvable = 0;
    fc.assert(
      fc.property(texts, args, (text, more) => {
        const notice = approvalNotice(command(text, { args: { ...more, command: text } }), SETTINGS);
        if (!buttonsOf(notice).includes("approve")) return;
        approvable++;
        const body = notice.lines.join("\n");
        expect(body).toContain(text);
        for (const [key, found] of Object.entries(more)) {
          if (key !== "command")
            expect(body).toContain(`${key}: ${typeof found === "string" ? found : JSON.stringify(found)}`);
        }
        expect(body.length).toBeLessThanOrEqual(BODY_ROWS * ROW_WIDTH + BODY_ROWS);
        expect(visible(body, { keepNewlines: true })).toBe(body);
      }),
    );
    expect(approvable).toBeGreaterThan(0);
  });

  it("the title is the gate's own words in every form of the card", () => {
    const short = command("x", {
      card: { form: "short", lines: ["Run x [irrev | code_exec]"], buttons: [] },
    });
    expect(approvalNotice(short, SETTINGS)).toMatchObject({
      title: "claude-code asks",
      lines: ["Run x [irrev]", "Metnos Gate"],
    });
    const medium = command("x", { card: { form: "medium", lines: ["May I run? (irreversible)", "x"], buttons: [] } });
    expect(approvalNotice(medium, SETTINGS)).toMatchObject({
      title: "claude-code asks",
      lines: ["May I run? (irreversible)", "x", "Metnos Gate"],
    });
  });
});

describe("what is dangerous", () => {
  const DANGEROUS: ApprovalView["description"] = {
    kind: "command",
    effect: "final",
    hazards: [
      { id: "rewrites-remote-history", span: null },
      { id: "as-root", span: null },
      { id: "publishes", span: null },
    ],
    commands: [],
    changes: [],
    stands_for: [],
    mcp: null,
    request: null,
    project: null,
  };
  const push = command("git push --force", { description: DANGEROUS });

  it("is said below the command, the worst first, and makes it urgent; so does one of many", () => {
    const notice = approvalNotice(push, SETTINGS);
    expect(notice.lines.slice(0, 3)).toEqual([
      "git push --force",
      "Rewrites history on a remote: can't be undone",
      "As root",
    ]);
    expect(notice.is_urgent).toBe(true);
    expect(digestNotice("claude-code", [command("ls"), push], SETTINGS).is_urgent).toBe(true);
    expect(digestNotice("claude-code", [command("ls")], SETTINGS).is_urgent).toBe(false);
    expect(approvalNotice(push, { ...SETTINGS, language: "it" }).lines).toContain("Come root");
  });

  it("a pause is urgent; an agent that wants to connect and an alarm are not", () => {
    expect(pauseNotice("a plan was blocked", SETTINGS).is_urgent).toBe(true);
    expect(pairingNotice([{ name: "a", version: null, requested_at: "" }], SETTINGS).is_urgent).toBe(false);
    expect(alarmNotice(alarm({}), SETTINGS).is_urgent).toBe(false);
  });
});

describe("a notification offers what the server and the home can do", () => {
  it("a server that shows no body gets no Approve", () => {
    expect(buttonsOf(approvalNotice(command("ls"), { ...SETTINGS, hasBody: false }))).toEqual(["deny", "review"]);
  });

  it("without actions it says where to answer", () => {
    const { lines } = approvalNotice(command("ls"), { ...SETTINGS, hasActions: false });
    expect(lines.at(-2)).toBe("Open Metnos Gate to answer.");
    const bare = { ...SETTINGS, hasActions: false, canReview: false };
    expect(approvalNotice(command("ls"), bare).lines.at(-2)).toBe("Answer with: metnos-gate watch");
  });

  it("where Review leads nowhere it isn't offered, and what can't be approved here says where it can", () => {
    const bare = { ...SETTINGS, canReview: false };
    expect(approvalNotice(command("ls"), bare)).toMatchObject({ defaultAction: null });
    expect(buttonsOf(approvalNotice(command("ls"), bare))).toEqual(["deny", "approve"]);
    const long = approvalNotice(command("x".repeat(299)), bare);
    expect(buttonsOf(long)).toEqual(["deny"]);
    expect(long.lines.at(-2)).toBe("Answer with: metnos-gate watch");
  });

  it("a digest and a pairing request can only be opened", () => {
    const twelve = Array.from({ length: 12 }, (_, index) => command(`git show ${index}`));
    expect(digestNotice("claude-code", twelve, SETTINGS)).toMatchObject({
      title: "claude-code is waiting: 12 requests",
      lines: [
        "git show 0",
        "git show 1",
        "git show 2",
        "git show 3",
        "and 8 more",
        "Review, or run: metnos-gate watch",
        "Metnos Gate",
      ],
      buttons: [{ action: "review", label: "Review" }],
    });
    const requests = ["a", "b", "c", "d", "e"].map((name) => ({ name, version: null, requested_at: "" }));
    expect(pairingNotice(requests, SETTINGS)).toMatchObject({
      title: "5 agents want to connect",
      lines: ["a", "b", "c", "d", "and 1 more", "Metnos Gate"],
      buttons: [{ action: "review", label: "Review" }],
    });
  });

  it("a pairing request without a page says which command lets the agent in", () => {
    const requests = [{ name: "a", version: null, requested_at: "" }];
    const { lines, buttons: none } = pairingNotice(requests, { ...SETTINGS, canReview: false });
    expect([lines, none]).toEqual([
      ["a", "Let it in with: metnos-gate agents pair a --level Supervised", "Metnos Gate"],
      [],
    ]);
  });

  it("speaks Italian", () => {
    const notice = approvalNotice(command("ls"), { ...SETTINGS, language: "it" });
    expect(notice.buttons.map(({ label }) => label)).toEqual(["Rifiuta", "Approva una volta", "Esamina"]);
    expect(digestNotice("codex", [command("ls")], { ...SETTINGS, language: "it" }).title).toBe(
      "codex aspetta: 1 richiesta",
    );
    expect(buttons(command("ls"))).toContain("approve");
  });
});
