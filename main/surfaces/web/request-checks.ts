import type { IncomingMessage } from "node:http";

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
  const is_link_followed =
    LINK.test(url ?? "") && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !is_link_followed)
    return { status: 403, text: "another page asked for this one: copy the link into the address bar" };
  // Fetched ahead, a link would be used up before the user comes to it.
  if (headers["sec-purpose"] !== undefined || headers.purpose !== undefined)
    return { status: 403, text: "this page is not fetched ahead" };
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  if ((length !== undefined && length !== "0") || encoding !== undefined)
    return { status: 400, text: "a request here has no body" };
  return undefined;
}
