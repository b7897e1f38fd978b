import { ownCommand } from "../../../ipc/base/own-command.ts";
import { CHANNELS, type ChannelName, type ChannelStatus, type TelegramStatus } from "../../../ipc/contract/channels.ts";
import { GateError } from "../../../ipc/contract/gate-error.ts";
import { type InEach, inEach, type Language } from "../../../ipc/contract/language.ts";
import type { OperatorApi } from "../../../ipc/contract/operator-api.ts";
import type { Surface } from "../../../ipc/contract/surface.ts";
import type { Alarms } from "../../base/alarms.ts";
import { errorCode } from "../../base/errors.ts";
import type { Config, Route } from "../../config/index.ts";
import type { Channel, ChannelNote, TelegramLinking } from "../../core/channel.ts";
import type { ChannelHost } from "../delivery/channel-host.ts";
import { CHANNEL_WORDS } from "../delivery/words.ts";
import type { SharedScreen } from "../notifications/shared-screen.ts";
import type { GateNotifications } from "../notifications/start.ts";
import type { EveningDigest } from "./evening-message.ts";

/** What calls the user elsewhere than on this desktop, for the operator's methods. */
export interface Channels {
  status(): ChannelStatus[];
  /** @throws GateError `not_available`, `channel_failed` */
  test(name: ChannelName): Promise<void>;
  telegram: TelegramLinking;
  /** What is configured of it may be something else now. Resolves once that counts. */
  renew(name: ChannelName): Promise<void>;
  close(): Promise<void>;
}

export interface ChannelParts extends Pick<ChannelHost, "core" | "page_url" | "env" | "log"> {
  /** The operator's contract, as this surface uses it. */
  operatorOn(surface: Surface): OperatorApi;
  screen: SharedScreen;
  /** Of the desktop. */
  notifications: Pick<GateNotifications, "state" | "status" | "problem" | "show">;
  /** See `ChannelAlarms`. */
  alarmAfterMs?: number | undefined;
}

/** A channel that isn't the desktop's. What it is made of is loaded only where it is configured. */
interface Kind {
  name: Exclude<ChannelName, "desktop">;
  isConfigured(config: Config): boolean;
  /** Must not wait for the other side. */
  open(host: ChannelHost): Promise<Channel>;
}

const KINDS: readonly Kind[] = [
  {
    name: "telegram",
    isConfigured: ({ telegram: { token_env, token_file } }) => (token_env ?? token_file) !== undefined,
    open: async (host) => (await import("../telegram/open.ts")).openTelegram(host),
  },
  {
    name: "ntfy",
    isConfigured: ({ ntfy }) => ntfy.topic !== undefined,
    open: async (host) => (await import("../ntfy/ntfy-channel.ts")).openNtfy(host),
  },
];

/** Starts the channels that are configured. Never throws, waits for nothing: what can't be reached is tried again. */
export function startChannels(parts: ChannelParts): Channels {
  return new RunningChannels(parts);
}

interface Running {
  channel: Channel;
  showEach(agentId: string): void;
  close(): void;
}

