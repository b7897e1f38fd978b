import { once } from "node:events";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineFilter, type LineFilterOptions, LineSplitter } from "../../../cli/proxy/line-filter.ts";
import { LineOutput } from "../../../cli/proxy/line-output.ts";
import { startProgram } from "../../../cli/proxy/program.ts";

const MAX = 16;

function passage(options: Partial<LineFilterOptions> = {}) {
  const from = new PassThrough();
  const to = new PassThrough();
  const outlet = new LineOutput(to);
  const { ended } = new LineFilter({
    from,
    to: outlet,
    maxBytes: MAX,
    beyond: "pass",
    look: (line) => line,
    ...options,
  });
  const isEnded = ended.then(() => outlet.end());
  return { from, to, outlet, isEnded };
}

const bytes = fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all.map((one) => (one % 5 === 0 ? 10 : one))));

describe("a passage of lines", () => {
  it("gives the same bytes, however they come: what is looked at is lines, and a line beyond the limit is passed or dropped whole", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes), fc.boolean(), async (chunks, isPassed) => {
        const seen: Buffer[] = [];
        const look = (line: Buffer) => {
          seen.push(Buffer.from(line));
          return line;
        };
        const { from, to } = passage({ look, beyond: isPassed ? "pass" : "drop" });
        const arrived = buffer(to);
        for (const chunk of chunks) from.write(chunk);
        from.end();
        const lines = Buffer.concat(chunks)
          .toString("latin1")
          .split(/(?<=\n)/);
        const short = lines.filter((line) => line !== "" && line.length <= MAX);
        expect((await arrived).toString("latin1")).toBe((isPassed ? lines : short).join(""));
        expect(seen.map((line) => line.toString("latin1"))).toEqual(short);
      }),
      { numRuns: 200 },
    );
  });

  it("puts a line of ours between lines, never inside one that comes in parts", async () => {
    const { from, to, outlet } = passage();
    const arrived = buffer(to);
    from.write("a line that is longer than the limit");
    await turn();
    outlet.send("ours\n");
    from.end(" and ends\nnext\n");
    expect(String(await arrived)).toBe("a line that is longer than the limit and ends\nours\nnext\n");
  });

  it("keeps no more than the limit of a line", () => {
    const lines = new LineSplitter(MAX);
    const parts = Array.from({ length: 100 }, () => lines.push(Buffer.from("0123456789"))).flat();
    expect(parts.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(1000);
    expect(parts.map(({ kind }) => kind)).not.toContain("line");
  });

  it("reads no further while nobody takes what it passes on", async () => {
    const from = new PassThrough();
    const to = new PassThrough({ highWaterMark: 10 });
    new LineFilter({ from, to: new LineOutput(to), maxBytes: MAX, beyond: "pass", look: (line) => line });
    from.write("one line\n");
    from.write("two lines\n");
    await turn();
    expect(from.isPaused()).toBe(true);
    to.resume();
    await turn();
    expect(from.isPaused()).toBe(false);
  });
});

describe("the program behind a proxy", () => {
  const start = (script: string, graceMs = 100) =>
    startProgram([process.execPath, "-e", script], { env: process.env, graceMs });

  it("gives its output whole, and its exit code", async () => {
    const { stdout, ended } = start("process.stdout.write('x'.repeat(300000)); process.exitCode = 7");
    const [output, code] = await Promise.all([buffer(stdout), ended]);
    expect([output.length, code]).toEqual([300_000, 7]);
  });

  it("is ended where its input has ended and it continues", async () => {
    const { stdout, ended, close } = start(
      "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000); console.log(1)",
    );
    await once(stdout, "data");
    close();
    expect(await ended).toBe(137);
  });

  it("that isn't there is exit code 127", async () => {
    const { ended, stdin } = startProgram(["/nonexistent/program"], { env: {}, graceMs: 1 });
    stdin.write("into nothing");
    expect(await ended).toBe(127);
  });
});
