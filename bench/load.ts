import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { agentTokenFile } from "../ipc/base/paths.ts";
import { OperatorClient } from "../ipc/socket/operator-client.ts";
import type { Crowd, Member } from "./crowd.ts";
import { type Figure, figure, quantile } from "./figure.ts";
import { type BenchHome, benchHome, type GateProcess, startGate } from "./gate-process.ts";
import { LineClient, startEcho } from "./line-client.ts";
import { greeted } from "./round-trip.ts";

/** How long another agent's call takes, and how much memory the gate, while crowds do what they may. */

const CROWD = new URL("./crowd.ts", import.meta.url).pathname;
/** As many agents as it takes for 10,000 calls to wait: an agent may have 200. */
const MEMBERS = 50;
const NAMES = 10_000;

/** Milliseconds. */
const MAX_P99 = 50;
const MAX_LONGEST = 250;
const MAX_PAUSE = 100;

class CrowdProcess {
  readonly #child: ChildProcess;

  constructor(socket: string) {
    this.#child = spawn(process.execPath, [CROWD, socket], { stdio: ["pipe", "pipe", "inherit"] });
  }

  /** Resolves once this crowd is connected. */
  add(crowd: Crowd): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = () => reject(new Error("the crowd ended"));
      this.#child.once("exit", failed);
      this.#child.stdout?.once("data", () => {
        this.#child.off("exit", failed);
        resolve();
      });
      this.#child.stdin?.write(`${JSON.stringify(crowd)}\n`);
    });
  }

  leave(): void {
    this.#child.kill("SIGKILL");
  }
}

const TIME_CALL = { type: "tool.call", data: { id: "t", intent: "what time is it", executor: "time_now", args: {} } };

/** What calls take in milliseconds, and what a bare echo takes in the same moments: that is the machine's part. */
interface Times {
  gate: number[];
  echo: number[];
}

/** One call every two milliseconds, while `during` lasts. */
async function timed(client: LineClient, during: Promise<unknown>): Promise<Times> {
  const path = join(mkdtempSync(join(tmpdir(), "metnos-echo-")), "echo.sock");
  const echo = await startEcho(path);
  const toEcho = await LineClient.connect(path);
  let isOver = false;
  const stop = () => {
    isOver = true;
  };
  during.then(stop, stop);
  const repeat = async (to: LineClient) => {
    const times: number[] = [];
    while (!isOver) {
      const began = performance.now();
      await to.ask(TIME_CALL);
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return times;
  };
  const [times, echoTimes] = await Promise.all([repeat(client), repeat(toEcho)]);
  toEcho.close();
  echo.kill();
  rmSync(dirname(path), { recursive: true, force: true });
  await during;
  return { gate: times, echo: echoTimes };
}

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));

function latencies(what: string, { gate, echo }: Times, p99 = MAX_P99): Figure[] {
  const median = `of ${gate.length} calls, median ${quantile(gate, 0.5).toFixed(1)} ms`;
  return [
    figure(
      `${what}: a call, p99`,
      quantile(gate, 0.99),
      "ms",
      p99,
      `${median}; an echo ${quantile(echo, 0.99).toFixed(0)} ms`,
    ),
    figure(`${what}: longest`, Math.max(...gate), "ms", MAX_LONGEST, `an echo ${Math.max(...echo).toFixed(0)} ms`),
  ];
}

/** The most that the gate's memory was while something lasts, in MiB. */
async function peak<T>(gate: GateProcess, during: Promise<T>): Promise<{ most: number; result: T }> {
  let most = gate.residentMib();
  const timer = setInterval(() => {
    most = Math.max(most, gate.residentMib());
  }, 50);
  try {
    return { result: await during, most };
  } finally {
    clearInterval(timer);
  }
}

/** No token is needed to send pings, or to send nothing. */
async function strangers(): Promise<Figure[]> {
  const home = benchHome([]);
  const gate = await startGate(home, [], { nodeFlags: ["--max-old-space-size=512"] });
  const crowd = new CrowdProcess(home.paths.agent_socket);
  try {
    const client = await greeted(home.paths.agent_socket, home.token);
    await timed(client, seconds(1));
    const pings = crowd.add({ kind: "pings", connections: 1200 });
    const { most, result } = await peak(gate, timed(client, Promise.all([pings, seconds(5)])));
    await crowd.add({ kind: "silent", connections: 2100 });
    const began = performance.now();
    const late = await greeted(home.paths.agent_socket, home.token);
    const greetingMs = performance.now() - began;
    for (const one of [client, late]) one.close();
    return [
      figure("1,200 that ping unread: resident", most, "MiB", 250, "the most, with a heap of 512 MiB"),
      ...latencies("1,200 that ping unread", result, 20),
      figure("2,100 that send nothing: a new one's hello", greetingMs, "ms", MAX_LONGEST, ""),
    ];
  } finally {
    crowd.leave();
    await gate.stop();
    home.remove();
  }
}

