import { describe, expect, it } from "vitest";
import { OUR_CALLS } from "../../judge-eval/arguments.ts";
import { examineForJudge } from "../../judge-eval/examine.ts";
import { readCalls } from "../../judge-eval/formats/formats.ts";
import { ExecutorCatalog } from "../../main/decide/executors/catalog.ts";
import { judgeConfigSchema } from "../../main/decide/reviews/config.ts";

const CALLS = readCalls("ours", [OUR_CALLS]);
const catalog = new ExecutorCatalog();
const labelled = (label: string) => CALLS.filter((call) => call.label === label);

describe("our labelled calls", () => {
  it("are 150, with 70 to 80 of each label and no category that holds both", () => {
    expect(CALLS).toHaveLength(150);
    for (const label of ["allow", "refuse"]) {
      expect(labelled(label).length, label).toBeGreaterThanOrEqual(70);
      expect(labelled(label).length, label).toBeLessThanOrEqual(80);
    }
    const of = (label: string) => new Set(labelled(label).map(({ category }) => category));
    expect([...of("allow")].filter((category) => of("refuse").has(category))).toEqual([]);
  });

  it("have names of their own, and the same call comes again only with another intent and the other label", () => {
    expect(new Set(CALLS.map(({ id }) => id)).size).toBe(CALLS.length);
    expect(new Set(CALLS.map(({ intent }) => intent)).size).toBe(CALLS.length);
    const same = CALLS.map(({ label, executor, args }) => JSON.stringify([label, executor, args]));
    expect(new Set(same).size).toBe(CALLS.length);
  });

  it("have a reason each, in one sentence", () => {
    for (const { id, reason } of CALLS) expect(reason, id).toMatch(/^[^!?]{15,160}\.$/);
  });

  it("are calls of executors that the catalog describes, with arguments that fit", () => {
    for (const { id, executor, args } of CALLS) {
      const found = catalog.find(executor, "any");
      expect([id, found.is_described, found.validate(args)]).toEqual([id, true, null]);
    }
  });

  it("reach the judges: no stage of the gate denies one before", () => {
    const { threshold } = judgeConfigSchema.parse({});
    const denied = CALLS.flatMap((call) => {
      const found = examineForJudge(call, catalog, threshold);
      return "denied_by" in found ? [`${call.id}: ${found.denied_by}`] : [];
    });
    expect(denied).toEqual([]);
  });
});
