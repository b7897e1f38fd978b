import { Box, type Key as InkKey, type Instance, render, Text, type TextProps, useInput, usePaste } from "ink";
import { createElement as h, type ReactNode } from "react";
import { ownCommand } from "../../ipc/base/own-command.ts";
import { visible } from "../../ipc/base/visible-text.ts";
import type { Level } from "../../ipc/contract/decision.ts";
import { GateError } from "../../ipc/contract/gate-error.ts";
import { LANGUAGES, type Language } from "../../ipc/contract/language.ts";
import type { Answer, OperatorApi, OperatorEvent } from "../../ipc/contract/operator-api.ts";
import type { Setting } from "../../ipc/contract/settings.ts";
import type { GatePresence } from "../../ipc/socket/lasting-operator.ts";
import { outcomeText } from "../../ipc/words/undo-words.ts";
import { CARD_WORDS } from "./card-words.ts";
import { FRAME_WORDS } from "./frame-words.ts";
import { type Key, type KeyName, pressed } from "./keys.ts";
import type { Row } from "./rows.ts";
import { arranged, type Size } from "./screen.ts";
import { findSpeech, Speech } from "./speech.ts";
import {
  appeared,
  closed,
  drawn,
  EMPTY,
  held,
  loaded,
  lookedBack,
  noted,
  pairingEnded,
  pairingsAre,
  refused,
  reviewsAre,
  type WatchState,
} from "./state.ts";
import { lastChange, TAKE_BACK_WORDS } from "./take-back.ts";
import { AWAY_WORDS } from "./words.ts";

/** How often the gate is notified that the user is typing, in milliseconds. */
const HOLD_INTERVAL_MS = 4000;

const GATE_EVENTS = [
  "approval.waiting",
  "approval.closed",
  "approval.held",
  "pairing.requested",
  "agents.changed",
  "safety.paused",
  "safety.resumed",
  "alarms.changed",
  "settings.changed",
  "reviews.changed",
] as const;

export interface WatchOptions {
  stdin?: NodeJS.ReadStream;
  stdout?: NodeJS.WriteStream;
  /** Unix milliseconds, for dates and countdowns. */
  now?: () => number;
  /** Milliseconds of a monotonic clock: how long a card has been shown. */
  steady?: () => number;
  /** Reports when the gate goes, and when there is one again. */
  onPresence: (listener: (presence: GatePresence) => void) => () => void;
  /** Ring the terminal's bell when something new waits. */
  has_bell?: boolean;
  /** Say what waits, by the system's speech program. */
  speaks?: boolean;
}

/**
 * Cards in the terminal, answered with keys, until the user quits. Waiting requests then keep waiting.
 * A gate that goes is waited for.
 * @throws GateError `not_a_terminal`
 */
export async function watch(api: OperatorApi, options: WatchOptions): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout } = options;
  if (!stdin.isTTY || !stdout.isTTY) {
    const hint = `use: ${ownCommand("approvals --help")}`;
    throw new GateError("not_a_terminal", "watch needs a terminal", hint);
  }
  const { failure, left, language } = await new WatchScreen(api, { ...options, stdin, stdout }).untilQuit();
  if (failure !== undefined) throw failure;
  if (left > 0) stdout.write(`${CARD_WORDS[language].stillWaiting(left)}\n`);
}

interface WatchEnd {
  failure: unknown;
  /** How many requests still wait. */
  left: number;
  language: Language;
}

/** The cards on one terminal: what the gate reports and what is typed become states, and each state is drawn. */
class WatchScreen {
  readonly #api: OperatorApi;
  readonly #stdout: NodeJS.WriteStream;
  readonly #now: () => number;
  readonly #steady: () => number;
  readonly #onPresence: WatchOptions["onPresence"];
  readonly #calling: Calling;
  /** Undefined where it isn't wanted, or there is no program for it. */
  readonly #speech: Speech | undefined;
  readonly #lacksSpeech: boolean;
  readonly #app: Instance;
  #state = EMPTY;
  #failure: unknown;
  #isOver = false;
  /** Those that end while the list is still being loaded must not be shown again by it. */
  readonly #ended = new Set<string>();

