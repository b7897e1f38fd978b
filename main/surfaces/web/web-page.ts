import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { debugLog } from "../../../ipc/base/debug-log.ts";
import { nodeHttp } from "../../../ipc/base/node-http.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { Language } from "../../../ipc/contract/language.ts";
import type { OperatorHandler } from "../../../ipc/contract/operator-api.ts";
import { PAGE_SOCKET_PATH } from "../../../ipc/socket/page-frames.ts";
import { PAGE_SECRET_KEY } from "../../../ipc/socket/page-secret.ts";
import type { Clock } from "../../base/clocks/clock.ts";
import {
  cookiesOf,
  refuseMalformed,
  refuseUpgrade,
  sendFile,
  sendNothing,
  sendRefusal,
  sendRefusalPage,
  sendText,
} from "./answers.ts";
import { OperatorPages, type PageLimits } from "./operator-pages.ts";
import { type PageFile, type PageFiles, readPageFiles } from "./page-files.ts";
import {
  canIdentifyPeer,
  isOwnUsersPeer,
  LINK,
  ownHost,
  REFUSAL_STYLE_HASH,
  refusalOfRequest,
  refusalOfUpgrade,
  refusalPage,
  type WhyRefused,
} from "./request-checks.ts";
import { SessionFile } from "./session-file.ts";
import { LINK_SECONDS, proofOf, type Session, WebSessions } from "./web-sessions.ts";

/**
 * The page in a browser, on 127.0.0.1 alone: behind a link that works once, then a cookie and the page's own secret
 * (docs/decisions/requirements-surfaces.md, "The page in a browser").
 */

const debug = debugLog("web");

export interface WebPageSettings {
  /** 0: the one it had last, the usual one, or any that is free. */
  port: number;
  /** Keeps the port for the next start. Left out: nothing is kept. */
  portFile?: string;
  session_seconds: number;
  /** Keeps the sessions, as hashes, for the next start. Left out: they end with the gate. */
  sessionFile?: string;
  /** Left out: the built page. */
  files?: PageFiles;
  limits?: Partial<PageLimits>;
  /** Answer `/metrics` to whoever asks on this machine, without a link: figures, and nothing that an agent chose. */
  hasMetrics?: boolean;
  /** Of what is shown without a session; left out: English. */
  language?: () => Language;
  /** Only its time since boot is used, which nobody sets. */
  clock: Clock;
}

export interface WebPageListener {
  log(line: string): void;
  /** A link was used: a browser has a session now. */
  entered(): void;
}

const LIMITS: PageLimits = { maxPages: 16, max_unread_bytes: 8 * 1024 * 1024, heartbeatMs: 20_000 };
const OTHERS = "it is another user's, or already gone";
/** HTTP connections and WebSockets at the same time. */
const MAX_CONNECTIONS = 64;
const MAX_ARRIVALS_A_SECOND = 100;
const MAX_LOGGED_REFUSALS_A_SECOND = 5;
const REQUEST_TIMEOUT_MS = 5000;
/** Cookies of all other servers on 127.0.0.1 come along, whatever their port. */
const MAX_HEADER_BYTES = 64 * 1024;

const METRICS_PATH = "/metrics";

export class WebPage {
  readonly #settings: WebPageSettings;
  readonly #listener: WebPageListener;
  readonly #files: PageFiles;
  readonly #sessions: WebSessions;
  readonly #arrivals: PerSecond;
  readonly #logged: PerSecond;
  /** Connections that may ask for the figures only. */
  readonly #strangers = new WeakSet<Socket>();
  #api: OperatorHandler | undefined;
  #pages: OperatorPages | undefined;
  readonly #server: Server;
  #port = 0;

