import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Checked, checkCase, checkFault, nameOf } from "../../reliability/damage/check.ts";
import type { DamageCase } from "../../reliability/damage/damage-case.ts";
import { FAULT_CASES, type FaultCase, faultNameOf, faultOutcomeOf } from "../../reliability/damage/fault-case.ts";
import { FILES } from "../../reliability/damage/files.ts";
import type { Kind } from "../../reliability/damage/kinds.ts";
import { withMatrix } from "../../reliability/damage/matrix.ts";
import { type Life, outcomeOf } from "../../reliability/damage/observation.ts";
import type { Moment } from "../../reliability/damage/outcomes.ts";
import { PreparedHomes } from "../../reliability/damage/prepared-homes.ts";

/** A few of what `npm run damage` does: each file once, each kind of damage once. */
const SAMPLE: readonly (readonly [name: string, kind: Kind, moment: Moment])[] = [
  ["grants.db", "missing", "running"],
  ["gate.lock", "missing", "running"],
  ["YYYY-MM.jsonl", "missing", "running"],
  ["safety.db", "a foreign one", "running"],
  ["YYYY-MM.jsonl", "a link to another file", "running"],
  ["grants.db", "missing", "at rest"],
  ["safety.db", "empty", "at rest"],
  ["agents.db", "cut to half", "at rest"],
  ["approvals.db", "a dangling link", "at rest"],
  ["grants.db", "a foreign one", "at rest"],
  ["approvals.db", "no permissions", "at rest"],
  ["grants.db-wal", "a folder", "at rest"],
  ["grants.db-shm", "random bytes", "at rest"],
  ["activity.db", "random bytes", "at rest"],
  ["gate.lock", "a named pipe", "at rest"],
  ["audit-head", "a link to another file", "at rest"],
  ["kept-pauses", "random bytes", "at rest"],
  ["YYYY-MM.jsonl", "middle byte changed", "at rest"],
  ["operator.token", "a folder", "at rest"],
  ["NAME.token", "an older copy", "at rest"],
  ["chosen.json", "a named pipe", "at rest"],
  ["judge-results.json", "a named pipe", "at rest"],
  ["gate.toml", "first byte changed", "at rest"],
  ["policy_overrides.toml", "a named pipe", "at rest"],
  ["executors/*.toml", "a named pipe", "at rest"],
  ["receipts.key", "a foreign one", "at rest"],
  ["receipts/keys.jsonl", "missing", "at rest"],
  ["receipts/YYYY-MM.jsonl", "middle byte changed", "at rest"],
  ["YYYY-MM.checkpoints", "missing", "at rest"],
  ["audit-tree", "random bytes", "at rest"],
  ["evening-digest.json", "a folder", "at rest"],
  ["gate.sock", "a foreign one", "at rest"],
];
/** Of the disks that fail while a gate runs. */
const FAULTS: readonly (readonly [name: string | undefined, kind: FaultCase["kind"]])[] = [
  ["YYYY-MM.jsonl", "EIO"],
  ["safety.db", "EIO of a sync"],
  ["kept-pauses", "EROFS"],
  ["receipts/YYYY-MM.jsonl", "no room"],
  [undefined, "full, and filled again and again"],
  [undefined, "ext4 aborted"],
];
const AT_ONCE = 4;

function faultOf([name, kind]: (typeof FAULTS)[number]): FaultCase {
  const found = FAULT_CASES.find((fault) => fault.file?.name === name && fault.kind === kind);
  if (found === undefined) throw new Error(`there is no ${name}, ${kind}`);
  return found;
}

function caseOf([name, kind, moment]: (typeof SAMPLE)[number]): DamageCase {
  const file = FILES.find((known) => known.name === name);
  if (file === undefined) throw new Error(`there is no file ${name}`);
  return { file, kind, moment };
}

