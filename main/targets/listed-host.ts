import { createRequire } from "node:module";
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

type Suffixes = typeof import("tldts");

let suffixes: Suffixes | undefined;

/** The list is 200 kB long: it is loaded with the first host that is asked about, not when the gate starts. */
function loadedSuffixes(): Suffixes {
  suffixes ??= createRequire(import.meta.url)("tldts") as Suffixes;
  return suffixes;
}

/**
 * The domain that somebody has registered, to which a host belongs: `example.net` of `rates.example.net`, `me.github.io` of
 * `a.me.github.io`. Null of an address, of a name whose suffix isn't on the public list, and of a public suffix itself: below those are
 * hosts of anybody's.
 */
export function registrableDomain(host: string): string | null {
  const { domain, isIcann, isPrivate } = loadedSuffixes().parse(host, { allowPrivateDomains: true });
  return isIcann === true || isPrivate === true ? domain : null;
}
