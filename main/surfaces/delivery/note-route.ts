import { shortened, visible } from "../../../ipc/base/visible-text.ts";
import type { Alarm } from "../../../ipc/contract/alarms.ts";
import type { ChannelName } from "../../../ipc/contract/channels.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { OperatorApi, OperatorEvent } from "../../../ipc/contract/operator-api.ts";
import type { Pause } from "../../../ipc/contract/safety.ts";
import { ALARM_WORDS } from "../../../ipc/words/alarm-words.ts";
import { othersText } from "../../../ipc/words/notice-text.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import { errorCode } from "../../base/errors.ts";
import type { Route } from "../../config/index.ts";
import type { Called, ChannelNote } from "../../core/channel.ts";
import type { NoteBoard } from "../../core/note-board.ts";
import { Due, lookAgainAfter, type Screen } from "./when-due.ts";
import { CHANNEL_WORDS } from "./words.ts";

export interface NoteRouteParts {
  api: Pick<OperatorApi, "call" | "subscribe">;
  channel: Pick<Called, "note">;
  name: ChannelName;
  route: Route;
  notes: NoteBoard;
  screen: Screen;
  clock: Clock;
  language(): Language;
  log(line: string): void;
}

/** Of an alarm's sentences so much is sent, in characters. */
const ALARM_LENGTH = 200;
/** Notes that quiet hours hold back: of more, the oldest go. */
const MOST_HELD = 20;

interface Lasting {
  note: ChannelNote;
  since: number;
  isSent: boolean;
}

/**
 * Says on one channel what the user should know of. A pause and an alarm are due as a request is, and only while they hold; every other
 * note at once, or while the user is away. In quiet hours only what is urgent comes.
 */
