import { render } from "ink";
import { createElement as h } from "react";
import type { AlarmCode } from "../../ipc/alarms.ts";
import { GateError } from "../../ipc/gate-error.ts";
import { LANGUAGES, type Language } from "../../ipc/language.ts";
import type { Answer, OperatorApi } from "../../ipc/operator-api.ts";
import type { Setting } from "../../ipc/settings.ts";
import { counted } from "./card-rows.ts";
import { Keyboard } from "./keyboard.ts";
import { type Key, pressed } from "./keys.ts";
import { arranged } from "./screen.ts";
import { appeared, closed, drawn, EMPTY, held, loaded, refused, type WatchState } from "./state.ts";
import { view } from "./view.ts";

/** How often the gate is notified that the user is typing, in milliseconds. */
const HOLD_INTERVAL_MS = 4000;

const GATE_EVENTS = [
  "approval.waiting",
  "approval.closed",
  "approval.held",
  "safety.paused",
  "safety.resumed",
  "alarms.changed",
  "settings.changed",
] as const;

/** The alarms for which a gate ends itself. */
const ENDING: readonly AlarmCode[] = ["gate_replaced", "database_unusable"];

export interface WatchOptions {
  stdin?: NodeJS.ReadStream;
  stdout?: NodeJS.WriteStream;
  /** Unix milliseconds, for dates and countdowns. */
  now?: () => number;
  /** Milliseconds of a monotonic clock: how long a card has been shown. */
  steady?: () => number;
  /** Settles when the connection has ended. */
  lost?: Promise<void>;
}

/**
 * Cards in the terminal, answered with keys, until the user quits. Waiting requests then keep waiting.
 * @throws GateError `not_a_terminal`; `connection_lost` if the gate closes the connection
 */
export async function watch(api: OperatorApi, options: WatchOptions = {}): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout, now = Date.now, steady = () => performance.now() } = options;
  if (!stdin.isTTY || !stdout.isTTY) {
    const hint = "use: metnos-gate approvals list, approve, reject";
    throw new GateError("not_a_terminal", "watch needs a terminal", hint);
  }
  let state = EMPTY;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const layout = () => arranged(state, size(), now()).layout;
  const scene = () => h(Keyboard, { onKey: press }, view(state, size(), now()));
  let is_over = false;
  const redraw = () => {
    // Drawn once more, ink would take the terminal again, and the process would never end.
    if (!is_over) app.rerender(scene());
  };
  const leave = () => {
    is_over = true;
    app.unmount();
  };
  const show = (next: WatchState) => {
    state = next;
    redraw();
  };
  const press = (key: Key) => {
    const { state: next, effect } = pressed(state, key, steady(), layout(), now());
    show(next);
    if (effect?.kind === "quit") leave();
    if (effect?.kind === "answer") void send(effect.answer);
  };
  const send = async (answer: Answer) => {
    try {
      show(closed(state, await api.call("approvals.resolve", answer), steady()));
    } catch (error) {
      if (isLost(error)) end(error);
      else show(refused(state, answer.token, explanation(error)));
    }
  };
  let failure: unknown;
  const end = (reason: unknown) => {
    if (!is_over) failure = reason;
    leave();
  };
  /** What was drawn counts as shown; what ink left out between two frames doesn't. */
  const onRender = () => {
    const next = drawn(state, layout());
    if (next === state) return;
    state = next;
    setImmediate(redraw);
  };
  // `interactive`: without it ink draws nothing where an environment variable says CI.
  const app = render(scene(), {
    stdin,
    stdout,
    onRender,
    interactive: true,
    alternateScreen: true,
    exitOnCtrlC: false,
  });
  const exited = app.waitUntilExit();

  /** One that ends while the list is still being loaded must not be shown again by it. */
  const ended = new Set<string>();
  const unsubscribe = api.subscribe((event) => {
    if (event.type === "approval.waiting") show(appeared(state, event.data, steady()));
    if (event.type === "approval.held") show(held(state, event.data.token, event.data.expires_at));
    if (event.type === "safety.paused" || event.type === "safety.resumed")
      show({ ...state, paused: event.data.reason });
    if (event.type === "settings.changed") show({ ...state, language: languageIn(event.data) });
    if (event.type === "alarms.changed") show({ ...state, alarms: event.data });
    if (event.type !== "approval.closed") return;
    if (!state.is_loaded) ended.add(event.data.token);
    show(closed(state, event.data, steady()));
  }, GATE_EVENTS);
  const clock = setInterval(redraw, 1000);
  // While the user types, the card's deadline is extended.
  const stillness = setInterval(() => {
    const is_typing = state.mode.kind === "message" || state.mode.kind === "choices";
    if (is_typing && state.selected !== null) {
      api.call("approvals.hold", { token: state.selected }).catch(() => undefined); // it may just have ended
    }
  }, HOLD_INTERVAL_MS);
  stdout.on("resize", redraw);
  void options.lost?.then(() => end(new GateError("connection_lost", "the gate has gone")));
  try {
    api.call("settings.list", {}).then((settings) => show({ ...state, language: languageIn(settings) }), end);
    api.call("status", {}).then(({ pause, alarms }) => show({ ...state, paused: pause.reason, alarms }), end);
    api.call("approvals.list", { limit: 1000 }).then(
      (waiting) =>
        show(
          loaded(
            state,
            waiting.filter(({ token, status }) => status === "pending" && !ended.has(token)),
            steady(),
          ),
        ),
      end,
    );
    await exited;
  } finally {
    clearInterval(clock);
    clearInterval(stillness);
    stdout.off("resize", redraw);
    unsubscribe();
    leave();
  }
  const left = state.cards.length;
  if (isLost(failure)) {
    const waiting = left === 0 ? "" : `; ${counted(left, "request")} could not be answered here`;
    const why = state.alarms.findLast(({ code }) => ENDING.includes(code));
    if (why !== undefined) throw new GateError("connection_lost", `${why.message}${waiting}`, why.hint);
    const hint = "start the gate with: metnos-gate start, then watch again";
    throw new GateError("connection_lost", `the connection to the gate was lost${waiting}`, hint);
  }
  if (failure !== undefined) throw failure;
  if (left > 0) stdout.write(`${counted(left, "request")} still waiting for an answer.\n`);
}

function languageIn(settings: readonly Setting[]): Language {
  const chosen = settings.find(({ key }) => key === "language")?.value;
  return LANGUAGES.find((language) => language === chosen) ?? "en";
}

function isLost(error: unknown): boolean {
  return error instanceof GateError && error.code === "connection_lost";
}

function explanation(error: unknown): string {
  if (!(error instanceof GateError)) return "The gate could not take the answer; try again or see: metnos-gate status";
  return error.hint === "" ? error.message : `${error.message} (${error.hint})`;
}
