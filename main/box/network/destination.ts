import { isIP } from "node:net";
import { isWebPort, normaliseHost } from "../../targets/host.ts";
import { isLocalName } from "./addresses.ts";

/** Where a request to the proxy wants to go, read strictly: what two programs could read as two hosts is refused. */

export interface Destination {
  /** In the form that grants are matched against; IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
  /** The host is an address itself, without brackets. Undefined where it is a name. */
  readonly address: string | undefined;
  /** `https://host`, with the port where it isn't the usual one: what the user is asked about. Never a path. */
  readonly url: string;
}

export type Parsed<T> = { ok: T } | { why: string };

const AUTHORITY = /^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]{2,45}\])(?::([1-9]\d{0,4}))?$/;
const ABSOLUTE = /^http:\/\/([^/?#]+)(\/[!-~]*|\?[!-~]*)?$/i;

/** The target of a CONNECT: `host:port`. */
export function connectDestination(target: string): Parsed<Destination> {
  const found = destinationOf(target, "https");
  if (!("ok" in found)) return found;
  return /:\d+$/.test(target) ? found : { why: "a port is missing" };
}

/** The target of a request in absolute form, `http://host:port/path?query`, and what the host itself is sent. */
export function absoluteDestination(target: string): Parsed<{ to: Destination; path: string; authority: string }> {
  const [, authority, rest = "/"] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined) {
    return {
      why: /^https:/i.test(target) ? "https needs CONNECT" : "this is a proxy: it needs a whole http:// address",
    };
  }
  const found = destinationOf(authority, "http");
  if (!("ok" in found)) return found;
  return { ok: { to: found.ok, authority, path: rest.startsWith("?") ? `/${rest}` : rest } };
}

/** True if a Host header names where the request goes. */
export function namesDestination(header: string, { host, port }: Destination): boolean {
  const found = destinationOf(header, "http");
  return "ok" in found && found.ok.host === host && found.ok.port === port;
}

/** The same for CONNECT, where some clients leave the port out. */
export function namesHost(header: string, { host, port }: Destination): boolean {
  const found = destinationOf(header, "https");
  return "ok" in found && found.ok.host === host && (found.ok.port === port || !/:\d+$/.test(header));
}

const USUAL_PORT = { http: 80, https: 443 } as const;

function destinationOf(authority: string, scheme: "http" | "https"): Parsed<Destination> {
  const [, written, digits] = AUTHORITY.exec(authority) ?? [];
  const host = written === undefined ? null : normaliseHost(written);
  // Numbers that only some programs read as an address (`0x7f.1`, `2130706433`), characters that are mapped to others.
  if (
    written === undefined ||
    written.includes("..") ||
    host === null ||
    host !== written.toLowerCase().replace(/\.$/, "")
  )
    return { why: "the host isn't clear" };
  const port = digits === undefined ? USUAL_PORT[scheme] : Number(digits);
  if (!isWebPort(port)) return { why: `port ${port} is not for the web` };
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  const address = isIP(bare) === 0 ? undefined : bare;
  if (address === undefined && isLocalName(host)) return { why: `${host} is a name of this machine or its network` };
  const url = `${scheme}://${host}${port === USUAL_PORT[scheme] ? "" : `:${port}`}`;
  return { ok: { host, port, address, url } };
}
