import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type Figure, figure, median, quantile } from "./figure.ts";
import { type BenchHome, benchHome, type GateProcess, startGate } from "./gate-process.ts";
import { configureHighestLimits } from "./highest-limits.ts";
import type { LineClient } from "./line-client.ts";
import { processorTime } from "./processor-time.ts";
import { keepApart } from "./processors.ts";
import { callMessage, greeted, mustBeAllowed, workFolders } from "./round-trip.ts";

/**
 * What judges cost those whom they don't concern, and what the gate adds to a model's own time. One gate has none configured, the other
 * one a model and a validator; they answer in turns. Compared is the time that they are on a processor, so that it is the gate that is
 * measured, on a busy machine too.
 */

const SERVER = new URL("./judge-server.ts", import.meta.url).pathname;
const FOLDERS = 200;
const WARM_UP = 8000;

const MAX_UNCONCERNED = 1.03;
const MAX_OVERHEAD_MS = 2;
const MAX_P99 = 1.2;

/** Reads as `fs_read` does, and judges look at it. */
const JUDGED_TOOL = `
name = "bench_look"
critical = false
reversibility = "reversible"
verb = { en = "look at", it = "guardi" }
args_schema = { type = "object", required = ["path"], properties = { path = { type = "string" } } }

[[needs]]
capability = "fs:read"
target = { from = "path", arg = "path" }
`;

/** A validator beside the judge makes the list longer for calls that neither of them concerns. */
const judgesToml = (baseUrl: string, keyFile: string) => `
[judge]
kind = "llm-v1"
model = "bench"
when = { executors = ["bench_look"] }

[models.bench]
dialect = "openai"
base_url = "${baseUrl}"
model = "test-model"
key_file = "${keyFile}"
timeout_seconds = 60

[judge_agents.reviewer]
kind = "model"
model = "bench"
prompt = "Look at it."

[[validators]]
type = "semantic"
judge_agent = "reviewer"
criteria = "harmless"
when = { capabilities = ["mail:send"] }
`;

class JudgeServer {
  readonly base_url: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(baseUrl: string, child: ChildProcess, lines: Interface) {
    this.base_url = baseUrl;
    this.#child = child;
    this.#lines = lines;
  }

