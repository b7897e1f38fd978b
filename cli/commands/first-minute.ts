import { createInterface, type Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { ownCommand } from "../../ipc/base/own-command.ts";
import type { OperatorApi } from "../../ipc/contract/operator-api.ts";
import { adapterOf } from "../agents/adapters.ts";
import { runningGate } from "../operator.ts";
import { EXIT, type ExitCode, reportFailure, say } from "../output.ts";
import { connectHook, type InstalledAgent, installedAgents } from "./connect.ts";
import { atRunningGate } from "./demo.ts";
import { sayRunning, showPage, startHere } from "./start.ts";

/**
 * `metnos-gate` without arguments, on a terminal: starts the gate where none runs, offers to connect each agent that is installed, shows the
 * page and offers the demo. Everything that it does is another command's.
 */
export async function firstMinute(): Promise<ExitCode> {
  const before = await runningGate();
  if (before !== undefined) {
    try {
      await sayRunning(before);
      await guide(before, undefined);
      return EXIT.ok;
    } finally {
      await before.close();
    }
  }
  let saidRunning: (() => void) | undefined;
  const running = new Promise<void>((resolve) => {
    saidRunning = resolve;
  });
  const ended = startHere(["--no-link"], saidRunning);
  const gate = await Promise.race([reached(ended, running), ended]);
  if (typeof gate === "number") return gate;
  try {
    await Promise.race([guide(gate, ended), ended]);
  } catch (error) {
    reportFailure(error);
  } finally {
    await gate.close();
  }
  return await ended;
}

/** How often the tray app is looked for, which says nothing here, in milliseconds. */
const LOOK_MS = 200;

/** The gate that was just started, once it takes connections. */
async function reached(ended: Promise<ExitCode>, running: Promise<void>) {
  let hasEnded = false;
  void ended.finally(() => {
    hasEnded = true;
  });
  for (;;) {
    await Promise.race([running, sleep(LOOK_MS)]);
    const gate = await runningGate().catch(() => undefined);
    if (gate !== undefined) return gate;
    if (hasEnded) return await ended;
    await sleep(LOOK_MS);
  }
}

async function guide(gate: OperatorApi, ended: Promise<ExitCode> | undefined): Promise<void> {
  const questions = new Questions(ended);
  try {
    await offerAgents(await installedAgents(), questions);
    say("");
    say("Answer requests on the page:");
    await showPage(gate, true);
    say("");
    if (await questions.ask("Try it with a pretended agent that asks five things (demo)?", false))
      await demo(gate, ended);
    else say(`Later: ${ownCommand("demo")}`);
    if (ended !== undefined)
      say(`The gate runs as long as this command: Ctrl+C ends it. At each login: ${ownCommand("service install")}`);
  } finally {
    questions.close();
  }
}

async function offerAgents(agents: readonly InstalledAgent[], questions: Questions): Promise<void> {
  const here = agents.filter(({ program }) => program !== null);
  say("");
  if (here.length === 0) {
    const known = agents.map(({ title }) => title).join(", ");
    say(`None of ${known} is on PATH. Once one is: ${ownCommand("connect")}`);
    return;
  }
  say("Agents that were found:");
  for (const { title, program, is_connected } of here)
    say(`  ${title}  ${program}${is_connected ? "  connected" : ""}`);
  for (const { agent, title, is_connected } of here) {
    if (is_connected) continue;
    if (!(await questions.ask(`Connect ${title}?`, true))) {
      say(`Later: ${ownCommand(`connect ${agent}`)}`);
      continue;
    }
    await connectOne(agent);
  }
}

/** What keeps one from being connected keeps no other. */
async function connectOne(agent: string): Promise<void> {
  const adapter = await adapterOf(agent);
  if (adapter === undefined) return;
  try {
    await connectHook(adapter, {}, () => undefined);
  } catch (error) {
    reportFailure(error);
  }
}

async function demo(gate: OperatorApi, ended: Promise<ExitCode> | undefined): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  void ended?.finally(interrupt);
  try {
    await atRunningGate(gate, interrupted.signal, true);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** Asks on the terminal, which echoes what is typed. Where it or the gate has ended, each answer is no. */
class Questions {
  readonly #lines: Interface;
  #isOver = false;

  constructor(ended: Promise<ExitCode> | undefined) {
    // Not as a terminal of readline's: Ctrl+C stays a signal, which ends the gate.
    this.#lines = createInterface({ input: process.stdin, terminal: false });
    this.#lines.once("close", () => {
      this.#isOver = true;
    });
    void ended?.finally(() => this.close());
  }

  async ask(question: string, isYes: boolean): Promise<boolean> {
    if (this.#isOver) return false;
    process.stderr.write(`${question} [${isYes ? "Y/n" : "y/N"}] `);
    const answer = await new Promise<string | undefined>((resolve) => {
      this.#lines.once("line", resolve).once("close", () => resolve(undefined));
    });
    if (answer === undefined) return false;
    const word = answer.trim().toLowerCase();
    return word === "" ? isYes : ["y", "yes"].includes(word);
  }

  close(): void {
    this.#lines.close();
  }
}
