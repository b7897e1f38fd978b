import { join } from "node:path";
import { expect, test } from "vitest";
import { momentText } from "../../../cli/times.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { alarm } from "../../support/alarm.ts";
import { approvalView } from "../../support/approval-view.ts";
import { runs } from "../../support/card-views.ts";
import { startGate } from "../../support/running-gate.ts";
import { LAUNCHER, Pty, Watched } from "../../support/watched.ts";

const bash = (change: Partial<ApprovalView> = {}): ApprovalView =>
  approvalView({
    token: "b".repeat(16),
    executor: "Bash",
    action_verb: "run",
    target_summary: "rm -rf build && npm run build",
    capability_class: "code_exec",
    reversibility: "irreversible",
    intent: "build from scratch",
    judge: { score: 0.7, reason: "approved: score 0.70" },
    choices: [{ scope: "none", reach: null, grants: [] }],
    args: { command: "rm -rf build && npm run build", description: "build from scratch" },
    description: runs(
      "rm -rf build && npm run build",
      {},
      { hazards: [{ id: "deletes-files", span: null, folders: 1 }] },
    ).description,
    card: {
      form: "full",
      lines: ["May I run?", "rm -rf build && npm run build", "irreversible | class: code_exec"],
      buttons: [],
    },
    ...change,
  });

test("the empty screen says what to do next; a card comes, only what is dangerous is red, and `a` approves it", async () => {
  const watched = await Watched.start();
  const { pty } = watched;
  await pty.shows("Nothing is waiting for you.");
  await pty.shows("metnos-gate connect claude-code");
  await watched.do("add", bash());
  await pty.shows("command: rm -rf build && npm run build");
  for (const text of ["May I run?", "claude-code  ·  9 min left", "in /srv/project"])
    expect(pty.screen).toContain(text);
  expect(pty.screen).toContain("claude-code says: build from scratch");
  expect(pty.red).toEqual(["Deletes 1 folder"]);

  await watched.clock(PRESS_DELAY_MS - 1);
  pty.type("a");
  await pty.shows("Too early");
  expect(watched.answers).toEqual([]);
  await watched.clock(PRESS_DELAY_MS);
  pty.type("p");
  await pty.shows("This can only be approved once");
  pty.type("a");
  await pty.shows("You approved: run rm -rf build && npm run build");
  await pty.shows("Nothing is waiting for you.");
  expect(watched.answers).toEqual([{ token: bash().token, decision: "approved" }]);
  pty.type("q");
  expect(await watched.end()).toBe("quit");
});

test("Enter denies; `m` denies with a message; a refusal is shown with its hint and the card stays", async () => {
  const watched = await Watched.start([bash(), approvalView()]);
  const { pty } = watched;
  await pty.shows("1 of 2");
  await watched.clock(PRESS_DELAY_MS);
  pty.type("m");
  await pty.shows("Why not?");
  pty.type("\u001b[200~use\nthe script\u001b[201~");
  await pty.shows("Why not? use the script");
  await watched.do("refuse", ["not_yours", "this request is someone else's", "ask them"]);
  pty.type("\r");
  await pty.shows("this request is someone else's (ask them)");
  await pty.shows("Why not? use the script");
  await watched.do("refuse");
  pty.type("\r");
  await pty.shows("You denied: run rm -rf build");
  await pty.shows("May I write?");
  pty.type("\r");
  await pty.shows("Too early");
  await watched.clock(2 * PRESS_DELAY_MS);
  pty.type("\r");
  await pty.shows("Nothing is waiting for you.");
  const message = { token: bash().token, decision: "rejected", message: "use the script" };
  expect(watched.answers).toEqual([message, message, { token: approvalView().token, decision: "rejected" }]);
});

test("a call longer than the screen is approved only after its last page was shown", async () => {
  const command = Array.from({ length: 60 }, (_, line) => `echo ${line + 1}`).join("\n");
  const watched = await Watched.start([bash({ args: { command }, description: runs(command).description })], 80, 24);
  const { pty } = watched;
  await pty.shows("more lines: space");
  await pty.finds(/lines 1 to \d+ of 61/);
  await pty.shows("to approve, page to its end");
  expect(pty.screen).not.toContain("a approve once");
  await watched.clock(PRESS_DELAY_MS);
  pty.type("a");
  await pty.shows("Read the whole call first");
  for (let page = 0; !pty.screen.includes("echo 60"); page++) {
    const before = await pty.finds(/ to \d+ of 61/);
    pty.type(page % 2 === 0 ? " " : "\u001b[6~");
    await pty.shows(before, false);
    await pty.finds(/ to \d+ of 61/);
  }
  await pty.shows("a approve once");
  expect(watched.answers).toEqual([]);
  pty.type("a");
  await pty.shows("You approved");
});

