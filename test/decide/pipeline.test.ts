import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { STAGES } from "../../ipc/contract/decision.ts";
import { PIPELINE } from "../../main/decide/pipeline.ts";
import { decided, examinationOf } from "../support/examinations.ts";

describe("the table of stages", () => {
  it("names the stages that the contract names, in its order; validators are judges alone, which come after all of them", () => {
    expect([...PIPELINE.names]).toEqual(STAGES.filter((stage) => stage !== "validators"));
  });

  it("each stage that decides by itself has a test of its name", () => {
    const files = readdirSync(new URL("stages", import.meta.url));
    expect(PIPELINE.names.slice(0, -1).filter((name) => !files.includes(`${name}.test.ts`))).toEqual([]);
  });

  it("each stage leaves one step in the trace, by its name; the last one only where it denies: whether somebody is asked is known by then", () => {
    const x = examinationOf({ executor: "fs_read", args: { path: "/srv/a" } });
    PIPELINE.examine(x);
    expect(x.trace.map(({ stage }) => stage)).toEqual(PIPELINE.names.slice(0, -1));
  });
});

describe("the trace of a call", () => {
  it("has a step for each stage, also where the operator needn't be asked", () => {
    const { trace, outcome, stage } = decided({ executor: "time_now" });
    expect([outcome, stage]).toEqual(["allowed", "policy"]);
    expect(trace.map((step) => step.stage)).toEqual([...STAGES]);
    expect(trace.at(-1)).toEqual({ stage: "approval", outcome: "skipped", detail: "nobody has to be asked" });
  });

  it("ends with the question where the operator is asked, after guard and judge", () => {
    const { trace, outcome, stage } = decided({ executor: "fs_read", args: { path: "/srv/a" } });
    expect([outcome, stage]).toEqual(["approval_required", "approval"]);
    expect(trace.map((step) => step.stage)).toEqual([...STAGES]);
    expect(trace.filter((step) => step.outcome !== "passed").map((step) => [step.stage, step.outcome])).toEqual([
      ["policy", "ask"],
      ["flow", "not_configured"],
      ["rate", "not_configured"],
      ["validators", "not_configured"],
      ["approval", "ask"],
    ]);
  });
});
