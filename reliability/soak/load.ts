import { setInterval } from "node:timers/promises";
import { type LoadCounts, type PairedAgent, SoakAgent } from "./agents.ts";
import { answerRequests, changeGrants, lookAtPage, watch } from "./operator.ts";

/** A separate process: agents that call, an operator who answers, open surfaces. */

export interface LoadSettings {
  agents: PairedAgent[];
  agent_socket: string;
  operator_socket: string;
  operatorToken: string;
  /** A file that a grant lets every agent read. */
  readable: string;
  /** Of all agents together. */
  callsPerSecond: number;
  /** No call is sent while so many have no answer: a slow machine then gets fewer. Left out: whatever the gate takes. */
  mostUnanswered?: number | undefined;
}

const TICK_MS = 20;
const REPORT_MS = 500;
const RESTART_EVERY_MS = 2000;

process.once("message", (settings: LoadSettings) => {
  const counts: LoadCounts = {
    sent: 0,
    answered: 0,
    unanswered: 0,
    withdrawn: 0,
    operatorAnswers: 0,
    grantsChanged: 0,
    restarts: 0,
    failures: [],
  };
  process.once("disconnect", () => process.exit());
  const failed = (what: string) => (error: unknown) => {
    counts.failures.push(`${what}: ${String(error)}`);
  };
  answerRequests(settings, counts).catch(failed("answering"));
  changeGrants(settings, counts).catch(failed("grants"));
  watch(settings).catch(failed("watching"));
  for (let page = 0; page < 2; page++) lookAtPage(settings).catch(failed("the page"));
  drive(settings, counts).catch(failed("calling"));
});

async function drive({ agents: paired, agent_socket, ...settings }: LoadSettings, counts: LoadCounts): Promise<void> {
  const agents = paired.map((agent) => new SoakAgent(agent, agent_socket, counts));
  await Promise.all(agents.map((agent) => agent.connect()));
  const any = () => agents[Math.floor(Math.random() * agents.length)];
  const unanswered = () => agents.reduce((sum, agent) => sum + agent.unanswered, 0);
  const { callsPerSecond, mostUnanswered = Number.POSITIVE_INFINITY } = settings;
  const began = performance.now();
  let due = 0;
  let restartedAt = began;
  let reportedAt = began;
  for await (const _ of setInterval(TICK_MS)) {
    const now = performance.now();
    for (const end = ((now - began) / 1000) * callsPerSecond; due < end; due++)
      if (unanswered() < mostUnanswered) sendOne(any(), settings);
    if (now - restartedAt > RESTART_EVERY_MS) {
      restartedAt = now;
      counts.restarts++;
      any()
        ?.restart()
        .catch((error: unknown) => counts.failures.push(`coming back: ${String(error)}`));
    }
    if (now - reportedAt > REPORT_MS) {
      reportedAt = now;
      counts.unanswered = unanswered();
      process.send?.(counts);
      counts.failures = [];
    }
  }
}

function sendOne(agent: SoakAgent | undefined, { readable }: Pick<LoadSettings, "readable">): void {
  const luck = Math.random();
  if (luck < 0.55) agent?.call("fs_read", { path: readable }, "allowed");
  else if (luck < 0.78) agent?.call("time_now", {}, "allowed");
  else if (luck < 0.88) agent?.call("shell_exec", { command: "rm -rf /" }, "denied");
  else if (luck < 0.94) agent?.plan([TIME, { executor: "fs_read", args: { path: readable } }, TIME]);
  else agent?.call("fs_write", { path: `/srv/asked/${Math.random()}.txt`, content: "hello" }, "asked");
}

const TIME = { executor: "time_now", args: {} };
