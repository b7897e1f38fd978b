import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  decodeFrame,
  encodeFrame,
  FREE_UNFINISHED,
  type Frame,
  FrameReader,
  MAX_DEPTH,
  MAX_FRAME_BYTES,
  UnfinishedBudget,
} from "../../ipc/socket/frames.ts";
import { cpuMs } from "../support/measured.ts";

afterEach(() => {
  vi.useRealTimers();
});

const line = fc.oneof(
  fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 4 })).map(([type, data]) => encodeFrame(type, data).slice(0, -1)),
  fc.constantFrom("not json", "[1,2]", "null", '"text"', '{"type":"ping"', "{}", '{"data":{"ü":"€𝄞"}}'),
);

/** Cuts `text` at the given shares of its length. */
function cut(text: string, shares: readonly number[]): string[] {
  const paths = shares.map((share) => Math.floor(share * text.length)).sort((a, b) => a - b);
  return [...paths, text.length].map((end, index) => text.slice(paths[index - 1] ?? 0, end));
}

function problemOf(text: string): string | undefined {
  const frame = decodeFrame(text);
  return frame.ok ? undefined : frame.problem;
}

describe("a stream of lines", () => {
  it("gives the same frames however it is cut", () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), shares, (lines, at) => {
        const reader = new FrameReader();
        const text = lines.map((content) => `${content}\n`).join("");
        const frames = cut(text, at).flatMap((piece) => reader.push(piece));
        expect(frames).toEqual(lines.map((content) => decodeFrame(content)));
      }),
      { numRuns: 300 },
    );
  });

  it("never holds a line break inside a frame", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (type, data) => {
        const text = encodeFrame(type, data);
        expect(text.indexOf("\n")).toBe(text.length - 1);
      }),
    );
  });

  it("is read in linear time when 1 MiB comes a character at a time", () => {
    const text = encodeFrame("ping", { filler: "x".repeat(MAX_FRAME_BYTES - 100) });
    const reader = new FrameReader();
    const frames: Frame[] = [];
    const ms = cpuMs(() => {
      for (const character of text) frames.push(...reader.push(character));
    });
    expect(frames).toMatchObject([{ ok: true, message: { type: "ping" } }]);
    expect(ms).toBeLessThan(3000);
  });

  it("may hold empty lines and carriage returns, which say nothing", () => {
    expect(new FrameReader().push('\n\r\n  \n{"type":"ping"}\r\n')).toEqual([{ ok: true, message: { type: "ping" } }]);
  });
});

describe("a frame", () => {
  const around = (bytes: number, unit: string) => {
    const shell = JSON.stringify({ type: "ping", data: "" });
    return JSON.stringify({ type: "ping", data: unit.repeat((bytes - shell.length) / Buffer.byteLength(unit)) });
  };

  it("may have 1 MiB and not a byte more", () => {
    const largest = around(MAX_FRAME_BYTES, "x");
    expect(Buffer.byteLength(largest)).toBe(MAX_FRAME_BYTES);
    expect(problemOf(largest)).toBeUndefined();
    expect(problemOf(around(MAX_FRAME_BYTES + 1, "x"))).toBe("frame_too_large");
  });

  it("is measured in bytes, not in characters", () => {
    const text = around(MAX_FRAME_BYTES + 100, "€");
    expect(text.length).toBeLessThan(MAX_FRAME_BYTES / 2);
    expect(problemOf(text)).toBe("frame_too_large");
  });

  it("that is too large is refused before it has ended, and the next one is read", () => {
    const reader = new FrameReader();
    expect(reader.push(`{"type":"${"x".repeat(MAX_FRAME_BYTES)}`)).toEqual([{ ok: false, problem: "frame_too_large" }]);
    expect(reader.push("x".repeat(MAX_FRAME_BYTES))).toEqual([]);
    expect(reader.push('"}\n{"type":"ping"}\n')).toEqual([{ ok: true, message: { type: "ping" } }]);
  });

  it.each([
    ["{", "not_json"],
    ["hello", "not_json"],
    ["[]", "not_an_object"],
    ["null", "not_an_object"],
    ["12", "not_an_object"],
  ])("%s is refused as %s", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it(`is refused when it is nested deeper than ${MAX_DEPTH}, however deep`, () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(problemOf(nested(MAX_DEPTH))).toBeUndefined();
    expect(problemOf(nested(MAX_DEPTH + 1))).toBe("too_deep");
    expect(problemOf(nested(500_000))).toMatch(/too_deep|not_json/);
  });

  it("is refused when a key is __proto__, wherever it is", () => {
    expect(problemOf('{"__proto__":{}}')).toBe("too_deep");
    expect(problemOf('{"data":{"args":[{"a":{"__proto__":1}}]}}')).toBe("too_deep");
    expect(problemOf('{"data":{"__proto":1,"text":"__proto__"}}')).toBeUndefined();
  });
});

describe("a frame that is begun and not ended", () => {
  it("is given up after the timeout, once, and what comes of it later is dropped", () => {
    vi.useFakeTimers();
    const unfinished = vi.fn();
    const reader = new FrameReader(unfinished, 1000);
    reader.push('{"type":');
    vi.advanceTimersByTime(999);
    reader.push('"pi');
    expect(unfinished).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(unfinished).toHaveBeenCalledOnce();
    expect(reader.push('ng"}\n{"type":"pong"}\n')).toEqual([{ ok: true, message: { type: "pong" } }]);
    vi.advanceTimersByTime(5000);
    expect(unfinished).toHaveBeenCalledOnce();
  });

  it("has its own time: a busy stream whose reads always end inside a frame is never given up", () => {
    vi.useFakeTimers();
    const unfinished = vi.fn();
    const reader = new FrameReader(unfinished, 1000);
    const frames: Frame[] = reader.push('{"type":');
    for (let read = 0; read < 10; read++) {
      vi.advanceTimersByTime(500);
      frames.push(...reader.push('"ping"}\n{"type":'));
    }
    expect(unfinished).not.toHaveBeenCalled();
    expect(frames).toHaveLength(10);
  });

  it("has no time left running once the reader is closed", () => {
    vi.useFakeTimers();
    const unfinished = vi.fn();
    const reader = new FrameReader(unfinished, 1000);
    reader.push("{");
    reader.close();
    vi.advanceTimersByTime(5000);
    expect(unfinished).not.toHaveBeenCalled();
  });
});

describe("what all connections have begun and not ended", () => {
  const reader = (budget: UnfinishedBudget) => new FrameReader(undefined, undefined, undefined, budget);

  it("is bounded together: a line beyond it is refused, short ones never, and an ended one makes room", () => {
    const budget = new UnfinishedBudget(3 * FREE_UNFINISHED);
    const long = "x".repeat(3 * FREE_UNFINISHED);
    const [first, second, third] = [reader(budget), reader(budget), reader(budget)];
    expect(first.push(long)).toEqual([]);
    expect(second.push(long)).toEqual([{ ok: false, problem: "frame_too_large" }]);
    expect(third.push("x".repeat(FREE_UNFINISHED))).toEqual([]);
    expect(third.push("\n")).toEqual([{ ok: false, problem: "not_json" }]);
    expect(first.push("\n")).toEqual([{ ok: false, problem: "not_json" }]);
    expect(budget.used).toBe(0);
    expect(third.push(long)).toEqual([]);
    third.close();
    expect(budget.used).toBe(0);
  });
});
