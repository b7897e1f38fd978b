import type Database from "better-sqlite3";
import type { Price } from "../../../ipc/contract/costs.ts";
import { DaySums, type DayTable } from "./day-sums.ts";

/** What models were asked, and what calls cost, with their money, for each day (local time): numbers only. */

export function createSpending(db: Database.Database): void {
  db.exec(`CREATE TABLE model_spending (
    day           TEXT NOT NULL,
    model         TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost          REAL NOT NULL,
    PRIMARY KEY (day, model)
  ) WITHOUT ROWID`);
}

export function createCallSpending(db: Database.Database): void {
  db.exec(`CREATE TABLE call_spending (
    day      TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    calls    INTEGER NOT NULL,
    amount   REAL NOT NULL,
    PRIMARY KEY (day, agent_id, currency)
  ) WITHOUT ROWID`);
}

const MODELS = {
  name: "model_spending",
  keys: ["model"],
  sums: ["calls", "input_tokens", "output_tokens", "cost"],
  reading: "reading what models cost",
  counting: "counting what models cost",
} as const satisfies DayTable<string, string>;

const CALLS = {
  name: "call_spending",
  keys: ["agent_id", "currency"],
  sums: ["calls", "amount"],
  reading: "reading what calls cost",
  counting: "counting what calls cost",
} as const satisfies DayTable<string, string>;

export interface Spent {
  /** Requests that were sent, answered or not. */
  calls: number;
  input_tokens: number;
  output_tokens: number;
  /** In the currency of the configured prices. */
  cost: number;
}

type Failed = (what: string, error: unknown) => void;

export class ModelSpending {
  readonly #sums: DaySums<"model", keyof Spent>;

  /** `db` was opened with `ACTIVITY_SCHEMA`; `now` gives milliseconds; `failed` is called where the database can't be read or written. */
  constructor(db: Database.Database, now: () => number, failed: Failed) {
    this.#sums = new DaySums(db, MODELS, now, failed);
  }

  /** What was spent since midnight. */
  today(model: string): Readonly<Spent> {
    const { calls = 0, input_tokens = 0, output_tokens = 0, cost = 0 } = this.#sums.of({ model }) ?? {};
    return { calls, input_tokens, output_tokens, cost };
  }

  /** Before a request is sent: it counts, whatever comes of it. */
  sent(model: string): void {
    this.#sums.add({ model }, { calls: 1, input_tokens: 0, output_tokens: 0, cost: 0 });
  }

  /** What an answer has cost. */
  cost(model: string, cost: Omit<Spent, "calls">): void {
    this.#sums.add({ model }, { calls: 0, ...cost });
  }
}

/** What the calls that the gate allowed an agent cost, by the prices that are known. */
export class CallSpending {
  readonly #sums: DaySums<"agent_id" | "currency", "calls" | "amount">;

  /** As `ModelSpending`. */
  constructor(db: Database.Database, now: () => number, failed: Failed) {
    this.#sums = new DaySums(db, CALLS, now, failed);
  }

  /** A call of this price was allowed. */
  add(agentId: string, { amount, currency }: Price): void {
    this.#sums.add({ agent_id: agentId, currency }, { calls: 1, amount });
  }

  /** Since midnight, of each agent, by currency. */
  today(): { agent_id: string; currency: string; calls: number; amount: number }[] {
    return this.#sums.list().map((entry) => ({ ...entry }));
  }
}
