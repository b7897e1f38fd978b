import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LAUNCHER, within } from "../../bench/running-program.ts";
import { EXIT } from "../../cli/output.ts";
import { gatePaths } from "../../ipc/base/paths.ts";
import type { OperatorClient } from "../../ipc/socket/operator-client.ts";
import { monthFiles } from "../../main/records/audit/month-files.ts";
import { Acts } from "./acts.ts";
import { AGENT, type Column, type GateFile } from "./files.ts";
import { GateProcess, ProgramAt, type RunAs } from "./gate-process.ts";
import { applyDamage, type Kind, PRECIOUS, whyNot } from "./kinds.ts";
import { type Known, lookThrough, nothingKnown, tried } from "./known.ts";
import { type Life, type Observation, outcomeOf } from "./observation.ts";
import type { Moment, Outcome } from "./outcomes.ts";
import type { PreparedHomes } from "./prepared-homes.ts";

/** One file, one kind of damage, one moment: the gate's behaviour. */

export interface DamageCase {
  file: GateFile;
  kind: Kind;
  moment: Moment;
}

export type CaseResult = { skipped: string } | { outcome: Outcome; observation: Observation };

/** A running gate has so long to notice, in milliseconds. */
const NOTICED_WITHIN_MS = 2500;
const ANSWERS_WITHIN_MS = 120_000;
/** What fails is tried again each second or two, and is an alarm then. */
const ALARM_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 250;
const PROGRAM_MS = 60_000;

/** Files that exist only beside a gate that was killed. */
const LEFT_BY_A_KILL: ReadonlySet<Column> = new Set(["database-wal", "database-shm", "socket"]);
const OF_RECEIPTS: ReadonlySet<Column> = new Set(["receipts.key", "receipts/keys.jsonl", "month of receipts"]);
/** Columns whose foreign files must not be written into. */
const KEPT_AS_IT_IS: ReadonlySet<Column> = new Set(["database", "activity.db", "gate.lock", "socket"]);

export async function runCase({ file, kind, moment }: DamageCase, homes: PreparedHomes): Promise<CaseResult> {
  const made = homes.caseHome();
  const { home, material } = made;
  const known = structuredClone(homes.known);
  const lives: Life[] = [];
  const lost: string[] = [];
  try {
    if (moment === "at rest" && LEFT_BY_A_KILL.has(file.column)) await killInUse(home, homes.runAs, known);
    const running = moment === "running" ? await RunningLife.begin(home, homes.runAs, known) : undefined;
    const reason = whyNot(kind, file, home, material);
    if (reason !== undefined) {
      await running?.stop();
      return { skipped: reason };
    }
    const elsewhere = contents(material.elsewhere);
    applyDamage(kind, file, home, material);
    const put = kind === "a foreign one" && KEPT_AS_IT_IS.has(file.column) ? readFileSync(file.path(home)) : undefined;
    const before = structuredClone(known);
    if (running !== undefined) lives.push(await running.goOn());
    const restart = await lifeOf(home, homes.runAs, known, file);
    lives.push(restart);
    if (running !== undefined && restart.state === "serving")
      lost.push(...onlyLater(restart.missing, before).filter((item) => !isCounted(item, lives)));
    const writtenElsewhere = changed(elsewhere, contents(material.elsewhere));
    if (put !== undefined && !isStillThere(put, file.path(home))) writtenElsewhere.push(file.path(home));
    const observation = { lives, written_elsewhere: writtenElsewhere, lost };
    return { outcome: outcomeOf(observation, namesOf(file, home)), observation };
  } finally {
    homes.forget(made);
  }
}

/** The first is its own; a month may be named by its folder. */
export function namesOf(file: GateFile, home: string): string[] {
  const path = file.path(home);
  return [path, basename(path), ...(file.column.startsWith("month of ") ? [dirname(path)] : [])];
}

/** What was acknowledged after the damage. */
export function onlyLater(missing: readonly string[], before: Known): string[] {
  const earlier = [
    ...before.grants.map((item) => `grant ${item}`),
    ...before.agents.map((item) => `agent ${item}`),
    ...before.answered.map((item) => `answer ${item}`),
    ...before.decisions.map((item) => `decision ${item}`),
  ];
  return missing.filter((item) => !earlier.includes(item) && /^(?:grant|agent|answer|pause|decision) /.test(item));
}

