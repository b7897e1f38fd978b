import { EventEmitter } from "node:events";
import type { WebPreferences } from "electron";
import type { Page, Request, Route } from "playwright-core";
import { app } from "./app.ts";
import { browserContext, isUnderWay } from "./chromium.ts";
import { PreloadHost } from "./preload-host.ts";
import { isPrevented } from "./prevented.ts";
import { defaultSession } from "./session.ts";
import { fromWebUrl, toWebUrl } from "./web-urls.ts";

type OpenHandler = (details: { url: string }) => { action: "allow" | "deny" };

let last_id = 0;

/** A window's page: a real one, reached over Chromium's own protocol. */
export class StandInContents extends EventEmitter {
  readonly id = ++last_id;
  readonly session = defaultSession;
  readonly #preferences: WebPreferences;
  readonly #preload: PreloadHost | undefined;
  readonly page: Promise<Page>;
  #url = "";
  #current: Page | undefined;
  #is_destroyed = false;
  #open_handler: OpenHandler = () => ({ action: "allow" });
  /** The target of a pending `loadURL`: such a navigation is the app's own. */
  #loading: string | undefined;

  constructor(preferences: WebPreferences) {
    super();
    this.#preferences = preferences;
    this.#preload = preferences.preload === undefined ? undefined : new PreloadHost(this, preferences.preload);
    this.page = isUnderWay(this.#openPage());
    this.page.catch(() => undefined); // reported where it is awaited
    app.emit("web-contents-created", {}, this);
  }

  get mainFrame(): { url: string; parent: null } {
    return { url: this.getURL(), parent: null };
  }

  getURL(): string {
    return this.#current === undefined ? this.#url : fromWebUrl(this.#current.url());
  }

  getLastWebPreferences(): WebPreferences {
    return this.#preferences;
  }

  isDestroyed(): boolean {
    return this.#is_destroyed;
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#open_handler = handler;
  }

  send(channel: string, ...args: unknown[]): void {
    this.#preload?.receive(channel, args);
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page.catch((error: unknown) => {
      if (!this.#is_destroyed) throw error;
    });
    if (page === undefined || this.#is_destroyed) return;
    this.#loading = url;
    if (!/^(app|https?):/.test(url)) this.#preload?.restart();
    const is_same = page.url() === toWebUrl(url);
    await (is_same ? page.reload() : page.goto(toWebUrl(url))).catch((error: unknown) => {
      if (!this.#is_destroyed) throw error;
    });
    this.#loading = undefined;
    this.emit("did-finish-load");
  }

  reload(): void {
    void this.loadURL(this.getURL());
  }

  async destroy(): Promise<void> {
    if (this.#is_destroyed) return;
    this.#is_destroyed = true;
    this.emit("destroyed");
    await this.page.then((page) => page.close()).catch(() => undefined); // closed with its browser
  }

  async #openPage(): Promise<Page> {
    const context = await browserContext();
    await defaultSession.grant(context);
    const page = await context.newPage();
    this.#current = page;
    await this.#preload?.attach(page);
    await page.exposeBinding("__stand_in_close", () => {
      this.emit("-page-closes");
    });
    await page.addInitScript("{ const close = globalThis.__stand_in_close; globalThis.close = () => void close(); }");
    await page.route("**/*", (route) => this.#routed(page, route));
    page.on("download", (download) => defaultSession.downloads(download));
    page.on("popup", (popup) => void this.#opened(popup));
    return page;
  }

  async #routed(page: Page, route: Route): Promise<void> {
    const request = route.request();
    try {
      if (request.isNavigationRequest() && !this.#mayNavigate(page, request)) await route.abort("aborted");
      else await defaultSession.answer(route);
    } catch (error) {
      if (!this.#is_destroyed) throw error;
    }
  }

  #mayNavigate(page: Page, request: Request): boolean {
    const url = fromWebUrl(request.url());
    const is_main = request.frame() === page.mainFrame();
    const is_own = is_main && this.#loading !== undefined && url === this.#loading.replace(/#.*$/s, "");
    if (!is_own) {
      const details = { url, isMainFrame: is_main };
      if (isPrevented(this, "will-frame-navigate", details)) return false;
      if (is_main && isPrevented(this, "will-navigate", details, url)) return false;
    }
    if (is_main) this.#preload?.restart();
    return true;
  }

  async #opened(popup: Page): Promise<void> {
    if (this.#open_handler({ url: fromWebUrl(popup.url()) }).action === "deny") {
      await popup.close().catch(() => undefined); // with its browser
    }
  }
}
