import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible } from "../../ipc/base/visible-text.ts";
import { LANGUAGES } from "../../ipc/contract/language.ts";
import type { ApprovalView } from "../../ipc/contract/operator-api.ts";
import { MAX_SPOKEN, spoken, spokenBundle } from "../../ipc/words/spoken.ts";
import { cardKind, cardKinds, readOf, runs } from "../support/card-views.ts";

const NOW = Date.parse("2026-11-21T00:00:30Z");
const ENDS = [
  " 9 minutes left. Look at it, then answer. D denies.",
  " Ancora 9 minuti. Guardala, poi rispondi. D rifiuta.",
] as const;
/** In English and Italian, with 9 minutes left, but for what every one ends with. */
function said(view: ApprovalView): string[] {
  return LANGUAGES.map((language, index) => {
    const text = spoken({ ...view, expires_at: "2026-11-21T00:10:00Z" }, language, NOW);
    expect(text.endsWith(ENDS[index] ?? "")).toBe(true);
    return text.slice(0, -(ENDS[index]?.length ?? 0));
  });
}

describe("a waiting request for a voice says who asks what, in words", () => {
  it.each([
    [
      "command with a hazard",
      "claude code wants to run npm test and git push. Rewrites history on a remote: can't be undone.",
      "claude code vuole eseguire npm test e git push. Riscrive la storia su un server remoto: non si può annullare.",
    ],
    ["command that only reads", "claude code wants to run cat and grep.", "claude code vuole eseguire cat e grep."],
    ["long script", "claude code wants to run python3.", "claude code vuole eseguire python3."],
    ["script that a name stands for", "claude code wants to run build.sh.", "claude code vuole eseguire build.sh."],
    [
      "edit",
      "claude code wants to change ledger.ts in the folder src.",
      "claude code vuole modificare ledger.ts nella cartella src.",
    ],
    [
      "new file",
      "claude code wants to create todo.md in the folder website.",
      "claude code vuole creare todo.md nella cartella website.",
    ],
    [
      "file that is replaced",
      "claude code wants to replace notes.md in the folder website.",
      "claude code vuole sostituire notes.md nella cartella website.",
    ],
    [
      "read",
      "claude code wants to read ledger.ts in the folder src.",
      "claude code vuole leggere ledger.ts nella cartella src.",
    ],
    [
      "fetch",
      "claude code wants to get something from rates.example.net.",
      "claude code vuole prendere qualcosa da rates.example.net.",
    ],
    [
      "MCP",
      "claude code wants to use the tool create pull request of github.",
      "claude code vuole usare lo strumento create pull request di github.",
    ],
    [
      "of an earlier version",
      "claude code wants to use the tool Write.",
      "claude code vuole usare lo strumento Write.",
    ],
  ])("%s", (name, en, it) => {
    expect(said(cardKind(name))).toEqual([en, it]);
  });

  it("the first programs of many, and the worst of many dangers, as far as there is room", () => {
    const [en = ""] = said(cardKind("many hazards"));
    expect(en).toBe(
      "claude code wants to run curl, sudo bash, rm and 2 more programs. Runs a script from the internet, get.example.org. As root. Deletes 2 folders, 1,204 files. Changes what runs later: bashrc. Stops or changes the system's services.",
    );
  });

  it("that the same call is made again and again, and that a no stops it", () => {
    const view = { ...cardKind("read"), repeated: { count: 40, seconds: 60 } };
    const text = spoken({ ...view, expires_at: "2026-11-21T00:01:00Z" }, "en", NOW);
    expect(text).toBe(
      "claude code wants to read ledger.ts in the folder src. The same call 40 times in a minute. Stop it? Less than a minute left. Look at it, then answer. D stops it.",
    );
  });

  it("and of many, how many they are and how many of them are dangerous", () => {
    const views = ["read", "edit", "command with a hazard"].map(cardKind);
    expect(LANGUAGES.map((language) => spokenBundle("claude-code", views, language))).toEqual([
      "claude code waits for 3 answers. One of them is dangerous. They wait in the list.",
      "claude code aspetta 3 risposte. Una è pericolosa. Sono nella lista.",
    ]);
  });
});

describe("what a call says of itself never speaks for the gate", () => {
  it("hidden and look-alike characters are left out, and the voice says that there were some", () => {
    const [en, it] = said(runs("./sa\u202efe\u200b.sh"));
    expect(en).toBe(
      "claude code wants to run safe.sh. Careful: a name in it has characters that can't be seen, or that look like others.",
    );
    expect(it).toContain("Attenzione: un nome contiene caratteri che non si vedono");
  });

  it("a file's name is no sentence, no mark-up and no command of a speech program", () => {
    const path = '/srv/x/It is harmless. Press A now! [[rate 900]] <speak version="1">\u001b[2J\u0007.txt';
    const [en = ""] = said(readOf(path, { capabilities: [{ capability: "fs:read", target: path }] }));
    expect(en).toMatch(/^claude code wants to read It is harmless Press A now [a-z0-9 ]+ in the folder x\./);
    for (const mark of ["[", "]", "<", ">", "!", '"', "\u0007", "\u001b"]) expect(en).not.toContain(mark);
  });

  it("however hostile its names are, it is short, ends as every other, and has only characters that can be said", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({ unit: "grapheme", maxLength: 60 }),
    );
    const kinds = Object.values(cardKinds());
    fc.assert(
      fc.property(text, text, text, fc.constantFrom(...kinds), (agentName, first, second, kind) => {
        const { description, ...view } = kind;
        const hostile = description && {
          ...description,
          commands: [
            {
              arg: "command",
              text: first,
              tokens: [],
              parts: [{ start: 0, end: first.length, needs: [], unclear: null }],
            },
          ],
          changes: description.changes.map((change) => ({ ...change, path: `/${first}/${second}` })),
          mcp: description.mcp && { ...description.mcp, tool: first, server: second },
          request: description.request && { ...description.request, host: second },
          hazards: description.hazards.map((one) => ({ ...one, path: `/${first}`, host: second })),
        };
        const capabilities = [{ capability: "fs:read" as const, target: `/${second}/${first}` }];
        for (const one of said({
          ...view,
          agent_name: agentName,
          executor: second,
          capabilities,
          description: hostile,
        })) {
          expect(one).toMatch(/^[\p{Letter}\p{Number} .,:;?']+$/u);
          expect(visible(one.normalize("NFC"))).toBe(one.normalize("NFC"));
        }
        for (const language of LANGUAGES) {
          const whole = spoken(
            { ...view, agent_name: agentName, executor: second, capabilities, description: hostile },
            language,
            NOW,
          );
          expect(whole.length).toBeLessThanOrEqual(MAX_SPOKEN);
        }
      }),
      { numRuns: 200 },
    );
  });
});
