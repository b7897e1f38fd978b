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

let lastId = 0;

/** A window's page: a real one, reached over Chromium's own protocol. */
export class StandInContents extends EventEmitter {
  readonly id = ++lastId;
  readonly session = defaultSession;
  readonly #preferences: WebPreferences;
  readonly #preload: PreloadHost | undefined;
  readonly page: Promise<Page>;
  #url = "";
  #current: Page | undefined;
  #isDestroyed = false;
  #openHandler: OpenHandler = () => ({ action: "allow" });
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
    return this.#isDestroyed;
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  send(channel: string, ...args: unknown[]): void {
    this.#preload?.receive(channel, args);
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page.catch((error: unknown) => {
      if (!this.#isDestroyed) throw error;
    });
    if (page === undefined || this.#isDestroyed) return;
    this.#loading = url;
    if (!/^(app|https?):/.test(url)) this.#preload?.restart();
    const isSame = page.url() === toWebUrl(url);
    await (isSame ? page.reload() : page.goto(toWebUrl(url))).catch((error: unknown) => {
      if (!this.#isDestroyed) throw error;
    });
    this.#loading = undefined;
    this.emit("did-finish-load");
  }

  reload(): void {
    void this.loadURL(this.getURL());
  }

  async destroy(): Promise<void> {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
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
      if (!this.#isDestroyed) throw error;
    }
  }

  #mayNavigate(page: Page, request: Request): boolean {
    const url = fromWebUrl(request.url());
    const isMain = request.frame() === page.mainFrame();
    const isOwn = isMain && this.#loading !== undefined && url === this.#loading.replace(/#.*$/s, "");
    if (!isOwn) {
      const details = { url, isMainFrame: isMain };
      if (isPrevented(this, "will-frame-navigate", details)) return false;
      if (isMain && isPrevented(this, "will-navigate", details, url)) return false;
    }
    if (isMain) this.#preload?.restart();
    return true;
  }

  async #opened(popup: Page): Promise<void> {
    if (this.#openHandler({ url: fromWebUrl(popup.url()) }).action === "deny") {
      await popup.close().catch(() => undefined); // with its browser
    }
  }
}
