import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seeded } from "../../fuzz/seeded.ts";
import type { Level, Territory } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi, OperatorMethod, OperatorParams, OperatorResult } from "../../ipc/contract/operator-api.ts";
import type { Fact } from "./fact.ts";
import { FEATURE_AGENTS, type Spender } from "./feature-agents.ts";
import type { AgentEntry, GrantEntry, Ledger, RequestEntry } from "./ledger.ts";
import type { StandIns } from "./stand-ins.ts";

/** What pauses can come from beside the operator's word, where it is there. */
export interface PauseSources {
  around: StandIns;
  spender: Spender;
}

/** The operator's acts, several at once; each is in the ledger before it is sent, and once it was acknowledged. */
export class DrivenOperator {
  readonly #operator: OperatorApi;
  readonly #ledger: Ledger;
  readonly #random: Seeded;
  readonly #sent: () => void;
  readonly #sources: PauseSources | undefined;
  #isOver = false;

  /** `sent` is called right after each act was sent. */
  constructor(
    operator: OperatorApi,
    ledger: Ledger,
    random: Seeded,
    sent: () => void = () => undefined,
    sources?: PauseSources,
  ) {
    this.#operator = operator;
    this.#ledger = ledger;
    this.#random = random;
    this.#sent = sent;
    this.#sources = sources;
  }

  /** Acts until the connection ends, or `stop` is called. `paired` is called with each agent that was paired meanwhile. */
  async run(paired: (agent: AgentEntry) => void): Promise<void> {
    const hands = [
      this.#repeatedly(4, () => this.#answerOne()),
      this.#repeatedly(10, () => this.#changeGrants()),
      this.#pauseNowAndThen(),
      this.#pauseAgents(),
      this.#repeatedly(40, () => this.#changeAgents(paired)),
      this.#repeatedly(30, () => this.#changeSetting()),
    ];
    await Promise.all(hands);
  }

  stop(): void {
    this.#isOver = true;
  }

