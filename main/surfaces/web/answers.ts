import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { nodeHttp } from "../../../ipc/base/node-http.ts";
import { ownCommand } from "../../../ipc/base/own-command.ts";
import type { PageFile } from "./page-files.ts";

/** What is sent to a browser, and the headers that each answer carries. */

/** `host` is the one that the page was asked for by: some browsers don't count its WebSocket as `'self'`. */
function headersFor(host: string | undefined): Record<string, string> {
  const connect = host === undefined ? "'self'" : `'self' ws://${host}`;
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "manifest-src 'self'",
      `connect-src ${connect}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ].join("; "),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), display-capture=()",
    "Cache-Control": "no-store",
  };
}

/** `cookie`: one to set with it. */
export function sendFile(
  response: ServerResponse,
  { body, type }: PageFile,
  host: string | undefined,
  cookie?: string,
): void {
  const headers = { ...headersFor(host), "Content-Type": type, "Content-Length": body.length };
  response.writeHead(200, cookie === undefined ? headers : { ...headers, "Set-Cookie": cookie }).end(body);
}

export function sendText(response: ServerResponse, text: string, type: string): void {
  const body = Buffer.from(text);
  response.writeHead(200, { ...headersFor(undefined), "Content-Type": type, "Content-Length": body.length }).end(body);
}

/** For what a browser asks for by itself and a page needn't have. */
export function sendNothing(response: ServerResponse): void {
  response.writeHead(204, headersFor(undefined)).end();
}

/** Who has no session sees why, and what to do. */
export function sendRefusalPage(response: ServerResponse, html: string, styleHash: string): void {
  const policy = [
    "default-src 'none'",
    `style-src ${styleHash}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  response
    .writeHead(403, {
      ...headersFor(undefined),
      "Content-Security-Policy": policy.join("; "),
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": Buffer.byteLength(html),
      Connection: "close",
    })
    .end(html);
}

/** A sentence for the user; the connection ends with it, and with whatever else was sent on it. */
export function sendRefusal(response: ServerResponse, status: number, text: string): void {
  const body = `Metnos Gate: ${text}\n`;
  response
    .writeHead(status, {
      ...headersFor(undefined),
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      Connection: "close",
      ...(status === 405 ? { Allow: "GET" } : {}),
    })
    .end(body);
}

const TOO_LONG =
  "what your browser sends along is too long: the cookies of other servers on this machine are in it. " +
  "Clear your browser's cookies for 127.0.0.1 and localhost, then run:";

/** How long the rest of a malformed request is read and dropped, so that its sender gets to the answer, in milliseconds. */
const DRAIN_MS = 1000;

/** Answers what is no request: headers that are too long get a sentence for the user. */
export function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  const status = code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const body = status === 431 ? `Metnos Gate: ${TOO_LONG} ${ownCommand("open")}\n` : "";
  const headers = Object.entries({
    ...headersFor(undefined),
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  setTimeout(() => socket.destroy(), DRAIN_MS).unref();
  socket.end(`HTTP/1.1 ${status} ${nodeHttp().STATUS_CODES[status]}\r\n${headers.join("")}\r\n${body}`);
}

/** Refuses a WebSocket before it is one. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${nodeHttp().STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** All values that the request carries under a cookie's name: another server of this machine may have set one for a path. */
export function cookiesOf({ headers }: IncomingMessage, name: string): string[] {
  return (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
