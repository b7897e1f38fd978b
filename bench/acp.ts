import { createHash, type Hash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { PassThrough } from "node:stream";
import type { AcpGate } from "../cli/acp/gate.ts";
import { AcpProxy } from "../cli/acp/proxy.ts";
import { LineFilter } from "../cli/proxy/line-filter.ts";
import { LineOutput } from "../cli/proxy/line-output.ts";
import { type Figure, figure } from "./figure.ts";

/** The proxy between an editor and its agent: each message that it passes on, and whether it is the same byte for byte. */

const MESSAGES = 100_000;
const MAX_P99_MS = 1;

export async function acp(): Promise<Figure[]> {
  const agent = new PassThrough();
  const editor = new PassThrough();
  const toEditor = new LineOutput(editor);
  const toAgent = new LineOutput(new PassThrough().resume());
  const proxy = new AcpProxy({
    gate: NO_GATE,
    askIn: "gate",
    isStrict: false,
    editor: toEditor,
    agent: toAgent,
    say: (text) => {
      throw new Error(text);
    },
  });
  const times = new Float64Array(MESSAGES);
  let count = 0;
  const look = (line: Buffer) => {
    const started = performance.now();
    const passed = proxy.fromAgent(line);
    times[count++] = performance.now() - started;
    return passed;
  };
  const { ended } = new LineFilter({ from: agent, to: toEditor, maxBytes: 64 * 1024 * 1024, beyond: "drop", look });
  const [sent, received] = [createHash("sha256"), createHash("sha256")];
  editor.on("data", (chunk: Buffer) => received.update(chunk));
  const started = performance.now();
  await send(agent, sent);
  await ended;
  toEditor.end();
  await new Promise((resolve) => editor.once("end", resolve));
  const ms = performance.now() - started;
  const isSame = sent.digest("hex") === received.digest("hex");
  const p99 = times.sort()[Math.floor(MESSAGES * 0.99)] ?? 0;
  return [
    figure("acp: p99 of a message", p99, "ms", MAX_P99_MS, `${MESSAGES} messages in ${ms.toFixed(0)} ms`),
    figure(
      "acp: replay that isn't the same",
      isSame && count === MESSAGES ? 0 : 1,
      "times",
      0,
      "byte for byte, by SHA-256",
    ),
  ];
}

/** Lines as agents write them, cut where pipes cut them. */
async function send(agent: PassThrough, sent: Hash): Promise<void> {
  let text = "";
  for (let index = 0; index < MESSAGES; index++) {
    text += line(index);
    if (text.length < 65_536 && index < MESSAGES - 1) continue;
    const bytes = Buffer.from(text);
    text = "";
    sent.update(bytes);
    if (!agent.write(bytes)) await new Promise((resolve) => agent.once("drain", resolve));
  }
  agent.end();
}

function line(index: number): string {
  const update = (fields: object) =>
    `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update: fields } })}\n`;
  const toolCallId = `call-${index - (index % 10)}`;
  switch (index % 10) {
    case 0:
      return update({
        sessionUpdate: "tool_call",
        toolCallId,
        title: "read",
        kind: "read",
        status: "pending",
        rawInput: {},
      });
    case 1:
      return update({
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: "in_progress",
        rawInput: { path: `/srv/${index}` },
      });
    case 2:
      return update({
        sessionUpdate: "tool_call_update",
        toolCallId,
        content: [{ type: "content", content: { type: "text", text: "x".repeat(4000) } }],
      });
    case 3:
      return ` {"jsonrpc" : "2.0","id":${index},"result":{"stopReason":"end_turn","_meta":{"cost":1.50}}}  \r\n`;
    case 4:
      return update({ sessionUpdate: "_kind_of_tomorrow", anything: [index, null, "è \u{1f600}"] });
    case 5:
      return `{"jsonrpc":"2.0","method":"_vendor\\/note","params":{"n":${index}}}\n`;
    default:
      return update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `word ${index} ` } });
  }
}

const NO_GATE: AcpGate = {
  call: () => Promise.reject(new Error("nothing is asked")),
  plan: () => Promise.resolve([]),
  level: () => Promise.resolve("Supervised"),
  ran: () => undefined,
  prompted: () => undefined,
  ended: () => undefined,
};
