import { expect, it } from "vitest";
import { Seeded } from "../../../fuzz/seeded.ts";
import type { ApprovalView } from "../../../ipc/contract/operator-api.ts";
import { endedScreen } from "../../../main/surfaces/telegram/request-screen.ts";
import { TELEGRAM_WORDS } from "../../../main/surfaces/telegram/words.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type AskedCall, configuredHome, TelegramGate } from "../../support/telegram-gate.ts";
import {
  type ApiCall,
  type BotMessage,
  ROBERTO_USER,
  STRANGER,
  telegramServer,
} from "../../support/telegram-server.ts";
import { IS_WHOLE_RUN } from "../../support/whole-run.ts";

/** Gates, each with a chat of its own, that are asked at once: most of the time each waits for its next call. */
const LANES = IS_WHOLE_RUN ? 4 : 2;
const BATCHES = IS_WHOLE_RUN ? 10 : 2;
const TOGETHER = 25;
const SEED = Number(process.env.SEED ?? Date.now() % 100_000);

const ACTS = [
  "approve",
  "deny",
  "double",
  "terminal-approve",
  "terminal-deny",
  "withdraw",
  "stranger",
  "nothing",
] as const;

/** What may go wrong with any call: refused, never made, or made and its answer lost. */
function chaosOf(random: Seeded) {
  return ({ method }: ApiCall) => {
    if (method === "sendMessage" && random.chance(0.12)) return { drop: "after" as const };
    const luck = random.real(1);
    if (luck > 0.12 || method === "getMe") return undefined;
    if (luck < 0.03) return { status: 429, retry_after: 0.01 };
    if (luck < 0.06) return { status: 502 };
    return { drop: luck < 0.09 ? ("after" as const) : ("before" as const) };
  };
}

/** One gate after the other in one home, with one chat, and what is done to its requests. */
class Lane {
  readonly #random: Seeded;
  readonly #clock = new ManualClock();
  readonly #server: Awaited<ReturnType<typeof telegramServer>>;
  readonly #home: ReturnType<typeof configuredHome>;
  readonly #closed = new Map<string, string[]>();
  /** Requests of which a message was pressed whose number the gate has got. */
  readonly #pressed = new Set<string>();
  readonly tokens: string[] = [];
  gate: TelegramGate;

  private constructor(random: Seeded, server: Awaited<ReturnType<typeof telegramServer>>, gate: TelegramGate) {
    this.#random = random;
    this.#server = server;
    this.#home = gate.home;
    this.gate = gate;
  }

  static async open(seed: number): Promise<Lane> {
    const server = await telegramServer();
    const home = configuredHome(server);
    const lane = new Lane(new Seeded(seed), server, await TelegramGate.open({ server, home }));
    await lane.gate.link();
    await lane.#restart();
    return lane;
  }

  async #restart(): Promise<void> {
    await this.gate.close();
    this.gate = await TelegramGate.open({ server: this.#server, home: this.#home, clock: this.#clock });
    this.gate.operator.subscribe(
      (event) => {
        if (event.type !== "approval.closed") return;
        const { token, status } = event.data;
        this.#closed.set(token, [...(this.#closed.get(token) ?? []), status]);
      },
      ["approval.closed"],
    );
  }

  async run(batch: number): Promise<void> {
    const random = this.#random;
    this.#server.chaos = chaosOf(random);
    const asked = Array.from({ length: TOGETHER }, (_, index) => this.gate.asks(`${batch}-${index}.txt`));
    for (const { token } of asked) {
      await this.gate.shown(token);
      this.tokens.push(token);
    }
    for (let step = 0; step < TOGETHER * 2; step++) {
      this.#act(random.pick(asked));
      if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
      if (random.chance(0.01)) await this.#restart();
      if (random.chance(0.005)) await this.#expire();
    }
    await this.#server.allTaken();
    await this.#expire();
    this.#server.chaos = undefined;
    await this.#server.until(() => asked.every(({ token }) => this.#known(token).text === this.#finalText(token)));
  }

  #act({ token }: AskedCall): void {
    const random = this.#random;
    const message = random.pick(this.#messagesOf(token));
    const tap = (decision: "approve" | "reject", user = ROBERTO_USER) => {
      if (message.is_answered && user === ROBERTO_USER) this.#pressed.add(token);
      this.#server.sendsCallback(user, message, `${decision}:${token}`);
    };
    const answer = (decision: "approved" | "rejected") =>
      void this.gate.operator
        .on("terminal")
        .call("approvals.resolve", { token, decision })
        .catch(() => undefined);
    switch (random.pick(ACTS)) {
      case "approve":
        return tap("approve");
      case "deny":
        return tap("reject");
      case "double":
        tap(random.pick(["approve", "reject"]));
        return tap(random.pick(["approve", "reject"]));
      case "terminal-approve":
        return answer("approved");
      case "terminal-deny":
        return answer("rejected");
      case "withdraw":
        return void this.gate.core.gate.broker.cancel(token, "not needed any more");
      case "stranger":
        return tap("approve", STRANGER);
      case "nothing":
        return undefined;
    }
  }

  async #expire(): Promise<void> {
    this.#clock.advance(601);
    await this.gate.operator.call("approvals.cleanup", {});
  }

