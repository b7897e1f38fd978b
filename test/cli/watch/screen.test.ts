import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callLines } from "../../../cli/watch/call-text.ts";
import { FRAME_WORDS } from "../../../cli/watch/frame-words.ts";
import { pressed } from "../../../cli/watch/keys.ts";
import { folded, widthOf, wrapped } from "../../../cli/watch/rows.ts";
import { arranged } from "../../../cli/watch/screen.ts";
import { appeared, closed, drawn, EMPTY, type WatchState } from "../../../cli/watch/state.ts";
import { LANGUAGES } from "../../../ipc/contract/language.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { PRESS_DELAY_MS } from "../../../ipc/words/press-delay.ts";
import { alarm } from "../../support/alarm.ts";
import { approvalView } from "../../support/approval-view.ts";
import { cardKind, runs } from "../../support/card-views.ts";

const text = (rows: readonly { text: string }[]) => rows.map((row) => row.text).join("\n");
const one = (change: Partial<ApprovalView> = {}): WatchState => appeared(EMPTY, approvalView(change), 0);
const AT = Date.parse("2026-11-21T00:00:19Z");

describe("a call that is made again and again", () => {
  test.each([
    ["en", "The same call 40 times in a minute. Stop it?", "Enter/d stop it   a let it continue"],
    ["it", "La stessa chiamata 40 volte in un minuto. Fermarla?", "Invio/d fermala   a lasciala continuare"],
  ] as const)("is asked about as such, with two answers: %s", (language, question, keys) => {
    const state = { ...one({ repeated: { count: 40, seconds: 60 } }), language };
    const { card, rest, layout } = arranged(state, { columns: 100, rows: 30 }, AT);
    expect(text(card)).toContain(question);
    expect(text(arranged(drawn(state, layout), { columns: 100, rows: 30 }, AT).rest)).toContain(keys);
    expect(text(rest)).not.toMatch(/permanently|per sempre|this session|questa sessione/);
  });
});

describe("what the user asked for", () => {
  test.each([
    ["en", "You asked, says claude-code: tidy up \\u{202e}please\\u{1b}[2J"],
    ["it", "Hai chiesto, dice claude-code: tidy up \\u{202e}please\\u{1b}[2J"],
  ] as const)("is a line of the card, with what it hides made visible: %s", (language, line) => {
    const state = { ...one({ user_words: "tidy up\n\u202eplease\u001b[2J" }), language };
    expect(text(arranged(state, { columns: 100, rows: 30 }, AT).card)).toContain(line);
    expect(text(arranged({ ...one(), language }, { columns: 100, rows: 30 }, AT).card)).not.toMatch(/asked|chiesto/);
  });
});