describe("a damaged file is refused by name, noticed, or does no harm", () => {
  const checked = new Map<string, Checked>();
  let homes: PreparedHomes | undefined;

  beforeAll(async () => {
    const prepared = await PreparedHomes.prepare();
    homes = prepared;
    const checks = [
      ...SAMPLE.map(caseOf).map((damage) => () => checkCase(damage, prepared)),
      ...FAULTS.map(faultOf).map((fault) => () => checkFault(fault, prepared)),
    ];
    const worker = async () => {
      for (let next = checks.shift(); next !== undefined; next = checks.shift()) {
        const result = await next();
        checked.set(result.name, result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }, 900_000);
  afterAll(() => homes?.remove());

  it.each(SAMPLE.map((sample) => nameOf(caseOf(sample))))("%s", (name) => {
    expect(checked.get(name)).toMatchObject({ verdict: "right" });
  });

  it.each(FAULTS.map((fault) => faultNameOf(faultOf(fault))))("%s", (name) => {
    const { verdict, seen } = checked.get(name) ?? {};
    if (verdict === "skipped" && process.env.CI !== "true") return console.warn(`skipped: ${name}: ${seen}`);
    expect(checked.get(name)).toMatchObject({ verdict: "right" });
  });
});

describe("what was seen on a failing disk is classified", () => {
  const life: Life = {
    state: "serving",
    ended_by_itself: false,
    end: 0,
    output: "",
    messages: [],
    raw: [],
    verify_problems: [],
    missing: [],
  };
  const FILE = "/home/ada/.local/state/metnos/grants.db";
  const alarmed = { ...life, messages: [`alarm database_unusable ${FILE}`] };
  const base = { failing: life, after: life, lost: [], hits: 1 };
  it.each([
    ["an alarm that names it", { failing: alarmed }, "alarm"],
    ["a gap, too", { failing: { ...alarmed, verify_problems: ["a gap"] } }, "alarm and verify"],
    ["a refusal", { failing: { ...life, messages: [`storage_failed: ${FILE}`] } }, "refused"],
    ["a failed write without a word", {}, "harmless"],
    ["no write", { hits: 0 }, "not written"],
    ["a loss, whatever was said", { failing: alarmed, lost: ["grant"] }, "lost"],
    ["no start afterwards", { after: { ...life, state: "ended", end: 1 } as const }, "no start"],
    ["an end by itself", { failing: { ...life, ended_by_itself: true } }, "crash"],
  ])("%s", (_what, seen, expected) => {
    expect(faultOutcomeOf({ ...base, ...seen }, [FILE, "grants.db"])).toBe(expected);
  });
});

it("the document's matrix is the table that the cases are checked against", () => {
  const document = readFileSync(new URL("../../docs/reliability.md", import.meta.url), "utf8");
  expect(withMatrix(document)).toBe(document);
});

describe("observations are classified", () => {
  const FILE = "/home/ada/.local/state/metnos/grants.db";
  const served: Life = {
    state: "serving",
    ended_by_itself: false,
    end: 0,
    output: "Metnos Gate is running.\n",
    messages: [],
    raw: [],
    verify_problems: [],
    missing: [],
  };
  const refused = { ...served, state: "ended", end: 1 } as const;
  const outcome = (lives: Life[], more: { written_elsewhere?: string[]; lost?: string[] } = {}) =>
    outcomeOf({ lives, written_elsewhere: [], lost: [], ...more }, [FILE, "grants.db"]);

  it.each<[string, Life, string]>([
    [
      "a refusal by name with a hint",
      { ...refused, output: `metnos-gate: ${FILE} is gone\n  put it back\n` },
      "refused",
    ],
    ["a refusal without a hint", { ...refused, output: `metnos-gate: ${FILE} is gone\n` }, "raw"],
    ["a refusal without the file's name", { ...refused, output: "metnos-gate: EISDIR\n  see\n" }, "raw"],
    ["a stack", { ...refused, output: `Error: ${FILE}\n    at read (node:fs:1:2)\n` }, "crash"],
    ["an end by a signal", { ...served, end: "SIGSEGV" }, "crash"],
    ["an end by SIGBUS with nothing missing", { ...served, end: "SIGBUS" }, "killed"],
    ["an end without a word", { ...served, ended_by_itself: true }, "crash"],
    ["an end that says why", { ...served, ended_by_itself: true, output: `${FILE} was replaced\n` }, "ends"],
    ["neither started nor ended", { ...served, state: "hangs", end: null }, "hang"],
    ["an alarm", { ...served, messages: [`alarm database_unusable ${FILE}`], missing: ["grant"] }, "noticed"],
    ["an alarm about another file", { ...served, messages: ["alarm trail_lost x"], missing: ["grant"] }, "unseen"],
    ["a gap in the trail", { ...served, verify_problems: ["a gap"], missing: ["decision"] }, "verify"],
    ["an error that says nothing", { ...served, raw: ["internal: the gate failed; "] }, "raw"],
    ["nothing missing", served, "harmless"],
  ])("%s", (_what, life, expected) => {
    expect(outcome([life])).toBe(expected);
  });

  it("what was acknowledged and is lost, or written through a link, is a failure whatever was reported", () => {
    const reported = { ...served, messages: [FILE] };
    expect(outcome([reported], { lost: ["grant"] })).toBe("lost");
    expect(outcome([reported], { written_elsewhere: ["precious.txt"] })).toBe("written elsewhere");
  });
});