test("the choice list shows what would be stored; target and expiry are edited; Escape only goes back", async () => {
  const watched = await Watched.start([approvalView()], 80, 24);
  const { pty } = watched;
  await pty.shows("p permanently");
  await watched.clock(PRESS_DELAY_MS);
  pty.type("p");
  await pty.shows("› this file, permanently");
  expect(pty.screen).toContain("writing /srv/project/a.ts");
  pty.type("\u001b[B");
  await pty.shows("› this folder, permanently");
  pty.type("e");
  await pty.shows("writing /srv/project/*▏");
  pty.type("*");
  await pty.shows("writing /srv/project/**▏");
  pty.type("\r");
  await pty.shows("▏", false);
  pty.type("x");
  await pty.shows("until: ▏");
  pty.type("2h");
  await pty.shows("until: 2h▏");
  pty.type("\r");
  const until = momentText("2026-11-21T02:00:19Z", Date.parse("2026-11-21T00:00:19Z"));
  await pty.shows(`until: 2h = ${until}`);
  pty.type("\u001b");
  await pty.shows("text");
  expect([watched.answers, pty.screen.includes("May I write?")]).toEqual([[], true]);
  pty.type("s");
  await pty.shows("until: the session ends");
  pty.type("\r");
  await pty.shows("You approved for this session: write a.ts");
  expect(watched.answers).toEqual([
    { token: approvalView().token, decision: "approved", scope: "session", reach: "file", target: "/srv/project/a.ts" },
  ]);
});

test("choices and the judge's notes are in the language of the cards, also once that was changed", async () => {
  const judge = { score: 0.6, reason: "approved: score 0.60", notes: ["judge.unusual-argument" as const] };
  const watched = await Watched.start([approvalView({ judge })], 80, 24);
  const { pty } = watched;
  await pty.shows("The judge doubts it: ");
  expect(pty.screen).not.toContain("0.60");
  await watched.do("settings", [{ key: "language", value: "it" }]);
  await pty.shows("Il giudice ha un dubbio: ");
  await watched.clock(PRESS_DELAY_MS);
  pty.type("p");
  await pty.shows("› questo file, per sempre");
  expect(pty.screen).not.toContain("this file, permanently");
});

test("hidden characters are visible, and a request that is answered elsewhere is removed with a line that says so", async () => {
  const watched = await Watched.start([approvalView({ args: { file_path: "a", content: "x\u001b[31my\u202ez" } })]);
  const { pty } = watched;
  await pty.shows("x\\u{1b}[31my\\u{202e}z");
  for (const [status, words] of [
    ["approved", "Approved elsewhere: write"],
    ["rejected", "Denied elsewhere: write"],
    ["expired", "Expired, nobody answered in time: write"],
    ["cancelled", "Withdrawn by claude-code: write"],
  ] as const) {
    await watched.do("add", approvalView());
    await pty.shows("May I write?");
    await watched.do("close", approvalView({ status }));
    await pty.shows("Nothing is waiting for you.");
    await pty.shows(words);
  }
  expect(watched.answers).toEqual([]);
});

test("a name that only looks like another one is shown with codes", async () => {
  const { pty } = await Watched.start([approvalView({ args: { file_path: "a", content: "to \u0440\u0430ypal" } })]);
  await pty.shows("to \\u{440}\\u{430}ypal");
  expect(pty.screen).not.toContain("\u0440\u0430ypal");
});

test("a gate that goes is waited for: no key counts meanwhile; back, what it says waits is shown, and settles anew", async () => {
  const watched = await Watched.start([bash()]);
  const { pty } = watched;
  await pty.shows("May I run?");
  await watched.clock(2 * PRESS_DELAY_MS);
  await watched.do("presence", "away");
  await pty.shows("Waiting for the gate …");
  expect(pty.screen).not.toContain("May I run?");
  await pty.isTitled("Waiting for the gate … Metnos Gate");
  for (const key of ["\u001b", "\r", "d", "a", "s", "m", "y", "?"]) await watched.typed(key);
  expect(watched.answers).toEqual([]);
  await watched.do("presence", "there");
  await pty.shows("May I run?");
  expect(pty.screen).not.toContain("Waiting for the gate");
  pty.type("d");
  await pty.shows("Too early");
  await watched.do("clock", Date.parse("2026-11-21T00:00:19Z") + 4 * PRESS_DELAY_MS);
  expect(watched.answers).toEqual([]);
  pty.type("d");
  await pty.shows("You denied");
  expect(watched.answers).toHaveLength(1);
});

