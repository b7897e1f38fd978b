import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { localPrincipal } from "../../ipc/base/paths.ts";
import type { PendingCall } from "../../ipc/contract/agent-port.ts";
import type { Decision, Level } from "../../ipc/contract/decision.ts";
import type { AuditLine } from "../../ipc/contract/operator-api.ts";
import type { Clock } from "../../main/base/clocks/clock.ts";
import { systemClock } from "../../main/base/clocks/system-clock.ts";
import { type Core, openCore } from "../../main/core/core.ts";
import { Router } from "../../main/surfaces/delivery/routing.ts";
import { Operator } from "../../main/surfaces/operator/operator.ts";
import { openTelegram } from "../../main/surfaces/telegram/open.ts";
import type { TelegramChannel } from "../../main/surfaces/telegram/telegram-channel.ts";
import type { Timing, Waits } from "../../main/surfaces/telegram/timing.ts";
import {
  BOT_TOKEN,
  type BotMessage,
  type ChatUser,
  ROBERTO_USER,
  type TelegramServer,
  telegramServer,
} from "./telegram-server.ts";
import { type TemporaryHome, temporaryHome } from "./temporary-home.ts";

/** A real gate's core with Telegram's channel, routed as the gate routes it, against a Bot API of our own; and an agent that writes. */

/** So that no test waits; that a tap needs a second is a test of its own. */
const QUICK: Partial<Timing> = {
  pollSeconds: 5,
  firstWaitMs: 5,
  longestWaitMs: 20,
  editIntervalMs: 0,
  tapDelayMs: 0,
  settleMs: 2000,
  closeMs: 1000,
};

export interface TelegramGateOptions {
  server?: TelegramServer;
  home?: TemporaryHome;
  /** Lines of `[telegram]`. */
  telegram?: string;
  /** Other lines of gate.toml. */
  config?: string;
  timing?: Partial<Timing>;
  waits?: Waits;
  clock?: Clock;
  level?: Level;
  gatherAbove?: number;
}

export interface AskedCall {
  decisions: Decision[];
  /** The last decision, once there is one that isn't a question. */
  decided: Promise<Decision>;
  token: string;
  pending: PendingCall | undefined;
}

export class TelegramGate {
  readonly server: TelegramServer;
  readonly home: TemporaryHome;
  readonly core: Core;
  readonly operator: Operator;
  readonly channel: TelegramChannel;
  readonly log: string[];
  readonly #router: Router;
  readonly #level: Level;
  #isOpen = true;

  private constructor(parts: {
    server: TelegramServer;
    home: TemporaryHome;
    core: Core;
    operator: Operator;
    channel: TelegramChannel;
    router: Router;
    log: string[];
    level: Level;
  }) {
    const { server, home, core, operator, channel, router, log, level } = parts;
    this.server = server;
    this.home = home;
    this.core = core;
    this.operator = operator;
    this.channel = channel;
    this.log = log;
    this.#router = router;
    this.#level = level;
  }

  static async open(options: TelegramGateOptions = {}): Promise<TelegramGate> {
    const server = options.server ?? (await telegramServer());
    const home = options.home ?? configuredHome(server, options);
    const log: string[] = [];
    const { clock = systemClock, level = "Supervised", gatherAbove = 100 } = options;
    const core = await openCore({ env: home.env, clock, log: (line) => log.push(line), logsDecisions: false });
    const opened: { channel?: TelegramChannel } = {};
    const operator = new Operator(core, {
      channels: () =>
        opened.channel && {
          status: () => [],
          test: () => Promise.reject(new Error("not asked for here")),
          telegram: opened.channel.linking,
          renew: () => Promise.reject(new Error("not asked for here")),
          close: async () => undefined,
        },
    });
    const api = operator.on("telegram");
    let router: Router | undefined;
    const channel = openTelegram(
      {
        core,
        api,
        env: home.env,
        log: (line) => log.push(`telegram: ${line}`),
        changed: () => core.publish({ type: "channels.changed", data: {} }),
        showEach: (agentId) => router?.showEach(agentId),
      },
      { ...QUICK, ...options.timing },
      options.waits,
    );
    opened.channel = channel;
    const screen = { isLocked: true, subscribe: () => () => undefined };
    const shared = {
      api,
      channel,
      route: core.config.channels.telegram,
      screen,
      clock,
      log: (line: string) => log.push(line),
    };
    router = new Router({ ...shared, gatherAbove });
    await router.start();
    const gate = new TelegramGate({ server, home, core, operator, channel, router, log, level });
    onTestFinished(() => gate.close());
    return gate;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#router.close();
    await this.channel.close();
    this.core.close();
  }