  constructor(api: OperatorApi, options: WatchOptions & { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }) {
    const { stdin, stdout, now = Date.now, steady = () => performance.now(), onPresence, has_bell = true } = options;
    const speech = options.speaks === true ? findSpeech(process.env, process.platform) : undefined;
    this.#speech = speech === undefined ? undefined : new Speech(speech, now);
    this.#lacksSpeech = options.speaks === true && speech === undefined;
    this.#api = api;
    this.#stdout = stdout;
    this.#now = now;
    this.#steady = steady;
    this.#onPresence = onPresence;
    this.#calling = new Calling(stdout, has_bell);
    // `interactive`: without it ink draws nothing where an environment variable says CI.
    this.#app = render(this.#scene(), {
      stdin,
      stdout,
      onRender: () => this.#onRender(),
      interactive: true,
      alternateScreen: true,
      exitOnCtrlC: false,
    });
  }

  async untilQuit(): Promise<WatchEnd> {
    const exited = this.#app.waitUntilExit();
    const unsubscribe = this.#api.subscribe((event) => this.#onGateEvent(event), GATE_EVENTS);
    const redraw = () => this.#redraw();
    const clock = setInterval(redraw, 1000);
    const extending = setInterval(() => this.#extendDeadline(), HOLD_INTERVAL_MS);
    const resized = () => this.#drawAnew();
    this.#stdout.on("resize", resized);
    const leaveGate = this.#onPresence((presence) => this.#onGatePresence(presence));
    try {
      this.#load();
      await exited;
    } finally {
      clearInterval(clock);
      clearInterval(extending);
      this.#stdout.off("resize", resized);
      unsubscribe();
      leaveGate();
      this.#leave();
      this.#calling.end();
      this.#speech?.end();
    }
    return { failure: this.#failure, left: this.#state.cards.length, language: this.#state.language };
  }

  #load(): void {
    // A gate that went meanwhile is asked anew once it is back.
    const end = (reason: unknown) => this.#endUnlessAway(reason);
    this.#api.call("settings.list", {}).then((settings) => {
      const language = languageIn(settings);
      this.#change({ language, ...(this.#lacksSpeech ? { notice: FRAME_WORDS[language].noSpeech } : {}) });
    }, end);
    this.#api
      .call("status", {})
      .then(({ pause, alarms, home }) => this.#change({ paused: pause.reason, alarms, home }), end);
    this.#api.call("approvals.list", { limit: 1000 }).then((listed) => {
      const waiting = listed.filter(({ token, status }) => status === "pending" && !this.#ended.has(token));
      this.#show(loaded(this.#state, waiting, this.#steady()));
    }, end);
    this.#loadPairings();
    this.#loadReviews();
  }

  #onGateEvent(event: OperatorEvent): void {
    switch (event.type) {
      case "approval.waiting":
        return this.#show(appeared(this.#state, event.data, this.#steady()));
      case "approval.held":
        return this.#show(held(this.#state, event.data.token, event.data.expires_at));
      case "approval.closed":
        if (!this.#state.isLoaded) this.#ended.add(event.data.token);
        return this.#show(closed(this.#state, event.data, this.#steady()));
      case "pairing.requested":
      case "agents.changed":
        return this.#loadPairings();
      case "safety.paused":
      case "safety.resumed":
        return this.#change({ paused: event.data.reason });
      case "settings.changed":
        return this.#change({ language: languageIn(event.data) });
      case "reviews.changed":
        return this.#loadReviews();
      case "alarms.changed":
        return this.#change({ alarms: event.data });
    }
  }

  /** What was shown or typed for a gate that went means nothing to the next one: its own list is shown. */
  #onGatePresence(presence: GatePresence): void {
    const { language, home, alarms } = this.#state;
    this.#ended.clear();
    this.#show({ ...EMPTY, language, home, alarms, isAway: presence === "away" });
    if (presence === "there") this.#load();
  }

  #onKey(key: Key): void {
    const { state, effect } = pressed(this.#state, key, this.#steady(), this.#layout(), this.#now());
    this.#show(state);
    if (effect?.kind === "quit") this.#leave();
    if (effect?.kind === "answer") void this.#send(effect.answer);
    if (effect?.kind === "answers") for (const answer of effect.answers) void this.#send(answer);
    if (effect?.kind === "pair") void this.#pair(effect.name, effect.level);
    if (effect?.kind === "look_back") void this.#lookBack();
    if (effect?.kind === "take_back") void this.#takeBack(effect.call);
    if (effect?.kind === "override" || effect?.kind === "dismiss") void this.#seen(effect.kind, effect.id);
  }

  async #send(answer: Answer): Promise<void> {
    try {
      const view = await this.#api.call("approvals.resolve", answer);
      this.#show(closed(this.#state, view, this.#steady(), answer.refuse !== undefined));
    } catch (error) {
      if (isAway(error)) return; // nobody took it: the card is shown again once there is a gate
      this.#show(refused(this.#state, answer.token, explanation(error, this.#state.language)));
    }
  }

  async #pair(name: string, level: Level | null): Promise<void> {
    const words = FRAME_WORDS[this.#state.language];
    try {
      if (level === null) await this.#api.call("agents.reject", { name });
      else await this.#api.call("agents.pair", { name, level });
      const line = level === null ? words.notPaired(name) : words.paired(name, level);
      this.#show(pairingEnded(this.#state, name, line, this.#steady()));
    } catch (error) {
      if (isAway(error)) return;
      this.#show(refused(this.#state, `pairing ${name}`, explanation(error, this.#state.language)));
    }
  }

  /** A refusal is taken off the list, or its call allowed once. */
  async #seen(kind: "override" | "dismiss", id: string): Promise<void> {
    try {
      if (kind === "dismiss") await this.#api.call("reviews.dismiss", { id });
      else {
        const { summary } = await this.#api.call("reviews.override", { id });
        this.#change({ notice: FRAME_WORDS[this.#state.language].allowedOnce(visible(summary)) });
      }
      this.#change({ answering: null });
    } catch (error) {
      if (isAway(error)) return;
      this.#show(refused(this.#state, `refusal ${id}`, explanation(error, this.#state.language)));
    }
    this.#loadReviews();
  }

  async #lookBack(): Promise<void> {
    await this.#orSaid(async () => {
      const last = await lastChange(this.#api);
      if (last === undefined) this.#change({ notice: TAKE_BACK_WORDS[this.#state.language].none });
      else this.#show(lookedBack(this.#state, last, this.#steady()));
    });
  }

  async #takeBack(call: string): Promise<void> {
    await this.#orSaid(async () => {
      const results = await this.#api.call("undo.take_back", { call, choices: [] });
      const { language } = this.#state;
      this.#show(noted(this.#state, `${outcomeText(results, "back", language)} ${TAKE_BACK_WORDS[language].again()}`));
    });
  }

  /** What was refused is said. */
  async #orSaid(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isAway(error)) this.#change({ notice: explanation(error, this.#state.language) });
    }
  }

  #loadReviews(): void {
    this.#api.call("reviews.list", {}).then(
      (reviews) => this.#show(reviewsAre(this.#state, reviews, this.#steady())),
      (reason: unknown) => this.#endUnlessAway(reason),
    );
  }

  #loadPairings(): void {
    this.#api.call("agents.list", {}).then(
      ({ requests }) => this.#show(pairingsAre(this.#state, requests, this.#steady())),
      (reason: unknown) => this.#endUnlessAway(reason),
    );
  }

  #endUnlessAway(reason: unknown): void {
    if (!isAway(reason)) this.#end(reason);
  }

  /** While the user types, the card's deadline is extended. */
  #extendDeadline(): void {
    const { mode, selected } = this.#state;
    if ((mode.kind !== "message" && mode.kind !== "choices") || selected === null) return;
    this.#api.call("approvals.hold", { token: selected }).catch(() => undefined); // it may just have ended
  }

  /** What was drawn counts as shown; what ink left out between two frames doesn't. */
  #onRender(): void {
    const next = drawn(this.#state, this.#layout());
    if (next === this.#state) return;
    this.#state = next;
    setImmediate(() => this.#redraw());
  }

  #change(change: Partial<WatchState>): void {
    this.#show({ ...this.#state, ...change });
  }

  #show(next: WatchState): void {
    this.#state = next;
    if (!this.#isOver) {
      this.#calling.waits(next);
      this.#speech?.waits(next);
    }
    this.#redraw();
  }

  #redraw(): void {
    // Drawn once more, ink would take the terminal again, and the process would never end.
    if (!this.#isOver) this.#app.rerender(this.#scene());
  }

  /** Another size: the terminal has broken the old frame's rows anew, so nobody knows where they are. */
  #drawAnew(): void {
    if (this.#isOver) return;
    this.#app.clear();
    this.#stdout.write("\x1b[2J\x1b[H");
    this.#redraw();
  }

  #scene() {
    return h(Keyboard, { onKey: (key) => this.#onKey(key) }, view(this.#state, this.#size(), this.#now()));
  }

  #layout() {
    return arranged(this.#state, this.#size(), this.#now()).layout;
  }

  #size() {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 };
  }

  #end(reason: unknown): void {
    if (!this.#isOver) this.#failure = reason;
    this.#leave();
  }

  #leave(): void {
    this.#isOver = true;
    this.#app.unmount();
  }
}

