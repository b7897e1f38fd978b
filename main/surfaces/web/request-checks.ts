import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { endianness } from "node:os";
import type { Language } from "../../../ipc/contract/language.ts";
import { errorCode } from "../../base/errors.ts";

/** What every request and every WebSocket has to be before anything else is looked at. */

export interface Refusal {
  status: number;
  /** For the user who sees it in the browser. */
  text: string;
}

/** The path of a link for one use. */
export const LINK = /^\/\?token=([0-9a-f]*)$/;

/** The names that this machine's browser may call the page by. Any other came from a rebound DNS name or a forged header. */
function hostsAt(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** The request's host where it is one of ours, given once. */
export function ownHost({ rawHeaders }: IncomingMessage, port: number): string | undefined {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host");
  const [host] = hosts;
  return hosts.length === 1 && host !== undefined && hostsAt(port).includes(host) ? host : undefined;
}

/** A request for a page or one of its files. */
export function refusalOfRequest(request: IncomingMessage, port: number): Refusal | undefined {
  const host = ownHost(request, port);
  if (host === undefined) return { status: 421, text: "this is not the name of this page" };
  if (request.method !== "GET") return { status: 405, text: "only GET is answered here" };
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) return OTHER_ORIGIN;
  return refusalOfContext(request);
}

/** A WebSocket's upgrade: browsers always say where it comes from, so it must be said. */
export function refusalOfUpgrade(request: IncomingMessage, port: number): Refusal | undefined {
  const refusal = refusalOfRequest(request, port);
  if (refusal !== undefined) return refusal;
  return request.headers.origin === undefined ? OTHER_ORIGIN : undefined;
}

const OTHER_ORIGIN: Refusal = { status: 403, text: "this page answers to itself only" };

/** What the browser says about who asks. An older one says nothing; then the cookie's SameSite has to do. */
function refusalOfContext({ headers, url }: IncomingMessage): Refusal | undefined {
  // A site is a host without its port: another local server's page is `same-site`, and is refused, too.
  const site = headers["sec-fetch-site"];
  // Whoever has a link may use it: the file through which the user's browser is opened is another site, too.
  const isLinkFollowed =
    LINK.test(url ?? "") && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !isLinkFollowed)
    return { status: 403, text: "another page asked for this one: copy the link into the address bar" };
  // Fetched ahead, a link would be used up before the user comes to it.
  if (headers["sec-purpose"] !== undefined || headers.purpose !== undefined)
    return { status: 403, text: "this page is not fetched ahead" };
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if ((length !== undefined && length !== "0") || encoding !== undefined)
    return { status: 400, text: "a request here has no body" };
  return undefined;
}

// Whose program is at the other end of a loopback connection. Any user of the machine can connect to 127.0.0.1, and a browser
// sends its cookies to every port of it: where the system tells who connects, nobody else is let in.

const TABLES = [
  { file: "/proc/net/tcp", loopback: endianness() === "LE" ? "0100007F" : "7F000001" },
  // A socket for both versions of IP is listed with the other ones.
  {
    file: "/proc/net/tcp6",
    loopback: endianness() === "LE" ? "0000000000000000FFFF00000100007F" : "00000000000000000000FFFF7F000001",
  },
];

/** Only then the owner is known: the system counts a socket that was left behind as root's. */
const ESTABLISHED = "01";

/** Whether this system tells. */
export function canIdentifyPeer(): boolean {
  return tables() !== undefined;
}

/** True where the program that connected from `peerPort` to `ownPort` is this user's or root's, or the system can't tell. */
export function isOwnUsersPeer(peerPort: number, ownPort: number): boolean {
  const found = tables();
  if (found === undefined) return true;
  const uid = ownerIn(found, peerPort, ownPort);
  return uid !== undefined && (uid === process.getuid?.() || uid === 0);
}

function tables(): { text: string; loopback: string }[] | undefined {
  try {
    return TABLES.flatMap(({ file, loopback }) => {
      try {
        return [{ text: readFileSync(file, "latin1"), loopback }];
      } catch (error) {
        // A machine without IPv6 has the first only.
        if (file === "/proc/net/tcp6" && errorCode(error) === "ENOENT") return [];
        throw error;
      }
    });
  } catch {
    return undefined; // no such table (macOS), or none that we may read
  }
}

function ownerIn(found: readonly { text: string; loopback: string }[], peerPort: number, ownPort: number) {
  for (const { text, loopback } of found) {
    const ends = `${loopback}:${hex(peerPort)} ${loopback}:${hex(ownPort)} ${ESTABLISHED} `;
    const start = text.indexOf(ends);
    if (start === -1) continue;
    // Then: queues, timer, retransmissions, uid.
    const uid = text.slice(start + ends.length, start + ends.length + 80).split(/\s+/)[3];
    if (uid !== undefined && /^\d+$/.test(uid)) return Number(uid);
  }
  return undefined;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

// What somebody sees who comes to the page without a session: why, and the command for a link. It loads nothing, and runs nothing.

export type WhyRefused = "no_session" | "bad_link";

interface Words {
  title: Record<WhyRefused, string>;
  reason: Record<WhyRefused, string>;
  next: string;
  after: (minutes: number) => string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: { no_session: "This page needs a link", bad_link: "This link doesn't work any more" },
    reason: {
      no_session: "This browser has no session with the gate, or its session has ended.",
      bad_link: "It was used already, is too old, or isn't whole. Each link works once, for one browser.",
    },
    next: "For a new one, run in a terminal:",
    after: (minutes) => `Then open what it prints, within ${minutes} minutes.`,
  },
  it: {
    title: { no_session: "Questa pagina ha bisogno di un link", bad_link: "Questo link non vale più" },
    reason: {
      no_session: "Questo browser non ha una sessione con il gate, oppure la sua sessione è finita.",
      bad_link: "È già stato usato, è troppo vecchio, o non è intero. Ogni link vale una volta, per un solo browser.",
    },
    next: "Per averne uno nuovo, esegui in un terminale:",
    after: (minutes) => `Poi apri quello che stampa, entro ${minutes} minuti.`,
  },
};

/** The page's type and colours (renderer/style/tokens.css), which can't be asked for without a session. */
const STYLE = `
:root { color-scheme: light dark; }
body {
  margin: 0; padding: 24px; min-height: calc(100vh - 48px); display: grid; place-items: center;
  background: light-dark(#ffffff, #1d1e21); color: light-dark(#1b1c1e, #ececea);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Cantarell", "Noto Sans", sans-serif;
}
main { max-width: 460px; }
.product { margin: 0 0 12px; font-size: 13px; font-weight: 600; color: light-dark(#595d65, #a6aab2); }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 12px; }
code {
  display: block; margin: 0 0 12px; padding: 8px 12px; border-radius: 6px; overflow-wrap: anywhere; user-select: all;
  background: light-dark(#f3f3f1, #151618);
  font: 15px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", "Noto Sans Mono", monospace;
}
`;

/** For the policy of this page alone. */
export const REFUSAL_STYLE_HASH = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/**
 * @param command for a new link
 * @param minutes how long it works
 */
export function refusalPage(why: WhyRefused, language: Language, command: string, minutes: number): string {
  const { title, reason, next, after } = WORDS[language];
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Metnos Gate</title><style>${STYLE}</style></head>
<body><main>
<p class="product">Metnos Gate</p>
<h1>${title[why]}</h1>
<p>${reason[why]}</p>
<p>${next}</p>
<code>${escaped(command)}</code>
<p>${after(minutes)}</p>
</main></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