  /** @throws GateError `page_not_built` */
  constructor(settings: WebPageSettings, listener: WebPageListener) {
    this.#settings = settings;
    this.#listener = listener;
    this.#files = new Map([...(settings.files ?? readPageFiles()), [ENTRANCE_SCRIPT_PATH, entranceScript()]]);
    const { clock, sessionFile, session_seconds } = settings;
    const file = sessionFile === undefined ? undefined : new SessionFile(sessionFile, listener.log);
    this.#sessions = new WebSessions(session_seconds, clock, file);
    const now = () => clock.boot().ms;
    this.#arrivals = new PerSecond(MAX_ARRIVALS_A_SECOND, now);
    this.#logged = new PerSecond(MAX_LOGGED_REFUSALS_A_SECOND, now);
    this.#server = nodeHttp().createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.prependListener("connection", (socket) => {
      const reason = this.#refusalOfPeer(socket);
      if (reason === undefined) return;
      if (reason === OTHERS && this.#settings.hasMetrics === true) {
        this.#strangers.add(socket);
        return;
      }
      this.#logRefusal(`page: a connection was refused: ${reason}`);
      socket.destroy();
    });
    this.#server.on("request", (request, response) => this.#answer(request, response));
    this.#server.on("clientError", refuseMalformed);
    this.#server.on("upgrade", (request, stream, head) => this.#upgrade(request, stream, head));
  }

  /** Listens, for pages that use `api`. Rejects with `port_taken`, or the system's error. */
  async listen(api: OperatorHandler): Promise<void> {
    const { port, portFile, limits } = this.#settings;
    this.#api = api;
    this.#pages = new OperatorPages(api, { ...LIMITS, ...limits }, this.#listener.log);
    await this.#listenSomewhere(port, portFile).catch((error: unknown) => {
      this.#sessions.resume(0); // none of them: another program has their port
      throw error;
    });
    this.#sessions.resume(this.#port);
    if (!canIdentifyPeer())
      this.#listener.log(
        "page: this system doesn't tell whose program connects; the links and cookies alone have to do",
      );
  }

  /** Where the page is, without a secret. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Ends every session of a browser and every link that wasn't used. Gives how many sessions there were. */
  revokeAll(): number {
    const count = this.#sessions.revokeAll();
    this.#pages?.closeEnded();
    return count;
  }

  /** A new link, for one browser, once, within `LINK_SECONDS`. */
  link(): string {
    return `${this.url}?token=${this.#sessions.createLink()}`;
  }

  async close(): Promise<void> {
    const isClosed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#pages?.close();
    this.#server.closeAllConnections();
    await isClosed;
  }

  async #listenSomewhere(port: number, portFile: string | undefined): Promise<void> {
    const last = portFile === undefined ? undefined : readLastPort(portFile);
    // Somebody else may have these by now; 0 is any.
    const wishes = port === 0 && portFile !== undefined ? [last ?? USUAL_PORT, USUAL_PORT] : [];
    let isListening = false;
    for (const wish of wishes) isListening ||= await this.#listenAt(wish).catch(() => false);
    if (!isListening) await this.#listenAt(port);
    this.#port = (this.#server.address() as AddressInfo).port;
    if (port === 0 && portFile !== undefined && this.#port !== last) keepLastPort(portFile, this.#port);
  }

  #listenAt(port: number): Promise<true> {
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(whyNot(error, port));
      this.#server.once("error", failed);
      this.#server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
        this.#server.off("error", failed);
        resolve(true);
      });
    });
  }

  #refusalOfPeer({ remotePort }: Socket): string | undefined {
    // Before the look-up, which others could make long by what they have open.
    if (!this.#arrivals.take()) return "too many at once";
    if (remotePort !== undefined && isOwnUsersPeer(remotePort, this.#port)) return undefined;
    return OTHERS;
  }

  /** Whoever is refused again and again doesn't fill the log. */
  #logRefusal(line: string): void {
    if (this.#logged.take()) this.#listener.log(line);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (debug.isOn)
      response.once("finish", () =>
        debug.write(`${request.method} ${this.#nameOf(request.url ?? "")}: ${response.statusCode}`),
      );
    const refusal = refusalOfRequest(request, this.#port);
    if (refusal !== undefined) return sendRefusal(response, refusal.status, refusal.text);
    const path = request.url ?? "";
    if (path === METRICS_PATH && this.#settings.hasMetrics === true) return void this.#sendMetrics(response);
    if (this.#strangers.has(request.socket)) return sendRefusal(response, 403, "this page is another user's");
    const token = LINK.exec(path)?.[1];
    if (token !== undefined) return this.#enter(token, request, response);
    if (this.#sessionsOf(request).length === 0) return this.#refuse(response, "no_session");
    const file = this.#files.get(path);
    if (file === undefined && path === "/favicon.ico") return sendNothing(response);
    if (file === undefined) return sendRefusal(response, 404, "there is no such page");
    sendFile(response, file, ownHost(request, this.#port));
  }

  #refuse(response: ServerResponse, why: WhyRefused): void {
    const language = this.#settings.language?.() ?? "en";
    sendRefusalPage(response, refusalPage(why, language, ownCommand("open"), LINK_SECONDS / 60), REFUSAL_STYLE_HASH);
  }

  /** A path that the gate itself made; a link's and any other have what isn't to be logged. */
  #nameOf(path: string): string {
    if (this.#files.has(path) || path === METRICS_PATH) return path;
    return LINK.test(path) ? "a link" : "another path";
  }

  #enter(token: string, request: IncomingMessage, response: ServerResponse): void {
    const admission = this.#sessions.redeemLink(token);
    if (admission === undefined) {
      this.#logRefusal("page: a link was refused: wrong, used or too old");
      return this.#refuse(response, "bad_link");
    }
    this.#listener.log("page: a link was used, a browser has the page now");
    this.#listener.entered();
    const { cookie, pageSecret } = admission;
    const setCookie = `${this.#cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`;
    sendFile(response, entrancePage(pageSecret), ownHost(request, this.#port), setCookie);
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    try {
      const figures = await this.#api?.call("metrics", {});
      if (figures === undefined) return sendRefusal(response, 503, "the gate is starting");
      sendText(response, figures.text, figures.content_type);
    } catch {
      sendRefusal(response, 500, "the figures can't be read"); // the scraper sees it; the gate continues
    }
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on("error", () => stream.destroy()); // gone before it was answered
    if (this.#strangers.has(request.socket)) return refuseUpgrade(stream, 403);
    const refusal = refusalOfUpgrade(request, this.#port);
    if (refusal !== undefined) return refuseUpgrade(stream, refusal.status);
    const sessions = this.#sessionsOf(request);
    if (sessions.length === 0) return refuseUpgrade(stream, 403);
    if (request.url !== PAGE_SOCKET_PATH) return refuseUpgrade(stream, 404);
    if (this.#pages === undefined || this.#pages.isFull) return refuseUpgrade(stream, 503);
    if (debug.isOn) debug.write("a page's WebSocket was opened");
    const origin = `http://${ownHost(request, this.#port)}`;
    this.#pages.open(request, stream, head, {
      proofs: (nonce) => sessions.map((session) => proofOf(session, origin, nonce)),
      admit: (pageSecret) => {
        const session = this.#sessions.pageSession(sessions, pageSecret);
        return session === undefined ? undefined : () => this.#sessions.isLive(session);
      },
    });
  }

  /** Cookies don't tell ports apart: the name does, so that two gates don't overwrite each other's. */
  get #cookieName(): string {
    return `metnos_${this.#port}`;
  }

  #sessionsOf(request: IncomingMessage): Session[] {
    return this.#sessions.sessions(cookiesOf(request, this.#cookieName));
  }
}

function whyNot(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== "EADDRINUSE") return error;
  return Object.assign(new Error(`port ${port} on 127.0.0.1 is taken`), {
    code: "port_taken",
    hint: "name another one as web.port in gate.toml, or 0 for any that is free",
  });
}

// What a link is answered with: a page that keeps its origin's secret, and continues to the real one.

const SECRET_NAME = "metnos-page-secret";
export const ENTRANCE_SCRIPT_PATH = "/enter.js";

/** In place of the link's address, which so is neither in the address bar nor behind the back button. */
function script(): string {
  const hint = `Metnos Gate: this browser lets the page store nothing. Allow it for this address, then run: ${ownCommand("open")}`;
  return `"use strict";
try {
  localStorage.setItem(${JSON.stringify(PAGE_SECRET_KEY)}, document.querySelector('meta[name="${SECRET_NAME}"]').content);
  location.replace("/");
} catch {
  document.querySelector("p").textContent = ${JSON.stringify(hint)};
}
`;
}

function entranceScript(): PageFile {
  return { body: Buffer.from(script()), type: "text/javascript; charset=utf-8" };
}

/** `secret`: hex digits. */
function entrancePage(secret: string): PageFile {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Metnos Gate</title><meta name="${SECRET_NAME}" content="${secret}"></head>
<body><p></p><noscript>Metnos Gate: this page needs JavaScript</noscript><script src="${ENTRANCE_SCRIPT_PATH}"></script></body>
</html>
`;
  return { body: Buffer.from(html), type: "text/html; charset=utf-8" };
}

// The port that the page had last: where none is chosen it is tried first, so that a browser whose gate was started again finds it;
// then the usual one. Only a wish: without it any port will do.

/** The first gate of a machine has this one. */
const USUAL_PORT = 47_655;

/** Undefined where there is none that could be used. */
export function readLastPort(file: string): number | undefined {
  try {
    if (!lstatSync(file).isFile()) return undefined;
    const port = Number(readFileSync(file, "utf8"));
    return Number.isInteger(port) && port >= 1024 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined; // the first start, or it can't be read
  }
}

export function keepLastPort(file: string, port: number): void {
  try {
    rmSync(`${file}.new`, { force: true });
    // A file of its own making: through a link somebody else's would be written.
    writeFileSync(`${file}.new`, `${port}\n`, { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
  } catch {
    // a full disk: the next start takes any port
  }
}

/** Lets so many things through in each second, and no more. */
class PerSecond {
  readonly #most: number;
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** False once this second's share is taken. */
  take(): boolean {
    const now = this.#now();
    if (now - this.#since >= 1000) {
      this.#since = now;
      this.#taken = 0;
    }
    return ++this.#taken <= this.#most;
  }
}