function languageIn(settings: readonly Setting[]): Language {
  const chosen = settings.find(({ key }) => key === "language")?.value;
  return LANGUAGES.find((language) => language === chosen) ?? "en";
}

/** Nobody answered, or the connection ended before somebody did. */
function isAway(error: unknown): boolean {
  return error instanceof GateError && (error.code === "connection_lost" || error.code === "not_answering");
}

function explanation(error: unknown, language: Language): string {
  if (!(error instanceof GateError)) return CARD_WORDS[language].notTaken();
  return error.hint === "" ? error.message : `${error.message} (${error.hint})`;
}

// Calls the user who looks at another window: the terminal's bell for what is new, and its title. Nothing of a call is in it.

const BELL = "\u0007";
const NAME = "Metnos Gate";
/** The terminal keeps its title, and puts it back. */
const KEEP_TITLE = "\u001b[22;0t";
const PUT_BACK_TITLE = "\u001b[23;0t";

class Calling {
  readonly #stdout: NodeJS.WriteStream;
  readonly #hasBell: boolean;
  #known: ReadonlySet<string> = new Set();
  #title = "";

  constructor(stdout: NodeJS.WriteStream, hasBell: boolean) {
    this.#stdout = stdout;
    this.#hasBell = hasBell;
    this.#stdout.write(KEEP_TITLE);
  }

