import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExactNumber, scanJson } from "../../ipc/base/json-losses.ts";
import { decodeFrame } from "../../ipc/socket/frames.ts";
import { cpuMs } from "../support/measured.ts";

/** A JSON number as an exact fraction of two whole numbers, worked out digit by digit. */
function fraction(token: string): [bigint, bigint] {
  const [, sign = "", whole = "", digits = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const power = Number(exponent) - digits.length;
  const value = BigInt(whole + digits) * (sign === "-" ? -1n : 1n);
  return power >= 0 ? [value * 10n ** BigInt(power), 1n] : [value, 10n ** BigInt(-power)];
}

/** The rule in its plainest form: the same value after JSON.parse and JSON.stringify, and a zero has no sign. */
function survives(token: string): boolean {
  const value: number = JSON.parse(token);
  if (!Number.isFinite(value)) return false;
  const [a, b] = fraction(token);
  const [c, d] = fraction(JSON.stringify(value));
  return a * d === c * b && !(a === 0n && token.startsWith("-"));
}

const digit = fc.constantFrom(..."0123456789");
const digits = (min: number, max: number) => fc.string({ unit: digit, minLength: min, maxLength: max });
const whole = fc.oneof(
  fc.constant("0"),
  fc.tuple(fc.constantFrom(..."123456789"), digits(0, 24)).map(([first, more]) => first + more),
  fc.bigInt({ min: 2n ** 52n, max: 2n ** 55n }).map(String),
);
const token = fc
  .tuple(
    fc.constantFrom("", "", "-"),
    whole,
    fc.oneof(
      fc.constant(""),
      fc.oneof(digits(1, 25), fc.constantFrom("0", "50", "000")).map((more) => `.${more}`),
    ),
    fc.oneof(
      fc.constant(""),
      fc
        .tuple(fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.nat(400))
        .map(([e, sign, power]) => `${e}${sign}${power}`),
    ),
  )
  .map((parts) => parts.join(""));

describe("a number in JSON", () => {
  it("is taken exactly where its value is the same after it is read and written again", () => {
    let taken = 0;
    fc.assert(
      fc.property(token, (text) => {
        if (isExactNumber(text)) taken++;
        expect([text, isExactNumber(text)]).toEqual([text, survives(text)]);
      }),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(500);
    expect(taken).toBeLessThan(4500);
  });

  it("is taken however JSON.stringify writes a double", () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(isExactNumber(JSON.stringify(value))).toBe(true);
      }),
    );
  });

  it.each("1.0 1e3 1.50 -1 0 0.0 0e5 100000000000000000000 1e308 0.1 -0.5 9007199254740992".split(" "))(
    "%s is taken",
    (text) => {
      expect(decodeFrame(`{"data":{"id":"7","value":${text}}}`).ok).toBe(true);
    },
  );

  it.each("9007199254740993 1e400 -1e400 -0 -0.0 -0e7 1e-400 0.10000000000000000555 12345678901234567890".split(" "))(
    "%s is refused, wherever it is",
    (text) => {
      for (const value of [text, `[1,${text}]`, `{"a":[ ${text}\t]}`, `{"a":"\\\\","b":${text}}`])
        expect(decodeFrame(`{"data":{"id":"7","value":${value}}}`)).toMatchObject({
          ok: false,
          problem: "inexact_number",
        });
    },
  );

  it("is none within a text, however that is quoted", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', "\\", "-0", "1e400", ":", "a") }), (text) => {
        const frame = JSON.stringify({ [text]: text, list: [text] });
        expect(scanJson(frame)).toEqual({ members: 2, areNumbersExact: true });
      }),
    );
  });
});

describe("an object in JSON", () => {
  it("has each key once: twice is refused, however the key is spelt and whatever the first value was", () => {
    for (const twice of ['{"a":1,"a":1}', '{"a":{"b":[1]},"c":2,"\\u0061":3}', '[{"x":{"":0,"":{}}}]'])
      expect(decodeFrame(`{"data":{"id":"7","args":${twice}}}`)).toMatchObject({ ok: false, problem: "repeated_key" });
    expect(decodeFrame('{"data":{"a":{"a":1},"b":[{"a":1},{"a":1}],"A":"a:a"}}').ok).toBe(true);
  });

  it("is taken as JSON.stringify writes it, whatever is in it", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        expect(decodeFrame(JSON.stringify(value)).ok).toBe(true);
      }),
    );
  });
});

it("a whole frame is checked in linear time: numbers, long ones, backslashes, structure", () => {
  const million = 1_000_000;
  const texts = [
    `{"a":[${"-0.1234567890123456,".repeat(million / 20)}1]}`,
    `{"a":1${"0".repeat(million)}}`,
    `{"a":0.${"0".repeat(million)}1}`,
    `{"a":1.${"0".repeat(million)}1e5}`,
    `{"a":"${"\\\\".repeat(million / 2)}"}`,
    `{"a":"${'\\"'.repeat(million / 2)}"}`,
    `{"a":[${"[],".repeat(million / 3)}1]}`,
  ];
  for (const text of texts) {
    expect(cpuMs(() => scanJson(text))).toBeLessThan(1000);
  }
});
