import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { nodeHttp } from "../../../ipc/base/node-http.ts";
import { type ProxyParts, type Refusal, reach, reasonPhrase } from "./connection.ts";
import { absoluteDestination, type Destination, namesDestination } from "./destination.ts";

/** A request over plain HTTP: read strictly, decided on by itself, and written anew on a connection of its own. */

/** Between the client and the proxy alone (RFC 9110 §7.6.1), and what would say something about the proxy. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);
/** Each of them can be there once: two programs could each believe another one. */
const ONCE = ["host", "content-length", "transfer-encoding"] as const;

/** Serves one request in absolute form. `continues`: the client waits for a word before it sends its body. */
export async function servePlain(
  request: IncomingMessage,
  response: ServerResponse,
  parts: ProxyParts,
  continues = false,
): Promise<void> {
  response.sendDate = false;
  const target = absoluteDestination(request.url ?? "");
  if (!("ok" in target)) return refuse(response, { status: 400, why: target.why });
  const { to, path, authority } = target.ok;
  const problem = problemOf(request, to);
  if (problem !== null) return refuse(response, { status: 400, why: problem });
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  const reached = await reach(to, parts, leaving.signal);
  if ("refusal" in reached) return refuse(response, reached.refusal);
  const { socket } = reached;
  if (leaving.signal.aborted) return void socket.destroy();
  leaving.signal.addEventListener("abort", () => socket.destroy());
  socket.once(
    "close",
    parts.opened(to, () => socket.destroy()),
  );
  if (continues) response.writeContinue();
  forward(request, response, socket, { path, authority, host: to.host });
}

/** What is ambiguous, or hides another request in this one. */
function problemOf({ method, headers, rawHeaders, httpVersion }: IncomingMessage, to: Destination): string | null {
  if (!/^1\.[01]$/.test(httpVersion)) return "this is no version of HTTP that is spoken here";
  if (method === "TRACE" || method === "CONNECT") return `${method} is refused here`;
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) return `${twice} is there twice`;
  const { host, "content-length": length, "transfer-encoding": coding } = headers;
  if (host !== undefined ? !namesDestination(host, to) : httpVersion !== "1.0")
    return "Host must be the host of the address";
  if (coding !== undefined && (length !== undefined || coding.toLowerCase() !== "chunked" || httpVersion === "1.0"))
    return "the length of the body isn't clear";
  const named = connectionNames(headers.connection);
  return ONCE.some((name) => named.has(name)) ? "Connection names a header that must stay" : null;
}

/** The headers that `Connection` says are for the next program alone. */
function connectionNames(connection: string | undefined): ReadonlySet<string> {
  return new Set(
    (connection ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
}

/** Name and value one behind the other, as they were written, without those between two programs. */
function onwardHeaders({ rawHeaders, headers }: IncomingMessage, without: readonly string[] = []): string[] {
  const named = connectionNames(headers.connection);
  return rawHeaders.flatMap((name, index) => {
    const lower = name.toLowerCase();
    const isKept = index % 2 === 0 && !HOP_BY_HOP.has(lower) && !named.has(lower) && !without.includes(lower);
    return isKept ? [name, rawHeaders[index + 1] ?? ""] : [];
  });
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  socket: Socket,
  { path, authority, host }: { path: string; authority: string; host: string },
): void {
  const { method, headers } = request;
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  const framing = headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"];
  const mayHaveBody = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
  const length = hasBody || !mayHaveBody ? [] : ["Content-Length", "0"];
  const onward = nodeHttp().request({
    createConnection: () => socket,
    method,
    path,
    setHost: false,
    headers: ["Host", authority, ...onwardHeaders(request, ["host"]), ...framing, ...length, "Connection", "close"],
  });
  const failed = () => {
    socket.destroy();
    if (response.headersSent) response.destroy();
    else refuse(response, { status: 502, why: `${host} didn't answer` });
  };
  onward.on("error", failed);
  // Another protocol than HTTP from here on: nothing that was asked for.
  onward.on("upgrade", failed);
  onward.on("response", (answer) => {
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, onwardHeaders(answer));
    } catch {
      return failed(); // a code or a phrase that is none: the parser lets through more than may be written
    }
    // The error is the connection's end: what was sent so far is cut off there, as the host's own would be.
    pipeline(answer, response, () => socket.destroy());
  });
  // As above.
  pipeline(request, onward, (error) => {
    if (error) failed();
  });
}

/** A client that is refused gets the reason, and its connection ends: what else it has sent isn't read. */
function refuse(response: ServerResponse, { status, why }: Refusal): void {
  if (response.destroyed) return;
  const phrase = reasonPhrase(why);
  response.writeHead(status, phrase, { "Content-Type": "text/plain", Connection: "close" });
  response.end(`${phrase}\n`);
}