export class NoteRoute {
  readonly #parts: NoteRouteParts;
  readonly #due: Due;
  /** A pause and alarms, while they hold. */
  readonly #lasting = new Map<string, Lasting>();
  #held: ChannelNote[] = [];
  readonly #away: AwayNotes;
  #ends: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(parts: NoteRouteParts) {
    this.#parts = parts;
    this.#due = new Due(parts.route, parts.screen, parts.clock);
    this.#away = new AwayNotes(parts);
  }

  async start(): Promise<void> {
    const { api, name, screen, notes, log } = this.#parts;
    const received = (event: OperatorEvent) => setImmediate(() => this.#received(event));
    this.#ends = [
      api.subscribe(received, ["safety.paused", "safety.resumed", "alarms.changed"]),
      screen.subscribe(() => this.look()),
      notes.subscribe((note) => {
        if (note.only?.includes(name) === false) return;
        if (note.when_away === true) this.#away.add(note);
        else this.#held = [...this.#held, note].slice(-MOST_HELD);
        this.look();
      }),
    ];
    try {
      const { pause, alarms } = await api.call("status", {});
      this.#paused(pause);
      this.#alarmed(alarms);
      this.look();
    } catch (error) {
      log(`the gate's state can't be read (${errorCode(error)})`);
    }
  }

  close(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
  }

  /** Sends what is due by now. */
  look(): void {
    if (this.#hasEnded) return;
    const held = this.#held.filter(({ is_urgent }) => !this.#due.isAllowed(is_urgent));
    const due = this.#held.filter((note) => !held.includes(note));
    this.#held = held;
    const gathered = this.#due.isAllowed(false) ? this.#away.take() : undefined;
    for (const note of gathered === undefined ? due : [...due, gathered]) this.#parts.channel.note(note);
    for (const one of this.#lasting.values()) {
      if (one.isSent || !this.#due.isDue(this.#waits(one))) continue;
      one.isSent = true;
      this.#parts.channel.note(one.note);
    }
    this.#lookAgain();
  }

  #received({ type, data }: OperatorEvent): void {
    if (type === "safety.paused" || type === "safety.resumed") this.#paused(data);
    if (type === "alarms.changed") this.#alarmed(data);
    this.look();
  }

  /** One that the user began isn't news. */
  #paused({ by, reason }: Pause): void {
    if (by !== "safety" || reason === null) {
      this.#lasting.delete("pause");
      return;
    }
    const { paused } = CHANNEL_WORDS[this.#parts.language()];
    this.#lasts("pause", { kind: "pause", is_urgent: true, title: paused, lines: [visible(reason)] });
  }

  /** That a channel itself can't reach the user is over by the time it can. */
  #alarmed(alarms: readonly Alarm[]): void {
    const said = alarms.filter(({ code, subject }) => code !== "channel_failing" || subject !== this.#parts.name);
    const raised = new Map(said.map((alarm) => [`alarm:${alarm.code} ${alarm.subject}`, alarm]));
    for (const key of this.#lasting.keys()) if (key.startsWith("alarm:") && !raised.has(key)) this.#lasting.delete(key);
    for (const [key, { code, message, hint }] of raised) {
      const lines = [message, hint].filter((text) => text !== "").map((text) => shortened(visible(text), ALARM_LENGTH));
      const { title } = ALARM_WORDS[this.#parts.language()][code];
      this.#lasts(key, { kind: "alarm", is_urgent: false, title, lines });
    }
  }

  #lasts(key: string, note: ChannelNote): void {
    if (this.#lasting.has(key)) return;
    this.#lasting.set(key, { note, since: this.#parts.clock.boot().ms, isSent: false });
  }

  #waits({ note, since }: Lasting) {
    return { waitedMs: this.#parts.clock.boot().ms - since, is_urgent: note.is_urgent };
  }

  #lookAgain(): void {
    clearTimeout(this.#timer);
    const awayIn = this.#away.dueIn();
    const isAwayQuiet = awayIn !== undefined && !this.#due.isAllowed(false);
    const waits = [
      ...this.#held.map(({ is_urgent }) => ({ waitedMs: 0, is_urgent })),
      ...(isAwayQuiet ? [{ waitedMs: 0, is_urgent: false }] : []),
      ...[...this.#lasting.values()].filter(({ isSent }) => !isSent).map((one) => this.#waits(one)),
    ];
    const times = waits.flatMap((one) => this.#due.lookAgainIn(one) ?? []);
    if (awayIn !== undefined && !isAwayQuiet) times.push(lookAgainAfter(awayIn));
    if (times.length > 0) this.#timer = setTimeout(() => this.look(), Math.min(...times)).unref();
  }
}

/** Between two of them there is at least so much time, in milliseconds: whatever agents do, they can't fill a chat. */
export const AWAY_APART_MS = 600_000;
/** Of several this many are said whole, the newest; the others are counted. */
const MOST_SAID = 3;

interface AwayNotesParts {
  screen: Pick<Screen, "isLocked">;
  clock: Pick<Clock, "boot">;
  language(): Language;
}

/** Notes about what the user sees on the page once they are back: gathered into one at a time, and dropped where the screen isn't locked. */
class AwayNotes {
  readonly #parts: AwayNotesParts;
  /** Newest first. */
  #notes: ChannelNote[] = [];
  #count = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(parts: AwayNotesParts) {
    this.#parts = parts;
  }

  add(note: ChannelNote): void {
    this.#notes = [note, ...this.#notes].slice(0, MOST_SAID);
    this.#count += 1;
  }

  /** In so many milliseconds one may be said; undefined where there is nothing to say. */
  dueIn(): number | undefined {
    const { screen, clock } = this.#parts;
    if (!screen.isLocked) this.#clear();
    return this.#count === 0 ? undefined : Math.max(0, this.#saidAt + AWAY_APART_MS - clock.boot().ms);
  }

  /** All of them as one; from now on they are said. Undefined where none is due. */
  take(): ChannelNote | undefined {
    if (this.dueIn() !== 0) return undefined;
    this.#saidAt = this.#parts.clock.boot().ms;
    const [first] = this.#notes;
    const all = this.#notes;
    const left = this.#count - all.length;
    const count = this.#count;
    this.#clear();
    if (first === undefined || count === 1) return first;
    const language = this.#parts.language();
    const lines = all.flatMap((note) => [note.title, ...note.lines]);
    const title = CHANNEL_WORDS[language].refusedCalls(count);
    return { ...first, title, lines: [...lines, ...(left > 0 ? [othersText(left, language)] : [])] };
  }

  #clear(): void {
    this.#notes = [];
    this.#count = 0;
  }
}
