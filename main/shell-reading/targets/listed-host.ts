import { hostMatches, isWebPort, normaliseHostPattern } from "./host.ts";

/** A host as a list of the configuration names it: `api.example.com`, `*.example.com` or either with a port. */
export interface ListedHost {
  /** In its normal form. */
  readonly pattern: string;
  readonly ports: readonly number[];
}

/** Where no port is named. */
const USUAL_PORTS = [443, 80];

/** Null where it is none. */
export function readListedHost(text: string): ListedHost | null {
  const [, written = "", digits] = /^(.+?)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const pattern = normaliseHostPattern(written);
  if (pattern === null || (digits !== undefined && !isWebPort(Number(digits)))) return null;
  return { pattern, ports: digits === undefined ? USUAL_PORTS : [Number(digits)] };
}

/** @param host in its normal form */
export function isListed(list: readonly ListedHost[], host: string, port: number): boolean {
  return list.some(({ pattern, ports }) => ports.includes(port) && hostMatches(pattern, host));
}