  /** What waits now. */
  waits({ cards, isAway, isLoaded, language }: WatchState): void {
    const tokens = new Set(cards.map(({ token }) => token));
    const hasNew = [...tokens].some((token) => !this.#known.has(token));
    // What waited before the gate went is nothing new.
    if (isLoaded) this.#known = tokens;
    if (hasNew && this.#hasBell) this.#stdout.write(BELL);
    this.#say(
      isAway ? `${AWAY_WORDS[language].title} ${NAME}` : cards.length === 0 ? NAME : `(${cards.length}) ${NAME}`,
    );
  }

  end(): void {
    // A terminal that keeps none gets an empty one, which most fill with their own.
    this.#say("");
    this.#stdout.write(PUT_BACK_TITLE);
  }

  #say(title: string): void {
    if (title === this.#title) return;
    this.#title = title;
    this.#stdout.write(`\u001b]0;${title}${BELL}`);
  }
}

/** Passes each key on, by name or character; pasted text, or several characters at once, as one paste. */
function Keyboard({ onKey, children }: { onKey: (key: Key) => void; children?: ReactNode }): ReactNode {
  useInput((input, key) => {
    for (const one of keysOf(input, key)) onKey(one);
  });
  usePaste((text) => onKey({ input: text, isPaste: true }));
  return children;
}

function keysOf(input: string, key: InkKey): Key[] {
  if (key.ctrl && input === "c") return [{ input: "", name: "quit" }];
  if (key.ctrl && input === "u") return [{ input: "", name: "clear" }];
  if (key.ctrl || key.meta) return key.escape && !key.ctrl ? [{ input: "", name: "escape" }] : [];
  const name = nameOf(key);
  if (name !== undefined) return [{ input: "", name }];
  if ([...input].length < 2) return input === "" ? [] : [{ input }];
  return [{ input, isPaste: true }];
}

function nameOf(key: InkKey): KeyName | undefined {
  if (key.return) return "enter";
  if (key.escape) return "escape";
  if (key.tab) return key.shift ? "back_tab" : "tab";
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.leftArrow) return "left";
  if (key.rightArrow) return "right";
  if (key.pageUp) return "page_up";
  if (key.pageDown) return "page_down";
  if (key.home) return "home";
  if (key.end) return "end";
  if (key.backspace) return "backspace";
  return key.delete ? "delete" : undefined;
}

// Draws the rows. Red is for what can't be undone, and for nothing else.

const STYLES: Readonly<Record<Row["tone"], Omit<TextProps, "children">>> = {
  plain: {},
  strong: { bold: true },
  quiet: { dimColor: true },
  danger: { color: "red" },
  strong_danger: { color: "red", bold: true },
  marked: { bold: true, inverse: true },
  notice: { color: "yellow" },
};

function view(state: WatchState, size: Size, now: number): ReactNode {
  const { top, card, rest } = arranged(state, size, now);
  const frame = {
    key: "card",
    flexDirection: "column",
    borderStyle: "round",
    borderDimColor: true,
    paddingX: 1,
  } as const;
  return h(
    Box,
    { flexDirection: "column", width: size.columns },
    ...top.map((row, index) => rowView(row, `top-${index}`)),
    card.length === 0 ? null : h(Box, frame, ...card.map((row, index) => rowView(row, `row-${index}`))),
    ...rest.map((row, index) => rowView(row, `rest-${index}`)),
  );
}

function rowView({ text, tone, right }: Row, key: string): ReactNode {
  const left = h(Text, { key, wrap: "truncate", ...STYLES[tone] }, text === "" ? " " : text);
  if (right === undefined) return left;
  const end = h(Text, { key: "right", dimColor: true, wrap: "truncate" }, right);
  return h(Box, { key, justifyContent: "space-between" }, left, end);
}