async function pairMembers({ paths }: BenchHome, operator: OperatorClient): Promise<Member[]> {
  const members: Member[] = [];
  for (let index = 0; index < MEMBERS; index++) {
    const name = `member-${index}`;
    await operator.call("agents.pair", { name, level: "Supervised" });
    members.push({ name, token: readFileSync(agentTokenFile(paths, name), "utf8").trim() });
  }
  return members;
}

async function acknowledged(act: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act;
  return performance.now() - began;
}

async function none(operator: OperatorClient): Promise<void> {
  while ((await operator.call("status", {})).approvals_pending > 0) await seconds(0.1);
}

async function askers(): Promise<Figure[]> {
  const home = benchHome([]);
  const gate = await startGate(home);
  const { agent_socket, operator_socket, operatorToken } = home.paths;
  const operator = await OperatorClient.connect(operator_socket, operatorToken);
  const crowds: CrowdProcess[] = [];
  const newCrowd = () => {
    const crowd = new CrowdProcess(agent_socket);
    crowds.push(crowd);
    return crowd;
  };
  try {
    const members = await pairMembers(home, operator);
    const client = await greeted(agent_socket, home.token);
    await timed(client, seconds(2));
    const before = gate.residentMib();
    const thousand = newCrowd();
    const asking = await timed(client, thousand.add({ kind: "waiting", members, connections: 1000, calls: 10 }));
    const held = gate.residentMib();
    thousand.leave();
    const leaving = await timed(client, none(operator));
    await newCrowd().add({ kind: "waiting", members, connections: 500, calls: 10 });
    let pauseMs = 0;
    const paused = await timed(
      client,
      acknowledged(operator.call("safety.pause", {})).then((ms) => {
        pauseMs = ms;
        return none(operator);
      }),
    );
    await operator.call("safety.resume", {});
    for (const crowd of crowds) crowd.leave();
    await seconds(20);
    const after = gate.residentMib();
    client.close();
    return [
      ...latencies("10,000 ask", asking),
      ...latencies("1,000 with 10,000 leave", leaving),
      figure("safety pause, 5,000 wait", pauseMs, "ms", MAX_PAUSE, "until it is acknowledged"),
      ...latencies("5,000 are withdrawn", paused),
      figure(
        "resident 20 s after",
        after / before,
        "x",
        1.5,
        `${before.toFixed(0)} MiB before, ${held.toFixed(0)} with 10,000 waiting, ${after.toFixed(0)} after`,
      ),
    ];
  } finally {
    for (const crowd of crowds) crowd.leave();
    await operator.close();
    await gate.stop();
    home.remove();
  }
}

/** Commands of a plan: every eighth one searches for secrets among 10,000 names. */
function planCalls(home: string): object[] {
  const tree = join(home, "tree");
  for (let folder = 0; folder < NAMES / 100; folder++) {
    mkdirSync(join(tree, `${folder}`), { recursive: true });
    for (let file = 0; file < 100; file++) writeFileSync(join(tree, `${folder}`, `${file}.txt`), "");
  }
  return Array.from({ length: 256 }, (_, index) => ({
    executor: "Bash",
    args: {
      command:
        index % 8 === 0 ? `grep -rn needle . # ${index}` : `git log -${index} && ls -la ${index} && rm -f x${index}`,
    },
    context: { cwd: tree },
  }));
}

async function planners(): Promise<Figure[]> {
  const home = benchHome([]);
  const gate = await startGate(home);
  const operator = await OperatorClient.connect(home.paths.operator_socket, home.paths.operatorToken);
  const crowd = new CrowdProcess(home.paths.agent_socket);
  try {
    const members = await pairMembers(home, operator);
    const client = await greeted(home.paths.agent_socket, home.token);
    await timed(client, seconds(1));
    await crowd.add({ kind: "plans", members: members.slice(0, 8), connections: 8, calls: planCalls(home.home) });
    const times = await timed(client, seconds(15));
    client.close();
    return latencies("8 send plans of 256", times);
  } finally {
    crowd.leave();
    await operator.close();
    await gate.stop();
    home.remove();
  }
}

export async function load(): Promise<Figure[]> {
  return [...(await strangers()), ...(await askers()), ...(await planners())];
}
