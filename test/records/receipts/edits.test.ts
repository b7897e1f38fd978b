import { randomInt } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { signedLine } from "../../../main/records/receipts/dsse.ts";
import { type KeyList, keyLine, readKeys } from "../../../main/records/receipts/public-keys-file.ts";
import { verifiedBy } from "../../../main/records/receipts/receipt-keys.ts";
import { makeSigningKey, type SigningKey } from "../../../main/records/receipts/signing-key.ts";
import { answerStatement } from "../../../main/records/receipts/statement.ts";
import { type ReceiptsReport, ReceiptsVerifier, type Verdict } from "../../../main/records/receipts/verify.ts";

import { IS_WHOLE_RUN } from "../../support/whole-run.ts";

// Ten thousand random edits of receipts, each found and named for what it is.

const EDITS = IS_WHOLE_RUN ? 10_000 : 400;
const SEED = Number(process.env.EDITS_SEED ?? randomInt(2 ** 31));
const MONTHS = ["2026-10.jsonl", "2026-11.jsonl"] as const;
/** Receipts of a month; the key is changed after the first of the second month. */
const EACH = 4;
const ROTATED_AT = EACH + 2;

/** Below the home folder of the tests, which is removed with them. */
const folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), "keys-"));
const [old, present, foreign] = ["old", "present", "foreign"].map((name) => makeSigningKey(join(folder, name))) as [
  SigningKey,
  SigningKey,
  SigningKey,
];

function receipt(number: number, key: SigningKey): string {
  const month = number <= EACH ? 9 : 10;
  const predicate = {
    receipt: number,
    event: `answer:${number}`,
    ts: Date.UTC(2026, month, number) / 1000,
    token: String(number).padStart(16, "0"),
    decision: "approved" as const,
    outcome: "allowed" as const,
    decided_at: "2026-11-01T00:00:00Z",
    surface: "terminal" as const,
    territory: "none" as const,
    covered_by_grant: false,
    refuse: null,
    agent: "one",
    executor: "fs_write",
    capabilities: ["fs:write" as const],
    versions: { gate: "0.1.0", policy: "0".repeat(64), schema: 1 },
  };
  return signedLine(answerStatement(predicate, "a".repeat(64)), [key]);
}

interface Files {
  keys: string[];
  months: string[][];
}

