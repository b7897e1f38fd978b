import { type Key as InkKey, render, useInput } from "ink";
import { createElement as h, type ReactNode } from "react";
import { type OperatorApi, OperatorError } from "../../ipc/operator-api.ts";
import { appeared, closed, drawn, EMPTY, type Key, pressed, type WatchState } from "./state.ts";
import { layoutFor, view } from "./view.ts";

export interface WatchOptions {
  stdin?: NodeJS.ReadStream;
  stdout?: NodeJS.WriteStream;
  /** Milliseconds. */
  now?: () => number;
  /** Settles when the connection has ended. */
  lost?: Promise<void>;
}

/**
 * Cards in the terminal, answered with keys, until the human quits. What waits then goes on waiting.
 * @throws OperatorError `not_a_terminal`; `connection_lost` if the gate goes away
 */
export async function watch(api: OperatorApi, options: WatchOptions = {}): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout, now = Date.now } = options;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new OperatorError(
      "not_a_terminal",
      "watch needs a terminal",
      "use: metnos-gate approvals list, approve, reject",
    );
  }
  let state = EMPTY;
  const screen = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const layout = () => layoutFor(state, screen());
  const scene = () => h(Keyboard, { onKey: press }, view(state, screen(), now()));
  const show = (next: WatchState) => {
    state = next;
    state = drawn(state, layout());
    app.rerender(scene());
  };
  const press = (key: Key) => {
    const step = pressed(state, key, now(), layout());
    show(step.state);
    if (step.effect?.kind === "quit") app.unmount();
    if (step.effect?.kind === "answer") api.call("approvals.resolve", step.effect.answer).catch(explain);
  };
  const explain = (error: unknown) => show({ ...state, notice: explanation(error) });
  const app = render(scene(), { stdin, stdout, exitOnCtrlC: true });

  const unsubscribe = api.subscribe((event) => {
    if (event.type === "approval.waiting") show(appeared(state, event.data, now()));
    if (event.type === "approval.closed") show(closed(state, event.data, now()));
  });
  const redraw = () => show(state);
  const clock = setInterval(redraw, 1000);
  stdout.on("resize", redraw);
  let is_lost = false;
  void options.lost?.then(() => {
    is_lost = true;
    app.unmount();
  });
  try {
    for (const card of await api.call("approvals.list", { limit: 1000 })) show(appeared(state, card, now()));
    await app.waitUntilExit();
  } finally {
    clearInterval(clock);
    stdout.off("resize", redraw);
    unsubscribe();
    app.unmount();
  }
  if (is_lost) throw new OperatorError("connection_lost", "the gate has gone", "start it with: metnos-gate serve");
}

function explanation(error: unknown): string {
  if (!(error instanceof OperatorError)) return "the answer could not be given";
  return error.hint === "" ? error.message : `${error.message} (${error.hint})`;
}

function Keyboard({ onKey, children }: { onKey: (key: Key) => void; children?: ReactNode }): ReactNode {
  useInput((input, key) => {
    for (const one of keysOf(input, key)) onKey(one);
  });
  return children;
}

/** Several characters in one read (a paste) are as many keys; none of them answers more than the card that was there. */
function keysOf(input: string, key: InkKey): Key[] {
  const name = nameOf(key);
  if (name !== undefined) return [{ input: "", name }];
  if (key.ctrl || key.meta) return [];
  return [...input].map((character) => ({ input: character }));
}

function nameOf(key: InkKey): Key["name"] {
  if (key.return) return "enter";
  if (key.escape) return "escape";
  if (key.upArrow) return "up";
  if (key.downArrow) return "down";
  if (key.tab) return "tab";
  if (key.pageUp) return "page_up";
  if (key.pageDown) return "page_down";
  if (key.backspace || key.delete) return "backspace";
  return undefined;
}