  #messagesOf(token: string): BotMessage[] {
    return this.#server.messages.filter(({ data }) => data.some((one) => one.endsWith(`:${token}`)));
  }

  #known(token: string): BotMessage {
    const all = this.#messagesOf(token);
    const [found, ...others] = all.filter((message) => message.is_answered);
    if (found !== undefined && others.length === 0) return found;
    const seen = JSON.stringify({ seed: SEED, request: this.gate.request(token), all }, null, 1);
    throw new Error(`${all.filter((message) => message.is_answered).length} messages that the gate knows: ${seen}`);
  }

  #finalText(token: string): string {
    return endedScreen(this.gate.request(token), { language: "en", show: "card", home: this.gate.home.home }).text;
  }

  /** How it ended, once each is looked at: how many were answered in the chat, how many messages no gate knows of. */
  async ended(): Promise<{ answered: number; unknown: number }> {
    const unknown = this.tokens.flatMap((token) => this.#messagesOf(token).filter(({ is_answered }) => !is_answered));
    // Of a message whose number was lost no gate can know: the first press on it makes it say so.
    const left = unknown.filter(({ buttons }) => buttons.length > 0);
    for (const message of left) this.#server.presses(ROBERTO_USER, message, message.data[0] ?? "");
    await this.#server.until(() => left.every(({ buttons }) => buttons.length === 0));
    for (const { text } of unknown) expect(text).toBe(TELEGRAM_WORDS.en.oldCopy);
    for (const token of this.tokens) {
      const view: ApprovalView = this.gate.request(token);
      expect(view.status).not.toBe("pending");
      expect(this.#closed.get(token) ?? [view.status]).toEqual([view.status]);
      expect([this.#known(token).text, this.#known(token).buttons]).toEqual([this.#finalText(token), []]);
    }
    const answered = this.tokens.filter((token) => this.gate.request(token).decision_surface === "telegram");
    expect(answered.filter((token) => !this.#pressed.has(token))).toEqual([]);
    return { answered: answered.length, unknown: unknown.length };
  }
}

it(`of ${LANES * BATCHES * TOGETHER} requests, each tapped, answered elsewhere, withdrawn, expired and restarted in any order while answers of Telegram are lost, one decision counts, and the message says what the registry does`, async () => {
  const lanes = await Promise.all(Array.from({ length: LANES }, (_, index) => Lane.open(SEED * LANES + index)));
  const ends = lanes.map(async (lane) => {
    for (let batch = 0; batch < BATCHES; batch++) await lane.run(batch);
    return lane.ended();
  });
  let [answered, unknown] = [0, 0];
  for (const end of await Promise.all(ends)) {
    answered += end.answered;
    unknown += end.unknown;
  }
  const requests = lanes.flatMap(({ tokens }) => tokens).length;
  console.log(`${requests} requests, seed ${SEED}: ${answered} answered in the chat, ${unknown} messages twice`);
  expect(requests).toBe(LANES * BATCHES * TOGETHER);
  expect(answered).toBeGreaterThan(requests / 20);
  expect(unknown).toBeGreaterThan(0);
}, 600_000);
