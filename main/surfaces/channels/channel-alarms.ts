import { ownCommand } from "../../../ipc/base/own-command.ts";
import { CHANNELS, type ChannelName, type ChannelStatus } from "../../../ipc/contract/channels.ts";
import type { Alarms } from "../../base/alarms.ts";

/** A channel that can't call the user is an alarm, which the others say: the user is away exactly then. */

export interface ChannelAlarmsParts {
  alarms: Pick<Alarms, "raise" | "clear">;
  stateOf(name: ChannelName): Pick<ChannelStatus, "state" | "text">;
  /** Milliseconds, by a clock that nobody sets. */
  now?: () => number;
  /** How long one fails before that is an alarm, in milliseconds: a short interruption is none. */
  after_ms?: number | undefined;
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
  readonly #after_ms: number;
  readonly #now: () => number;
  readonly #failing = new Map<ChannelName, Failing>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ChannelAlarmsParts) {
    this.#parts = parts;
    this.#after_ms = parts.after_ms ?? AFTER_MS;
    this.#now = parts.now ?? (() => performance.now());
  }

  begin(): void {
    this.#timer = setInterval(() => this.look(), this.#after_ms / LOOKS).unref();
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
      const is_well = known !== undefined && (state === "off" || now - known.last >= this.#after_ms * WELL_PART);
      if (!is_well) return;
      this.#failing.delete(name);
      return alarms.clear("channel_failing", name);
    }
    const failing = { since: known?.since ?? now, last: now };
    this.#failing.set(name, failing);
    if (now - failing.since < this.#after_ms) return;
    alarms.raise({
      code: "channel_failing",
      subject: name,
      message: `you can't be called by ${name}: ${text}`,
      hint: `see docs/channels.md; ${ownCommand(`channels test ${name}`)} tries it`,
    });
  }
}
