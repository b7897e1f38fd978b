import { parse } from "tldts";

/**
 * The domain that somebody has registered, to which a host belongs: `example.net` of `rates.example.net`, `me.github.io` of
 * `a.me.github.io`. Null of an address, of a name whose suffix isn't on the public list, and of a public suffix itself: below those are
 * hosts of anybody's.
 */
export function registrableDomain(host: string): string | null {
  const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  return isIcann === true || isPrivate === true ? domain : null;
}
