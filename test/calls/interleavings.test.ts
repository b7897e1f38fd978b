import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { Seeded } from "../../fuzz/seeded.ts";
import type { PendingCall, UnsentDecision } from "../../ipc/contract/agent-port.ts";
import { HeldJudge, type HeldReview } from "../support/judged-calls.ts";
import { BY, judgedCore, settled } from "../support/judged-core.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { standInFor } from "../support/stand-in-box.ts";
import { temporaryHome } from "../support/temporary-home.ts";

// What happens to calls in any order: the lines of the trail, what agents and surfaces get, and the order of all that, as recorded in
// material/interleavings.txt. Recorded anew with `vitest run test/calls/interleavings.test.ts -u`, once each changed line is understood.

const SEEDS = 6;
const STEPS = 60;
const RECORDING = join(import.meta.dirname, "material/interleavings.txt");
const AGENTS = ["tester", "codex"];
const SESSIONS = ["s1", "s1", "s2"];
const FILES = ["a.txt", "b.txt", "judged.txt", "judged-b.txt"];
const CONFIG = "[judge]\noverride = true\n";

interface Sent {
  name: string;
  pending: PendingCall | undefined;
  token: string | undefined;
}

/** One gate, and everything that is seen of it in the order in which it happens. */
class Interleaving {
  readonly #seeded: Seeded;
  readonly #home = temporaryHome(CONFIG);
  readonly #clock = new ManualClock();
  readonly #judge = new HeldJudge("held", "validators", ({ call }) => /judged/.test(JSON.stringify(call.args)));
  readonly #names = new Map<string, string>();
  readonly seen: string[] = [];
  #reviews: HeldReview[] = [];
  #sent: Sent[] = [];
  #calls = 0;
  #opened: Awaited<ReturnType<typeof judgedCore>> | undefined;
  #box: ReturnType<typeof standInFor> | undefined;
  #isUnwritable = false;

  constructor(seed: number) {
    this.#seeded = new Seeded(seed);
  }

  get #core() {
    if (this.#opened === undefined) throw new Error("it isn't open");
    return this.#opened.core;
  }

