import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, relative, resolve } from "node:path";
import type { Duplex } from "node:stream";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { failureOf, GateError } from "../../ipc/contract/gate-error.ts";
import type { OperatorApi, OperatorMethod } from "../../ipc/contract/operator-api.ts";
import { launchBrowser } from "./browser.ts";

/** The built page in a real browser, served under the strict policy, with a gate behind its bridge. */

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const BUILT = resolve(import.meta.dirname, "../../dist/renderer");
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

export interface PageOptions {
  /** What follows `#/`. */
  at?: string;
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
  /** The page's clock is stopped from now on: only `page.clock.runFor(ms)` moves it. */
  standsStill?: boolean;
  /** Somebody else's address with the gate behind `/operator`, in place of a bridge. */
  origin?: string;
  /** What the page has stored for it. */
  secret?: string;
  /** Left out: a new one, closed with the test. */
  browser?: Browser;
}

/** The files as they were built, by their path below the root: read once, so that another build doesn't change them meanwhile. */
const FILES = new Map(
  readdirSync(BUILT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [`/${relative(BUILT, file)}`, readFileSync(file)];
    }),
);

/** A page, and everything it did that it should not have. */
export interface OpenedPage {
  page: Page;
  /** Errors, refusals of the Content-Security-Policy, requests to other origins. Empty where all is well. */
  problems: string[];
  /** Heights that the popup reported. */
  heights: number[];
  /** Routes that it asked the main window to open. */
  opened: string[];
}

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Serves the built page. Closed when the test ends. `upgrade`: what is done with a WebSocket's request. */
export async function servePage(upgrade?: UpgradeListener): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    const path = pathname === "/" ? "/index.html" : pathname;
    const body = FILES.get(path);
    if (body === undefined) response.writeHead(404).end();
    else {
      response.writeHead(200, {
        "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Content-Type-Options": "nosniff",
      });
      response.end(body);
    }
  });
  if (upgrade !== undefined) server.on("upgrade", upgrade);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => closed(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}

/** Opens the page on this gate. Several pages may use one gate. */
export async function openPage(operator: OperatorApi, options: PageOptions = {}): Promise<OpenedPage> {
  const browser = options.browser ?? (await launchBrowser());
  if (options.browser === undefined) onTestFinished(() => browser.close());
  const origin = options.origin ?? (await servePage());
  const page = await browser.newPage({ locale: "en-GB" });
  page.setDefaultTimeout(30_000);
  const opened: OpenedPage = { page, problems: [], heights: [], opened: [] };
  page.on("pageerror", (error) => opened.problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") opened.problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (new URL(url).host !== new URL(origin).host && !url.startsWith("data:")) opened.problems.push(`request: ${url}`);
  });
  page.on("websocket", (socket) => {
    if (new URL(socket.url()).host !== new URL(origin).host) opened.problems.push(`request: ${socket.url()}`);
  });
  await page.setViewportSize({ width: options.width ?? 1000, height: options.height ?? 680 });
  await page.emulateMedia({ colorScheme: options.scheme ?? "light", reducedMotion: "reduce" });
  if (options.origin === undefined) await bridgeTo(page, operator, opened);
  if (options.secret !== undefined)
    await page.addInitScript((secret) => localStorage.setItem("metnos_page_secret", secret), options.secret);
  if (options.standsStill) await installClock(page);
  await page.goto(`${origin}/#/${options.at ?? "approvals"}`);
  if (options.standsStill) {
    await stopClock(page);
    // The place is loaded when it is opened, and shown by a timer.
    while ((await page.getByRole("heading", { level: 1 }).count()) === 0) await page.clock.runFor(100);
  }
  onTestFinished(async () => {
    await page.close();
  });
  return opened;
}

/** A page's clock only ever stops ahead of its time: so long the command to stop it may be on its way. */
const BEHIND_MS = 30_000;

/** Before the page is opened, where its clock is to be stopped later. */
export async function installClock(page: Page): Promise<void> {
  await page.clock.install({ time: Date.now() - BEHIND_MS });
}

/** From now on only the test moves the page's clock, which is a second ahead of the machine's. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(Date.now() + 1000);
}

interface PageSide {
  gateEvent(event: unknown): void;
}

/** `window.metnos` as the preload makes it: calls out, events in, failures as values. */
async function bridgeTo(page: Page, operator: OperatorApi, opened: OpenedPage): Promise<void> {
  await page.exposeFunction("gateCall", async (method: OperatorMethod, params: never) => {
    try {
      return { ok: true, result: await operator.call(method, params) };
    } catch (error) {
      if (error instanceof GateError) {
        return { ok: false, failure: failureOf(error) };
      }
      throw error;
    }
  });
  await page.exposeFunction("gateResize", (height: number) => opened.heights.push(height));
  await page.exposeFunction("gateOpen", (place: string) => opened.opened.push(place));
  await page.addInitScript(() => {
    const outside = globalThis as never as Record<string, (...args: unknown[]) => unknown>;
    const listeners = new Set<(event: unknown) => void>();
    Object.assign(globalThis, {
      gateEvent: (event: unknown) => {
        for (const listener of listeners) listener(event);
      },
      metnos: {
        call: (method: string, params: unknown) => outside.gateCall?.(method, params),
        subscribe: (listener: (event: unknown) => void) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        watchGate: () => () => undefined,
        resize: (height: number) => void outside.gateResize?.(height),
        open: (place: string) => void outside.gateOpen?.(place),
      },
    });
  });
  // What comes while a message is on its way goes with the next one: each is a way through three processes.
  let coming: unknown[] = [];
  let telling = Promise.resolve();
  const tell = async () => {
    const events = coming;
    coming = [];
    if (events.length === 0) return;
    await page.evaluate((all) => {
      for (const event of all) (globalThis as never as PageSide).gateEvent(event);
    }, events);
  };
  const unsubscribe = operator.subscribe((event) => {
    coming.push(event);
    // A page that is being closed gets no more events.
    telling = telling.then(tell).catch(() => undefined);
  });
  page.on("close", unsubscribe);
}
