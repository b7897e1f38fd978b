import { expect, it } from "vitest";
import { Seeded } from "../../fuzz/seeded.ts";
import type { ApprovalView } from "../../ipc/operator-api.ts";
import { endedScreen } from "../../main/telegram/request-screen.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type AskedCall, configuredHome, TelegramGate } from "../support/telegram-gate.ts";
import { type ApiCall, type BotMessage, ROBERTO_USER, STRANGER, telegramServer } from "../support/telegram-server.ts";
import { IS_WHOLE_RUN } from "../support/whole-run.ts";

const REQUESTS = IS_WHOLE_RUN ? 1000 : 100;
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

/** What may go wrong with any call, but for an answer to `sendMessage` that is lost: no client can know of that message. */
function chaosOf(random: Seeded) {
  return ({ method }: ApiCall) => {
    const luck = random.real(1);
    if (luck > 0.12 || method === "getMe") return undefined;
    if (luck < 0.03) return { status: 429, retry_after: 0.01 };
    if (luck < 0.06) return { status: 502 };
    return { drop: luck < 0.09 && method !== "sendMessage" ? ("after" as const) : ("before" as const) };
  };
}

it(`of ${REQUESTS} requests, each tapped, answered elsewhere, withdrawn, expired and restarted in any order, one decision counts, and the message says what the registry does`, async () => {
  const random = new Seeded(SEED);
  const server = await telegramServer();
  const home = configuredHome(server);
  const clock = new ManualClock();
  const closed = new Map<string, string[]>();
  const opened = async () => {
    const gate = await TelegramGate.open({ server, home, clock });
    gate.operator.subscribe(
      (event) => {
        if (event.type !== "approval.closed") return;
        const { token, status } = event.data;
        closed.set(token, [...(closed.get(token) ?? []), status]);
      },
      ["approval.closed"],
    );
    return gate;
  };
  let gate = await opened();
  await gate.link();
  const messages = new Map<string, BotMessage>();

  const act = async (asked: AskedCall, message: BotMessage) => {
    const { token } = asked;
    const tap = (decision: "approve" | "reject", user = ROBERTO_USER) =>
      server.sendsCallback(user, message, `${decision}:${token}`);
    const answer = (decision: "approved" | "rejected") =>
      gate.operator
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
        return gate.core.gate.broker.cancel(token, "not needed any more");
      case "stranger":
        return tap("approve", STRANGER);
      case "nothing":
        return undefined;
    }
  };

  for (let batch = 0; batch < REQUESTS / TOGETHER; batch++) {
    server.chaos = undefined;
    const asked = Array.from({ length: TOGETHER }, (_, index) => gate.asks(`${batch}-${index}.txt`));
    for (const { token } of asked) messages.set(token, await gate.shown(token));
    server.chaos = chaosOf(random);
    for (let step = 0; step < TOGETHER * 2; step++) {
      const one = random.pick(asked);
      const message = messages.get(one.token);
      if (message !== undefined) await act(one, message);
      if (random.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
      if (random.chance(0.01)) {
        await gate.close();
        gate = await opened();
      }
      if (random.chance(0.005)) {
        clock.advance(601);
        await gate.operator.call("approvals.cleanup", {});
      }
    }
    await server.allTaken();
    clock.advance(601);
    await gate.operator.call("approvals.cleanup", {});
    server.chaos = undefined;
    const views = asked.map(({ token }) => gate.request(token));
    await server.until(() => views.every((view) => messages.get(view.token)?.text === finalText(gate, view)));
  }

  for (const [token, message] of messages) {
    const view = gate.request(token);
    expect(view.status).not.toBe("pending");
    expect(closed.get(token) ?? [view.status]).toEqual([view.status]);
    expect([message.text, message.buttons]).toEqual([finalText(gate, view), []]);
    expect(server.messages.filter(({ buttons }) => JSON.stringify(buttons).includes(token))).toEqual([]);
  }
  const answered = [...messages.keys()].filter((token) => gate.request(token).decision_surface === "telegram");
  console.log(`${messages.size} requests, seed ${SEED}: ${answered.length} answered in the chat`);
  expect(messages.size).toBe(REQUESTS);
  expect(answered.length).toBeGreaterThan(REQUESTS / 20);
});

function finalText(gate: TelegramGate, view: ApprovalView): string {
  return endedScreen(view, { language: "en", show: "card", home: gate.home.home }).text;
}