  static async start(): Promise<JudgeServer> {
    const child = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    const [baseUrl] = (await once(lines, "line")) as [string];
    return new JudgeServer(baseUrl, child, lines);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Milliseconds that each answer takes from now on. */
  async takes(ms: number): Promise<void> {
    const set = once(this.#lines, "line");
    this.#child.stdin?.write(`${ms}\n`);
    await set;
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

interface Pair {
  /** To the gate without judges, and to the one with them. */
  plain: LineClient;
  judging: LineClient;
  pids: { plain: number | undefined; judging: number | undefined };
  /** The judging gate's home. */
  home: BenchHome;
  folders: readonly string[];
  server: JudgeServer;
}

function configured(home: BenchHome, toml: string): BenchHome {
  mkdirSync(home.paths.executorsDir, { recursive: true });
  writeFileSync(join(home.paths.executorsDir, "look.toml"), JUDGED_TOOL);
  configureHighestLimits(home.paths, toml);
  return home;
}

/** @param isJudgingFirst which of the two gates starts first: the first of two processes may have the better place */
async function withPair(isJudgingFirst: boolean, measure: (pair: Pair) => Promise<Figure[]>): Promise<Figure[]> {
  const { folders, remove } = workFolders(FOLDERS);
  const server = await JudgeServer.start();
  const plainHome = configured(benchHome(folders), "");
  const home = benchHome(folders);
  const keyFile = join(home.home, "key");
  writeFileSync(keyFile, "bench-key", { mode: 0o600 });
  configured(home, judgesToml(server.base_url, keyFile));
  const gates = new Map<BenchHome, GateProcess>();
  let release: () => void = () => undefined;
  try {
    for (const one of isJudgingFirst ? [home, plainHome] : [plainHome, home]) gates.set(one, await startGate(one));
    const pids = { plain: gates.get(plainHome)?.child.pid, judging: gates.get(home)?.child.pid };
    ({ release } = keepApart([pids.plain, pids.judging, server.pid]));
    const plain = await greeted(plainHome.paths.agent_socket, plainHome.token);
    const judging = await greeted(home.paths.agent_socket, home.token);
    const figures = await measure({ plain, judging, pids, home, folders, server });
    plain.close();
    judging.close();
    return figures;
  } finally {
    release();
    for (const gate of gates.values()) await gate.stop();
    server.end();
    for (const one of [plainHome, home]) one.remove();
    remove();
  }
}

const make =
  ({ folders }: Pick<Pair, "folders">) =>
  (index: number) =>
    callMessage(folders[index % FOLDERS] ?? "", index);

interface Ratio {
  value: number;
  detail: string;
}

/** The microseconds for which a process is on a processor for each of `count` calls. */
async function costOfEach(pid: number | undefined, count: number, act: () => Promise<unknown>): Promise<number> {
  const before = processorTime(pid);
  await act();
  return (processorTime(pid) - before) / count;
}

const ROUNDS = 60;
const CALLS_PER_ROUND = 100;

/** Many short rounds in turns: whatever the machine does meanwhile, it does to both of a round. */
async function unconcerned({ plain, judging, pids, ...pair }: Pair): Promise<Ratio> {
  const call = make(pair);
  const round = (client: LineClient) => client.roundTrips(CALLS_PER_ROUND, call, mustBeAllowed);
  await plain.roundTrips(WARM_UP, call, mustBeAllowed);
  await judging.roundTrips(WARM_UP, call, mustBeAllowed);
  const without: number[] = [];
  const ratios: number[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    const costs = { plain: 0, judging: 0 };
    const turns = index % 2 === 0 ? (["plain", "judging"] as const) : (["judging", "plain"] as const);
    for (const one of turns)
      costs[one] = await costOfEach(pids[one], CALLS_PER_ROUND, () => round(one === "plain" ? plain : judging));
    without.push(costs.plain);
    ratios.push(costs.judging / costs.plain);
  }
  return { value: median(ratios), detail: `of ${median(without).toFixed(0)} us` };
}

/** Two processes of the same program differ by a few percent, whatever they do: the middle of several pairs counts. */
const PAIRS = 3;

function middleOf(ratios: readonly Ratio[]): Figure {
  const middle = median(ratios.map(({ value }) => value));
  const all = ratios.map(({ value, detail }) => `${value.toFixed(3)} ${detail}`).join(", ");
  return figure("a call that no judge concerns", middle, "x none", MAX_UNCONCERNED, all);
}

let judgedCalls = 0;

/** Each one another call: what was judged before would come from the cache. */
function judgedCall({ folders }: Pair): object {
  const index = judgedCalls++;
  const cwd = folders[index % FOLDERS] ?? "";
  const data = {
    id: `j${index}`,
    intent: "read my notes",
    executor: "bench_look",
    args: { path: `${cwd}/${index}.txt` },
  };
  return { type: "tool.call", data: { ...data, context: { cwd } } };
}

function mustBeJudged(data: Record<string, unknown>): void {
  const [review] = (data.reviews ?? []) as { outcome: string }[];
  if (data.outcome !== "allowed" || review?.outcome !== "passed")
    throw new Error(`not judged: ${JSON.stringify(data)}`);
}

const BODY = JSON.stringify({ model: "test-model", messages: [{ role: "user", content: "x".repeat(3000) }] });

/** Questions to the model's server without any gate, one after the other. */
async function bareQuestions({ base_url }: JudgeServer, count: number): Promise<void> {
  const headers = { "content-type": "application/json", connection: "close" };
  for (let index = 0; index < count; index++) {
    const answer = await fetch(`${base_url}/chat/completions`, { method: "POST", headers, body: BODY });
    await answer.text();
  }
}

/** What the gate adds: a judged call's cost, less the same call's without a judge, less that of a bare question to the same server. */
async function overhead(pair: Pair): Promise<Figure[]> {
  const { plain, judging, pids, server } = pair;
  await server.takes(0);
  const next = () => judgedCall(pair);
  const took: number[] = [];
  const acts = {
    without: { pid: pids.plain, act: (count: number) => plain.roundTrips(count, next, mustBeAllowed) },
    judged: {
      pid: pids.judging,
      act: async (count: number) => took.push(...(await judging.roundTrips(count, next, mustBeJudged))),
    },
    question: { pid: process.pid, act: (count: number) => bareQuestions(server, count) },
  };
  for (const { act } of Object.values(acts)) await act(100);
  took.length = 0;
  const costs = { without: [] as number[], judged: [] as number[], question: [] as number[] };
  for (let round = 0; round < 30; round++)
    for (const name of ["without", "judged", "question"] as const)
      costs[name].push(await costOfEach(acts[name].pid, 20, () => acts[name].act(20)));
  const ms = (values: readonly number[]) => median(values) / 1000;
  const [judged, without, question] = [ms(costs.judged), ms(costs.without), ms(costs.question)];
  const parts = `${judged.toFixed(2)} ms, ${without.toFixed(2)} ms without a judge, a bare question ${question.toFixed(2)} ms`;
  const detail = `${parts}; it took ${ms(took).toFixed(2)} ms`;
  return [figure("a judged call, beyond the model's time", judged - without - question, "ms", MAX_OVERHEAD_MS, detail)];
}

const AT_ONCE = 100;
const CONNECTIONS = 10;

/** As many calls under judgement all the time, until `stop`: each answer is followed by the next call. */
async function judgedAllTheTime(pair: Pair): Promise<{ stop(): Promise<void> }> {
  const { paths, token } = pair.home;
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => greeted(paths.agent_socket, token)));
  let isOver = false;
  let waiting = 0;
  let ended: () => void = () => undefined;
  for (const client of clients) {
    client.listen(({ data }) => {
      waiting--;
      mustBeJudged(data);
      if (!isOver) ask(client);
      else if (waiting === 0) ended();
    });
  }
  const ask = (client: LineClient) => {
    waiting++;
    client.send(judgedCall(pair));
  };
  for (let index = 0; index < AT_ONCE; index++) {
    const client = clients[index % CONNECTIONS];
    if (client !== undefined) ask(client);
  }
  return {
    stop: () =>
      new Promise((resolve) => {
        isOver = true;
        ended = () => {
          for (const client of clients) client.close();
          resolve();
        };
      }),
  };
}

/** A call every millisecond: as an agent's calls come, not as fast as they can. */
async function paced(client: LineClient, count: number, call: (index: number) => object): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    times.push(...(await client.roundTrips(1, () => call(index), mustBeAllowed)));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return times;
}

/** Of the rounds' p99 the lower quarter counts, with and without: what only some rounds show is the machine's, what the gate does is in all. */
async function beside(pair: Pair): Promise<Figure[]> {
  const { judging, server } = pair;
  const call = make(pair);
  await server.takes(300);
  const quiet: number[] = [];
  const loaded: number[] = [];
  for (let round = 0; round < 12; round++) {
    quiet.push(quantile(await paced(judging, 200, call), 0.99));
    const judged = await judgedAllTheTime(pair);
    loaded.push(quantile(await paced(judging, 200, call), 0.99));
    await judged.stop();
  }
  const [before, during] = [quantile(quiet, 0.25), quantile(loaded, 0.25)];
  const detail = `${during.toFixed(0)} us against ${before.toFixed(0)} us, the lower quarter of ${quiet.length} rounds' p99`;
  return [figure(`beside ${AT_ONCE} calls under judgement, p99`, during / before, "x quiet", MAX_P99, detail)];
}

export async function judges(): Promise<Figure[]> {
  const ratios: Ratio[] = [];
  const figures: Figure[] = [];
  for (let index = 0; index < PAIRS; index++)
    figures.push(
      ...(await withPair(index % 2 === 1, async (pair) => {
        ratios.push(await unconcerned(pair));
        return index < PAIRS - 1 ? [] : [...(await overhead(pair)), ...(await beside(pair))];
      })),
    );
  return [middleOf(ratios), ...figures];
}