  /** Links this user's chat as the user does it. */
  async link(user: ChatUser = ROBERTO_USER): Promise<void> {
    await this.connected();
    const { url } = await this.channel.linking.link();
    this.server.writes(user, `/start ${new URL(url).searchParams.get("start")}`);
    const claim = await this.changed(() => this.channel.linking.status().claim);
    this.channel.linking.confirm(claim.id);
    await this.server.message(({ chat_id, text }) => chat_id === user.id && /linked/.test(text));
  }

  async connected(): Promise<void> {
    await this.changed(() => this.channel.linking.status().bot);
  }

  /** What this gives once it isn't null; looked at after each change of the channel. */
  async changed<T>(look: () => T | null): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== null) return found;
      await new Promise<void>((resolve) => {
        const end = this.operator.subscribe(() => {
          end();
          resolve();
        }, ["channels.changed"]);
      });
    }
  }

  /** The agent asks to write this file. */
  asks(file = "a.txt", content = "text", session = "s1", agentName = "tester"): AskedCall {
    const { core } = this;
    const agent = core.agents.named(agentName) ?? core.agents.pair(agentName, this.#level).agent;
    const folder = join(this.home.home, "work");
    mkdirSync(folder, { recursive: true });
    const args = { path: join(folder, file), content };
    const call = { intent: "write it down", executor: "fs_write", args, context: { cwd: folder } };
    let resolve: (decision: Decision) => void = () => undefined;
    const decided = new Promise<Decision>((done) => {
      resolve = done;
    });
    const asked: AskedCall = { decisions: [], decided, token: "", pending: undefined };
    const take = (decision: Decision | undefined, pending: PendingCall | undefined) => {
      asked.pending = pending;
      if (decision === undefined) return;
      asked.decisions.push(decision);
      if (decision.pending !== undefined && decision.pending !== null) asked.token = decision.pending.token;
      if (decision.outcome !== "approval_required") resolve(decision);
    };
    const subject = { agent, level: agent.level, session, principal: localPrincipal() };
    const first = core.gate.decide(call, subject, (decision, pending) => {
      core.gate.record();
      take(decision.current, pending);
      core.gate.publish();
    });
    core.gate.record();
    take(first.decision?.current, first.pending);
    core.gate.publish();
    return asked;
  }

  /** The message that shows this request: the one whose number the gate has got. */
  shown(token: string): Promise<BotMessage> {
    return this.server.message(
      (message) =>
        message.is_answered && message.buttons.flat().some((button) => button.callback_data.endsWith(`:${token}`)),
    );
  }

  request(token: string) {
    const request = this.core.gate.broker.registry.getPending(token);
    if (request === undefined) throw new Error("there is no such request");
    return this.core.gate.broker.view(request);
  }

  /** The trail's lines of this event, as they are written. */
  async trail(event: string): Promise<AuditLine[]> {
    this.core.audit.flush();
    const lines = await this.operator.call("audit.tail", { lines: 1000 });
    return lines.filter((line) => line.event === event);
  }
}

export function configuredHome(server: TelegramServer, { telegram = "", config = "" }: TelegramGateOptions = {}) {
  const home = temporaryHome();
  mkdirSync(home.paths.configDir, { recursive: true, mode: 0o700 });
  const tokenFile = join(home.paths.configDir, "telegram.token");
  writeFileSync(tokenFile, `${BOT_TOKEN}\n`, { mode: 0o600 });
  writeFileSync(
    home.paths.configFile,
    `${config}\n[telegram]\ntoken_file = ${JSON.stringify(tokenFile)}\napi_url = "${server.url}"\n${telegram}\n`,
  );
  return home;
}