  async #repeatedly(pauseMs: number, act: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await sleep(this.#random.real(2 * pauseMs));
      if (!this.#isOver) await act();
    }
  }

  async #pauseNowAndThen(): Promise<void> {
    // A gate that was killed while it was paused still is: some calls are made, then it is resumed.
    if (this.#ledger.pause.known === "paused") {
      await sleep(this.#random.real(10));
      await this.#resume();
    }
    await this.#repeatedly(60, () => this.#pauseAndResume());
  }

  /** Sends one act. Gives its result, `refused` where the gate said no, `unknown` where it was gone before it said anything. */
  async #act<M extends OperatorMethod>(
    method: M,
    params: OperatorParams<M>,
  ): Promise<{ done: OperatorResult<M> } | "refused" | "unknown"> {
    const acknowledgement = this.#operator.call(method, params);
    this.#sent();
    try {
      return { done: await acknowledgement };
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      if (error.code !== "connection_lost") return "refused";
      this.#isOver = true;
      return "unknown";
    }
  }

  async #answerOne(): Promise<void> {
    const waiting = [...this.#ledger.requests.values()].filter(
      ({ isHeld, fact }) => isHeld && fact.known === "pending",
    );
    if (waiting.length > 0) await this.answer(this.#random.pick(waiting));
  }

  /** Answers a request; its agent may be disconnected. */
  async answer(request: RequestEntry): Promise<void> {
    const ledger = this.#ledger;
    const { token, isHeld, fact } = request;
    const decision = this.#random.chance(0.75) ? "approved" : "rejected";
    const scopes: Territory[] = request.call.grant === undefined ? ["none", "none", "session", "permanent"] : ["none"];
    const scope = decision === "approved" ? this.#random.pick(scopes) : "none";
    const grant = scope === "none" ? undefined : ledger.grant(`approval:${token}`, request.agent);
    fact.begin(decision);
    request.territory.begin(scope);
    grant?.fact.begin("active");
    request.undelivered.begin(true);
    request.answered = decision;
    request.answeredAt = performance.now();
    const answer = await this.#act("approvals.resolve", { token, decision, scope });
    if (answer === "unknown") return;
    if (answer === "refused") {
      // It ended before the answer: withdrawn, by a pause or by its agent.
      fact.exclude(decision);
      request.territory.done("none");
      grant?.fact.exclude("active");
      request.undelivered.done(false);
      request.answered = undefined;
      return;
    }
    fact.done(decision);
    if (grant !== undefined) hasBegun(grant);
    request.territory.done(scope);
    // An answer that is remembered needs no agent to take it: its grant allows the call.
    request.undelivered.done(!isHeld && scope === "none");
    ledger.acknowledge("answers", `answer ${token} ${decision}`);
  }

  async #changeGrants(): Promise<void> {
    const active = [...this.#ledger.grants.values()].filter(
      ({ fact, id }) => fact.known === "active" && id !== undefined,
    );
    if (active.length > 0 && this.#random.chance(0.4)) return await this.#revoke(this.#random.pick(active));
    const paired = [...this.#ledger.agents.values()].filter(
      ({ name, fact }) => fact.known === "paired" && !isFeature(name),
    );
    const agent = paired.length > 0 && this.#random.chance(0.5) ? this.#random.pick(paired) : undefined;
    const target = `/srv/granted/${this.#random.below(2 ** 40)}/**`;
    const grant = this.#ledger.grant(target, agent);
    grant.fact.begin("active");
    const holder = agent === undefined ? {} : { agent: agent.name };
    const added = await this.#act("grants.add", { capability: "fs:write", target, ...holder });
    if (added === "unknown") return;
    if (added === "refused") return grant.fact.exclude("active"); // its agent's pairing ended meanwhile
    grant.id = added.done.id;
    hasBegun(grant);
    this.#ledger.acknowledge("grants", `grant ${grant.id}`);
  }

  async #revoke(grant: GrantEntry): Promise<void> {
    grant.fact.begin("revoked");
    const revoked = await this.#act("grants.revoke", { id: grant.id ?? 0 });
    if (revoked === "unknown" || revoked === "refused") return;
    grant.fact.done("revoked");
    if (revoked.done.revoked) this.#ledger.acknowledge("revocations", `grant.revoked ${grant.id}`);
  }

  async #pauseAndResume(): Promise<void> {
    const { pause } = this.#ledger;
    if (pause.known === "running") {
      pause.begin("paused");
      this.#ledger.mayWithdraw();
      const way = this.#sources === undefined ? "by hand" : this.#random.pick(["by hand", "unstored", "violation"]);
      if (way === "unstored") this.#sources?.around.failDisk(true);
      const isPaused = way === "violation" ? await this.#violate() : await this.#pause();
      if (isPaused) {
        pause.done("paused");
        this.#ledger.hasWithdrawn();
        await sleep(this.#random.real(30));
      }
      // The next gate finds the disk whole, and the pause in the file beside.
      this.#sources?.around.failDisk(false);
      if (!isPaused) return;
    }
    await this.#resume();
  }

  /** True once that was acknowledged, also where its database can't store it. */
  async #pause(): Promise<boolean> {
    const length = this.#random.chance(0.3) ? { for_seconds: 3600 } : {};
    const paused = await this.#act("safety.pause", { reason: "a break", ...length });
    if (paused === "unknown" || paused === "refused") return false;
    this.#ledger.acknowledge("pauses", "paused");
    if (paused.done.note?.includes("it is kept in") === true) this.#ledger.acknowledge("pauses kept in the file");
    return true;
  }

  /** An agent's goal pauses the gate. */
  async #violate(): Promise<boolean> {
    const known = this.#sources?.spender.violate(true).catch(() => false);
    this.#sent();
    if ((await known) !== true) return false;
    this.#ledger.acknowledge("pauses by a violation", "paused");
    return true;
  }

  /** Workers, one by one, beside the pause of all. */
  async #pauseAgents(): Promise<void> {
    for (const agent of this.#ledger.agents.values()) if (agent.paused.known === true) await this.#resumeAgent(agent);
    await this.#repeatedly(200, async () => {
      const workers = [...this.#ledger.agents.values()].filter(
        ({ name, fact, paused }) =>
          !isGuest(name) && !isFeature(name) && fact.known === "paired" && paused.known === false,
      );
      if (workers.length === 0) return;
      const agent = this.#random.pick(workers);
      agent.paused.begin(true);
      this.#ledger.mayWithdraw(agent);
      const paused = await this.#act("agents.pause", { name: agent.name });
      if (paused === "unknown" || paused === "refused") return;
      agent.paused.done(true);
      this.#ledger.hasWithdrawn(agent);
      this.#ledger.acknowledge("agents' pauses", `agent.paused ${agent.name}`);
      await sleep(this.#random.real(30));
      await this.#resumeAgent(agent);
    });
  }

  async #resumeAgent(agent: AgentEntry): Promise<void> {
    if (this.#isOver) return;
    agent.paused.begin(false);
    const resumed = await this.#act("agents.resume", { name: agent.name });
    if (resumed === "unknown" || resumed === "refused") return;
    agent.paused.done(false);
    this.#ledger.acknowledge("agents' resumes", `agent.resumed ${agent.name}`);
  }

  async #resume(): Promise<void> {
    const { pause } = this.#ledger;
    if (pause.known !== "paused" || this.#isOver) return;
    pause.begin("running");
    const resumed = await this.#act("safety.resume", {});
    if (resumed === "unknown" || resumed === "refused") return;
    pause.done("running");
    this.#ledger.acknowledge("resumes", "resumed");
  }

  async #changeAgents(paired: (agent: AgentEntry) => void): Promise<void> {
    const guests = [...this.#ledger.agents.values()].filter(
      ({ name, fact }) => isGuest(name) && fact.known === "paired",
    );
    if (guests.length > 0 && this.#random.chance(0.4)) return await this.#unpair(this.#random.pick(guests));
    const agent = await this.pair(`guest-${this.#random.below(2 ** 40)}`);
    if (agent !== undefined) paired(agent);
  }

  /** Pairs an agent. Gives it once that was acknowledged. */
  async pair(name: string, level: Level = "Supervised"): Promise<AgentEntry | undefined> {
    const agent = this.#ledger.agent(name);
    agent.fact.begin("paired");
    const paired = await this.#act("agents.pair", { name, level });
    if (paired === "unknown") return undefined;
    if (paired === "refused") throw new Error(`${name} could not be paired`);
    agent.agent_id = paired.done.agent_id;
    agent.token = readFileSync(paired.done.token_file, "utf8").trim();
    agent.fact.done("paired");
    this.#ledger.acknowledge("pairings", `agent.paired ${name}`);
    return agent;
  }

  async #unpair(agent: AgentEntry): Promise<void> {
    const grants = [...this.#ledger.grants.values()].filter(
      (grant) => grant.agent === agent && grant.fact.possible.includes("active"),
    );
    agent.fact.begin("unpaired");
    for (const { fact } of grants) fact.begin("revoked");
    this.#ledger.mayWithdraw(agent);
    const revoked = await this.#act("agents.revoke", { name: agent.name });
    if (revoked === "unknown" || revoked === "refused") return;
    agent.fact.done("unpaired");
    for (const { fact } of grants) fact.exclude("active");
    this.#ledger.hasWithdrawn(agent);
    this.#ledger.acknowledge("unpairings", `agent.revoked ${agent.name}`);
  }

  async #changeSetting(): Promise<void> {
    const [key, value] = this.#random.chance(0.5)
      ? (["approvals.ttl_seconds", 3000 + this.#random.below(80_000)] as const)
      : (["language", this.#random.pick(["en", "it"])] as const);
    const fact: Fact<string | number | boolean> | undefined = this.#ledger.settings.get(key);
    if (fact === undefined) throw new Error(`${key} was never read`);
    fact.begin(value);
    const set = await this.#act("settings.set", { key, value });
    if (set === "unknown" || set === "refused") return;
    fact.done(value);
    this.#ledger.acknowledge("settings", `setting ${key}`);
  }
}

/** A grant was acknowledged; its agent's pairing may be ending, and it with that. */
function hasBegun({ fact }: GrantEntry): void {
  if (fact.possible.includes("revoked")) fact.exclude("absent");
  else fact.done("active");
}

/** Agents that use what the others don't. */
export function isFeature(name: string): boolean {
  return FEATURE_AGENTS.includes(name);
}

/** Agents that are paired and revoked; the others stay for as long as their home does. */
export function isGuest(name: string): boolean {
  return name.startsWith("guest-");
}
