import type { Env } from "../../../ipc/base/paths.ts";
import type { Config } from "../../config/index.ts";
import type { Screen } from "../delivery/when-due.ts";
import type { ScreenLock } from "./screen-lock.ts";

export interface SharedScreenParts {
  config: Pick<Config, "channels"> & Partial<Pick<Config, "telegram">>;
  env: Env;
  changed(): void;
  log(line: string): void;
}

/** The screen as every channel asks for it. What looks at it is loaded only where a channel is used while it is locked, or says what is for then. */
export class SharedScreen implements Screen {
  readonly #listeners = new Set<() => void>();
  readonly #opening: Promise<void> | undefined;
  #lock: ScreenLock | undefined;
  #hasEnded = false;

  constructor(parts: SharedScreenParts) {
    const { channels, telegram } = parts.config;
    const isAsked = Object.values(channels).some(({ when }) => when === "locked");
    if (isAsked || (telegram?.token_env ?? telegram?.token_file) !== undefined) this.#opening = this.#open(parts);
  }

  get isLocked(): boolean {
    return this.#lock?.isLocked ?? false;
  }

  /** Null where nobody asks. */
  get isKnown(): boolean | null {
    return this.#opening === undefined ? null : (this.#lock?.isKnown ?? false);
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.#opening;
    this.#lock?.close();
  }

  async #open({ env, changed, log }: SharedScreenParts): Promise<void> {
    try {
      const { ScreenLock } = await import("./screen-lock.ts");
      if (this.#hasEnded) return;
      this.#lock = new ScreenLock({ env, changed });
      this.#lock.subscribe(() => {
        for (const listener of this.#listeners) listener();
      });
    } catch {
      log("whether the screen is locked can't be found out: what does that could not be loaded");
    }
  }
}
