import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type GateProcess, startGate } from "../../bench/gate-process.ts";
import type { Seeded } from "../../fuzz/seeded.ts";
import { type GatePaths, gatePaths } from "../../ipc/base/paths.ts";
import { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { removeFolder } from "../../main/base/files/remove-folder.ts";
import { DrivenAgent } from "./agent.ts";
import { checkSnapshot } from "./check.ts";
import { checkFeatures } from "./check-features.ts";
import { checkDatabases } from "./databases.ts";
import { DrivenOperator, isFeature, isGuest, type PauseSources } from "./driven-operator.ts";
import { Editor } from "./editor.ts";
import { CALLER, Caller, EDITOR, SPENDER, Spender } from "./feature-agents.ts";
import { type AgentEntry, type GrantEntry, Ledger } from "./ledger.ts";
import { type Moment, Trigger } from "./moment.ts";
import { checkReceipts, KeptCheckpoints, type ReceiptSteps, stepsOf } from "./receipts.ts";
import { takeSnapshot } from "./snapshot.ts";
import { StandIns } from "./stand-ins.ts";
import { TrailReader } from "./trail.ts";

const WORKERS = ["worker-1", "worker-2", "worker-3"];
/** Calls about this many of the latest grants, so that one grant is used before and after it ends. */
const GRANTS_IN_USE = 12;
/** A start of the gate where the machine does nothing else. */
const USUAL_START_MS = 400;
/** Answers that are given at most before the agents have reconnected. */
const ANSWERED_AWAY = 2;

export interface HomeOptions {
  /** Folder that it is made in. */
  root: string;
  /** `bin/metnos-gate.js` of the gate to start; left out: this checkout's. */
  launcher?: string | undefined;
}

/** A home folder, the gates that run in it one after the other, and the ledger of their answers. */
export class CrashHome {
  readonly ledger = new Ledger();
  readonly paths: GatePaths;
  /** How long each start took, in milliseconds. */
  readonly startsMs: number[] = [];
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #launcher: { launcher?: string };
  readonly #trail: TrailReader;
  /** How far receipts had come at each kill. */
  readonly steps: ReceiptSteps[] = [];
  readonly #checkpoints = new KeptCheckpoints();
  readonly #agents = new Map<string, DrivenAgent>();
  #gate: GateProcess | undefined;

  /** Undefined for an earlier version, which hasn't got all of it. */
  #around: StandIns | undefined;
  readonly #root: string;

  constructor({ root, launcher }: HomeOptions) {
    this.#root = root;
    this.#folder = mkdtempSync(join(root, "home-"));
    const cache = join(root, "compile-cache");
    mkdirSync(cache, { recursive: true });
    this.#env = { PATH: process.env.PATH ?? "", HOME: this.#folder, NODE_COMPILE_CACHE: cache };
    this.#launcher = launcher === undefined ? {} : { launcher };
    this.paths = gatePaths(this.#env);
    this.#trail = new TrailReader(this.paths.auditDir);
  }

  /** Pairs the agents that stay. The gate is stopped again as a user does it. */
  async prepare(random: Seeded): Promise<void> {
    if (!this.#isEarlier) {
      this.#around = await StandIns.begin(this.#root, join(this.#folder, "shop"));
      this.#around.configure(this.paths);
      Object.assign(this.#env, this.#around.disk?.env);
    }
    const operator = await this.#start();
    checkSnapshot(this.ledger, await takeSnapshot(operator), this.paths);
    const driven = new DrivenOperator(operator, this.ledger, random);
    for (const name of WORKERS) await driven.pair(name);
    if (!this.#isEarlier) {
      await driven.pair(SPENDER, "Full");
      await driven.pair(CALLER);
      await driven.pair(EDITOR, "Full");
    }
    await operator.close();
    await this.#gate?.stop();
  }

  /** Starts a gate, checks its state, drives it, and kills it at the moment. */
  async round(random: Seeded, moment: Moment): Promise<void> {
    this.#around?.failDisk(false);
    if (moment.kind === "start") return await this.#killStarting(moment.afterMs * this.#slowness());
    const operator = await this.#startChecked();
    if (operator === undefined) return;
    await answered("answers without their agents", this.#answerAway(operator, random));
    await this.#drive(operator, random, moment);
    this.#lookAtKilled();
  }

  /** Starts a gate once more, checks its state, and stops it. */
  async finish(): Promise<void> {
    const operator = await this.#startChecked();
    await operator?.close();
    await this.#gate?.stop();
  }

  /** Ends a gate that runs, and removes the folder. */
  async remove(): Promise<void> {
    await this.#gate?.kill();
    await this.#around?.end();
    removeFolder(this.#folder);
  }

  async #start(): Promise<OperatorClient> {
    this.#gate = await startGate({ env: this.#env }, ["--no-notifications"], this.#launcher);
    this.startsMs.push(this.#gate.startMs);
    return await OperatorClient.connect(this.paths.operator_socket, this.paths.operatorToken);
  }

  /** How many times longer things take here, now, than where the moments were chosen; 1 at the least. */
  #slowness(): number {
    return Math.max(1, (this.startsMs.at(-1) ?? 0) / USUAL_START_MS);
  }

  async #startChecked(): Promise<OperatorClient | undefined> {
    let operator: OperatorClient;
    try {
      operator = await this.#start();
    } catch (error) {
      this.ledger.violate("no_start", error instanceof Error ? error.message : String(error));
      return undefined;
    }
    const snapshot = await answered("its state", takeSnapshot(operator));
    checkSnapshot(this.ledger, snapshot, this.paths);
    this.#trail.check(this.ledger);
    if (this.#around === undefined) return operator;
    await answered("its features", checkFeatures(this.ledger, operator, this.#around));
    const slow = { env: this.#env, slowness: this.#slowness() };
    await answered("its receipts", checkReceipts(this.ledger, snapshot, this.paths, slow));
    await answered("its trail against the checkpoints", this.#checkpoints.check(this.ledger, operator));
    await answered("a checkpoint", this.#checkpoints.ask(operator));
    return operator;
  }

  async #killStarting(afterMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const spawned: Parameters<typeof startGate>[2] = {
      ...this.#launcher,
      spawned: (child) => {
        timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
      },
    };
    try {
      const gate = await startGate({ env: this.#env }, ["--no-notifications"], spawned);
      await gate.kill();
    } catch (error) {
      // Killed before it was running, as it should be; else it refused to start.
      if (!String(error).includes("SIGKILL")) this.ledger.violate("no_start", String(error));
    } finally {
      clearTimeout(timer);
    }
    this.#lookAtKilled();
  }

  /** The files as a killed gate has left them. */
  #lookAtKilled(): void {
    checkDatabases(this.ledger, this.paths);
    if (!this.#isEarlier) this.steps.push(stepsOf(this.paths));
  }

  /** It makes no receipts, and may lack more. */
  get #isEarlier(): boolean {
    return this.#launcher.launcher !== undefined;
  }

  /** Some waiting requests are answered before any agent has reconnected. */
  async #answerAway(operator: OperatorClient, random: Seeded): Promise<void> {
    const driven = new DrivenOperator(operator, this.ledger, random);
    const waiting = [...this.ledger.requests.values()].filter(
      ({ fact, agent }) => fact.known === "pending" && agent.fact.known === "paired",
    );
    for (const request of waiting.slice(0, random.below(ANSWERED_AWAY + 1))) await driven.answer(request);
  }

  async #drive(operator: OperatorClient, random: Seeded, moment: Moment): Promise<void> {
    const gate = this.#gate;
    const killed = Promise.withResolvers<void>();
    const trigger = new Trigger(moment, { ledger: this.ledger, slowness: this.#slowness() }, () =>
      killed.resolve(gate?.kill()),
    );
    const running: Promise<void>[] = [];
    const sources = this.#beginFeatures(operator, random, () => trigger.decision(), running);
    const driven = new DrivenOperator(operator, this.ledger, random, () => trigger.act(), sources);
    const begin = (entry: AgentEntry) => {
      running.push(this.#run(entry, random, () => trigger.decision()));
    };
    running.push(this.#connectRevoked(random));
    for (const entry of this.ledger.agents.values())
      if (entry.fact.known === "paired" && entry.token !== "" && !isFeature(entry.name)) begin(entry);
    running.push(driven.run(begin));
    // One more of a trail that grows.
    if (!this.#isEarlier) running.push(this.#checkpoints.ask(operator));
    await killed.promise;
    driven.stop();
    await operator.closed;
    for (let ended = 0; ended < running.length; ended++) await running[ended];
  }

  #beginFeatures(
    operator: OperatorClient,
    random: Seeded,
    received: () => void,
    running: Promise<void>[],
  ): PauseSources | undefined {
    const around = this.#around;
    if (around === undefined) return undefined;
    const parts = { ledger: this.ledger, random, around, operator, received };
    const spender = new Spender({ ...parts, entry: this.ledger.agent(SPENDER) });
    const caller = new Caller({ ...parts, entry: this.ledger.agent(CALLER) });
    const editor = new Editor({ ...parts, entry: this.ledger.agent(EDITOR) });
    for (const agent of [spender, caller, editor]) running.push(agent.run(this.paths.agent_socket));
    return { around, spender };
  }

  async #run(entry: AgentEntry, random: Seeded, received: () => void): Promise<void> {
    const agent = this.#agents.get(entry.name) ?? new DrivenAgent(entry, this.ledger, random);
    this.#agents.set(entry.name, agent);
    const { version } = entry.fact;
    const answer = await agent.connect(this.paths.agent_socket, random, received);
    if (answer === "hello.ok") return await agent.run(() => this.#grantsInUse(), this.paths.agent_socket);
    if (answer !== "ended" && entry.fact.version === version)
      this.ledger.violate("lost", `agent ${entry.name} is paired, and was turned away: ${answer}`);
  }

  /** An agent whose pairing ended greets with its token. */
  async #connectRevoked(random: Seeded): Promise<void> {
    const revoked = [...this.ledger.agents.values()].filter(
      ({ name, fact, token }) => isGuest(name) && token !== "" && fact.known === "unpaired",
    );
    if (revoked.length === 0) return;
    const agent = new DrivenAgent(random.pick(revoked), this.ledger, random);
    const answer = await agent.connect(this.paths.agent_socket, random, () => undefined);
    if (answer === "hello.ok")
      this.ledger.violate("lost", `agent ${agent.entry.name} was let in after its pairing was revoked`);
  }

  #grantsInUse(): GrantEntry[] {
    return [...this.ledger.grants.values()].filter(({ key }) => key.endsWith("/**")).slice(-GRANTS_IN_USE);
  }
}

/** A gate that runs says each of these in seconds, however busy the machine is. */
const ANSWERED_WITHIN_MS = 120_000;

/** @throws where the gate doesn't say it: what it was asked for */
async function answered<T>(what: string, asked: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ANSWERED_WITHIN_MS);
  const failed = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(new Error(`a gate that was started doesn't say ${what}`)), {
      once: true,
    });
  });
  return await Promise.race([asked, failed]);
}
