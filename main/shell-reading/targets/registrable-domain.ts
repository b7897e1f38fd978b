import { createRequire } from "node:module";

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
