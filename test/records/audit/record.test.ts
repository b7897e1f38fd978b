import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../ipc/contract/decision.ts";
import type { ProposedCall } from "../../../ipc/contract/wire.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { withoutValues } from "../../../main/decide/guard/without-values.ts";
import { decisionOf, examineCall } from "../../../main/decide/pipeline.ts";
import { decisionRecord } from "../../../main/records/audit/record.ts";
import { freshTrail } from "../../support/audit-trail.ts";
import { ROBERTO } from "../../support/gate-stores.ts";

const CATALOG = new ExecutorCatalog();

function decided(
  call: ProposedCall,
  level: "ReadOnly" | "Supervised" | "Full" = "Supervised",
  judgeThreshold = 0.3,
): Decision {
  const settings = {
    home: "/home/r",
    grants: null,
    pause: null,
    judge_threshold: judgeThreshold,
    now: () => 1_714_225_863_214,
  };
  const examined = examineCall(call, { agent: null, level, principal: ROBERTO }, CATALOG, settings);
  return decisionOf(examined);
}

const asked = ({ executor }: ProposedCall) => ({ agent: "claude", executor, ts: 1_714_225_900 });

describe("one audit line", () => {
  it("has the required fields, and what the gate decided", () => {
    const call = {
      intent: "read the key",
      executor: "fs_read",
      args: { path: "~/.ssh/id_rsa" },
      context: { mode: "auto", step: 3 },
    };
    const decision = decided(call);
    expect(decisionRecord(call, decision, asked(call))).toEqual({
      event: "decision",
      approved: false,
      reason: "guard: forbidden path violated: pattern '(^|/)\\.ssh(/|$)' in args",
      ts: 1714225863.214,
      judge_kind: "rule-based-v1",
      score: 0,
      blocked_by: "guard",
      intent: "read the key",
      executor: "fs_read",
      args_keys: ["path"],
      context_keys: ["mode", "step"],
      decision_id: decision.decision_id,
      agent: "claude",
      outcome: "denied",
      stage: "guard",
      rule: "guard.protected-path",
      capabilities: ["fs:read"],
    });
  });

  it("is bounded, whatever the call holds", () => {
    const args = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${"k".repeat(200)}${index}`, index]));
    const call = { intent: "word ".repeat(3000), executor: "mcp__x__y", args };
    expect(JSON.stringify(decisionRecord(call, decided(call), asked(call))).length).toBeLessThan(10_000);
  });
});

describe("no value from the arguments gets into the trail", () => {
  // args_keys_loggate_non_values
  it("the required case: the key's name is there, the value is not", () => {
    const call = {
      intent: "read PASSWORD_segreto_123 please",
      executor: "fs_read",
      args: { path: "/srv/PASSWORD_segreto_123" },
    };
    const text = JSON.stringify(decisionRecord(call, decided(call), asked(call)));
    expect(text).toContain('"args_keys":["path"]');
    expect(text).not.toContain("PASSWORD_segreto_123");
    expect(text).not.toContain("segreto");
  });

  it("an intent keeps its plain words, loses what the arguments say", () => {
    const args = {
      path: "/srv/acme/invoice-7.pdf",
      to: "bob@example.com",
      amount: 4111111111111111,
      nested: { pin: 77341 },
      note: "hunter",
    };
    expect(withoutValues("read my notes", args)).toBe("read my notes");
    expect(withoutValues("send /srv/acme/invoice-7.pdf to bob@example.com.", args)).toBe("send <path> to <to>.");
    expect(withoutValues("send invoice-7.pdf to example.com", args)).toBe("send <args> to <args>");
    expect(withoutValues("charge 4111111111111111, pin 77341", args)).not.toMatch(/\d/);
    expect(withoutValues("the hunter, alone", args)).toBe("the <note>, alone");
  });

  it("a word in angle brackets is a word like any other", () => {
    for (const intent of ["<Zx9-Secret-4711>", "save <Zx9-Secret-4711> now", "<<Zx9-Secret-4711>>"]) {
      expect(withoutValues(intent, { content: "the key Zx9-Secret-4711 ends" })).not.toContain("Zx9-Secret");
    }
  });

  it("placeholders are not expanded again: values that are in key names can't make the line grow", () => {
    const key = "a".repeat(64);
    const text = withoutValues("aaa ".repeat(120), { [key]: Array(2000).fill("aaa") });
    expect(text.length).toBeLessThan(120 * 70);
  });

  it("a passage from a long text is no plain words, also where the intent is cut", () => {
    const content =
      "Dear Anna, the results are in and the tumour is benign so we can all relax now and plan the summer";
    const intent = `write this: ${content.slice(12, 80)}`;
    expect(withoutValues(intent, { content })).not.toMatch(/tumour|results|benign/);
    const cut = `${"please ".repeat(68)}${content}`;
    expect(withoutValues(cut, { content })).not.toMatch(/results are/);
  });

  it("a passage is a quotation from three words on, however short and plain they are", () => {
    const content = "we all go up on a hill at ten";
    expect(withoutValues("say: go up on", { content })).toBe("say: <args>");
    expect(withoutValues("say: go up on a hill, then stop", { content })).toBe("say: <args> hill, then stop");
    expect(withoutValues("go up now", { content })).toBe("go up now");
    expect(withoutValues("up or on", { content })).toBe("up or on");
  });

  it("a longer plain word is taken out where it is in a value, an everyday one is not", () => {
    const args = { note: "the hunter has a dog" };
    expect(withoutValues("ask the hunter, not the dog", args)).toBe("ask the <args>, not the dog");
    expect(withoutValues("ask the gardener", args)).toBe("ask the gardener");
  });

  it("a number is a value like a text, wherever it is nested", () => {
    expect(withoutValues("charge 4111111111111111 now", { amount: 4_111_111_111_111_111 })).toBe("charge <amount> now");
    expect(withoutValues("use 77341", { nested: [{ pin: 77_341 }] })).toBe("use <nested>");
    expect(withoutValues("use 77341", {})).toBe("use <…>");
  });

  it("of a call with more than can be compared in a moment the intent is left out", () => {
    const leftOut = "<left out: large arguments>";
    expect(withoutValues("read", { a: Array(2000).fill("x") })).toBe("read");
    expect(withoutValues("read", { a: Array(2001).fill("x") })).toBe(leftOut);
    expect(withoutValues("read", { a: "x".repeat(65_536) })).toBe("read");
    expect(withoutValues("read", { a: "x".repeat(65_537) })).toBe(leftOut);
  });

  const secret = fc.oneof(
    fc.stringMatching(/^[a-z]{2,6}-[0-9]{4,8}$/).map((text) => `sk-${text}`),
    fc.stringMatching(/^\/(srv|home)\/[a-z]{3,8}\/[a-z]{3,8}\.[a-z]{3}$/),
    fc.stringMatching(/^[a-z]{4,8}@[a-z]{4,8}\.example$/),
    fc.stringMatching(/^[a-z]{5,8} [a-z]{5,8} [a-z]{5,8} [a-z]{5,8}$/),
    fc.stringMatching(/^[a-z]{24,30}$/),
    fc.stringMatching(/^[A-Z][a-z]{6,9}$/),
    fc.stringMatching(/^[0-9]{6,15}$/),
    fc.stringMatching(/^pässwörd [a-z0-9]{6}\n[a-z0-9]{6}$/),
    fc.stringMatching(/^rm -rf \.\/[a-z]{6,9}; ls "[a-z]{6,9}"$/),
  );

  it("whatever is planted, wherever it is nested, also in the intent, whatever is decided", () => {
    const { folder, opened } = freshTrail();
    const log = opened();
    const executors = [
      "fs_read",
      "fs_write",
      "shell_exec",
      "http_get",
      "mail_send",
      "Bash",
      "Write",
      "Edit",
      "WebFetch",
      "Grep",
      "Glob",
      "mcp__a__b",
      "unheard_of",
      "Task",
    ];
    const keys = ["path", "file_path", "command", "url", "to", "content", "pattern", "prompt", "options"];
    const wrapped = (value: string) =>
      fc.constantFrom<unknown>(value, [value], [[1, value]], { deep: { deeper: [value] } }, `${value} `, [value, null]);
    const intentWords = ["please", "read", "the", "file", "then", "send"];
    const plan = secret.chain((planted) =>
      fc.tuple(
        fc.constant(planted),
        fc.constantFrom(...executors),
        fc
          .dictionary(fc.constantFrom(...keys), wrapped(planted), { minKeys: 1, maxKeys: 4 })
          .filter((args) => Object.keys(args).length > 0),
        fc.array(fc.oneof(fc.constantFrom(...intentWords), fc.constant(planted), fc.constant(`"${planted}".`)), {
          maxLength: 8,
        }),
        fc.constantFrom("ReadOnly" as const, "Supervised" as const, "Full" as const),
        fc.constantFrom(0.3, 0.99),
        fc.integer({ min: 0, max: 510 }),
      ),
    );
    fc.assert(
      fc.property(plan, ([planted, executor, args, words, level, threshold, padding]) => {
        const intent = `${"x ".repeat(padding / 2)}${words.join(" ")}`;
        const call = { intent, executor, args: { ...args } };
        log.append(decisionRecord(call, decided(call, level, threshold), asked(call)));
        log.append(decisionRecord(call, decided(call, level, threshold), asked(call), "plan"));
        log.flush();
        const file = readFileSync(join(folder, "2026-05.jsonl"), "utf8");
        const line = file.trimEnd().split("\n").at(-1) ?? "";
        const { decision_id: _, prev: _prev, ts: _ts, ...shown } = JSON.parse(line);
        const text = JSON.stringify(shown);
        for (const form of [planted, planted.trim(), JSON.stringify(planted).slice(1, -1)]) {
          expect([form, text, text.includes(form)]).toEqual([form, text, false]);
        }
      }),
      { numRuns: 500 },
    );
    log.close();
  });

  it("the operator's message of a rejection, and the agent's of a withdrawal, carry none either", () => {
    const call = { intent: "", executor: "fs_write", args: { path: "/srv/acme/plan.txt", content: "x" } };
    const waiting = decided(call);
    for (const [status, rule] of [
      ["rejected", "approval.rejected"],
      ["cancelled", "approval.withdrawn"],
      // A withdrawal that names no rule is nobody's words that are known.
      ["cancelled", undefined],
      [undefined, "approval.withdrawn"],
    ] as const) {
      const decision: Decision = {
        ...waiting,
        outcome: "denied",
        stage: "approval",
        status,
        reason: "no: /srv/acme/plan.txt is not yours",
        explain: rule === undefined ? {} : { rule },
      };
      expect(decisionRecord(call, decision, asked(call)).reason).toBe("no: <path> is not yours");
    }
  });

  it("the gate's own sentence of a withdrawal is stored whole, also where it has a word of a value", () => {
    const call = { intent: "", executor: "fs_write", args: { path: "/srv/plan.txt", content: "revoked pairing" } };
    const decision: Decision = {
      ...decided(call),
      outcome: "denied",
      stage: "approval",
      status: "cancelled",
      reason: "the agent's pairing was revoked",
      explain: { rule: "approval.withdrawn-pairing" },
    };
    expect(decisionRecord(call, decision, asked(call)).reason).toBe("the agent's pairing was revoked");
  });
});