/** Calls that only read are decided without a line while the trail can't be written; an alarm says how many. */
export function isCounted(item: string, lives: readonly Life[]): boolean {
  return (
    item.startsWith("decision ") &&
    lives.some(({ messages }) => messages.some((text) => text.startsWith("alarm trail_lost")))
  );
}

/** A gate that is used, and killed while its last writes are in the logs beside the databases. */
async function killInUse(home: string, runAs: RunAs, known: Known): Promise<void> {
  const life = await RunningLife.begin(home, runAs, known);
  await life.killAfterActs();
}

export class RunningLife {
  readonly #gate: GateProcess;
  readonly #acts: Acts;
  readonly #operator: OperatorClient;

  private constructor(gate: GateProcess, acts: Acts, operator: OperatorClient) {
    this.#gate = gate;
    this.#acts = acts;
    this.#operator = operator;
  }

  static async begin(home: string, runAs: RunAs, known: Known): Promise<RunningLife> {
    const gate = new GateProcess(home, runAs);
    const state = await gate.started();
    const operator = await gate.operator();
    if (state !== "serving" || operator === undefined) {
      await gate.kill();
      throw new Error(`no gate to damage: ${state}\n${gate.output}`);
    }
    const acts = await Acts.begin(operator, home, known);
    // Its write-ahead logs are there then.
    await acts.doAll("before", { messages: [], raw: [] });
    await operator.call("safety.resume", {});
    known.paused = null;
    return new RunningLife(gate, acts, operator);
  }

  async killAfterActs(): Promise<void> {
    await this.#acts.doAll("killed", { messages: [], raw: [] });
    this.#acts.end();
    await this.#gate.kill();
  }

  async stop(): Promise<void> {
    this.#acts.end();
    await this.#gate.kill();
  }