describe("the call", () => {
  test("nothing of it is lost, whatever it holds and however narrow the screen is", () => {
    const characters = fc.string({ unit: "grapheme", maxLength: 300 });
    fc.assert(
      fc.property(characters, fc.integer({ min: 12, max: 120 }), (content, width) => {
        const rows = wrapped(content, width);
        expect(rows.join("")).toBe(content);
        for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("a continued line differs from a new one, and an argument's text from an argument", () => {
    const args = { command: `${"x".repeat(30)}\ncontent: no argument`, flags: { force: true } };
    expect(callLines(approvalView({ args }), 22)).toEqual([
      "command:",
      `  ${"x".repeat(20)}`,
      `↳ ${"x".repeat(10)}`,
      "  content: no argument",
      "flags:",
      "  {",
      '    "force": true',
      "  }",
    ]);
  });

  test("a change is a difference with its signs and counts; what it shows is said once", () => {
    expect(callLines(cardKind("edit"), 60)).toEqual([
      "/srv/website/src/ledger.ts: +2 -1",
      "  export function total(entries: Entry[]) {",
      "    let sum = 0;",
      "    for (const entry of entries) {",
      "+     if (entry.voided) continue;",
      "      sum += entry.amount;",
      "    }",
      "-   return sum;",
      "+   return round(sum, 2);",
      "  }",
    ]);
    expect(callLines(cardKind("file that is replaced"), 60, "it")[0]).toBe(
      "/srv/website/notes.md: sostituisce 4 righe, +1 -2",
    );
  });

  test("below a command is what a name in it would run, and that it is another one than before", () => {
    expect(callLines(cardKind("command with a hazard"), 80).slice(1)).toEqual([
      "npm test = /srv/website/package.json:",
      "  vitest run --coverage",
    ]);
    const lines = callLines(cardKind("script that a name stands for"), 80);
    expect(lines.slice(1, 3)).toEqual([
      "This script is another one than before.",
      "./build.sh = /srv/website/build.sh:",
    ]);
    expect(lines.at(-1)).toBe("the first 60 of 70 lines");
  });

  test("paths of changes and of what a name would run have `~` for the gate's home", () => {
    expect(callLines(cardKind("edit"), 60, "en", "/srv")[0]).toMatch(/^~\/website\//);
    const lines = callLines(cardKind("script that a name stands for"), 80, "en", "/srv");
    expect(lines).toContain("./build.sh = ~/website/build.sh:");
  });

  test("hidden characters in values and in names are visible", () => {
    expect(callLines(approvalView({ args: { "a\u202e": "\u001b[2Jb\u200b" } }), 80)).toEqual([
      "a\\u{202e}: \\u{1b}[2Jb\\u{200b}",
    ]);
  });
});

describe("the screen", () => {
  test("is never higher than the terminal, and no row wider, in every mode and size", () => {
    const size = fc.record({ columns: fc.integer({ min: 30, max: 200 }), rows: fc.integer({ min: 8, max: 70 }) });
    const shape = fc.record({
      lines: fc.integer({ min: 1, max: 90 }),
      others: fc.integer({ min: 0, max: 12 }),
      alarms: fc.nat(2),
    });
    fc.assert(
      fc.property(
        size,
        shape,
        fc.constantFrom("", "m", "s", "p", "pe", "px"),
        (screen, { lines, others, alarms }, keys) => {
          let state = one({
            args: { command: "echo 日本\n".repeat(lines) },
            intent: "because ".repeat(40),
            target_summary: "x".repeat(300),
            card: { form: "full", lines: ["May I run?", "y ".repeat(150), "z".repeat(300)], buttons: [] },
          });
          for (let index = 0; index < others; index++)
            state = appeared(state, approvalView({ token: String(index), target_summary: "w".repeat(300) }), 0);
          state = { ...closed(state, approvalView({ token: "0", status: "expired" }), 0), isRead: true };
          state = { ...state, alarms: Array.from({ length: alarms }, () => alarm({ message: "wrong ".repeat(90) })) };
          for (const input of keys)
            state = pressed(state, { input }, PRESS_DELAY_MS, { lines: 1, page: 1, choiceFits: true }).state;
          const { top, card, rest } = arranged(state, screen, AT);
          expect(top.length === 0).toBe(alarms === 0);
          for (const row of top) expect(widthOf(row.text)).toBeLessThanOrEqual(screen.columns);
          expect(top.length + card.length + 2 + rest.length).toBeLessThan(screen.rows);
          for (const row of card) expect(widthOf(row.text)).toBeLessThanOrEqual(screen.columns - 4);
          for (const row of rest) expect(widthOf(row.text)).toBeLessThanOrEqual(screen.columns);
        },
      ),
    );
  });

  test.each([
    [80, 24],
    [200, 60],
    [60, 16],
  ])("where a name of the call leads is on the card, at %i x %i", (columns, rows) => {
    const link = "~/proj/profile.sh leads to ~/.zshrc";
    const command = "echo long ".repeat(30);
    const lines = ["May I run?", `${command}  (in ~/proj)`, link, "irreversible | class: fs_write:~/*"];
    const state = one({ links: [link], args: { command }, card: { form: "full", lines, buttons: [] } });
    expect(text(arranged(state, { columns, rows }, AT).card).split("\n")).toContain(link);
  });

  test("a user who pages to the end has seen every line", () => {
    const size = fc.record({ columns: fc.integer({ min: 30, max: 200 }), rows: fc.integer({ min: 14, max: 70 }) });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 200 }), fc.constantFrom(...LANGUAGES), (screen, count, language) => {
        const command = Array.from({ length: count }, (_, line) => `line ${line};`).join("\n");
        const { description } = cardKind("command that only reads");
        let state: WatchState = { ...one({ args: { command }, description }), language };
        const seen = new Set<string>();
        for (let page = 0; page < 250 && !state.isRead; page++) {
          const { card, layout } = arranged(state, screen, AT);
          for (const row of card) seen.add(row.text);
          const next = drawn(state, layout);
          state = next.isRead ? next : pressed(next, { input: " " }, PRESS_DELAY_MS, layout).state;
        }
        expect(state.isRead).toBe(true);
        for (let line = 0; line < count; line++)
          expect([...seen].some((row) => row.endsWith(` line ${line};`))).toBe(true);
      }),
    );
  });

  test.each(["full", "medium", "short"] as const)(
    "a hazard is red in a %s card, the worst first, and nothing else is; without one it says what the call leaves behind",
    (form) => {
      const card = (kind: string) => {
        const view = {
          ...cardKind(kind),
          card: { form, lines: ["May I run? (final)", "x", "irreversible | class: x"], buttons: [] },
        };
        const { card, rest } = arranged(appeared(EMPTY, view, 0), { columns: 100, rows: 40 }, AT);
        return [...card, ...rest];
      };
      const reds = (kind: string) =>
        card(kind)
          .filter(({ tone }) => tone.endsWith("danger"))
          .map((row) => row.text);
      expect(reds("many hazards")).toEqual([
        "Runs a script from the internet (get.example.org)",
        "As root",
        "Deletes 2 folders (1,204 files) (and 2 more)",
      ]);
      expect(reds("command that only reads")).toEqual([]);
      expect(text(card("command that only reads")).split("\n")).toContain("reads only");
      expect(text(card("many hazards"))).not.toContain("can change anything");
    },
  );

  test("the folder and a hazard's path have `~` for the gate's home", () => {
    const view = runs(
      "echo x >> ~/.bashrc",
      {},
      { hazards: [{ id: "changes-what-runs-later", span: null, path: "/home/ada/.bashrc" }] },
    );
    const state = { ...appeared(EMPTY, { ...view, cwd: "/home/ada" }, 0), home: "/home/ada" };
    const rows = text(arranged(state, { columns: 100, rows: 40 }, AT).card).split("\n");
    expect(rows).toContain("in ~");
    expect(rows).toContain("Changes what runs later: ~/.bashrc");
  });

  test("a choice that can't be shown whole can't be confirmed", () => {
    const grants = Array.from({ length: 30 }, (_, index) => ({
      capability: "fs:write" as const,
      target: `/srv/${index}`,
    }));
    const card = { choices: [{ scope: "permanent" as const, reach: "exact" as const, grants }] };
    const state = pressed({ ...one(card), isRead: true }, { input: "p" }, PRESS_DELAY_MS, {
      lines: 1,
      page: 9,
      choiceFits: true,
    }).state;
    expect(arranged(state, { columns: 80, rows: 24 }, AT).layout.choiceFits).toBe(false);
    expect(arranged(state, { columns: 80, rows: 60 }, AT).layout.choiceFits).toBe(true);
    expect(text(arranged(state, { columns: 80, rows: 60 }, AT).card)).toContain("writing /srv/29");
  });

  test("a choice that reaches below a folder says what it doesn't cover, also where the target was written by hand", () => {
    const excludes = "Not covered, asked each time: secrets such as .env";
    const grants = (target: string) => [{ capability: "fs:read" as const, target }];
    const choices = [
      { scope: "permanent" as const, reach: "folder" as const, grants: grants("/srv/*") },
      { scope: "permanent" as const, reach: "tree" as const, grants: grants("/srv/**"), excludes },
    ];
    const typed = (...inputs: string[]) => {
      let state: WatchState = { ...one({ choices }), isRead: true };
      for (const input of inputs)
        state = pressed(state, { input }, PRESS_DELAY_MS, { lines: 1, page: 9, choiceFits: true }).state;
      const rows = text(arranged(state, { columns: 100, rows: 30 }, AT).card).split("\n");
      return rows.flatMap((row, index) => (row.includes(excludes) ? [rows[index - 1]?.trim()] : []));
    };
    expect(typed("p")).toEqual(["reading /srv/**"]);
    expect(typed("p", "e", "*")).toEqual(["reading /srv/**▏", "reading /srv/**"]);
  });

  test("an alarm is above everything with what to do, whatever is below; more of them are counted", () => {
    const file = alarm();
    const database = alarm({
      code: "database_unusable",
      subject: "grants.db",
      message: "grants.db is gone",
      hint: "x",
    });
    const size = { columns: 100, rows: 30 };
    const calm = arranged(one(), size, AT);
    expect(calm.top).toEqual([]);
    for (const state of [EMPTY, one(), { ...one(), mode: { kind: "interrupted" } as const }]) {
      const { top } = arranged({ ...state, alarms: [file] }, size, AT);
      expect(top.map((row) => row.text)).toEqual([`! ${file.message}`, `  ${file.hint}`]);
    }
    // Alarms of something past follow those that still hold.
    const past = alarm({ code: "gate_restarted", subject: "gate" });
    const { top, card } = arranged({ ...one(), alarms: [file, database, past] }, size, AT);
    expect(text(top)).toBe("! grants.db is gone\n  x (and 2 more: metnos-gate alarms list)");
    expect(card).toEqual(calm.card);
  });

  test("an alarm is named in the language of the cards, before the gate's own sentence", () => {
    const state: WatchState = { ...one(), alarms: [alarm(), alarm({ subject: "x" })], language: "it" };
    const { top } = arranged(state, { columns: 200, rows: 30 }, AT);
    expect(top.map((row) => row.text)).toEqual([
      `! Il registro non si può scrivere: ${alarm().message}`,
      `  ${alarm().hint} (e un altro: metnos-gate alarms list)`,
    ]);
  });

  test.each([
    ["en", "until: ", "2h, today, 30d or 2027-01-31T12:00:00Z; empty: you revoke it", "is neither a span nor a date"],
    [
      "it",
      "fino a: ",
      "2h, today, 30d o 2027-01-31T12:00:00Z; vuoto: quando lo revochi",
      "non è né una durata né una data",
    ],
  ] as const)(
    "what can be an end, and what is none, is said in the user's language: %s",
    (language, until, ends, none) => {
      let state: WatchState = { ...one(), isRead: true, language };
      const layout = { lines: 1, page: 9, choiceFits: true };
      const rows = () => text(arranged(state, { columns: 120, rows: 40 }, AT).card);
      for (const input of ["p", "x"]) state = pressed(state, { input }, PRESS_DELAY_MS, layout).state;
      expect(rows()).toContain(`${until}▏   (${ends})`);
      state = pressed(state, { input: "soon" }, PRESS_DELAY_MS, layout).state;
      state = pressed(state, { input: "", name: "enter" }, PRESS_DELAY_MS, layout).state;
      expect(rows()).toContain(`${until}soon   ${none}`);
    },
  );

  test("in a small window the keys that can do without are left to `?`: deny, approve, the pages and how to leave stay", () => {
    const refusals = [{ refuse: "call" as const, targets: [] }];
    for (const language of LANGUAGES) {
      const state: WatchState = { ...one({ refusals }), language };
      const { rest } = arranged(state, { columns: 34, rows: 14 }, AT);
      const { keys } = FRAME_WORDS[language];
      for (const word of [keys.deny, keys.once, keys.help, keys.quit]) expect(text(rest)).toContain(word);
      expect(text(rest)).not.toContain(keys.deny_session);
      expect(rest).toHaveLength(4);
      const chosen = pressed({ ...state, isRead: true }, { input: "s" }, PRESS_DELAY_MS, {
        lines: 1,
        page: 9,
        choiceFits: true,
      }).state;
      expect(arranged(chosen, { columns: 40, rows: 14 }, AT).layout.choiceFits).toBe(true);
    }
  });

  test("a folded text keeps its end", () => {
    const [row = ""] = folded(`/home/someone/${"deep/".repeat(40)}the-name.txt`, 40, 1);
    expect(widthOf(row)).toBeLessThanOrEqual(40);
    expect(row).toMatch(/^\/home.*….*the-name\.txt$/);
  });
});