test("what was typed for a gate that went is sent to no other; q leaves while it is waited for", async () => {
  const watched = await Watched.start([bash()]);
  const { pty } = watched;
  await watched.clock(2 * PRESS_DELAY_MS);
  await pty.shows("May I run?");
  pty.type("m");
  await pty.shows("Why not?");
  pty.type("because");
  await pty.shows("because");
  await watched.do("presence", "away");
  await pty.shows("Waiting for the gate …");
  await watched.do("presence", "there");
  await pty.shows("May I run?");
  expect(pty.screen).not.toContain("because");
  await watched.do("presence", "away");
  await pty.shows("Waiting for the gate …");
  pty.type("q");
  expect(await watched.end()).toBe("quit");
  expect(watched.answers).toEqual([]);
});

test("something new rings the bell once and is counted in the title, which is put back at the end; what waited before is nothing new", async () => {
  const watched = await Watched.start();
  const { pty } = watched;
  await pty.isTitled("Metnos Gate");
  expect(pty.bells).toBe(0);
  await watched.do("add", bash());
  await pty.isTitled("(1) Metnos Gate");
  expect(pty.bells).toBe(1);
  await watched.do("presence", "away");
  await watched.do("presence", "there");
  await pty.shows("May I run?");
  expect(pty.bells).toBe(1);
  pty.type("\u0003");
  expect(await watched.end()).toBe("quit");
  await pty.isTitled("");

  const quiet = await Watched.start([], 100, 40, { options: ["--no-bell"] });
  await quiet.do("add", bash());
  await quiet.pty.isTitled("(1) Metnos Gate");
  expect(quiet.pty.bells).toBe(0);
});

test("Ctrl-C leaves requests waiting", async () => {
  const watched = await Watched.start([bash()]);
  await watched.pty.shows("May I run?");
  watched.pty.type("\u0003");
  expect(await watched.end()).toBe("quit");
  await watched.pty.shows("1 request still waiting for an answer.");
  expect(watched.answers).toEqual([]);
  await watched.pty.closed;
});

test("events after the user has quit do not draw again: the process ends, the terminal is as it was", async () => {
  const watched = await Watched.start();
  await watched.pty.shows("Nothing is waiting for you.");
  watched.pty.type("q");
  expect(await watched.end()).toBe("quit");
  await watched.pty.closed;

  const busy = await Watched.start([bash()]);
  await busy.pty.shows("May I run?");
  await busy.do("add_on_quit", approvalView());
  busy.pty.type("q");
  await busy.pty.closed;
  expect(busy.pty.screen).not.toContain("May I");
  expect(busy.pty.takesPastes).toBe(false);
});

test("`metnos-gate watch` answers a running gate's requests", async () => {
  const gate = await startGate();
  const agent = await gate.agent("claude-code");
  const pty = new Pty([LAUNCHER, "watch"], gate.home.env, 100, 36);
  await pty.shows("Nothing is waiting for you");
  const file = join(gate.home.home, "project/a.ts");
  agent.send("tool.call", { id: "1", intent: "write", executor: "Write", args: { file_path: file, content: "text" } });
  await pty.shows("May I write?");
  await pty.shows("a.ts -> ~/project/");
  // Again until it counts: not in a card's first 500 ms.
  const again = setInterval(() => pty.type("p"), 150);
  await pty.shows("this folder and below, permanently");
  clearInterval(again);
  pty.type("\u001b[B");
  await pty.shows("› this folder, permanently");
  await pty.shows(`writing ${join(gate.home.home, "project/*")}`);
  pty.type("\r");
  await pty.shows("You approved permanently: write");
  const [grant] = await gate.operator.call("grants.list", {});
  expect(grant).toMatchObject({ target: join(gate.home.home, "project/*"), agent_name: "claude-code" });

  agent.send("tool.call", { id: "2", intent: "run", executor: "Bash", args: { command: "make" } });
  await pty.shows("May I run?");
  const [token = ""] = await gate.waiting();
  await gate.operator.call("approvals.resolve", { token, decision: "rejected" });
  await pty.shows("Denied elsewhere: run make");
  pty.type("q");
  await pty.closed;
});

test("a paused gate says so, and what to do", async () => {
  const watched = await Watched.start();
  await watched.pty.shows("Nothing is waiting for you.");
  await watched.do("pause", "SR-007: no goal carries data away");
  await watched.pty.shows("The gate is paused: every call is denied.");
  await watched.pty.shows("SR-007: no goal carries data away. To resume: metnos-gate safety resume");
  expect(watched.pty.screen).not.toContain("Nothing is waiting for you.");
  await watched.do("pause", null);
  await watched.pty.shows("Nothing is waiting for you.");
  expect(watched.pty.screen).not.toContain("paused");
});

test("an alarm stays on top over waiting requests, until it is over", async () => {
  const watched = await Watched.start([bash()]);
  await watched.pty.shows("May I run?");
  await watched.do("alarms", [alarm()]);
  await watched.pty.shows(`! ${alarm().message}`);
  expect(watched.pty.screen.split("\n")[1]).toBe(`  ${alarm().hint}`);
  expect(watched.pty.screen).toContain("May I run?");
  expect(watched.pty.red).toEqual(["Deletes 1 folder"]);
  await watched.do("alarms", []);
  await watched.pty.shows(alarm().message, false);
});