  async open(): Promise<void> {
    this.#opened = await judgedCore({
      level: "Supervised",
      judges: [this.#judge],
      home: this.#home,
      clock: this.#clock,
    });
    const { core, log } = this.#opened;
    for (const name of AGENTS) if (core.agents.named(name) === undefined) core.agents.pair(name, "Supervised");
    mkdirSync(join(this.#opened.folder, ".git"), { recursive: true });
    writeFileSync(join(this.#opened.folder, "package.json"), '{ "scripts": { "test": "true", "judged": "true" } }');
    this.#box = standInFor(core.box);
    vi.spyOn(log, "push").mockImplementation((line) => {
      const what = /^error in (?!preparing the box)[^:]+/.exec(line)?.[0];
      if (what !== undefined) this.#see(what);
      return 0;
    });
    core.subscribe(({ type, data }) => {
      if (type !== "reviews.changed") this.#see(`event ${type}`, data);
    });
    const { append, flush } = core.audit;
    const lost: (() => void)[] = [];
    core.audit.append = (record, fails) => {
      if (this.#isUnwritable && fails !== undefined)
        lost.push(() => fails(Object.assign(new Error("write"), { code: "EIO" })));
      else append.call(core.audit, record, fails);
    };
    core.audit.flush = () => {
      for (const each of lost.splice(0)) each();
      flush.call(core.audit);
    };
  }

  #see(what: string, data?: unknown): void {
    this.seen.push(data === undefined ? what : `${what} ${this.#plain(data)}`);
  }

  /** Without what differs between two runs: ids by their first appearance, no durations, no hashes. */
  #plain(data: unknown): string {
    const text = JSON.stringify(data, (key, value) =>
      /^(?:ms|prev|hash|call_hash|latency_ms|signature|seq)$/.test(key) ? undefined : value,
    );
    const name = (found: string) => {
      const named = this.#names.get(found) ?? `#${this.#names.size}`;
      this.#names.set(found, named);
      return named;
    };
    return text
      .replaceAll(this.#home.home, "~")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{16}\b/g, name)
      .replaceAll(/(?<="(?:token|prev|hash|agent_id|install|head)":")[^"]+/g, name);
  }

  async run(): Promise<string[]> {
    await this.open();
    for (let step = 0; step < STEPS; step++) {
      const [name, act] = this.#seeded.weighted(this.#acts());
      this.#see(`> ${name}`);
      try {
        await act();
      } catch (error) {
        this.#see(`! ${error instanceof Error ? error.message : String(error)}`);
      }
      if (this.#seeded.chance(0.3)) continue;
      this.#endTurn();
      for (let turn = 0; turn < 4; turn++) await settled();
      this.#endTurn();
    }
    this.#opened?.close();
    return this.seen;
  }

  /** As the agent socket: what was decided is recorded, then sent, then shown. */
  #endTurn(): void {
    const { gate } = this.#core;
    gate.record();
    for (const [name, decision] of this.#unsent.splice(0)) this.#see(`sent ${name}`, decision.sent);
    gate.publish();
  }

  readonly #unsent: [string, UnsentDecision][] = [];

  #acts(): (readonly [number, readonly [string, () => unknown]])[] {
    const { gate } = this.#core;
    const waiting = () => this.#seeded.pick(this.#sent);
    const token = () => this.#token();
    const agent = () => this.#core.agents.named(this.#seeded.pick(AGENTS))?.agent_id ?? "";
    const review = () => this.#reviewed();
    return [
      [14, ["write", () => this.#decide("fs_write", this.#seeded.pick(FILES))]],
      [
        5,
        [
          "command",
          () => this.#decide("shell_exec", this.#seeded.pick(["npm test", "rm -rf ~", "true", "npm run judged"])),
        ],
      ],
      [7, ["approve", () => this.#answer(() => gate.answer({ token: token(), decision: "approved" }, BY))]],
      [
        2,
        [
          "grant",
          () => this.#answer(() => gate.answer({ token: token(), decision: "approved", scope: "session" }, BY)),
        ],
      ],
      [3, ["reject", () => this.#answer(() => gate.answer({ token: token(), decision: "rejected" }, BY))]],
      [
        1,
        ["refuse", () => this.#answer(() => gate.answer({ token: token(), decision: "rejected", refuse: "call" }, BY))],
      ],
      [4, ["cancel", () => this.#cancel(waiting())]],
      [3, ["disconnect", () => waiting().pending?.disconnect("it went away")]],
      [6, ["pass", () => review().pass()]],
      [4, ["fail", () => review().reject()]],
      [1, ["crash", () => review().crash(new Error("no"))]],
      [1, ["answer twice", () => review().answer(undefined as never)]],
      [4, ["override", () => gate.refusedCalls.override(this.#seeded.pick(gate.refusedCalls.list()).id)]],
      [1, ["end pairing", () => gate.endPairing(agent(), "revoked")]],
      [1, ["end session", () => gate.endSession(agent(), this.#seeded.pick(SESSIONS))]],
      [1, ["pause", () => gate.waiting.withdrawAll("the gate is paused")]],
      [1, ["pause agent", () => gate.waiting.withdrawAgent(agent(), "paused", "approval.withdrawn-pause")]],
      [1, ["withdraw left", () => this.#see("left", gate.waiting.withdrawLeft(agent(), token(), "no use") ?? null)]],
      [1, ["time", () => this.#pass(this.#seeded.pick([5, 200, 700]))]],
      [1, ["unstored", () => this.#failNext("commit")]],
      [1, ["not resolved", () => this.#failNext("resolve")]],
      [1, ["not delivered", () => this.#failNext("markDelivered")]],
      [1, ["unwritable", () => (this.#isUnwritable = !this.#isUnwritable)]],
      [1, ["box", () => this.#failBox()]],
      [1, ["not examined", () => this.#failExamination()]],
      [1, ["preview", () => this.#decide("fs_write", "a.txt", true)]],
      [2, ["restart", () => this.#restart()]],
    ];
  }

  #decide(executor: string, what: string, isPlanned = false): void {
    const folder = this.#opened?.folder ?? "";
    const agent = this.#core.agents.named(this.#seeded.pick(AGENTS)) ?? null;
    const args = executor === "fs_write" ? { path: join(folder, what), content: "x" } : { command: what };
    const call = { intent: "do", executor, args, context: { cwd: folder } };
    const session = this.#seeded.pick(SESSIONS);
    const canConfine = executor === "shell_exec";
    const subject = {
      agent,
      level: agent?.level ?? "ReadOnly",
      session,
      principal: BY,
      can_confine: canConfine,
    } as const;
    if (isPlanned) return this.#see("planned", this.#core.gate.preview(call, subject));
    const sent: Sent = { name: `call-${this.#calls++}`, pending: undefined, token: undefined };
    const take = (how: string, decision: UnsentDecision | undefined, pending: PendingCall | undefined) => {
      sent.pending = pending;
      sent.token = decision?.current.pending?.token ?? sent.token;
      if (!this.#sent.includes(sent) && pending !== undefined) this.#sent.push(sent);
      this.#see(`${how} ${sent.name} by ${agent?.name} in ${session}`);
      if (decision !== undefined) this.#unsent.push([sent.name, decision]);
    };
    const { decision, pending } = this.#core.gate.decide(call, subject, (later, to) => take("later", later, to));
    take("first", decision, pending);
  }

  /** Mostly of a request that waits, or was answered while nobody waited for it. */
  #token(): string {
    const { registry } = this.#core.gate.broker;
    const asked = this.#sent.flatMap(({ token }) => token ?? []);
    const waiting = asked.filter((token) => registry.getPending(token)?.status === "pending");
    return this.#seeded.pick(waiting.length > 0 && this.#seeded.chance(0.8) ? waiting : asked);
  }

  #reviewed(): HeldReview {
    this.#reviews = this.#judge.asked.filter(({ signal }) => !signal.aborted);
    return this.#seeded.chance(0.7) ? (this.#reviews.at(-1) as HeldReview) : this.#seeded.pick(this.#reviews);
  }

  #answer(act: () => { status: string }): void {
    this.#see(`answered ${act().status}`);
  }

  #cancel(sent: Sent): void {
    const decision = sent.pending?.cancel("no longer needed");
    if (decision !== undefined && decision !== null) this.#unsent.push([`${sent.name} cancelled`, decision]);
  }

  #pass(seconds: number): void {
    this.#clock.advance(seconds);
    this.#core.gate.broker.cleanup();
  }

  #failNext(method: "commit" | "resolve" | "markDelivered"): void {
    vi.spyOn(this.#core.gate.broker.registry, method).mockImplementationOnce(() => {
      if (method === "commit") this.#core.gate.broker.registry.rollback();
      throw Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
    });
  }

  #failBox(): void {
    if (this.#box !== undefined) this.#box.failure = this.#box.failure === undefined ? new Error("no box") : undefined;
  }

  /** The next look at the grants fails, which nobody expects. */
  #failExamination(): void {
    vi.spyOn(this.#core.grants, "find").mockImplementationOnce(() => {
      throw new Error("no grants");
    });
  }

  async #restart(): Promise<void> {
    this.#endTurn();
    this.#core.gate.waiting.reviews.stop();
    this.#endTurn();
    this.#core.gate.waiting.forget();
    this.#opened?.close();
    this.#isUnwritable = false;
    for (const sent of this.#sent) sent.pending = undefined;
    await this.open();
  }
}

it("random events on a gate have the lines, answers and order that are recorded", async () => {
  // Else how much is done in one turn of the event loop would depend on the machine.
  vi.spyOn(performance, "now").mockReturnValue(1_000_000);
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const recorded: string[] = [];
  for (let seed = 0; seed < SEEDS; seed++) {
    const seen = await new Interleaving(seed).run();
    recorded.push(
      `seed ${seed}: ${seen.length} lines, sha256 ${hash("sha256", seen.join("\n"))}`,
      ...seen.map(shortened),
    );
  }
  await expect(recorded.join("\n")).toMatchFileSnapshot(RECORDING);
}, 120_000);

const shortened = (line: string): string => line.slice(0, 60);