class RunningChannels implements Channels {
  readonly #parts: ChannelParts;
  readonly #running = new Map<ChannelName, Running>();
  readonly #opening: Promise<void>[];
  readonly #alarms: ChannelAlarms;
  /** Why one can't be started. */
  readonly #unusable = new Map<ChannelName, string>();
  #evening: EveningDigest | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    const configured = KINDS.filter(({ isConfigured }) => isConfigured(parts.core.config));
    this.#opening = configured.map((kind) => this.#open(kind));
    this.#opening.push(this.#beginNotes([...this.#opening]));
    const { alarms } = parts.core;
    this.#alarms = new ChannelAlarms({
      alarms,
      stateOf: (name) => this.#stateOf(name),
      afterMs: parts.alarmAfterMs,
    });
    this.#alarms.begin();
  }

  status(): ChannelStatus[] {
    const { screen, core } = this.#parts;
    return CHANNELS.map((name) => {
      const route = inEach((language) => routeText(core.config.channels[name], screen.isKnown, language));
      return { name, ...this.#stateOf(name), route };
    });
  }

  /** Once every channel is there. */
  async #beginNotes(channels: readonly Promise<void>[]): Promise<void> {
    await Promise.all(channels);
    const { core, operatorOn, log } = this.#parts;
    core.notes.begin();
    const { evening: at } = core.config.digest;
    if (at === undefined || this.#hasEnded) return;
    const { EveningDigest } = await import("./evening-message.ts");
    this.#evening = new EveningDigest({ core, api: operatorOn("terminal"), at, log });
    if (!this.#hasEnded) this.#evening.start();
  }

  #stateOf(name: ChannelName): Pick<ChannelStatus, "state" | "text"> {
    if (name !== "desktop") {
      const unusable = this.#unusable.get(name);
      if (unusable !== undefined) return { state: "failing", text: unusable };
      return this.#running.get(name)?.channel.status() ?? { state: "off", text: "not configured" };
    }
    const { state, status, problem } = this.#parts.notifications;
    if (problem !== null) return { state: "failing", text: problem };
    return { state: state === "on" ? "on" : "off", text: status.replace(/^off: /, "") };
  }

  async test(name: ChannelName): Promise<void> {
    await Promise.all(this.#opening);
    if (name === "desktop") return this.#testDesktop();
    const running = this.#running.get(name);
    if (running === undefined) throw notConfigured(name);
    await running.channel.test(this.#testNote());
  }

  #testDesktop(): void {
    const { state, status, show } = this.#parts.notifications;
    if (state !== "on") throw new GateError("not_available", `notifications are ${status}`, "see docs/channels.md");
    show(this.#testNote());
  }

  #testNote(): ChannelNote {
    const { testTitle, testLine } = CHANNEL_WORDS[this.#parts.core.config.language];
    return { kind: "test", is_urgent: false, title: testTitle, lines: [testLine] };
  }

  get telegram(): TelegramLinking {
    return this.#running.get("telegram")?.channel.linking ?? NO_TELEGRAM;
  }

  /** One after the other. */
  renew(name: ChannelName): Promise<void> {
    const renewing = this.#renewing.then(() => this.#renew(name));
    this.#renewing = renewing.catch(() => undefined);
    return renewing;
  }

  async #renew(name: ChannelName): Promise<void> {
    await Promise.all(this.#opening);
    const running = this.#running.get(name);
    this.#running.delete(name);
    this.#unusable.delete(name);
    running?.close();
    await running?.channel.close();
    const { core } = this.#parts;
    const kind = KINDS.find((one) => one.name === name);
    if (kind?.isConfigured(core.config) === true && !this.#hasEnded) await this.#open(kind);
    this.#alarms.look();
    core.publish({ type: "channels.changed", data: {} });
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    this.#alarms.close();
    await Promise.all([...this.#opening, this.#renewing]);
    await this.#evening?.close();
    await Promise.all(
      [...this.#running.values()].map((running) => {
        running.close();
        return running.channel.close();
      }),
    );
  }

  async #open(kind: Kind): Promise<void> {
    const { core, operatorOn, page_url, env } = this.#parts;
    const { name } = kind;
    const log = (line: string) => this.#parts.log(`${name}: ${line}`);
    try {
      const host: ChannelHost = {
        core,
        page_url,
        env,
        log,
        api: operatorOn(name),
        changed: () => {
          this.#alarms.look();
          core.publish({ type: "channels.changed", data: {} });
        },
        showEach: (agentId) => this.#running.get(name)?.showEach(agentId),
      };
      const channel = await kind.open(host);
      if (this.#hasEnded) return channel.close();
      this.#running.set(name, await this.#route(channel, host));
      host.changed();
    } catch (error) {
      const problem = `it can't be started (${errorCode(error)})`;
      this.#unusable.set(name, problem);
      log(problem);
    }
  }

  async #route(channel: Channel, { api, log }: ChannelHost): Promise<Running> {
    const { config, clock, notes } = this.#parts.core;
    const { Router } = await import("../delivery/routing.ts");
    const { NoteRoute } = await import("../delivery/note-route.ts");
    const shared = { api, channel, route: config.channels[channel.name], screen: this.#parts.screen, clock, log };
    const router = new Router({ ...shared, gatherAbove: config.digest.above });
    const noteRoute = new NoteRoute({ ...shared, name: channel.name, notes, language: () => config.language });
    await Promise.all([router.start(), noteRoute.start()]);
    return {
      channel,
      showEach: (agentId) => router.showEach(agentId),
      close() {
        router.close();
        noteRoute.close();
      },
    };
  }
}

function notConfigured(name: ChannelName): GateError {
  const document = name === "telegram" ? "telegram" : "channels";
  const hint = name === "telegram" ? "set it up on the page, in Settings, or " : "";
  return new GateError("not_available", `${name} isn't configured`, `${hint}see docs/${document}.md`);
}

const NO_LINK: TelegramStatus = { bot: null, linked: null, link_expires_at: null, claim: null };
const NO_TELEGRAM: TelegramLinking = {
  status: () => NO_LINK,
  link: () => Promise.reject(notConfigured("telegram")),
  confirm: refuseTelegram,
  reject: refuseTelegram,
  unlink: refuseTelegram,
};

function refuseTelegram(): never {
  throw notConfigured("telegram");
}

const en = {
  now: "at once",
  unanswered: (seconds: number) => `when nobody answered for ${seconds} s`,
  locked: "while the screen is locked",
  notKnown: " (not known here: in doubt it is)",
  urgent: "only what is urgent",
  nothing: "nothing",
  between: (from: string, to: string, what: string) => `; from ${from} to ${to} ${what}`,
};
const WORDS: InEach<typeof en> = {
  en,
  it: {
    now: "subito",
    unanswered: (seconds) => `quando nessuno risponde per ${seconds} s`,
    locked: "mentre lo schermo è bloccato",
    notKnown: " (qui non si sa: nel dubbio lo è)",
    urgent: "solo ciò che è urgente",
    nothing: "nulla",
    between: (from, to, what) => `; dalle ${from} alle ${to} ${what}`,
  },
};

/** When a channel is used, in one sentence: `when nobody answered for 60 s; from 22:00 to 07:00 only what is urgent`. */
export function routeText(
  { when, after_seconds, quiet_hours, in_quiet_hours }: Route,
  isScreenKnown: boolean | null,
  language: Language,
): string {
  const words = WORDS[language];
  const times = {
    now: words.now,
    unanswered: words.unanswered(after_seconds),
    locked: isScreenKnown === false ? words.locked + words.notKnown : words.locked,
  };
  if (quiet_hours === undefined) return times[when];
  return times[when] + words.between(quiet_hours.from, quiet_hours.to, words[in_quiet_hours]);
}

// A channel that can't call the user is an alarm, which the others say: the user is away exactly then.

interface ChannelAlarmsParts {
  alarms: Pick<Alarms, "raise" | "clear">;
  stateOf(name: ChannelName): Pick<ChannelStatus, "state" | "text">;
  /** Milliseconds, by a clock that nobody sets. */
  now?: () => number;
  /** How long one fails before that is an alarm, in milliseconds: a short interruption is none. */
  afterMs?: number | undefined;
}

const AFTER_MS = 30_000;
/** One that fails again within a part of that time has failed all along: who shares a bot's token fails by turns. */
const WELL_PART = 0.5;
/** Looks, while one has to fail that long. */
const LOOKS = 10;

interface Failing {
  since: number;
  last: number;
}

export class ChannelAlarms {
  readonly #parts: ChannelAlarmsParts;
  readonly #afterMs: number;
  readonly #now: () => number;
  readonly #failing = new Map<ChannelName, Failing>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ChannelAlarmsParts) {
    this.#parts = parts;
    this.#afterMs = parts.afterMs ?? AFTER_MS;
    this.#now = parts.now ?? (() => performance.now());
  }

  begin(): void {
    this.#timer = setInterval(() => this.look(), this.#afterMs / LOOKS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const now = this.#now();
    for (const name of CHANNELS) this.#lookAt(name, now);
  }

  #lookAt(name: ChannelName, now: number): void {
    const { alarms, stateOf } = this.#parts;
    const { state, text } = stateOf(name);
    const known = this.#failing.get(name);
    if (state !== "failing") {
      const isWell = known !== undefined && (state === "off" || now - known.last >= this.#afterMs * WELL_PART);
      if (!isWell) return;
      this.#failing.delete(name);
      return alarms.clear("channel_failing", name);
    }
    const failing = { since: known?.since ?? now, last: now };
    this.#failing.set(name, failing);
    if (now - failing.since < this.#afterMs) return;
    alarms.raise({
      code: "channel_failing",
      subject: name,
      message: `you can't be called by ${name}: ${text}`,
      hint: `see docs/channels.md; ${ownCommand(`channels test ${name}`)} tries it`,
    });
  }
}
