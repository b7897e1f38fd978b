import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type GateUnderTest, startGate } from "../../support/running-gate.ts";
import type { Terminal } from "./tmux-terminal.ts";

/** How long a busy machine may take to show something, in milliseconds. */
export const SHOWN = { timeout: 120_000, interval: 100 };

/** An Enter that wasn't taken by then is pressed again: where it was, it finds nothing to send. In milliseconds. */
const ENTER_AGAIN_MS = 500;

/** Calls that the model makes, at once. */
export type Turn<Call> = readonly Call[];

/** A client in its terminal, whose model makes the calls that are pushed to `turns`. */
export interface SeatedClient<Call> {
  gate: GateUnderTest;
  project: string;
  terminal: Terminal;
  turns: Turn<Call>[];
  /** On the screen as long as the client works. */
  working: RegExp;
  /** What is before the text that is being typed, where an Enter that is pressed while the client is busy may be lost. */
  prompt?: string;
  /** True where what it says of the gate isn't below what the user said last. */
  hasToasts?: boolean;
}

/** What a conversation begins with to the pretended models. */
const FIRST_WORDS = "go";

/** The user in front of a client's screen: says something to it, looks, and answers cards. */
export class SeatedUser<Call> {
  readonly #client: SeatedClient<Call>;
  gate: GateUnderTest;
  #said = "";

  constructor(client: SeatedClient<Call>) {
    this.#client = client;
    this.gate = client.gate;
  }

  get terminal(): Terminal {
    return this.#client.terminal;
  }

  /** Says something once the client has ended what it did; its model then makes these calls at once. */
  async says(...calls: Call[]): Promise<void> {
    await this.seesNot(this.#client.working);
    const { turns } = this.#client;
    this.#said = turns.length === 0 ? FIRST_WORDS : `${FIRST_WORDS} ${turns.length + 1}`;
    this.terminal.type(this.#said);
    // A client that reads both at once takes them for pasted lines.
    await expect.poll(() => ` ${this.terminal.words}`, SHOWN).toContain(` ${this.#said} `);
    turns.push(calls);
    if (this.#client.prompt === undefined) return this.terminal.press("Enter");
    const typed = ` ${this.#client.prompt} ${this.#said} `;
    let pressedAt = Number.NEGATIVE_INFINITY;
    const isTaken = () => {
      if (!this.terminal.words.includes(typed)) return true;
      if (performance.now() - pressedAt < ENTER_AGAIN_MS) return false;
      this.terminal.press("Enter");
      pressedAt = performance.now();
      return false;
    };
    await expect.poll(isTaken, SHOWN).toBe(true);
  }

  async sees(text: string): Promise<void> {
    await expect.poll(() => this.screen, SHOWN).toContain(text);
  }

  /** What the client's screen says of what the user said last. */
  get screen(): string {
    return this.#client.hasToasts ? this.terminal.words : this.#belowSaid;
  }

  get #belowSaid(): string {
    const { words } = this.terminal;
    return words.slice(words.lastIndexOf(` ${this.#said} `) + 1);
  }

  /** The model has nothing more to call, and said so: else it would make the next calls before it is spoken to. */
  async isDone(): Promise<void> {
    await expect.poll(() => this.#belowSaid, SHOWN).toContain(" done ");
  }

  async seesNot(text: RegExp | string): Promise<void> {
    await expect.poll(() => this.terminal.words, SHOWN).not.toMatch(text);
  }

  /** Nothing is typed before the prompt is gone: a client that reads it together with the Escape takes both for another key. */
  async leaves(prompt: string): Promise<void> {
    await this.sees(prompt);
    this.terminal.press("Escape");
    await this.seesNot(prompt);
  }

  /** How often it is on the screen. */
  times(text: string): number {
    return this.screen.split(text).length - 1;
  }

  /** The token of the card about a command, once it waits. */
  async card(line = ""): Promise<string> {
    let token: string | undefined;
    const found = async () => {
      const cards = await this.gate.operator.call("approvals.list", {});
      token = cards.find(({ target_summary }) => target_summary.includes(line))?.token;
      return token;
    };
    await expect.poll(found, SHOWN).toBeDefined();
    return token ?? "";
  }

  async answers(line: string, decision: "approved" | "rejected", message?: string): Promise<void> {
    const token = await this.card(line);
    const more = message === undefined ? {} : { message };
    await this.gate.operator.call("approvals.resolve", { token, decision, ...more });
  }

  /** The hook that asked has its answer, and has ended: it would wait for a gate that stops before that. */
  async hasNoHook(): Promise<void> {
    const ofHome = `${this.gate.home.home}/.* hook `;
    await expect.poll(() => spawnSync("pgrep", ["-f", ofHome]).status, SHOWN).toBe(1);
  }

  async hasNoCard(): Promise<void> {
    await expect.poll(() => this.gate.waiting(), SHOWN).toEqual([]);
  }

  async made(file: string): Promise<void> {
    await expect.poll(() => this.hasMade(file), SHOWN).toBe(true);
  }

  hasMade(file: string): boolean {
    return existsSync(join(this.#client.project, file));
  }

  async stopsGate(): Promise<void> {
    await this.gate.close();
  }

  async startsGate(): Promise<void> {
    this.gate = await startGate({ home: this.gate.home });
  }
}
