import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type * as Electron from "electron";
import { _electron, type ElectronApplication, type Page } from "playwright-core";
import { CHECKOUT } from "../../support/gate-process.ts";
import type { DesktopApp } from "./desktop-app.ts";
import { TextWatch } from "./text-watch.ts";

const RECORDER = fileURLToPath(new URL("./recorder.cjs", import.meta.url));

/** The arguments before the app's own. */
export const ELECTRON_ARGUMENTS = [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "-r", RECORDER, CHECKOUT];

/** The real Electron, steered by playwright. */
export class ElectronApp implements DesktopApp {
  readonly driver = "electron";
  readonly pageOrigin = "app://metnos";
  readonly exited: Promise<number | null>;
  readonly #app: ElectronApplication;
  readonly #text: TextWatch;

  static async launch(binary: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<ElectronApp> {
    const app = await _electron.launch({
      executablePath: binary,
      args: [...ELECTRON_ARGUMENTS, ...args],
      env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    });
    return new ElectronApp(app);
  }

  private constructor(app: ElectronApplication) {
    this.#app = app;
    this.#text = new TextWatch(app.process().stdout, app.process().stderr);
    this.exited = once(app.process(), "exit").then(([code]) => {
      this.#text.end();
      return code as number | null;
    });
  }

  get pid(): number {
    return this.#app.process().pid ?? 0;
  }

  output(): string {
    return this.#text.text;
  }

  printed(pattern: RegExp): Promise<void> {
    return this.#text.printed(pattern);
  }

  pages(): Page[] {
    return this.#app.windows();
  }

  async page(place: string): Promise<Page> {
    const url = `app://metnos/index.html#/${place}`;
    for (;;) {
      const found = this.pages().find((page) => page.url() === url);
      if (found !== undefined) return found;
      await Promise.race([this.#app.waitForEvent("window"), ...this.pages().map((page) => page.waitForURL(url))]);
    }
  }

  async evaluate<R, A>(run: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R> {
    return (await this.#app.evaluate(run as never, arg)) as R;
  }

  async processes(): Promise<number[]> {
    return [this.pid, ...(await this.evaluate(({ app }) => app.getAppMetrics().map(({ pid }) => pid), undefined))];
  }

  kill(signal: NodeJS.Signals): void {
    this.#app.process().kill(signal);
  }
}
