import { EventEmitter } from "node:events";
import type { BrowserContext, Download, Route } from "playwright-core";
import { isPrevented } from "./prevented.ts";
import { fromWebUrl } from "./web-urls.ts";

type Permission = (contents: null, permission: string, origin: string, details: object) => boolean;
type PermissionRequest = (
  contents: null,
  permission: string,
  answer: (isGranted: boolean) => void,
  details: object,
) => void;
type BeforeRequest = (details: object, answer: (response: { cancel?: boolean }) => void) => void;
type HeadersReceived = (
  details: object,
  answer: (response: { responseHeaders?: Record<string, string | string[]> }) => void,
) => void;
type ProtocolHandler = (request: Request) => Response | Promise<Response>;

/** Electron's names for what Chromium's pages can ask for, and Chromium's own. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  geolocation: "geolocation",
  notifications: "notifications",
  camera: "media",
  microphone: "media",
  midi: "midi",
  "clipboard-read": "clipboard-read",
};

class StandInSession extends EventEmitter {
  #permissionCheck: Permission | null = null;
  #permissionRequest: PermissionRequest | null = null;
  #beforeRequest: BeforeRequest | null = null;
  #headersReceived: HeadersReceived | null = null;
  readonly #protocols = new Map<string, ProtocolHandler>();

  readonly protocol = { handle: (scheme: string, handler: ProtocolHandler) => this.#protocols.set(scheme, handler) };
  readonly webRequest = {
    onBeforeRequest: (listener: BeforeRequest) => {
      this.#beforeRequest = listener;
    },
    onHeadersReceived: (listener: HeadersReceived) => {
      this.#headersReceived = listener;
    },
  };

  setPermissionCheckHandler(handler: Permission | null): void {
    this.#permissionCheck = handler;
  }
  setPermissionRequestHandler(handler: PermissionRequest | null): void {
    this.#permissionRequest = handler;
  }
  setDevicePermissionHandler(_handler: unknown): void {
    // Chromium without a screen has no devices to offer
  }
  setSpellCheckerEnabled(_isEnabled: boolean): void {
    // Debian's Chromium fetches no dictionaries
  }

  /** Without a handler everything is granted, as in Electron. */
  async grant(context: BrowserContext): Promise<void> {
    const granted = Object.entries(PERMISSIONS)
      .filter(([, permission]) => this.#isGranted(permission))
      .map(([name]) => name);
    await context.grantPermissions(granted);
  }

  downloads(download: Download): void {
    if (isPrevented(this, "will-download")) void download.cancel();
  }

  /** A request of a page, whose navigation was let through. */
  async answer(route: Route): Promise<void> {
    const request = route.request();
    const url = fromWebUrl(request.url());
    const details = { url, method: request.method(), resourceType: request.resourceType() };
    if (await this.#isCancelled(details)) return await route.abort("blockedbyclient");
    const scheme = this.#protocols.get(url.slice(0, url.indexOf(":")));
    if (scheme === undefined) return await route.continue();
    const response = await scheme(new Request(url, { method: request.method(), headers: request.headers() }));
    await route.fulfill({
      status: response.status,
      headers: await this.#headers(details, Object.fromEntries(response.headers)),
      body: Buffer.from(await response.arrayBuffer()),
    });
  }

  #isGranted(permission: string): boolean {
    const isChecked = this.#permissionCheck?.(null, permission, "", {}) ?? true;
    let isGranted = this.#permissionRequest === null;
    this.#permissionRequest?.(
      null,
      permission,
      (answer) => {
        isGranted = answer;
      },
      {},
    );
    return isChecked || isGranted;
  }

  async #isCancelled(details: object): Promise<boolean> {
    const listener = this.#beforeRequest;
    if (listener === null) return false;
    return await new Promise((resolve) => listener(details, ({ cancel }) => resolve(cancel === true)));
  }

  async #headers(details: object, given: Record<string, string>): Promise<Record<string, string>> {
    const listener = this.#headersReceived;
    if (listener === null) return given;
    const responseHeaders = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value]]));
    const changed = await new Promise<Record<string, string | string[]>>((resolve) =>
      listener({ ...details, responseHeaders }, (answer) => resolve(answer.responseHeaders ?? responseHeaders)),
    );
    return Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, [value].flat().join(", ")]));
  }
}

export const defaultSession = new StandInSession();
export const session = { defaultSession };
export const protocol = {
  registerSchemesAsPrivileged(_schemes: object[]): void {
    // every scheme of a protocol that is handled is standard and secure here
  },
};
