import { dialog } from "electron";
import type { Language } from "../../ipc/contract/language.ts";
import type { GateMode } from "./users-gate.ts";
import { shellWords } from "./words.ts";

/** A gate that is only started again is back by then. Milliseconds. */
const PATIENCE_MS = 3000;

/** Says that the gate which the app used has ended, with two answers: wait, or start one here. Closes itself when a gate is there again. */
export class AwayNotice {
  readonly #parts: { isWanted(): boolean; language(): Language; startGate(): void };
  #timer: NodeJS.Timeout | undefined;
  #shown: AbortController | undefined;

  /** @param parts `isWanted`: a user who only sees the tray's icon sees it there */
  constructor(parts: { isWanted(): boolean; language(): Language; startGate(): void }) {
    this.#parts = parts;
  }

  follow(mode: GateMode): void {
    this.end();
    if (mode === "away") this.#timer = setTimeout(() => void this.#show(), PATIENCE_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#shown?.abort();
    this.#shown = undefined;
  }

  async #show(): Promise<void> {
    if (!this.#parts.isWanted()) return;
    const words = shellWords[this.#parts.language()];
    const shown = new AbortController();
    this.#shown = shown;
    const { response } = await dialog.showMessageBox({
      type: "warning",
      message: words.away,
      detail: words.away_next,
      buttons: [words.wait, words.start_gate],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      signal: shown.signal,
    });
    if (response === 1 && !shown.signal.aborted) this.#parts.startGate();
  }
}
