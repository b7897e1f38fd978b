import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { type Figure, figure, quantile } from "./figure.ts";

/** `metnos-gate mcp` in front of a server that gives back what it gets: against that server alone, in one run. */

const PROXY = new URL("../dist/mcp/mcp.cjs", import.meta.url).pathname;
const SERVER = ["/bin/cat"];
const MESSAGES = 100_000;
const ROUND_TRIPS = 3000;
/** Of the time that the proxy adds to a message. */
const MAX_P99_MS = 1;

export async function mcp(): Promise<Figure[]> {
  const messages = replayed();
  const through = await replay([process.execPath, PROXY, "--name", "bench", "--", ...SERVER], messages);
  const alone = await replay(SERVER, messages);
  const [direct, proxied] = await roundTrips();
  const beyond = (q: number) => Math.max(0, quantile(proxied, q) - quantile(direct, q)) / 2;
  const us = (values: readonly number[], q: number) => `${(quantile(values, q) * 1000).toFixed(0)} us`;
  return [
    figure(
      "messages of 100,000 that differ",
      through.isIdentical ? 0 : 1,
      "",
      0,
      `${(messages.length / 1e6).toFixed(0)} MB there and back`,
    ),
    figure(
      "p99 that the proxy adds to a message",
      beyond(0.99),
      "ms",
      MAX_P99_MS,
      `round trip ${us(proxied, 0.99)} against ${us(direct, 0.99)}`,
    ),
    figure(
      "median that it adds to a message",
      beyond(0.5),
      "ms",
      null,
      `round trip ${us(proxied, 0.5)} against ${us(direct, 0.5)}`,
    ),
    figure(
      "a message, when there are many",
      (through.ms / MESSAGES) * 1000,
      "us",
      null,
      `${through.ms.toFixed(0)} ms against ${alone.ms.toFixed(0)} ms for all`,
    ),
  ];
}

/** What passes of a long session: of all sizes, with what JSON can be written as, and none that is asked about. */
function replayed(): Buffer {
  const lines: string[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    const id = n % 3 === 0 ? `"${n}"` : `${n}`;
    const text = "é\\u001b[31m\\u202e \\\\ ".repeat(n % 1000 === 0 ? 5000 : n % 40);
    const kind = n % 4;
    if (kind === 0)
      lines.push(`{"jsonrpc":"2.0","id":${id},"method":"resources/read","params":{"uri":"file:///${text}"}}\n`);
    else if (kind === 1)
      lines.push(`{ "id" :${id}, "result":{"content":[{"type":"text","text":"${text}","n":1.50e3}]}}\r\n`);
    else if (kind === 2)
      lines.push(`{"method":"notifications/progress","params":{"progress":${n},"message":"${text}"}}\n`);
    else lines.push(`[{"jsonrpc":"2.0","id":${id},"method":"ping"},{"x":"${text}"}]\n`);
  }
  return Buffer.from(lines.join(""));
}

async function replay(words: readonly string[], messages: Buffer): Promise<{ isIdentical: boolean; ms: number }> {
  const child = start(words);
  const hash = createHash("sha256");
  child.stdout?.on("data", (chunk: Buffer) => hash.update(chunk));
  // Its start is not part of it.
  await echoed(child, '{"method":"first"}\n');
  const started = performance.now();
  child.stdin?.end(messages);
  await new Promise((resolve) => child.once("close", resolve));
  const ms = performance.now() - started;
  const wanted = createHash("sha256").update('{"method":"first"}\n').update(messages).digest("hex");
  return { isIdentical: hash.digest("hex") === wanted, ms };
}

/** In milliseconds each: of the server alone, and behind the proxy. In turns, so that both have the same machine. */
async function roundTrips(): Promise<[number[], number[]]> {
  const direct = start(SERVER);
  const proxied = start([process.execPath, PROXY, "--name", "bench", "--", ...SERVER]);
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < ROUND_TRIPS + 200; n++) {
    const line = `{"jsonrpc":"2.0","id":${n},"method":"resources/read","params":{"uri":"file:///${"x".repeat(n % 2000)}"}}\n`;
    for (const [index, child] of [direct, proxied].entries()) {
      const started = performance.now();
      await echoed(child, line);
      // The first ones compile it.
      if (n >= 200) times[index]?.push(performance.now() - started);
    }
  }
  for (const child of [direct, proxied]) {
    child.stdin?.end();
    await new Promise((resolve) => child.once("close", resolve));
  }
  return times;
}

function echoed(child: ChildProcess, line: string): Promise<void> {
  return new Promise((resolve) => {
    let left = Buffer.byteLength(line);
    const onData = (chunk: Buffer) => {
      left -= chunk.length;
      if (left > 0) return;
      child.stdout?.off("data", onData);
      resolve();
    };
    child.stdout?.on("data", onData);
    child.stdin?.write(line);
  });
}

function start([program = "", ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
}