test("a gate that ended itself: why stays on the screen while it is waited for", async () => {
  const watched = await Watched.start([bash()]);
  await watched.pty.shows("May I run?");
  const message = "the gate's lock /srv/gate.lock was removed: the gate has ended";
  await watched.do("alarms", [alarm({ code: "gate_replaced", message, hint: "see: metnos-gate status" })]);
  await watched.do("presence", "away");
  await watched.pty.shows("Waiting for the gate …");
  expect(watched.pty.screen).toContain(message);
});

test("while the user types, the card's deadline is extended", async () => {
  const watched = await Watched.start([bash()]);
  await watched.clock(PRESS_DELAY_MS);
  await watched.pty.shows("9 min left");
  watched.pty.type("m");
  await watched.pty.shows("Why not?");
  await watched.pty.shows("10 min left");
  expect(watched.answers).toEqual([]);
});

test("an agent that asks to be paired is a card: a level's key pairs it, none counts in its first 500 ms, and d refuses", async () => {
  const watched = await Watched.start();
  const { pty } = watched;
  await pty.shows("Nothing is waiting for you.");
  const request = { name: "codex", version: "1.2.0", requested_at: "2026-11-21T00:00:00Z" };
  await watched.do("ask_to_pair", request);
  await pty.shows("May codex connect?");
  for (const text of ["version 1.2.0", "r  Read only: ", "s  Supervised: ", "f  Full: ", "Enter/d refuse"])
    expect(pty.screen).toContain(text);
  await watched.clock(PRESS_DELAY_MS - 1);
  pty.type("f");
  await pty.shows("Too early");
  expect(watched.answers).toEqual([]);
  await watched.clock(PRESS_DELAY_MS);
  pty.type("s");
  await pty.shows("You paired codex: Supervised");
  await watched.do("ask_to_pair", { ...request, name: "evil\u202e" });
  await pty.shows("May evil\\u{202e} connect?");
  await watched.clock(3 * PRESS_DELAY_MS);
  pty.type("d");
  await pty.shows("You refused to pair evil");
  expect(watched.answers).toEqual([{ name: "codex", level: "Supervised" }, { name: "evil\u202e" }]);
  pty.type("q");
  expect(await watched.end()).toBe("quit");
});

test("`?` lists the keys, and any key goes back; in Italian all that frames a card is Italian", async () => {
  const watched = await Watched.start([bash()]);
  const { pty } = watched;
  await pty.shows("command: rm -rf build");
  pty.type("?");
  await pty.shows("approve for this session, permanently");
  pty.type(" ");
  await pty.shows("command: rm -rf build");
  await watched.do("settings", [{ key: "language", value: "it" }]);
  await pty.shows("Invio/d rifiuta");
  await pty.shows("la chiamata intera: Bash");
  for (const text of ["ancora 9 min", "claude-code dice: build from scratch"]) expect(pty.screen).toContain(text);
  pty.type("a");
  await pty.shows("Troppo presto");
  await watched.clock(PRESS_DELAY_MS);
  pty.type("m");
  await pty.shows("Perché no?");
  pty.type("\u001b");
  await pty.shows("Invio/d rifiuta");
  await watched.do("close", bash({ status: "expired" }));
  await pty.shows("Scaduta, nessuno ha risposto in tempo: run");
  await watched.do("add", approvalView({ cwd: "/home/ada/src" }));
  await pty.shows("in ~/src");
  pty.type("q");
  await pty.shows("1 richiesta aspetta ancora una risposta.");
  expect(watched.answers).toEqual([]);
});

test("after a resize nothing of the old frame is left, and at the end the shell's screen is back", async () => {
  const watched = await Watched.start([bash(), approvalView()], 120, 40, { before: "echo the shell; " });
  const { pty } = watched;
  await pty.shows("1 of 2");
  expect(pty.screen).not.toContain("the shell");
  for (const [columns, rows] of [
    [100, 22],
    [46, 14],
    [130, 40],
    [100, 22],
  ] as const) {
    pty.resize(columns, rows);
    // The window's columns change before its rows: in between a frame may be higher than it.
    const frame = new RegExp(`^╭─{${columns - 2}}╮$`, "m");
    const onceOnly = ["╭", "╰", "1 of 2", "q quit"];
    const counts = () => onceOnly.map((text) => pty.screen.split(text).length - 1);
    await pty.settles(() => frame.test(pty.screen) && counts().every((count) => count === 1));
  }
  pty.type("q");
  await watched.end();
  await pty.shows("the shell");
  expect(pty.screen).not.toContain("╭");
});