  /** Continues on a disk that fails, until an alarm is noticed or there was time enough, and kills the gate. */
  async goOnUntilKilled(isNoticed: (alarm: string) => boolean): Promise<Life> {
    const seen = nothingSeen();
    const hasAnswered = await isOverInTime(async () => {
      await this.#acts.doAll("after", seen);
      await tried(seen, async () => void (await this.#operator.call("audit.checkpoint", { is_fresh: true })));
      const giveUpAt = performance.now() + ALARM_WITHIN_MS;
      for (;;) {
        const found = await lookThrough(this.#operator, nothingKnown());
        if (found.messages.some(isNoticed) || performance.now() > giveUpAt) {
          for (const key of ["messages", "raw", "verify_problems"] as const) seen[key].push(...found[key]);
          return;
        }
        await delay(LOOK_AGAIN_MS);
      }
    });
    this.#acts.end();
    const endedByItself = this.#gate.hasEnded;
    await this.#gate.kill();
    const end = endedByItself ? this.#gate.ending : 0;
    const state = hasAnswered ? "serving" : "hangs";
    return { ...seen, state, ended_by_itself: endedByItself, end, output: withoutPaths(this.#gate.output) };
  }

  /** Continues at the damaged gate, and ends it. */
  async goOn(): Promise<Life> {
    const seen = nothingSeen();
    await delay(NOTICED_WITHIN_MS);
    const hasAnswered = await isOverInTime(async () => {
      await this.#acts.doAll("after", seen);
      const { messages, raw } = await lookThrough(this.#operator, nothingKnown());
      seen.messages.push(...messages);
      seen.raw.push(...raw);
    });
    this.#acts.end();
    const endedByItself = this.#gate.hasEnded;
    const hasStopped = await this.#gate.stop();
    if (!hasStopped) await this.#gate.kill();
    const state = hasStopped && hasAnswered ? "serving" : "hangs";
    return {
      ...seen,
      state,
      ended_by_itself: endedByItself,
      end: this.#gate.ending,
      output: withoutPaths(this.#gate.output),
    };
  }
}

/** A gate that doesn't answer by then hangs. */
async function isOverInTime(work: () => Promise<void>): Promise<boolean> {
  return await within(
    work().then(() => true),
    ANSWERS_WITHIN_MS,
    false,
  );
}

function nothingSeen(): Pick<Life, "missing" | "raw" | "messages" | "verify_problems"> {
  return { missing: [], raw: [], messages: [], verify_problems: [] };
}

/** Starts a gate, reads everything that it knows, and stops it. */
export async function lifeOf(home: string, runAs: RunAs, known: Known, file: GateFile): Promise<Life> {
  const gate = new GateProcess(home, runAs);
  try {
    const life: Life = {
      state: await gate.started(),
      ended_by_itself: false,
      end: gate.ending,
      output: withoutPaths(gate.output),
      messages: [],
      raw: [],
      verify_problems: [],
      missing: [],
    };
    if (life.state !== "serving") return life;
    const operator = await gate.operator();
    if (operator === undefined) life.messages.push(`${file.path(home)}: the operator isn't let in`);
    else {
      const hasAnswered = await isOverInTime(async () => {
        Object.assign(life, await lookThrough(operator, known));
      });
      if (!hasAnswered) life.state = "hangs";
      if (file.column === "agent's token") await greetAsAgent(home, runAs, file, life);
      if (OF_RECEIPTS.has(file.column)) await verifyReceipts(home, runAs, life);
    }
    life.missing.push(...missingDecisions(home, known));
    life.ended_by_itself = gate.hasEnded;
    if (!(await gate.stop())) life.state = "hangs";
    return { ...life, end: gate.ending, output: withoutPaths(gate.output) };
  } finally {
    await gate.kill();
  }
}

/** A damaged token is noticed by the agent that uses it. */
async function greetAsAgent(home: string, runAs: RunAs, file: GateFile, life: Life): Promise<void> {
  const script = fileURLToPath(new URL("agent-greets.ts", import.meta.url));
  const { output, end } = await outputOf([script, AGENT], home, runAs);
  if (typeof end === "string") life.state = "hangs";
  else if (output.startsWith("raw")) life.raw.push(output);
  else if (!output.startsWith("let in")) life.messages.push(`${basename(file.path(home))}: ${output}`);
}

/** Damaged receipts are found by whoever verifies them, as the user that they belong to. */
async function verifyReceipts(home: string, runAs: RunAs, life: Life): Promise<void> {
  const { output, end } = await outputOf([LAUNCHER, "receipts", "verify"], home, runAs);
  if (typeof end === "string") life.state = "hangs";
  else if (end === EXIT.problemFound) life.verify_problems.push(output);
  else if (/^metnos-gate: .+\n {2}\S/m.test(output)) life.messages.push(output);
  else if (end !== EXIT.ok) life.raw.push(`receipts verify: ${end}: ${output}`);
}

/** What a program prints, and how it ended: its exit code, or a signal where it took too long. */
async function outputOf(args: string[], home: string, runAs: RunAs) {
  const program = new ProgramAt(home, args, runAs);
  await within(program.exited, PROGRAM_MS, null);
  await program.end("SIGKILL");
  return { output: program.output, end: program.ending };
}

function missingDecisions(home: string, { decisions }: Known): string[] {
  const { auditDir } = gatePaths({ HOME: home });
  let trail = "";
  for (const name of monthFiles(auditDir)) {
    const file = join(auditDir, name);
    if (lstatSync(file).isFile()) trail += readFileSync(file, "utf8");
  }
  return decisions.filter((id) => !trail.includes(id)).map((id) => `decision ${id}`);
}

/** The paths of its files are printed at each start. */
function withoutPaths(output: string): string {
  return output.replace(/^ {2}(?:agents connect to|you answer with|notifications are|the audit trail is) .*\n/gm, "");
}

/** A database that a link leads to is locked beside the real file: that is how two gates on one database find each other. */
const LOCK_OF_LINKED = `${PRECIOUS}.lock`;

function contents(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => name !== LOCK_OF_LINKED);
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** There, or set aside beside it. */
function isStillThere(bytes: Buffer, path: string): boolean {
  const folder = dirname(path);
  return readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(folder, entry.name)).equals(bytes),
  );
}
