import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { LineClient } from "../../bench/line-client.ts";
import type { PairedAgent } from "./agents.ts";

/** A separate process that only measures: a call to the gate, the same line to a bare echo, at a low rate. */

export interface ProbeSettings {
  agent: PairedAgent;
  agent_socket: string;
  echoSocket: string;
  callsPerSecond: number;
}

export interface ProbeReport {
  gate_ms: number[];
  echo_ms: number[];
}

const REPORT_MS = 500;

process.once("message", (settings: ProbeSettings) => {
  measure(settings).catch((error: unknown) => {
    process.send?.({ failure: String(error) });
    process.disconnect();
  });
});

async function measure({ agent, agent_socket, echoSocket, callsPerSecond }: ProbeSettings): Promise<void> {
  const gate = await LineClient.connect(agent_socket);
  const echo = await LineClient.connect(echoSocket);
  const hello = { id: "hello", protocol: 1, agent: { name: agent.name }, token: agent.token };
  const greeted = await gate.ask({ type: "hello", data: hello });
  if (greeted.type !== "hello.ok") throw new Error(`the gate answered ${greeted.type}`);
  let report: ProbeReport = { gate_ms: [], echo_ms: [] };
  let reportedAt = performance.now();
  process.once("disconnect", () => process.exit());
  for (let number = 0; ; number++) {
    const call = { type: "tool.call", data: { id: `m${number}`, intent: "", executor: "time_now", args: {} } };
    report.gate_ms.push(await timed(gate, call, "tool.decision"));
    report.echo_ms.push(await timed(echo, call, "tool.call"));
    if (performance.now() - reportedAt > REPORT_MS) {
      process.send?.(report);
      report = { gate_ms: [], echo_ms: [] };
      reportedAt = performance.now();
    }
    await sleep(1000 / callsPerSecond);
  }
}

async function timed(client: LineClient, message: object, expected: string): Promise<number> {
  const began = performance.now();
  const { type } = await client.ask(message);
  const ms = performance.now() - began;
  if (type !== expected) throw new Error(`the answer was ${type}`);
  return ms;
}
