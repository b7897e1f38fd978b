import { describe, expect, it } from "vitest";
import { StageChain } from "../../../main/decide/pipeline.ts";
import type { Denial } from "../../../main/decide/stages/examination.ts";

const NO: Denial = { stage: "scope", reason: "no", explain: { rule: "scope.outside-perimeter" } };

describe("a chain of stages", () => {
  it("gives each stage what those before it found", () => {
    const seen: unknown[] = [];
    const chain = StageChain.of<{ call: string }>()
      .find("validation", ({ call }) => ({ needs: [call] }))
      .check("scope", ({ needs }) => {
        seen.push(needs);
        return null;
      })
      .find("policy", ({ needs }) => ({ outcome: needs.length }));
    expect(chain.examine({ call: "a" })).toEqual({ x: { call: "a", needs: ["a"], outcome: 1 }, denial: null });
    expect(seen).toEqual([["a"]]);
    expect(chain.names).toEqual(["validation", "scope", "policy"]);
  });

  it("ends with the first denial, of a check or of what should be found; what was found before stays", () => {
    const reached: string[] = [];
    const start = StageChain.of<{ needs?: string[] }>().find("validation", () => ({ needs: ["a"] }));
    const noted = (name: string) => {
      reached.push(name);
      return null;
    };
    const x = {};
    expect(
      start
        .check("scope", () => NO)
        .check("policy", () => noted("policy"))
        .find("judge", () => ({ verdict: noted("judge") }))
        .examine(x),
    ).toEqual({ x: { needs: ["a"] }, denial: NO });
    expect(x).toEqual({});
    expect(
      start
        .find("policy", () => NO)
        .check("rate", () => noted("rate"))
        .examine({}),
    ).toEqual({ x: { needs: ["a"] }, denial: NO });
    expect(reached).toEqual([]);
  });

  it("reports each stage that was reached, and which one denied", () => {
    const reported: unknown[] = [];
    StageChain.of<object>((stage, isDenied) => reported.push([stage, isDenied]))
      .check("pairing", () => null)
      .check("scope", () => NO)
      .check("rate", () => null)
      .examine({});
    expect(reported).toEqual([
      ["pairing", false],
      ["scope", true],
    ]);
  });
});
