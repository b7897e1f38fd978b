import { expect, test } from "vitest";
import { callLines } from "../../../cli/watch/call-text.ts";
import { type Key, type KeyName, pressed } from "../../../cli/watch/keys.ts";
import { appeared, drawn, EMPTY, type Layout } from "../../../cli/watch/state.ts";
import type { AskedTool } from "../../../ipc/contract/mcp.ts";
import type { ApprovalView, Choice } from "../../../ipc/contract/operator-api.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { approvalView } from "../../support/approval-view.ts";

const FITS: Layout = { lines: 5, page: 10, choiceFits: true };
const TOKEN = approvalView().token;
const key = (input: string): Key => ({ input });
const named = (name: KeyName): Key => ({ input: "", name });

const grants = [{ capability: "channel:out" as const, target: "mcp:github/get_issue" }];
const LOOKS: Choice[] = [
  { scope: "none", reach: null, grants: [] },
  { scope: "session", reach: "exact", grants },
  { scope: "permanent", reach: "exact", grants },
];
const TOOL: AskedTool = {
  server: "github",
  tool: "get_issue",
  state: "new",
  title: "",
  description: "Reads an issue.\u202e",
  input_schema: "",
  annotations: "",
  is_too_long: false,
  changed: [],
  difference: null,
  runs_unasked: false,
};
const asking = (tool: Partial<AskedTool> = {}, looks: Choice[] = LOOKS): ApprovalView =>
  approvalView({ args: { number: 7 }, choices: LOOKS.slice(0, 1), mcp: { ...TOOL, ...tool, looks } });

function pressAll(card: ApprovalView, ...keys: Key[]) {
  let step = { state: drawn(appeared(EMPTY, card, 0), FITS), effect: undefined as unknown };
  for (const next of keys)
    step = { effect: undefined, ...pressed(drawn(step.state, FITS), next, PRESS_DELAY_MS, FITS) };
  return step;
}

test("what the server says of its tool is part of what must be read, hidden characters visible", () => {
  expect(callLines(asking(), 80)).toEqual([
    "You have never allowed this tool.",
    "github says of it:",
    "  Reads an issue.\\u{202e}",
    "number: 7",
  ]);
  expect(callLines(asking({ state: "looks" }), 80)).toEqual(["You said that this tool only looks", "number: 7"]);
  expect(callLines(asking({ is_too_long: true }), 80)[0]).toContain("too long to be shown");
  expect(callLines(asking(), 80, "it")[0]).toBe("Non hai mai consentito questo strumento.");
});

test("of a changed tool the difference is shown, and that saying it looks lets it run unasked", () => {
  const lines = [
    { kind: "removed" as const, text: "Reads an issue." },
    { kind: "added" as const, text: "Reads your keys." },
  ];
  const difference = { path: "", status: "edits" as const, old_lines: null, added: 1, removed: 1, left_out: 0 };
  const hunks = [{ old_start: 1, new_start: 1, lines }];
  const changed = { state: "changed", changed: ["description"], runs_unasked: true } as const;
  expect(
    callLines(asking({ ...changed, changed: [...changed.changed], difference: { ...difference, hunks } }), 80),
  ).toEqual([
    "Changed since you last allowed it: its description:",
    "- Reads an issue.",
    "+ Reads your keys.",
    "Said to only look, it runs without asking from now on.",
    "number: 7",
  ]);
});

test("l says that it only looks: without more, or with what is remembered", () => {
  const answered = (...keys: Key[]) => pressAll(asking(), key("l"), ...keys, named("enter")).effect;
  const said = { token: TOKEN, decision: "approved", only_looks: true };
  expect(answered()).toEqual({ kind: "answer", answer: { ...said, scope: "none" } });
  expect(answered(named("down"))).toEqual({
    kind: "answer",
    answer: { ...said, scope: "session", reach: "exact", target: "mcp:github/get_issue" },
  });
});

test("l is nothing where it can't be said", () => {
  const { state, effect } = pressAll(asking({}, []), key("l"));
  expect([effect, state.notice]).toEqual([undefined, "Of this it can't be said that it only looks."]);
});
