import { domainToASCII } from "node:url";
import { hostOfUrl } from "@metnos-gate/shell-reading/files";
import { SEND } from "../../ipc/words/sending.ts";

/** Hosts as grants name them: lower-case, punycode, exact or `*.domain`. */

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** What would make a URL's parser see more, or less, than a host. */
const NOT_IN_HOST = /[/\\?#@\s]/;

/** Whether a host in its normal form is this machine, whatever a resolver says: `127.0.0.1.example.com` is none. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A bare host in its normal form (`EXAMPLE.com.` -> `example.com`), or null if it isn't one. */
export function normaliseHost(host: string): string | null {
  if (NOT_IN_HOST.test(host)) return null;
  const normal = hostOfUrl(`http://${host}`);
  // A port is not part of a host: a grant on a host holds for all of its ports.
  if (normal === null || /:\d+$/.test(host.replace(/^\[.*\]/, ""))) return null;
  return normal;
}

/** A grant's host pattern in its normal form: a host, or `*.domain` with at least two labels in the domain. Null if it is neither. */
export function normaliseHostPattern(pattern: string): string | null {
  if (!pattern.startsWith("*.")) return pattern.includes("*") ? null : normaliseHost(pattern);
  if (NOT_IN_HOST.test(pattern) || pattern.includes(":")) return null;
  const domain = trimDot(domainToASCII(pattern.slice(2)));
  const labels = domain.split(".");
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  // `*.2.3.4` would be a wildcard on addresses.
  if (labels.every((label) => /^\d+$/.test(label))) return null;
  return `*.${domain}`;
}

/** What a grant on hosts may be given on, in its normal form: a host pattern, or one to send to. Null if it is neither. */
export function normaliseHostGrant(text: string): string | null {
  if (!text.startsWith(SEND)) return normaliseHostPattern(text);
  const pattern = normaliseHostPattern(text.slice(SEND.length));
  return pattern === null ? null : SEND + pattern;
}

/** True if a grant on `granted` covers `asked`, a host or one that is sent to; both in their normal forms. */
export function hostGrantMatches(granted: string, asked: string): boolean {
  const [pattern, host] = [granted, asked].map((text) => (text.startsWith(SEND) ? text.slice(SEND.length) : text));
  return (granted.startsWith(SEND) || !asked.startsWith(SEND)) && hostMatches(pattern ?? "", host ?? "");
}

/** True if `pattern` covers `host`; both in their normal forms. `*.example.com` covers every host below it, not itself. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern.startsWith("*.")) return host.length > pattern.length - 1 && host.endsWith(pattern.slice(1));
  return pattern === host;
}

/** What a grant that covers `host` would be on, to look it up by: the host, then `*.` each domain above it. */
export function grantsCovering(host: string, sends: boolean): string[] {
  const patterns = [host];
  if (!host.startsWith("["))
    for (let dot = host.indexOf("."); dot !== -1; dot = host.indexOf(".", dot + 1))
      patterns.push(`*${host.slice(dot)}`);
  const sending = patterns.map((pattern) => SEND + pattern);
  return sends ? sending : [...patterns, ...sending];
}

/**
 * A grant on a host holds for all of its ports; of the reserved ones only the web's two are for programs that speak TLS or HTTP: the
 * others are mail, remote shells and the like.
 */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && port <= 65_535);
}

function trimDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