function written(): Files {
  const by = (number: number) => receipt(number, number < ROTATED_AT ? old : present);
  const numbers = (from: number) => Array.from({ length: EACH }, (_, index) => by(from + index));
  const common = { gate_version: "0.1.0", since: "2026-10-01T00:00:00Z" };
  const first = keyLine(old, { ...common, first_receipt: 1, previous: null }, [old]);
  const second = keyLine(present, { ...common, first_receipt: ROTATED_AT, previous: old.keyid }, [present, old]);
  return { keys: [first, second], months: [numbers(1), numbers(EACH + 1)] };
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** The same by the public keys alone, as elsewhere, and where a private one is at hand. */
function report(keysText: string, texts: readonly string[]): ReceiptsReport {
  const list = readKeys(keysText);
  const found = reportOf(list, texts);
  for (const own of [old, present, foreign]) expect(reportOf(verifiedBy(own, list), texts)).toEqual(found);
  return found;
}

function reportOf({ keys, problem }: KeyList, texts: readonly string[]): ReceiptsReport {
  const verifier = new ReceiptsVerifier(keys);
  if (problem !== null) verifier.report("keys", "keys.jsonl", problem.message);
  for (const [index, text] of texts.entries()) {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    const ended = lines.map((line) => ({ bytes: Buffer.from(line, "latin1"), isEnded: true }));
    const rest = last === "" ? [] : [{ bytes: Buffer.from(last, "latin1"), isEnded: false }];
    const name = MONTHS[index] ?? "";
    verifier.add({ name, monthFile: name, text: [...ended, ...rest] });
  }
  return verifier.end({ first: 1, last: 2 * EACH });
}

/** An edit, and what it may be found as. */
interface Edit {
  keys: string;
  texts: string[];
  found: readonly Verdict[];
}

type Pick = (below: number) => number;

const CHANGED: readonly Verdict[] = [
  "bad_json",
  "not_a_receipt",
  "payload_type",
  "altered_form",
  "unknown_key",
  "signature",
  "cut_off",
];

const EDITS_OF: Readonly<Record<string, (files: Files, pick: Pick) => Edit>> = {
  "a byte is changed": (files, pick) =>
    ofText(files, pick, CHANGED, (text, at) => {
      const other = String.fromCharCode((text.charCodeAt(at) + 1 + pick(255)) % 256);
      return text.slice(0, at) + other + text.slice(at + 1);
    }),
  "a byte is taken out": (files, pick) =>
    ofText(files, pick, [...CHANGED, "missing"], (text, at) => text.slice(0, at) + text.slice(at + 1)),
  "a byte is put in": (files, pick) =>
    ofText(files, pick, CHANGED, (text, at) => text.slice(0, at) + String.fromCharCode(pick(256)) + text.slice(at)),
  "a file is cut": (files, pick) => ofText(files, pick, ["cut_off", "missing"], (text, at) => text.slice(0, at)),
  "a receipt is taken out": (files, pick) =>
    ofLines(files, pick, ["missing", "cut_off"], (lines, at) => lines.toSpliced(at, 1)),
  "a receipt is repeated": (files, pick) =>
    ofLines(files, pick, ["duplicate"], (lines, at) => lines.toSpliced(pick(EACH + 1), 0, lines[at] ?? "")),
  "two receipts change places": (files, pick) =>
    ofLines(files, pick, ["order"], (lines, at) => swapped(lines, at, (at + 1 + pick(EACH - 1)) % EACH)),
  "two signatures change places": (files, pick) => {
    const lines = files.months.flat();
    const at = pick(lines.length);
    const other = (at + 1 + pick(lines.length - 1)) % lines.length;
    const [a, b] = [parsed(lines[at]), parsed(lines[other])];
    lines[at] = JSON.stringify({ ...a, signatures: b.signatures });
    lines[other] = JSON.stringify({ ...b, signatures: a.signatures });
    return ofAll(files, lines, ["signature"]);
  },
  "a payload is another one's": (files, pick) => {
    const lines = files.months.flat();
    const at = pick(lines.length);
    const other = parsed(lines[(at + 1 + pick(lines.length - 1)) % lines.length]);
    lines[at] = JSON.stringify({ ...parsed(lines[at]), payload: other.payload });
    return ofAll(files, lines, ["signature"]);
  },
  "the same content is written in another way": (files, pick) => {
    const lines = files.months.flat();
    const at = pick(lines.length);
    const { payload, payloadType, signatures } = parsed(lines[at]);
    const ways = [
      JSON.stringify({ payloadType, payload, signatures }),
      (lines[at] ?? "").replace(",", ", "),
      JSON.stringify({ payload, payloadType, signatures: [...signatures, ...signatures] }),
    ];
    lines[at] = ways[pick(ways.length)] ?? "";
    return ofAll(files, lines, ["altered_form"]);
  },
  "a receipt is signed with another key": (files, pick) => {
    const lines = files.months.flat();
    const at = pick(lines.length);
    lines[at] = receipt(at + 1, foreign);
    return ofAll(files, lines, ["unknown_key"]);
  },
  "a receipt is signed with another key under a known one's name": (files, pick) => {
    const lines = files.months.flat();
    const at = pick(lines.length);
    lines[at] = receipt(at + 1, { ...foreign, keyid: pick(2) === 0 ? old.keyid : present.keyid });
    return ofAll(files, lines, ["signature"]);
  },
  "a receipt is signed with the gate's key of another time": (files, pick) => {
    const lines = files.months.flat();
    const at = pick(lines.length);
    lines[at] = receipt(at + 1, at + 1 < ROTATED_AT ? present : old);
    return ofAll(files, lines, ["key_not_current"]);
  },
  "a receipt is in another month's file": (files, pick) => {
    const [first = [], second = []] = files.months;
    const toSecond = pick(2) === 0;
    const moved = toSecond ? first.at(-1) : second[0];
    const months = toSecond
      ? [first.slice(0, -1), [moved ?? "", ...second]]
      : [[...first, moved ?? ""], second.slice(1)];
    return { keys: textOf(files.keys), texts: months.map(textOf), found: ["month"] };
  },
  "the list of keys is changed": (files, pick) => {
    const keys = textOf(files.keys);
    const at = pick(keys.length - 1);
    const other = String.fromCharCode(33 + ((keys.charCodeAt(at) - 33 + 1 + pick(92)) % 93));
    return { keys: keys.slice(0, at) + other + keys.slice(at + 1), texts: files.months.map(textOf), found: ["keys"] };
  },
  "a key is taken out of the list": (files, pick) => {
    const keys = files.keys.toSpliced(pick(2), 1);
    return { keys: textOf(keys), texts: files.months.map(textOf), found: ["keys", "unknown_key"] };
  },
  "a key that nobody has signed is put into the list": (files) => {
    const fields = { gate_version: "0.1.0", since: "2026-11-10T00:00:00Z", first_receipt: 2 * EACH };
    const added = keyLine(foreign, { ...fields, previous: present.keyid }, [foreign]);
    return { keys: textOf([...files.keys, added]), texts: files.months.map(textOf), found: ["keys"] };
  },
};

function parsed(line = ""): { payload: string; payloadType: string; signatures: object[] } {
  return JSON.parse(line);
}

function swapped(lines: readonly string[], a: number, b: number): string[] {
  return lines.with(a, lines[b] ?? "").with(b, lines[a] ?? "");
}

function ofText(files: Files, pick: Pick, found: readonly Verdict[], edit: (text: string, at: number) => string): Edit {
  const texts = files.months.map(textOf);
  const month = pick(texts.length);
  const text = texts[month] ?? "";
  return { keys: textOf(files.keys), texts: texts.with(month, edit(text, pick(text.length))), found };
}

function ofLines(
  files: Files,
  pick: Pick,
  found: readonly Verdict[],
  edit: (lines: readonly string[], at: number) => string[],
): Edit {
  const month = pick(files.months.length);
  const months = files.months.with(month, edit(files.months[month] ?? [], pick(EACH)));
  return { keys: textOf(files.keys), texts: months.map(textOf), found };
}

function ofAll(files: Files, lines: readonly string[], found: readonly Verdict[]): Edit {
  return { keys: textOf(files.keys), texts: [textOf(lines.slice(0, EACH)), textOf(lines.slice(EACH))], found };
}

it("each random edit of receipts and keys is found, and named for what it is", () => {
  const files = written();
  const whole = [textOf(files.keys), files.months.map(textOf)] as const;
  expect(report(...whole)).toMatchObject({ ok: true, receipts: 2 * EACH });
  console.info(`${EDITS} edits, EDITS_SEED=${SEED}`);
  const kinds = Object.keys(EDITS_OF);
  const named = new Map<string, Set<Verdict>>();
  const edits = fc.sample(fc.tuple(fc.constantFrom(...kinds), fc.infiniteStream(fc.nat())), {
    numRuns: EDITS,
    seed: SEED,
  });
  for (const [kind, numbers] of edits) {
    const pick: Pick = (below) => (numbers.next().value ?? 0) % below;
    const edit = EDITS_OF[kind]?.(files, pick);
    if (edit === undefined) throw new Error(kind);
    const { ok, problems } = report(edit.keys, edit.texts);
    const verdicts = problems.map(({ verdict }) => verdict);
    expect(ok, `${kind}: nothing found\n${edit.texts.join("\n---\n")}`).toBe(false);
    expect(
      verdicts.some((verdict) => edit.found.includes(verdict)),
      `${kind}: found as ${verdicts.join(", ")}`,
    ).toBe(true);
    named.set(kind, new Set([...(named.get(kind) ?? []), ...verdicts]));
  }
  expect([...named.keys()].sort()).toEqual(kinds.sort());
  const all = new Set([...named.values()].flatMap((verdicts) => [...verdicts]));
  for (const verdict of [
    "bad_json",
    "altered_form",
    "signature",
    "unknown_key",
    "key_not_current",
    "duplicate",
    "order",
    "month",
    "missing",
    "cut_off",
    "keys",
  ])
    expect(all, verdict).toContain(verdict);
}, 600_000);
