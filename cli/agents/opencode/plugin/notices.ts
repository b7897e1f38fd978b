import { isObject } from "../../../../ipc/base/json-object.ts";

/** What OpenCode's screen shows of the gate beside a call, which says nothing of it: that it asks, and what it denied. */

/** Most answers are there at once: so long a wait is one for somebody. In milliseconds. */
const ASKING_AFTER_MS = 300;
/** How long OpenCode shows it; in milliseconds. That it asks is shown again before that is over: so it ends soon after the answer. */
const [ASKING_SHOWN_MS, DENIED_SHOWN_MS] = [5000, 12_000];
const ASKING_AGAIN_MS = 4000;

interface Toast {
  title: string;
  message: string;
  variant: "info" | "error";
  duration: number;
}

export class Notices {
  readonly #client: unknown;
  readonly #watch: () => string;

  /** @param client OpenCode's, as it gives it to plugins @param watch gives the command by which the user answers, as it is typed; may throw */
  constructor(client: unknown, watch: () => string) {
    this.#client = client;
    this.#watch = watch;
  }

  /** A call waits for its answer: call what is returned once that is there. Never throws. */
  asking(): () => void {
    let timer = setTimeout(() => {
      this.#showAsking();
      timer = setInterval(() => this.#showAsking(), ASKING_AGAIN_MS);
    }, ASKING_AFTER_MS);
    return () => clearTimeout(timer);
  }

  #showAsking(): void {
    this.#show(() => ({
      title: "Metnos Gate asks you",
      message: this.#watch(),
      variant: "info",
      duration: ASKING_SHOWN_MS,
    }));
  }

  /** A call doesn't run. Never throws. */
  denied(message: string): void {
    this.#show(() => ({ title: "Metnos Gate", message, variant: "error", duration: DENIED_SHOWN_MS }));
  }

  /** Without a screen nobody sees it, and a later OpenCode may have another way. */
  #show(toast: () => Toast): void {
    try {
      const tui = isObject(this.#client) ? this.#client.tui : undefined;
      if (!hasToasts(tui)) return;
      void Promise.resolve(tui.showToast({ body: toast() })).catch(() => undefined);
    } catch {
      // nothing depends on it
    }
  }
}

function hasToasts(tui: unknown): tui is { showToast(toast: { body: Toast }): unknown } {
  return typeof tui === "object" && tui !== null && "showToast" in tui && typeof tui.showToast === "function";
}
