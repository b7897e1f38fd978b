import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { loadConfig } from "../../../main/config/config.ts";
import { Prices } from "../../../main/decide/costs/prices.ts";
import { ExecutorCatalog } from "../../../main/decide/executors/catalog.ts";
import { type ManifestSource, manifestSchema } from "../../../main/decide/executors/manifest.ts";
import { manifestOf } from "../../support/examinations.ts";
import { temporaryHome } from "../../support/temporary-home.ts";

function configOf(text: string) {
  return loadConfig(temporaryHome(text).paths.configFile, {});
}

/** What is said of a gate.toml that is refused, from the line's number on. */
function refusal(text: string): string {
  const { paths } = temporaryHome(text);
  try {
    loadConfig(paths.configFile, {});
  } catch (error) {
    return String((error as Error).message).replace(`${paths.configFile}, line `, "");
  }
  return "loaded";
}

const PRICED = (executor: string, price: string) => `[[prices]]\nexecutor = "${executor}"\n${price}\n`;

function priceOf(text: string, executor: string, args: Record<string, unknown> = {}, own: ManifestSource[] = []) {
  const catalog = new ExecutorCatalog(own.map((source) => manifestSchema.parse(source)));
  return new Prices(configOf(text)).priceOf({ intent: "", executor, args }, catalog.find(executor, "generic"));
}

describe("the price of a call", () => {
  it("is what the configuration says of each, in its currency", () => {
    expect(priceOf(`costs.currency = "EUR"\n${PRICED("http_get", "per_call = 0.25")}`, "http_get")).toEqual({
      amount: 0.25,
      currency: "EUR",
      is_estimated: false,
    });
    expect(priceOf(PRICED("http_get", "per_call = 0.25"), "http_post")).toBeNull();
    expect(priceOf("", "http_get")).toBeNull();
  });

  it("of tokens is estimated: a token for 3.5 bytes of the arguments' JSON, and those of the answer", () => {
    const text = PRICED("llm_online", "per_million_tokens = 1_000_000\nanswer_tokens = 7");
    expect(priceOf(text, "llm_online", { a: "x".repeat(62) })).toEqual({
      amount: 27,
      currency: "USD",
      is_estimated: true,
    });
    expect(priceOf(text, "llm_online", { a: "書".repeat(21) })?.amount).toBe(28);
    expect(priceOf(PRICED("llm_online", "per_million_tokens = 1_000_000"), "llm_online")?.amount).toBe(1001);
  });

  it("is that of the manifest where the configuration has none, and the configuration's wins, also where that is free", () => {
    const own = [manifestOf({ name: "paid", price: { per_call: 2 } })];
    expect(priceOf("", "paid", {}, own)?.amount).toBe(2);
    expect(priceOf(PRICED("paid", "per_call = 0.5"), "paid", {}, own)?.amount).toBe(0.5);
    expect(priceOf(PRICED("paid", "per_call = 0"), "paid", {}, own)).toBeNull();
    expect(priceOf(PRICED("paid", "per_call = -0.0"), "paid", {}, own)).toBeNull();
  });

  it("of several names of a tool the dearest price counts, by whichever it is called", () => {
    const own = [manifestOf({ name: "paid", aliases: ["mcp__paid__cheap", "mcp__paid__dear"] })];
    const text = PRICED("mcp__paid__cheap", "per_call = 0.01") + PRICED("mcp__paid__dear", "per_call = 3");
    for (const name of ["paid", "mcp__paid__cheap", "mcp__paid__dear"])
      expect(priceOf(text, name, {}, own)?.amount).toBe(3);
  });

  it("of a tool that nothing describes is that of its name, as it is written: other letters are another tool, asked about as code", () => {
    const text = PRICED("mcp__github__search", "per_call = 1") + PRICED("__proto__", "per_call = 2");
    expect(priceOf(text, "mcp__github__search")?.amount).toBe(1);
    expect(priceOf(text, "MCP__github__search")).toBeNull();
    expect(priceOf(text, "__proto__")?.amount).toBe(2);
    expect(priceOf(text, "constructor")).toBeNull();
  });
});

test("is never negative or endless, whatever is sent", () => {
  const prices = new Prices(
    configOf(PRICED("llm_online", "per_million_tokens = 1_000_000\nanswer_tokens = 10_000_000")),
  );
  const executor = new ExecutorCatalog().find("llm_online", "generic");
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
      const { amount = 0 } = prices.priceOf({ intent: "", executor: "llm_online", args }, executor) ?? {};
      expect(Number.isFinite(amount) && amount > 0).toBe(true);
    }),
  );
});

test("asks above the threshold of the level, not at it", () => {
  const prices = new Prices(configOf("[costs.ask_above]\nFull = 0.3\n"));
  const at = (amount: number) =>
    (["ReadOnly", "Supervised", "Full"] as const).map((level) =>
      prices.asksFor({ amount, currency: "USD", is_estimated: false }, level),
    );
  expect([at(0.3), at(0.05), at(0.31)]).toEqual([
    [true, true, false],
    [true, false, false],
    [true, true, true],
  ]);
});

test.each([
  ["per_call = nan", "3: prices.0.per_call: expected a number, without quotes"],
  ["per_call = inf", "3: prices.0.per_call: expected a number, without quotes"],
  ["per_call = -1", "3: prices.0.per_call: expected at least 0"],
  ["per_call = 1e300", "3: prices.0.per_call: expected at most 1000000"],
  ["per_call = 99999999999999999999", "3 (per_call): not valid TOML"],
  ['per_call = "1"', "3: prices.0.per_call: expected a number, without quotes"],
  [
    "per_call = 1\nper_million_tokens = 2",
    "3: prices.0.per_call: expected per_call or per_million_tokens, one of them",
  ],
  ["answer_tokens = 5", "1: prices.0.per_call: expected per_call or per_million_tokens, one of them"],
  ["per_call = 1\nper_calls = 1", "4: prices.0.per_calls: there is no such key; did you mean per_call?"],
  [`per_call = 1\n${PRICED("x", "per_call = 2")}`, "5: prices.1.executor: it has a price already: leave one"],
])("a price that can't be one is refused with its line: %s", (price, expected) => {
  expect(refusal(PRICED("x", price))).toBe(expected);
});

test("a manifest's price is checked in the same way", () => {
  expect(manifestSchema.safeParse(manifestOf({ price: { per_call: Number.NaN } })).success).toBe(false);
  expect(manifestSchema.safeParse(manifestOf({ price: {} })).success).toBe(false);
  expect(manifestSchema.safeParse(manifestOf({ price: { per_call: 1, per_million_tokens: 1 } })).success).toBe(false);
});
