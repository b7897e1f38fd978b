import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Electron from "electron";
import { type Browser, chromium, errors, type Page } from "playwright-core";
import { CHECKOUT } from "../../support/gate-process.ts";
import { toWebUrl } from "../stand-in/web-urls.ts";
import type { DesktopApp } from "./desktop-app.ts";
import { TextWatch } from "./text-watch.ts";

const REGISTER = fileURLToPath(new URL("../stand-in/register.ts", import.meta.url));

/** The arguments before the app's own. */
export function standInArguments(appFolder = CHECKOUT): string[] {
  return ["--no-warnings", "--import", REGISTER, join(appFolder, "dist/desktop/main.js")];
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: string;
  chromiumPort?: number;
}

/** A page that goes elsewhere first, or closes, may be there by another way: it is looked for again. */
function unlessTooLate(error: unknown): void {
  if (error instanceof errors.TimeoutError) throw error;
}

/** The built main entry in Node, with the stand-in as its `electron`. */
export class StandInApp implements DesktopApp {
  readonly driver = "stand-in";
  readonly pageOrigin = toWebUrl("app://metnos");
  readonly pid: number;
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #text: TextWatch;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #port: Promise<number>;
  #browser: Browser | undefined;
  #last = 0;

  constructor(env: NodeJS.ProcessEnv, args: readonly string[]) {
    this.#child = spawn(process.execPath, [...standInArguments(), ...args], {
      cwd: CHECKOUT,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced",
    });
    this.pid = this.#child.pid ?? 0;
    this.#text = new TextWatch(this.#child.stdout, this.#child.stderr);
    this.#port = new Promise((resolve) => {
      this.#child.on("message", (answer: Answer) => {
        if (answer.chromiumPort !== undefined) resolve(answer.chromiumPort);
        if (answer.id !== undefined) this.#answers.get(answer.id)?.(answer);
      });
    });
    this.exited = once(this.#child, "close").then(([code]) => {
      this.#text.end();
      for (const answer of this.#answers.values()) answer({ error: "the app has ended" });
      return code as number | null;
    });
  }

  /** Connects to the pages. */
  async connect(): Promise<void> {
    await this.printed(/the desktop app is ready/);
    this.#browser = await chromium.connectOverCDP(`http://127.0.0.1:${await this.#port}`);
  }

  output(): string {
    return this.#text.text;
  }

  printed(pattern: RegExp): Promise<void> {
    return this.#text.printed(pattern);
  }

  pages(): Page[] {
    return this.#browser?.contexts().flatMap((context) => context.pages()) ?? [];
  }

  async page(place: string): Promise<Page> {
    const url = toWebUrl(`app://metnos/index.html#/${place}`);
    for (;;) {
      const found = this.pages().find((page) => page.url() === url);
      if (found !== undefined) {
        await found.waitForLoadState();
        return found;
      }
      const contexts = this.#browser?.contexts() ?? [];
      await Promise.race([
        ...contexts.map((context) => context.waitForEvent("page")),
        ...this.pages().map((page) => page.waitForURL(url).catch(unlessTooLate)),
        this.exited.then(() => {
          throw new Error(`the app has ended before its page ${place} was there:\n${this.output()}`);
        }),
      ]);
    }
  }

  evaluate<R, A>(run: (electron: typeof Electron, arg: A) => R | Promise<R>, arg: A): Promise<R> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) => {
        this.#answers.delete(id);
        if (error === undefined) resolve(result as R);
        else reject(new Error(error));
      });
      this.#child.send({ id, source: run.toString(), arg });
    });
  }

  async processes(): Promise<number[]> {
    const session = await this.#browser?.newBrowserCDPSession();
    const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
    return [this.pid, ...processInfo.map(({ id }) => id)];
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
