import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible } from "../../ipc/base/visible-text.ts";
import { LANGUAGES } from "../../ipc/contract/language.ts";
import { repeatedText } from "../../ipc/words/call-words.ts";
import { amountText, priceText } from "../../ipc/words/price-words.ts";

describe("a price in words", () => {
  it.each([
    [0, "0.00 USD", "0,00 USD"],
    [0.17, "0.17 USD", "0,17 USD"],
    [0.0042, "0.0042 USD", "0,0042 USD"],
    [1e-9, "less than 0.0001 USD", "meno di 0,0001 USD"],
    [12_345.678, "12,345.68 USD", "12.345,68 USD"],
    [1e308, "1E308 USD", "1E308 USD"],
    [Number.POSITIVE_INFINITY, "? USD", "? USD"],
  ])("%d has the digits that count", (amount, en, it) => {
    expect(amountText(amount, "USD", "en")).toBe(en);
    expect(amountText(amount, "USD", "it")).toBe(it);
  });

  it("an estimate says that it is one", () => {
    const price = { amount: 0.17, currency: "USD", is_estimated: true };
    expect(priceText(price, "en")).toBe("about 0.17 USD");
    expect(priceText(price, "it")).toBe("circa 0,17 USD");
    expect(priceText({ ...price, is_estimated: false }, "en")).toBe("0.17 USD");
    expect(priceText({ ...price, amount: 1e-9 }, "en")).toBe("less than 0.0001 USD");
  });

  it("it is short and hides nothing, whatever the amount and the currency's name", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, noNaN: false }),
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.constantFrom(...LANGUAGES),
        (amount, currency, language) => {
          const text = amountText(amount, currency, language);
          expect(visible(text)).toBe(text);
          expect(text.length).toBeLessThan(45 + visible(currency).length);
        },
      ),
    );
  });
});

it.each([
  [60, "The same call 40 times in a minute", "La stessa chiamata 40 volte in un minuto"],
  [120, "The same call 40 times in 2 minutes", "La stessa chiamata 40 volte in 2 minuti"],
  [1, "The same call 40 times in a second", "La stessa chiamata 40 volte in un secondo"],
  [10, "The same call 40 times in 10 seconds", "La stessa chiamata 40 volte in 10 secondi"],
])("how often the same call was made within %d s", (seconds, en, it) => {
  expect(repeatedText({ count: 40, seconds }, "en")).toBe(en);
  expect(repeatedText({ count: 40, seconds }, "it")).toBe(it);
});
